package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
)

// probed are the settings of the file system that git finds when it makes a repository.
var probed = []string{"core.filemode", "core.symlinks", "core.ignorecase", "core.precomposeunicode"}

// copied are the beginnings of the person's settings on which files and commits depend.
var copied = []string{
	"user.", "author.", "committer.", "commit.gpgsign", "gpg.", "filter.", "lfs.", "i18n.", "core.autocrlf",
	"core.eol", "core.attributesfile", "core.excludesfile", "core.sparsecheckout", "core.sparsecheckoutcone",
}

// programKeys are the settings that name programs, which git runs in the run's repository.
var programKeys = regexp.MustCompile(`^(filter\..*\.(clean|smudge|process)|gpg(\..*)?\.program)$`)

// writeConfig writes the configuration of the run's repository, from that of the person's. It has no
// remotes and no hooks.
func (s *Space) writeConfig(ctx context.Context) error {
	entries, err := s.list(ctx, command{at: inUsers, args: []string{"config", "--list", "-z", "--show-scope"}})
	if err != nil {
		return err
	}
	var b strings.Builder
	s.lfs = filepath.Join(s.common, "lfs")
	b.WriteString("[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tprotectNTFS = false\n" +
		"\tprotectHFS = false\n" +
		"[extensions]\n\tobjectFormat = " + s.format + "\n")
	for _, line := range s.state.Probed {
		key, value, _ := strings.Cut(line, "=")
		writeSetting(&b, key, value)
	}
	for i := 0; i+1 < len(entries); i += 2 {
		key, value, _ := strings.Cut(entries[i+1], "\n")
		switch {
		case entries[i] == "command":
		case key == "lfs.storage":
			if s.lfs = filepath.FromSlash(value); !filepath.IsAbs(s.lfs) {
				s.lfs = filepath.Join(s.common, s.lfs)
			}
		case slices.ContainsFunc(copied, func(begin string) bool { return strings.HasPrefix(key, begin) }):
			if programKeys.MatchString(key) {
				if p := s.programInTree(value); p != "" {
					return fault("layout",
						key+" runs a program of the working tree, which an agent can change: "+value, nil, p)
				}
			}
			writeSetting(&b, key, value)
		}
	}
	if err := linkFiles(filepath.Join(s.lfs, "objects"), s.file("git/lfs/objects")); err != nil {
		return err
	}
	writeSetting(&b, "lfs.storage", s.file("git/lfs"))
	if err := atomicfile.Replace(s.file("git/config"), []byte(b.String())); err != nil {
		return err
	}
	for _, name := range []string{"info/exclude", "info/attributes", "info/sparse-checkout"} {
		from := s.common
		if name == "info/sparse-checkout" {
			from = s.user // each working tree has its own
		}
		content, err := os.ReadFile(filepath.Join(from, name))
		if err != nil && !notFound(err) {
			return err
		}
		if name == "info/exclude" { // "dir/" does not match a link to a directory
			for _, p := range s.opts.Link {
				content = append(content, "\n/"+escapePattern(filepath.ToSlash(filepath.Clean(p)))+"\n"...)
			}
		}
		to := s.file("git/" + name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o777), os.WriteFile(to, content, 0o600)); err != nil {
			return err
		}
	}
	return nil
}

// writeSetting writes a setting in the form of git's configuration files.
func writeSetting(b *strings.Builder, key, value string) {
	first, last := strings.IndexByte(key, '.'), strings.LastIndexByte(key, '.')
	section := key[:first]
	if first < last {
		section += " " + quoteSetting(key[first+1:last])
	}
	b.WriteString("[" + section + "]\n\t" + key[last+1:] + " = " + quoteSetting(value) + "\n")
}

func quoteSetting(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(s) + `"`
}

func escapePattern(p string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, " ", `\ `).Replace(p)
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
			name := word
			if !filepath.IsAbs(word) {
				name = filepath.Join(root, word)
			}
			rel, err := filepath.Rel(root, name)
			info, serr := os.Stat(name)
			if err == nil && filepath.IsLocal(rel) && serr == nil && info.Mode().IsRegular() {
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
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		dest := filepath.Join(to, rel)
		if exists(dest) {
			return nil
		}
		if err := os.MkdirAll(filepath.Dir(dest), 0o777); err != nil {
			return err
		}
		if os.Link(name, dest) == nil {
			return nil
		}
		part := dest + atomicfile.TempSuffix
		_ = os.Remove(part)
		return errors.Join(copyFile(name, part, 0o444), os.Rename(part, dest))
	})
	if notFound(err) {
		return nil
	}
	return err
}

// agentFiles are the files of the agent's repository that show the last commit, by their paths.
func (s *Space) agentFiles() (map[string]string, error) {
	files := map[string]string{"HEAD": "ref: " + s.ref() + "\n",
		"objects/info/alternates": filepath.ToSlash(filepath.Join(s.gitDir(), "objects")) + "\n"}
	for _, name := range []string{"config", "packed-refs", "info/exclude", "info/attributes", "info/sparse-checkout",
		"shallow", s.ref()} {
		content, err := os.ReadFile(s.file("git/" + name))
		if err == nil {
			files[name] = string(content)
		} else if !notFound(err) {
			return nil, err
		}
	}
	return files, nil
}

func (s *Space) firstAgentGit(ctx context.Context) error { return s.renewAgentGit(ctx, true) }

// renewAgentGit makes the agent's repository anew, unless it shows the last commit and has the
// configuration of the beginning. It moves the old one to old/.
func (s *Space) renewAgentGit(ctx context.Context, always bool) error {
	files, err := s.agentFiles()
	if err != nil {
		return err
	}
	dot := filepath.Join(s.Dir(), ".git")
	info, err := os.Lstat(dot)
	same := !always && err == nil && info.IsDir()
	for name, content := range files {
		if !same {
			break
		}
		have, err := os.ReadFile(filepath.Join(dot, filepath.FromSlash(name)))
		same = err == nil && string(have) == content
	}
	if same {
		return nil
	}
	if err := s.scratchGit(ctx, s.file("agent.new"), files); err != nil {
		return err
	}
	if exists(dot) {
		if err := s.moveAside(".git"); err != nil {
			return err
		}
	}
	beforeStep("replace .git")
	return os.Rename(s.file("agent.new"), dot)
}

// scratchGit makes a repository that borrows the objects of the run's. Its index has the files of the
// last commit, with the times of the run's index, so that git need not read all files.
func (s *Space) scratchGit(ctx context.Context, dir string, files map[string]string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for _, name := range []string{"refs", "objects/pack", "info", "hooks"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o777); err != nil {
			return err
		}
	}
	for name, content := range files {
		to := filepath.Join(dir, filepath.FromSlash(name))
		err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o777), os.WriteFile(to, []byte(content), 0o666))
		if err != nil {
			return err
		}
	}
	index, err := os.ReadFile(s.file("git/index"))
	if err != nil {
		return err
	}
	name := filepath.Join(dir, "index")
	if err := os.WriteFile(name, index, 0o666); err != nil {
		return err
	}
	_, err = s.git(ctx, command{env: []string{"GIT_INDEX_FILE=" + name},
		args: []string{"read-tree", "--reset", "HEAD"}})
	return err
}

// maxOld limits the entries of old/. The oldest ones are removed.
const maxOld = 20

// moveAside moves a file or directory of the tree to old/.
func (s *Space) moveAside(p string) error {
	if err := os.MkdirAll(s.file("old"), 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(s.file("old"))
	if err != nil {
		return err
	}
	next := 0
	for i, e := range entries {
		if i <= len(entries)-maxOld {
			if err := os.RemoveAll(s.file("old/" + e.Name())); err != nil {
				return err
			}
		}
		if n, err := strconv.Atoi(e.Name()); err == nil {
			next = n + 1
		}
	}
	dir := s.file(fmt.Sprintf("old/%06d", next)) // sorted by age
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	beforeStep("move " + p)
	from, to := filepath.Join(s.Dir(), filepath.FromSlash(p)), filepath.Join(dir, path.Base(p))
	if err := os.Rename(from, to); err == nil || !s.opts.InPlace {
		return err
	}
	return errors.Join(copyTree(from, to), os.RemoveAll(from)) // another disk
}
