package workspace

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/internal/text"
)

// make makes the clone. If the process is killed before the end, it is made again.
func (s *Space) make(ctx context.Context) {
	s.findBase(ctx)
	s.do(func() error { return os.RemoveAll(s.home) })
	s.do(func() error {
		s.made = true
		return atomicfile.MakeDir(s.file("tree"))
	})
	s.clone(ctx)
	s.writeConfig(ctx)
	if s.opts.InPlace {
		s.requireClean(ctx)
		s.own(ctx, "read-tree", s.state.Base) // the working tree has its files
	} else {
		s.own(ctx, "-c", "checkout.workers=0", "read-tree", "-m", "-u", s.state.Base)
		s.writeConfig(ctx) // refuses a filter of the base
		s.subModules(ctx)
		s.share()
		s.renewAgentGit(ctx)
		for _, argv := range s.opts.Setup { // which can change the agent's .git
			if len(argv) > 0 {
				s.program(ctx, argv[0], argv[1:], command{at: anywhere, dir: s.Dir(), typ: "setup"})
			}
		}
	}
	s.recordIgnored(ctx)
	s.nameLeftovers(ctx)
	s.saveState() // at last
}

// findBase finds the commit with which the run begins.
func (s *Space) findBase(ctx context.Context) {
	s.state.Ref, _ = s.try(ctx, command{at: inUsers, args: []string{"symbolic-ref", "-q", "HEAD"}})
	rev := "HEAD"
	if !s.opts.InPlace {
		rev = cmp.Or(s.opts.Base, rev)
	}
	switch s.state.Base = s.find(ctx, inUsers, rev+"^{commit}"); {
	case s.state.Base == "" && rev == "HEAD":
		s.fail("layout", "the repository has no commit: make the first one", s.root)
	case s.state.Base == "":
		s.fail("name", "the repository has no commit "+rev)
	}
	if dirty := s.status(ctx, command{at: inUsers}, "-unormal"); len(dirty) > 0 && !s.opts.InPlace {
		s.warnings = append(s.warnings, fmt.Sprintf("the run begins at %.7s without your %s", s.state.Base,
			text.Count(len(dirty), "uncommitted file")))
	}
}

// clone makes the run's repository, with the branch of the run at the base. Git links the objects,
// or copies them from another disk. It cannot link if objects are symbolic links, or are packed
// meanwhile. The remote branches are for commands such as git diff origin/main.
func (s *Space) clone(ctx context.Context) {
	clone := func(objects string) command {
		return command{at: anywhere, dir: s.home, args: []string{"clone", "-q", "--bare", "--template=",
			"--no-reject-shallow", "-c", "remote.origin.fetch=+refs/remotes/*:refs/remotes/*", objects, "--", s.common,
			s.gitDir()}}
	}
	if _, ok := s.try(ctx, clone("--local")); !ok {
		s.do(func() error { return os.RemoveAll(s.gitDir()) })
		s.git(ctx, clone("--no-local"))
	}
	if s.find(ctx, inRun, s.state.Base+"^{commit}") == "" { // no branch has it
		s.own(ctx, "fetch", "-q", "--no-tags", "--no-write-fetch-head", s.user, s.state.Base)
	}
	if s.find(ctx, inRun, s.ref()) != "" && !s.isAncestor(ctx, inRun, s.ref(), s.state.Base) && !s.opts.InPlace {
		s.fail("name", "the branch "+s.opts.Branch+" has other commits: merge, delete or rename it")
	}
	s.own(ctx, "symbolic-ref", "HEAD", s.ref())
	s.git(ctx, command{args: []string{"update-ref", "HEAD", s.state.Base}, typ: "name"})
}

// subModules writes the files of submodules as plain files. Git does not look at them: a change is
// neither found nor delivered. A submodule that the person has not checked out is skipped.
func (s *Space) subModules(ctx context.Context) {
	if !exists(filepath.Join(s.Dir(), ".gitmodules")) {
		return
	}
	s.git(ctx, command{at: inUsers, args: []string{"submodule", "--quiet", "foreach", "--recursive",
		`export GIT_INDEX_FILE="$CLONE/../module.index" && git read-tree "$sha1" && ` +
			`git checkout-index -a -f --prefix="$CLONE/$displaypath/"`},
		env: []string{"GIT_INDEX_FILE=" + s.file("git/index"), "CLONE=" + filepath.ToSlash(s.Dir())}})
}

// share copies and links ignored files and directories of the person's. Missing ones are skipped.
func (s *Space) share() {
	for i, p := range slices.Concat(s.opts.Share, s.opts.Link) {
		from, to := filepath.Join(s.root, p), filepath.Join(s.Dir(), p)
		switch {
		case !filepath.IsLocal(p):
			s.fail("clone", "not a path in the working tree: "+p, p)
		case !exists(from):
		case exists(to):
			s.fail("clone", "git tracks "+p+", so it cannot be shared", p)
		default:
			s.do(func() error { return os.MkdirAll(filepath.Dir(to), 0o777) })
			s.do(func() error {
				beforeStep("share " + p)
				if i >= len(s.opts.Share) {
					return os.Symlink(from, to)
				}
				return copyTree(from, to)
			})
		}
	}
}

// copyTree copies a file or directory, or the target of a link. It refuses pipes and devices, because
// reading one may not end.
func copyTree(from, to string) error {
	info, err := os.Stat(from)
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return os.CopyFS(to, os.DirFS(from))
	case !info.Mode().IsRegular():
		return &fs.PathError{Op: "copy", Path: from, Err: fs.ErrInvalid}
	}
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, content, info.Mode().Perm())
	}
	return err
}

// recordIgnored records the files that are ignored at the beginning: shared files and results of
// setup.
func (s *Space) recordIgnored(ctx context.Context) {
	for _, e := range s.status(ctx, command{}, "-uall", "--ignored=matching") {
		if p, ok := strings.CutPrefix(e, "!! "); ok {
			s.state.Ignored = append(s.state.Ignored, strings.TrimSuffix(p, "/"))
		}
	}
	slices.Sort(s.state.Ignored)
}

// wasIgnored reports whether a file was ignored at the beginning, itself or with its directory.
func (s *Space) wasIgnored(p string) bool {
	for ; p != "."; p = path.Dir(p) {
		if _, found := slices.BinarySearch(s.state.Ignored, p); found {
			return true
		}
	}
	return false
}

// probedSettings are the settings of the format and the file system that git finds when it makes a
// repository. copiedSettings are those of the person's on which files and commits depend. programKeys
// name programs, which git runs in the run's repository.
var (
	probedSettings = regexp.MustCompile(`^(extensions\.objectformat|core\.(repositoryformatversion|filemode|symlinks|` +
		`ignorecase|precomposeunicode))$`)
	copiedSettings = regexp.MustCompile(`^((user|author|committer|gpg|filter|lfs|i18n)\..*|commit\.gpgsign|` +
		`core\.(autocrlf|eol|attributesfile|excludesfile|sparsecheckout(cone)?))$`)
	programKeys = regexp.MustCompile(`(?i)^((filter|lfs\.extension)\..*\.(clean|smudge|process)|` +
		`gpg\..*(program|command)|lfs\.customtransfer\..*\.path)$`)
)

// writeConfig writes the configuration of the run's repository, from that of the person's. It has
// no remotes and no hooks.
func (s *Space) writeConfig(ctx context.Context) {
	var b strings.Builder
	b.WriteString("[core]\n\tbare = false\n\tprotectNTFS = false\n\tprotectHFS = false\n")
	for _, entry := range parts(s.own(ctx, "config", "--local", "--list", "-z")) {
		if key, _, _ := strings.Cut(entry, "\n"); probedSettings.MatchString(key) {
			writeSetting(&b, entry)
		}
	}
	s.lfs = "lfs"
	for _, entry := range parts(s.users(ctx, "config", "--list", "-z")) {
		key, value, _ := strings.Cut(entry, "\n")
		if key == "lfs.storage" {
			s.lfs = filepath.FromSlash(value)
		}
		if file := s.programInTree(value); file != "" && programKeys.MatchString(key) {
			s.fail("layout", key+" runs a file of the working tree, which an agent can change: "+value, file)
		}
		if copiedSettings.MatchString(key) {
			writeSetting(&b, entry)
		}
	}
	if !filepath.IsAbs(s.lfs) {
		s.lfs = filepath.Join(s.common, s.lfs)
	}
	writeSetting(&b, "lfs.storage\n"+s.file("git/lfs"))
	s.do(func() error { return linkFiles(filepath.Join(s.lfs, "objects"), s.file("git/lfs/objects")) })
	s.do(func() error { return atomicfile.Replace(s.file("git/config"), []byte(b.String())) })
	for _, name := range []string{"info/exclude", "info/attributes", "info/sparse-checkout"} {
		s.do(func() error {
			from := s.common
			if name == "info/sparse-checkout" {
				from = s.user // each working tree has its own
			}
			content, err := os.ReadFile(filepath.Join(from, name))
			if err != nil && !notFound(err) {
				return err
			}
			for _, p := range s.opts.Link {
				if name == "info/exclude" { // "dir/" does not match a link to a directory
					content = append(content, "\n/"+regexp.QuoteMeta(filepath.ToSlash(filepath.Clean(p)))+"\n"...)
				}
			}
			return writeFile(s.file("git/"+name), content)
		})
	}
}

// writeFile writes a file and the directories above it.
func writeFile(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, content, 0o666)
}

// writeSetting writes an entry of git config --list -z in the form of git's configuration files. A
// setting without a value is true, but one with an empty value is false.
func writeSetting(b *strings.Builder, entry string) {
	key, value, hasValue := strings.Cut(entry, "\n")
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	section := key[:first]
	if first < last {
		section += " " + quoteSetting(key[first+1:last])
	}
	b.WriteString("[" + section + "]\n\t" + key[last+1:])
	if hasValue {
		b.WriteString(" = " + quoteSetting(value))
	}
	b.WriteByte('\n')
}

func quoteSetting(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}

// programInTree returns the part of a shell command that names a file of the working tree, or "".
// Without a slash, the first word is a program in PATH.
func (s *Space) programInTree(shell string) string {
	words := strings.FieldsFunc(shell, func(r rune) bool { return strings.ContainsRune(" \t\n'\"`;|&()<>=$", r) })
	for i, word := range words {
		if word = filepath.FromSlash(word); i == 0 && !strings.ContainsRune(word, filepath.Separator) {
			continue
		}
		for _, root := range []string{s.root, s.Dir()} {
			file := word
			if !filepath.IsAbs(word) {
				file = filepath.Join(root, word)
			}
			rel, in := inside(root, file)
			if info, err := os.Stat(file); in && err == nil && info.Mode().IsRegular() {
				return filepath.ToSlash(rel)
			}
		}
	}
	return ""
}

// linkFiles links the files of a directory that are missing in another one, or copies them from
// another disk. Files of these names have one content: they are objects of Git LFS.
func linkFiles(from, to string) error {
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		dest := filepath.Join(to, strings.TrimPrefix(name, from))
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(dest, 0o777)
		case exists(dest) || os.Link(name, dest) == nil:
			return nil
		}
		part := dest + atomicfile.TempSuffix
		_ = os.Remove(part)
		if err := copyTree(name, part); err != nil {
			return err
		}
		return os.Rename(part, dest)
	})
	if notFound(err) {
		return nil
	}
	return err
}
