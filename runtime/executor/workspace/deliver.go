package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/filelock"
)

// Deliver brings the commits of the run to the branch of the result in the person's repository, and
// returns its name. That branch only moves forward. If the run has no commit, or works in place, the
// name is empty. If the branch of the beginning contains the commits already, its name is returned.
func (s *Space) Deliver(ctx context.Context) (branch string, err error) {
	return operate(s, opDeliver, func() (string, error) {
		_, branch, err := s.deliver(ctx)
		return branch, err
	})
}

func (s *Space) deliver(ctx context.Context) (tip, branch string, err error) {
	if tip, err = s.headCommit(ctx); err != nil || tip == s.state.Base {
		return "", "", err
	}
	if s.opts.InPlace {
		return tip, "", s.publish(ctx)
	}
	if s.state.Ref != "" && s.isTheirAncestor(ctx, tip, s.state.Ref) {
		return tip, strings.TrimPrefix(s.state.Ref, "refs/heads/"), nil
	}
	lock, err := s.lockDelivery(ctx)
	if err != nil {
		return "", "", err
	}
	return tip, s.opts.Branch, errors.Join(s.fetch(ctx, s.ref()+":"+s.ref()), lock.Release())
}

// fetch brings objects of the run to the person's repository, and moves a branch if the
// specification has one.
func (s *Space) fetch(ctx context.Context, spec string) error {
	if err := linkFiles(s.file("git/lfs/objects"), filepath.Join(s.lfs, "objects")); err != nil {
		return err
	}
	_, err := s.users(ctx, 0, "-c", "fetch.fsckObjects=true", "fetch", "-q", "--no-tags", "--no-write-fetch-head",
		"--no-auto-maintenance", "--recurse-submodules=no", "--", s.gitDir(), spec)
	return err
}

// lockDelivery waits until no other run delivers to the working tree, so that a lock of git's index
// belongs to the person, or to a delivery that was killed.
func (s *Space) lockDelivery(ctx context.Context) (*filelock.Lock, error) {
	const poll = 20 * time.Millisecond
	return filelock.Wait(ctx, filepath.Join(filepath.Dir(s.home), ".delivery"), poll)
}

// Forward moves the branch with which the run began to the result, with its files, and then removes
// the branch of the result. It does nothing, and returns why not and the command that does it, if
// another branch is checked out, if the branch has commits that the run does not have, or if a file
// of the person's is in the way, even an ignored one. Call Deliver first.
func (s *Space) Forward(ctx context.Context) (why, next string, err error) {
	err = s.operate(opDeliver, func() (err error) {
		why, next, err = s.forward(ctx)
		return err
	})
	return why, next, err
}

func (s *Space) forward(ctx context.Context) (why, next string, err error) {
	tip, err := s.headCommit(ctx)
	if err != nil || tip == s.state.Base || s.opts.InPlace {
		return "", "", err
	}
	lock, err := s.lockDelivery(ctx)
	if err != nil {
		return "", "", err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	now, err := s.users(ctx, 1, "symbolic-ref", "-q", "HEAD")
	if err != nil {
		return "", "", err
	}
	head, err := s.users(ctx, 1, "rev-parse", "--verify", "-q", "HEAD")
	if err != nil {
		return "", "", err
	}
	short := strings.TrimPrefix(s.state.Ref, "refs/heads/")
	next = "git merge " + quoteWord(s.opts.Branch)
	switch {
	case s.isTheirAncestor(ctx, tip, cmp.Or(s.state.Ref, "HEAD")):
		return "", "", s.removeBranch(ctx, tip)
	case s.state.Ref == "":
		return "no branch was checked out at the beginning", next, nil
	case now != s.state.Ref:
		return short + " is not checked out", "git switch " + quoteWord(short) + " && " + next, nil
	case !s.isAncestor(ctx, head, tip):
		return short + " has commits that the run did not begin with", next, nil
	}
	awaitLock(ctx, filepath.Join(s.user, "index.lock"))
	if why, err = s.inTheWay(ctx, head, tip); err != nil || why != "" {
		return why, next, err
	}
	if why, err = s.fastForward(ctx, head, tip); err != nil || why != "" {
		return why, next, err
	}
	return "", "", s.removeBranch(ctx, tip)
}

// inTheWay returns a text about a file of the person's that a forward would overwrite or restore.
func (s *Space) inTheWay(ctx context.Context, head, tip string) (string, error) {
	changes, err := s.diff(ctx, head, tip)
	if err != nil {
		return "", err
	}
	status, err := s.list(ctx, command{at: inUsers, args: []string{"status", "--porcelain=v1", "-z",
		"--no-renames", "-uno",
		"--ignore-submodules=all"}})
	if err != nil {
		return "", err
	}
	dirty := map[string]bool{}
	for _, e := range status {
		dirty[e[3:]] = true
	}
	for _, c := range changes {
		if dirty[c.path] {
			return fmt.Sprintf("%q has uncommitted changes", c.path), nil
		}
		if c.oldMode == absent && exists(filepath.Join(s.root, filepath.FromSlash(c.path))) {
			return fmt.Sprintf("%q exists and is not tracked", c.path), nil
		}
	}
	return "", nil
}

// fastForward moves the branch that is checked out, and its files. If it is interrupted, it restores
// the files. It returns a text if git refuses.
func (s *Space) fastForward(ctx context.Context, head, tip string) (string, error) {
	s.state.Forward = [2]string{head, tip}
	if err := s.saveState(); err != nil {
		return "", err
	}
	undisturbed := context.WithoutCancel(ctx)
	_, err := s.users(undisturbed, 0, "merge", "-q", "--ff-only", "--no-autostash", "--no-overwrite-ignore",
		"--no-stat", tip)
	if err != nil {
		if rerr := s.undoForward(undisturbed); rerr != nil {
			return "", errors.Join(err, rerr)
		}
		return "git refuses: " + err.Error(), nil
	}
	s.state.Forward = [2]string{}
	return "", s.saveState()
}

// removeBranch removes the branch of the result, which the person's branch contains. It stays if it
// has other commits, or is checked out in another working tree.
func (s *Space) removeBranch(ctx context.Context, tip string) error {
	if s.ref() == s.state.Ref {
		return nil
	}
	out, err := s.users(ctx, 0, "for-each-ref", "--format=%(objectname) %(worktreepath)", s.ref())
	if err == nil && strings.TrimSpace(out) == tip {
		_, err = s.users(ctx, 0, "update-ref", "-d", s.ref(), tip)
	}
	return err
}

// isAncestor reports whether the run's repository has both commits, and the first one is the second
// one or an ancestor of it.
func (s *Space) isAncestor(ctx context.Context, old, tip string) bool {
	_, err := s.own(ctx, "merge-base", "--is-ancestor", old, tip)
	return err == nil
}

// isTheirAncestor is isAncestor in the person's repository.
func (s *Space) isTheirAncestor(ctx context.Context, old, tip string) bool {
	_, err := s.users(ctx, 0, "merge-base", "--is-ancestor", old, tip)
	return err == nil
}

// personHas reports whether a branch of the person's, or the last commit, contains a commit.
func (s *Space) personHas(ctx context.Context, commit string) bool {
	out, err := s.users(ctx, 0, "for-each-ref", "--contains="+commit, "--count=1", "refs/heads")
	return err == nil && out != "" || s.isTheirAncestor(ctx, commit, "HEAD")
}

// rollBack ends a forward that was killed.
func (s *Space) rollBack(ctx context.Context) error {
	if s.state.Forward == [2]string{} {
		return nil
	}
	lock, err := s.lockDelivery(ctx)
	if err != nil {
		return err
	}
	awaitLock(ctx, filepath.Join(s.user, "index.lock")) // git can outlive the process that started it
	return errors.Join(s.undoForward(ctx), lock.Release())
}

// undoForward restores the files that git wrote, unless it finished. Before the forward, each of them
// had the content of the last commit, so a file that is missing or has the new content was written.
// What a person changed since stays.
func (s *Space) undoForward(ctx context.Context) error {
	old, tip := s.state.Forward[0], s.state.Forward[1]
	head, err := s.users(ctx, 1, "rev-parse", "--verify", "-q", "HEAD")
	if err != nil {
		return err
	}
	if head == old {
		changes, err := s.diff(ctx, tip, old)
		if err != nil {
			return err
		}
		if err := s.restoreWritten(ctx, changes); err != nil {
			return err
		}
	}
	s.state.Forward = [2]string{}
	return s.saveState()
}

func (s *Space) restoreWritten(ctx context.Context, changes []change) error {
	sparse, err := s.sparseFiles(ctx)
	if err != nil {
		return err
	}
	var half []change
	var write []string
	for _, c := range changes {
		id, err := s.hashOf(ctx, c.path)
		if err != nil {
			return err
		}
		if sparse[c.path] || id != "" && id != c.oldID || id == "" && c.newMode == absent {
			continue // it has the old content, or a person's
		}
		half = append(half, c)
		if c.newMode != absent {
			write = append(write, c.path)
		}
	}
	if len(half) == 0 {
		return nil
	}
	for _, c := range half {
		if c.newMode == absent {
			beforeStep("remove " + c.path)
			name := filepath.Join(s.root, filepath.FromSlash(c.path))
			if err := os.Remove(name); err != nil {
				return err
			}
			for dir := filepath.Dir(name); dir != s.root && os.Remove(dir) == nil; dir = filepath.Dir(dir) {
			}
		}
	}
	_ = os.Remove(filepath.Join(s.user, "index.lock")) // of the killed git, because files are half written
	if _, err := s.line(ctx, command{at: inUsers, args: []string{"update-index", "-z", "--index-info"},
		stdin: indexInfo(half)}); err != nil || len(write) == 0 {
		return err
	}
	_, err = s.line(ctx, command{at: inUsers, args: []string{"checkout-index", "-f", "-u", "-z", "--stdin"},
		stdin: zeroTerminated(write)})
	return err
}

// hashOf returns the name of a file's content in the person's working tree, or "" if it is missing.
func (s *Space) hashOf(ctx context.Context, p string) (string, error) {
	name := filepath.Join(s.root, filepath.FromSlash(p))
	info, err := os.Lstat(name)
	switch {
	case notFound(err):
		return "", nil
	case err != nil:
		return "", err
	case info.Mode()&os.ModeSymlink != 0:
		target, err := os.Readlink(name)
		if err != nil {
			return "", err
		}
		return s.line(ctx, command{at: inUsers, args: []string{"hash-object", "--stdin"},
			stdin: strings.NewReader(target)})
	case info.Mode().IsRegular():
		return s.users(ctx, 0, "hash-object", "--", p)
	}
	return "other", nil
}

// sparseFiles returns the files that a sparse checkout leaves out of the person's working tree.
func (s *Space) sparseFiles(ctx context.Context) (map[string]bool, error) {
	if !exists(filepath.Join(s.user, "info", "sparse-checkout")) {
		return nil, nil
	}
	files, err := s.list(ctx, command{at: inUsers, args: []string{"ls-files", "-z", "-t"}})
	out := map[string]bool{}
	for _, f := range files {
		if p, ok := strings.CutPrefix(f, "S "); ok {
			out[p] = true
		}
	}
	return out, err
}

var plainWord = regexp.MustCompile(`^[\w./@%+=:,-]+$`)

// quoteWord quotes a word for a shell.
func quoteWord(w string) string {
	if plainWord.MatchString(w) {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
