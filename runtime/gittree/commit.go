package gittree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/internal/text"
)

// unfinished are the files in git's directory during operations that end with a commit.
var unfinished = []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "index.lock"}

// Commit commits the paths, and nothing else, on the branch that is checked out. Later changes of
// the files, ignored files and other staged files are not committed, and other staged files stay
// staged. Line ends, filters, identity and signing are those of the user's configuration.
//
// An attempt is committed once: repeating it returns the same id. The id is empty if the last
// commit has the paths as the tree has them.
func (s *Space) Commit(ctx context.Context, c executor.Commit) (id string, err error) {
	return operate(s, opCommit, c.Paths, func() (string, error) { return s.commit(ctx, c) })
}

func (s *Space) commit(ctx context.Context, c executor.Commit) (string, error) {
	if id, err := s.committed(ctx, c.Attempt); id != "" || err != nil {
		return id, err
	}
	if err := s.mayCommit(ctx); err != nil {
		return "", err
	}
	refs, err := s.readRefs()
	if err != nil {
		return "", err
	}
	ref, ok := strings.CutPrefix(refs["HEAD"], "ref: ")
	if !ok {
		ref = "HEAD"
	}
	in := intent{Ref: ref, Old: refs[ref]}
	paths, err := s.committable(ctx, c.Paths)
	if err != nil || len(paths) == 0 {
		return "", err
	}
	if in.ID, err = s.build(ctx, c, paths, in.Old); err != nil || in.ID == "" {
		return "", err
	}
	if err := context.Cause(ctx); err != nil {
		return "", err
	}
	return s.publish(context.WithoutCancel(ctx), c.Attempt, in)
}

// mayCommit returns evidence if git changed, or an operation of a person is under way.
func (s *Space) mayCommit(ctx context.Context) error {
	if err := s.unmoved(ctx); err != nil {
		return err
	}
	for _, name := range unfinished {
		if _, err := os.Lstat(filepath.Join(s.gitDir, name)); err == nil {
			return fault(typeBusy, "finish or abort the operation in progress: "+name+" exists", nil)
		}
	}
	return nil
}

// unmoved returns evidence if git itself changed.
func (s *Space) unmoved(ctx context.Context) error {
	if err := s.restoreObjects(); err != nil {
		return err
	}
	moved, err := s.guard(ctx)
	if err != nil || len(moved) == 0 {
		return err
	}
	return fault(typeMoved, "", ErrMoved, pathsOf(moved)...)
}

// users runs git in the user's repository, and returns the output without the line end.
func (s *Space) users(ctx context.Context, c command, args ...string) (string, error) {
	c.in, c.args = inUsers, args
	return s.line(ctx, c)
}

// committable returns the paths without git's own, those that git ignores, and those of
// repositories within the working tree.
func (s *Space) committable(ctx context.Context, paths []string) ([]string, error) {
	ignored, err := s.ignored(ctx, paths)
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		return ignored[p] || !filepath.IsLocal(filepath.FromSlash(p)) || s.inRepository(p)
	}), err
}

// inRepository reports whether a path is, or is in, a repository within the working tree or git's
// directory.
func (s *Space) inRepository(p string) bool {
	for dir := p; dir != "."; dir = path.Dir(dir) {
		if _, err := os.Lstat(s.abs(dir + "/.git")); err == nil || dir == ".git" {
			return true
		}
	}
	return false
}

// build makes a commit from a copy of the files, so that later changes in the working tree have no
// part in it. It uses a private HEAD and index beside the user's, as a linked working tree does.
// The id is empty if the commit would change nothing.
func (s *Space) build(ctx context.Context, c executor.Commit, paths []string, old string) (id string, err error) {
	dir := filepath.Join(s.store, "commit")
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	files, err := s.filesOf(ctx, c.Tree)
	if err != nil {
		return "", err
	}
	wanted := setOf(paths)
	files = slices.DeleteFunc(files, func(p string) bool { return !wanted[p] && path.Base(p) != ".gitattributes" })
	if err := s.export(ctx, c.Tree, files, filepath.Join(dir, "files")); err != nil {
		return "", err
	}
	config, err := os.ReadFile(filepath.Join(s.gitDir, "config.worktree"))
	if err != nil && !notFound(err) {
		return "", err
	}
	if err := errors.Join(atomicfile.MakeDir(filepath.Join(dir, "git")), s.write("commit/git/config.worktree", config),
		s.write("commit/git/HEAD", []byte(cmp.Or(old, unborn)+"\n"))); err != nil {
		return "", err
	}
	in := command{dir: filepath.Join(dir, "files"),
		env: []string{"GIT_DIR=" + filepath.Join(dir, "git"), "GIT_COMMON_DIR=" + s.common}}
	if _, err := s.users(ctx, in, "read-tree", cmp.Or(old, "--empty")); err != nil {
		return "", err
	}
	present, changed := setOf(files), []string(nil)
	for _, here := range []bool{false, true} { // removals come first, because a directory can replace a file
		for _, p := range paths {
			if present[p] == here {
				changed = append(changed, p)
			}
		}
	}
	in.stdin = zeroTerminated(changed)
	if _, err := s.users(ctx, in, "update-index", "--add", "--remove", "-z", "--stdin"); err != nil {
		return "", err
	}
	in.stdin = nil
	tree, err := s.users(ctx, in, "write-tree", "--missing-ok")
	if err != nil {
		return "", err
	}
	if old != "" {
		was, err := s.users(ctx, in, "rev-parse", "--verify", "HEAD^{tree}")
		if err != nil || was == tree {
			return "", err
		}
	}
	if s.opts.Hooks {
		in.dir = s.root // hooks run there
	}
	in.stdin = strings.NewReader(cleanMessage(c.Message, s.run) +
		fmt.Sprintf("\n\nErrgen-Run: %s\nErrgen-Attempt: %d\n", s.run, c.Attempt))
	if _, err := s.users(ctx, in, "commit", "-q", "--allow-empty", "--cleanup=verbatim", "-F", "-"); err != nil {
		return "", err
	}
	in.stdin = nil
	made, err := s.users(ctx, in, "rev-parse", "HEAD", "HEAD^{tree}")
	id, now, _ := strings.Cut(made, "\n")
	if err == nil && now != tree { // the change would be unchecked
		err = fault(typeMoved, "a hook changed what is committed", nil)
	}
	return id, err
}

// unborn is a HEAD without a commit, whose branch no other working tree has.
const unborn = "ref: refs/worktree/errgen"

const maxMessage = 32 << 10 // bytes

// cleanMessage makes a commit message of untrusted text: bounded, not empty, without control
// characters.
func cleanMessage(s, run string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text.Head(s, maxMessage))
	return cmp.Or(strings.TrimSpace(text.Printable(s, "\n\t")), "errgen: run "+run)
}

// Head returns the tree of the last commit's files as they would be checked out.
func (s *Space) Head(ctx context.Context) (Tree, error) {
	return operate(s, opPrepare, nil, func() (Tree, error) { return s.head(ctx) })
}

func (s *Space) head(ctx context.Context) (tree Tree, err error) {
	refs, err := s.readRefs()
	if err != nil {
		return "", err
	}
	head := refs["HEAD"]
	if ref, ok := strings.CutPrefix(head, "ref: "); ok {
		head = refs[ref]
	}
	dir := filepath.Join(s.store, "head")
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	users := command{dir: filepath.Join(dir, "files"), env: s.otherIndex("commit.index")}
	if err := s.export(ctx, "", nil, users.dir); err != nil {
		return "", err
	}
	for _, args := range [][]string{{"read-tree", cmp.Or(head, "--empty")}, {"checkout-index", "-a", "-f"}} {
		if _, err := s.users(ctx, users, args...); err != nil {
			return "", err
		}
	}
	a, err := s.newArea("head", users.dir)
	if err != nil {
		return "", err
	}
	return a.snapshot(ctx)
}
