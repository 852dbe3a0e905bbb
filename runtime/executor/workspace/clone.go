package workspace

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
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
		s.setUp(ctx)
	}
	s.recordIgnored(ctx)
	s.nameLeftovers(ctx)
	s.saveState() // at last
}

// findBase finds the commit with which the run begins, and checks the name of its branch.
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
	case s.opts.InPlace:
		return
	}
	for name := range strings.SplitSeq(s.users(ctx, "for-each-ref", "--format=%(refname)", "refs/heads"), "\n") {
		inside := strings.HasPrefix(name, s.ref()+"/") || name != "" && strings.HasPrefix(s.ref(), name+"/")
		if inside || name == s.ref() && !s.isAncestor(ctx, inUsers, name, s.state.Base) {
			s.fail("name", fmt.Sprintf("the branch %s is in the way of %s: merge, delete or rename it", short(name),
				s.opts.Branch))
		}
	}
	if dirty := s.personChanges(ctx, "-unormal"); len(dirty) > 0 {
		s.warnings = append(s.warnings, fmt.Sprintf("the run begins at %.7s without your %s", s.state.Base,
			text.Count(len(dirty), "uncommitted file")))
	}
}

// personChanges returns what git status reports in the person's working tree.
func (s *Space) personChanges(ctx context.Context, untracked string) []string {
	return s.list(ctx, inUsers, "status", "--porcelain=v1", "-z", "--no-renames", "--ignore-submodules=all", untracked)
}

// clone makes the run's repository, with the branch of the run at the base. Git links the objects,
// or copies them from another disk. It cannot link if objects are symbolic links, or are packed
// meanwhile.
func (s *Space) clone(ctx context.Context) {
	args := []string{"clone", "-q", "--bare", "--template=", "--no-reject-shallow", "--local", "--",
		s.common, s.gitDir()}
	if _, ok := s.try(ctx, command{at: anywhere, dir: s.home, args: args}); !ok {
		s.do(func() error { return os.RemoveAll(s.gitDir()) })
		args[5] = "--no-local"
		s.git(ctx, command{at: anywhere, dir: s.home, args: args})
	}
	if s.find(ctx, inRun, s.state.Base+"^{commit}") == "" { // no branch has it
		s.own(ctx, "fetch", "-q", "--no-tags", "--no-write-fetch-head", s.user, s.state.Base)
	}
	// For commands such as git diff origin/main. If the repository lacks objects, git can refuse.
	s.try(ctx, command{args: []string{"fetch", "-q", "--no-tags", "--no-write-fetch-head", s.common,
		"+refs/remotes/*:refs/remotes/*"}})
	s.own(ctx, "pack-refs", "--all")
	s.own(ctx, "symbolic-ref", "HEAD", s.ref())
	s.own(ctx, "update-ref", s.ref(), s.state.Base)
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

// copyTree copies a file or directory, or the target of a link.
func copyTree(from, to string) error {
	info, err := os.Stat(from)
	if err == nil && info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, content, info.Mode().Perm())
	}
	return err
}

// setUp runs the commands that complete the clone. They can change the agent's .git.
func (s *Space) setUp(ctx context.Context) {
	for _, argv := range s.opts.Setup {
		if s.err == nil && len(argv) > 0 {
			s.program(ctx, argv[0], argv[1:], command{at: anywhere, dir: s.Dir(), typ: "setup"})
		}
	}
}

// recordIgnored records the files that are ignored at the beginning: shared files and results of
// setup.
func (s *Space) recordIgnored(ctx context.Context) {
	for _, e := range s.list(ctx, inRun, statusArgs...) {
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
