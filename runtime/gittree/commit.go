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
	b := &builder{Space: s, dir: filepath.Join(s.store, "commit"), old: in.Old}
	defer func() { _ = os.RemoveAll(b.dir) }()
	if in.ID, err = b.build(ctx, c, paths); err != nil || in.ID == "" {
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

// builder makes a commit from a copy of the files, so that later changes in the working tree have
// no part in it.
type builder struct {
	*Space
	dir string // of the copy
	old string // the parent commit; "" before the first one
}

// build returns the id of the commit, or "" if it would change nothing.
func (b *builder) build(ctx context.Context, c executor.Commit, paths []string) (string, error) {
	files, err := b.filesOf(ctx, c.Tree)
	if err != nil {
		return "", err
	}
	wanted := setOf(paths)
	files = slices.DeleteFunc(files, func(p string) bool { return !wanted[p] && path.Base(p) != ".gitattributes" })
	if err := b.export(ctx, c.Tree, files, b.dir); err != nil {
		return "", err
	}
	present := setOf(files)
	changed := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return !present[p] })
	gone := slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return present[p] })
	env := append(b.otherIndex("commit.index"), "GIT_WORK_TREE="+b.dir)
	in := command{env: env, dir: b.dir}
	if _, err := b.users(ctx, in, "read-tree", cmp.Or(b.old, "--empty")); err != nil {
		return "", err
	}
	// Removals come first, because a directory can replace a file.
	if len(gone) > 0 {
		in.stdin = zeroTerminated(gone)
		if _, err := b.users(ctx, in, "update-index", "--force-remove", "-z", "--stdin"); err != nil {
			return "", err
		}
	}
	in.stdin = zeroTerminated(changed)
	if _, err := b.users(ctx, in, "update-index", "--add", "-z", "--stdin"); err != nil {
		return "", err
	}
	tree, err := b.users(ctx, command{env: env}, "write-tree", "--missing-ok")
	if err != nil {
		return "", err
	}
	if b.old != "" {
		was, err := b.users(ctx, command{}, "rev-parse", "--verify", b.old+"^{tree}")
		if err != nil || was == tree {
			return "", err
		}
	}
	message := cleanMessage(c.Message, b.run) +
		fmt.Sprintf("\n\nErrgen-Run: %s\nErrgen-Attempt: %d\n", b.run, c.Attempt)
	if message, err = b.hooks(ctx, tree, message); err != nil {
		return "", err
	}
	return b.commitTree(ctx, tree, message)
}

func (b *builder) commitTree(ctx context.Context, tree, message string) (string, error) {
	args := []string{"commit-tree", "-F", "-"}
	sign, err := b.users(ctx, command{none: 1}, "config", "--type=bool", "--get", "commit.gpgSign")
	if err != nil {
		return "", err
	}
	if sign == "true" {
		args = append(args, "-S")
	}
	if b.old != "" {
		args = append(args, "-p", b.old)
	}
	return b.users(ctx, command{stdin: strings.NewReader(message)}, append(args, tree)...)
}

// hooks runs the user's pre-commit and commit-msg hooks, if they are wanted, and returns the
// message. A hook must not change the tree, because the change would be unchecked.
func (b *builder) hooks(ctx context.Context, tree, message string) (string, error) {
	if !b.opts.Hooks {
		return message, nil
	}
	env := b.otherIndex("commit.index")
	file := filepath.Join(b.store, "COMMIT_EDITMSG")
	if err := os.WriteFile(file, []byte(message), 0o600); err != nil {
		return "", err
	}
	for _, hook := range [][]string{{"pre-commit"}, {"commit-msg", "--", file}} {
		args := append([]string{"hook", "run", "--ignore-missing"}, hook...)
		if _, err := b.users(ctx, command{env: env}, args...); err != nil {
			return "", err
		}
	}
	now, err := b.users(ctx, command{env: env}, "write-tree", "--missing-ok")
	if err != nil {
		return "", err
	}
	content, err := os.ReadFile(file)
	switch {
	case err != nil:
		return "", err
	case now != tree:
		return "", fault(typeMoved, "the pre-commit hook changed what is committed", nil)
	}
	return string(content), nil
}

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
	if err := s.export(ctx, "", nil, dir); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	users := command{dir: dir, env: s.otherIndex("commit.index")}
	if _, err := s.users(ctx, users, "read-tree", cmp.Or(head, "--empty")); err != nil {
		return "", err
	}
	if _, err := s.users(ctx, users, "checkout-index", "-a", "-f"); err != nil {
		return "", err
	}
	files, err := s.users(ctx, users, "ls-files", "-z", "--full-name")
	if err != nil {
		return "", err
	}
	own := command{dir: dir, env: s.otherIndex("accept.index")}
	for _, args := range [][]string{{"read-tree", "--empty"}, {"update-index", "--add", "--remove", "-z", "--stdin"}} {
		own.args, own.stdin = args, strings.NewReader(files)
		if _, err := s.git(ctx, own); err != nil {
			return "", err
		}
	}
	own.args, own.stdin = []string{"write-tree"}, nil
	id, err := s.line(ctx, own)
	return Tree(id), err
}
