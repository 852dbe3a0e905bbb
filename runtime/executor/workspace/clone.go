package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/internal/text"
)

// make makes the clone. If the process is killed before the end, it is made again.
func (s *Space) make(ctx context.Context) error {
	if err := os.RemoveAll(s.home); err != nil {
		return err
	}
	if err := atomicfile.MakeDir(s.home); err != nil {
		return err
	}
	if err := os.WriteFile(s.file("unfinished"), nil, 0o600); err != nil {
		return err
	}
	s.state = state{Root: s.root}
	steps := []func(context.Context) error{s.findBase, s.clone, s.copyRemotes, s.writeConfig, s.checkOut, s.subModules,
		s.share, s.firstAgentGit, s.setUp, s.recordIgnored}
	if s.opts.InPlace {
		steps = []func(context.Context) error{s.findBase, s.requireClean, s.clone,
			s.writeConfig, s.readBase, s.recordIgnored}
	} else if err := os.Mkdir(s.Dir(), 0o777); err != nil {
		return err
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return errors.Join(s.saveState(), os.Remove(s.file("unfinished")))
}

// findBase finds the commit with which the run begins, and checks the name of its branch.
func (s *Space) findBase(ctx context.Context) (err error) {
	if s.state.Ref, err = s.users(ctx, 1, "symbolic-ref", "-q", "HEAD"); err != nil {
		return err
	}
	rev := "HEAD"
	if !s.opts.InPlace {
		rev = cmp.Or(s.opts.Base, rev)
	}
	s.state.Base, err = s.users(ctx, 1, "rev-parse", "--verify", "-q", "--end-of-options", rev+"^{commit}")
	switch {
	case err != nil:
		return err
	case s.state.Base == "" && rev == "HEAD":
		return fault("layout", "the repository has no commit: make the first one", nil, s.root)
	case s.state.Base == "":
		return fault("name", "the repository has no commit "+rev, nil)
	case s.opts.InPlace:
		return nil
	}
	branches, err := s.users(ctx, 0, "for-each-ref", "--format=%(refname)", "refs/heads")
	for name := range strings.SplitSeq(branches, "\n") {
		short := strings.TrimPrefix(name, "refs/heads/")
		if name == s.ref() && !s.isAncestor(ctx, name, s.state.Base) {
			return fault("name", fmt.Sprintf("the branch %s has commits that %.7s does not have: merge or delete it",
				short, s.state.Base), nil)
		}
		if strings.HasPrefix(name, s.ref()+"/") || strings.HasPrefix(s.ref(), name+"/") {
			return fault("name", "the branch "+s.opts.Branch+" cannot exist beside the branch "+short, nil)
		}
	}
	if err != nil {
		return err
	}
	dirty, err := s.list(ctx, command{at: inUsers, args: []string{"status", "--porcelain=v1", "-z", "--no-renames",
		"--ignore-submodules=all"}})
	if len(dirty) > 0 {
		verb := "are"
		if len(dirty) == 1 {
			verb = "is"
		}
		s.warnings = append(s.warnings, fmt.Sprintf("the run begins at %.7s; your %s %s not part of it", s.state.Base,
			text.Count(len(dirty), "uncommitted file"), verb))
	}
	return err
}

// clone makes the run's repository, with the branch of the run at the base. Git links the objects,
// or copies them from another disk. It cannot link if objects are symbolic links, or are packed
// meanwhile.
func (s *Space) clone(ctx context.Context) error {
	args := []string{"clone", "-q", "--bare", "--template=", "--no-reject-shallow"}
	for _, local := range []string{"--local", "--no-local"} {
		_, err := s.git(ctx, command{at: anywhere, dir: s.home,
			args: append(args[:len(args):len(args)], local, "--", s.common, s.gitDir())})
		if err == nil {
			break
		}
		if local == "--no-local" || ctx.Err() != nil {
			return err
		}
		if err := os.RemoveAll(s.gitDir()); err != nil {
			return err
		}
	}
	settings, err := s.own(ctx, "config", "--local", "--list")
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(settings, "\n") {
		if key, _, _ := strings.Cut(line, "="); slices.Contains(probed, key) {
			s.state.Probed = append(s.state.Probed, line)
		}
	}
	if _, err := s.own(ctx, "cat-file", "-e", s.state.Base); err != nil { // no branch has it
		if _, err := s.own(ctx, "fetch", "-q", "--no-tags", s.user, s.state.Base); err != nil {
			return err
		}
	}
	_, err = s.own(ctx, "symbolic-ref", "HEAD", s.ref())
	if err == nil {
		_, err = s.own(ctx, "update-ref", s.ref(), s.state.Base)
	}
	return err
}

// copyRemotes copies the remote-tracking branches, for commands such as git diff origin/main.
func (s *Space) copyRemotes(ctx context.Context) error {
	refs, err := s.users(ctx, 0, "for-each-ref", "--format=%(objectname) %(refname)", "refs/remotes")
	if err != nil || refs == "" {
		return err
	}
	var ids, input strings.Builder
	for line := range strings.Lines(refs) {
		id, _, _ := strings.Cut(line, " ")
		ids.WriteString(id + "\n")
	}
	found, err := s.line(ctx, command{args: []string{"cat-file", "--batch-check"},
		stdin: strings.NewReader(ids.String())})
	if err != nil {
		return err
	}
	there := strings.Split(found, "\n")
	for i, line := range strings.Split(refs, "\n") {
		id, name, _ := strings.Cut(line, " ")
		if i < len(there) && !strings.HasSuffix(there[i], " missing") { // a shallow clone lacks objects
			fmt.Fprintf(&input, "create %s %s\n", name, id)
		}
	}
	if _, err := s.line(ctx, command{args: []string{"update-ref", "--stdin"},
		stdin: strings.NewReader(input.String())}); err != nil {
		return err
	}
	_, err = s.own(ctx, "pack-refs", "--all")
	return err
}

// checkOut writes the files of the base.
func (s *Space) checkOut(ctx context.Context) error {
	if _, err := s.own(ctx, "-c", "checkout.workers=0", "read-tree", "-m", "-u", s.state.Base); err != nil {
		return err
	}
	return s.writeConfig(ctx) // a filter can be in the base
}

// subModules writes the files of submodules as plain files. Git does not look at them: a change is
// neither found nor delivered.
func (s *Space) subModules(ctx context.Context) error {
	return s.subModulesOf(ctx, s.root, s.user, s.state.Base, "")
}

func (s *Space) subModulesOf(ctx context.Context, root, git, commit, prefix string) error {
	entries, err := s.list(ctx, command{at: anywhere, dir: root, env: []string{"GIT_DIR=" + git},
		args: []string{"ls-tree", "-r", "-z", "--full-tree", commit}})
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, p, _ := strings.Cut(e, "\t")
		fields := strings.Fields(info)
		sub := filepath.Join(root, filepath.FromSlash(p))
		if fields[0] != modeModule || !exists(filepath.Join(sub, ".git")) {
			continue // the person has not checked it out
		}
		subGit, err := s.line(ctx, command{at: anywhere, dir: sub, args: []string{"rev-parse", "--absolute-git-dir"}})
		if err != nil {
			return err
		}
		name := path.Join(prefix, p)
		env := []string{"GIT_DIR=" + subGit, "GIT_INDEX_FILE=" + s.file("module.index")}
		for _, args := range [][]string{{"read-tree", fields[2]},
			{"checkout-index", "-a", "-f", "--prefix=" + filepath.Join(s.Dir(), filepath.FromSlash(name)) + "/"}} {
			if _, err := s.git(ctx, command{at: anywhere, dir: sub, env: env, args: args}); err != nil {
				return err
			}
		}
		if err := s.subModulesOf(ctx, sub, subGit, fields[2], name); err != nil {
			return err
		}
	}
	return nil
}

// share copies and links ignored files and directories of the person's.
func (s *Space) share(context.Context) error {
	for i, p := range slices.Concat(s.opts.Share, s.opts.Link) {
		if !filepath.IsLocal(p) {
			return fault("clone", "not a path in the working tree: "+p, nil, p)
		}
		from, to := filepath.Join(s.root, p), filepath.Join(s.Dir(), p)
		if !exists(from) {
			continue
		}
		if exists(to) {
			return fault("clone", "git tracks "+p+", so it cannot be shared", nil, p)
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		beforeStep("share " + p)
		copyFiles := copyTree
		if i >= len(s.opts.Share) {
			copyFiles = os.Symlink
		}
		if err := copyFiles(from, to); err != nil {
			return err
		}
	}
	return nil
}

// copyTree copies a file or a directory with modes and times. It skips pipes, sockets and devices.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		dest := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			return os.Mkdir(dest, info.Mode().Perm()|0o700)
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			return os.Symlink(target, dest)
		case !d.Type().IsRegular():
			return nil
		}
		return errors.Join(copyFile(name, dest, info.Mode().Perm()), os.Chtimes(dest, info.ModTime(), info.ModTime()))
	})
}

func copyFile(from, to string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// setUp runs the commands that complete the clone. They can change the agent's .git.
func (s *Space) setUp(ctx context.Context) error {
	for _, argv := range s.opts.Setup {
		if len(argv) == 0 {
			continue
		}
		c := command{dir: s.Dir(), at: anywhere}
		if _, err := s.program(ctx, argv[0], argv[1:], c); err != nil {
			return fault("setup", "", err)
		}
	}
	return nil
}

// recordIgnored records what is ignored at the beginning: shared files and results of the setup.
func (s *Space) recordIgnored(ctx context.Context) error {
	entries, err := s.list(ctx, command{args: []string{"status", "--porcelain=v1", "-z", "--ignored=matching",
		"--ignore-submodules=all"}})
	for _, e := range entries {
		if p, ok := strings.CutPrefix(e, "!! "); ok {
			s.state.Ignored = append(s.state.Ignored, strings.TrimSuffix(p, "/"))
		}
	}
	slices.Sort(s.state.Ignored)
	return err
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
