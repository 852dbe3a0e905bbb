package gittree

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// intent is a commit that is about to be published. It is written before the reference moves, and
// says after a crash whether that happened.
type intent struct {
	Attempt int
	ID      string
	Ref     string // the reference that moves: a branch, or HEAD if it is detached
	Old     string // the commit before; "" for the first one
	Done    bool
}

func intentFile(attempt int) string { return fmt.Sprintf("commit%d.json", attempt) }

// committed returns the commit of an attempt, and finishes it if it was published.
func (s *Space) committed(ctx context.Context, attempt int) (string, error) {
	var in intent
	if err := s.readJSON(intentFile(attempt), &in); err != nil || in.Done || in.ID == "" {
		return in.ID, err
	}
	refs, err := s.readRefs()
	if err != nil {
		return "", err
	}
	if refs[in.Ref] == in.ID {
		return s.finish(context.WithoutCancel(ctx), in, func(context.Context) error { return nil })
	}
	if below, err := s.isAncestor(ctx, in.ID, refs[in.Ref]); err != nil || !below {
		return "", err // it was not published: it is made again
	}
	return s.finish(context.WithoutCancel(ctx), in, nil)
}

// isAncestor reports whether a commit is below another one, such as one that a person added.
func (s *Space) isAncestor(ctx context.Context, id, tip string) (bool, error) {
	if tip == "" {
		return false, nil
	}
	if err := s.linkAgain(); err != nil {
		return false, err
	}
	if _, err := s.git(ctx, command{args: []string{"cat-file", "-e", id}}); err != nil {
		return false, ctx.Err() // a commit that was never published can be collected
	}
	out, err := s.line(ctx, command{args: []string{"rev-list", "--count", "-1", "^" + tip, id}})
	return out == "0", err
}

// finishCommits finishes the commits that a killed process has published.
func (s *Space) finishCommits(ctx context.Context) error {
	files, _ := filepath.Glob(filepath.Join(s.store, "commit*.json"))
	for _, file := range files {
		var attempt int
		if _, err := fmt.Sscanf(filepath.Base(file), "commit%d.json", &attempt); err != nil {
			continue
		}
		if _, err := s.committed(ctx, attempt); err != nil {
			return err
		}
	}
	return nil
}

// publish moves the reference to the commit.
func (s *Space) publish(ctx context.Context, in intent) (string, error) {
	if err := s.writeJSON(intentFile(in.Attempt), in); err != nil {
		return "", err
	}
	return s.finish(ctx, in, func(ctx context.Context) error {
		_, err := s.users(ctx, command{}, "update-ref", "--no-deref", "-m", "commit: run "+s.run, in.Ref, in.ID,
			cmp.Or(in.Old, strings.Repeat("0", len(in.ID))))
		return err
	})
}

// finish publishes a commit under the lock of the user's index, adds its files to the index, and
// records that it is done. A nil publish leaves both alone, because a person committed since.
func (s *Space) finish(ctx context.Context, in intent, publish func(context.Context) error) (string, error) {
	if err := s.linkAgain(); err != nil {
		return "", err
	}
	before := in.Old
	if before == "" {
		empty, err := s.line(ctx, command{stdin: strings.NewReader(""),
			args: []string{"hash-object", "-t", "tree", "-w", "--stdin"}})
		if err != nil {
			return "", err
		}
		before = empty
	}
	changes, err := s.work.diff(ctx, Tree(before), Tree(in.ID))
	if err != nil {
		return "", err
	}
	if publish != nil {
		if err := s.withIndex(ctx, in.Ref, changes, publish); err != nil {
			return "", err
		}
	}
	if err := s.settle(ctx, s.commitChanges(in.Ref)); err != nil {
		return "", err
	}
	in.Done = true
	return in.ID, s.writeJSON(intentFile(in.Attempt), in)
}

// commitChanges reports which files of git's directory a commit changes.
func (s *Space) commitChanges(ref string) func(p string) bool {
	own := s.worktreeName()
	return func(p string) bool {
		return p == ref || p == "packed-refs" || p == path.Join(own, "index") ||
			strings.HasPrefix(path.Base(p), "sharedindex.") || strings.Contains("/"+p, "/logs/") ||
			ref == "HEAD" && p == path.Join(own, "HEAD")
	}
}

// withIndex calls publish while it has the lock of the user's index, and then replaces the index by
// one with the changes. If the branch is not checked out any more, the index stays.
func (s *Space) withIndex(ctx context.Context, ref string, changes []change,
	publish func(context.Context) error) error {
	fail := func(err error) error { return fault("", "update the index", err) }
	lock, err := s.lockIndex()
	if err != nil {
		return err
	}
	mine := filepath.Join(s.store, ownLock)
	undo := func() {
		_ = os.Remove(lock)
		_ = os.Remove(mine)
	}
	index, err := s.nextIndex(ctx, changes)
	if err == nil {
		err = os.WriteFile(lock, index, 0o666)
	}
	if err == nil {
		err = publish(ctx)
	}
	if err != nil {
		undo()
		return fail(err)
	}
	head, err := os.ReadFile(filepath.Join(s.gitDir, "HEAD"))
	current, isRef := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: ")
	if err == nil && isRef && current != ref {
		undo()
		return nil
	}
	beforeStep("rename index")
	if err := os.Rename(lock, filepath.Join(s.gitDir, "index")); err != nil {
		undo()
		return fail(err)
	}
	_ = os.Remove(mine)
	return nil
}

// ownLock exists in the store while this run has the lock of the user's index.
const ownLock = "index-locked"

// lockIndex takes the lock of the user's index. A lock that a killed process of the run left is
// removed.
func (s *Space) lockIndex() (string, error) {
	lock := filepath.Join(s.gitDir, "index.lock")
	if _, err := os.Lstat(filepath.Join(s.store, ownLock)); err == nil {
		_ = os.Remove(lock)
	}
	if err := s.write(ownLock, nil); err != nil {
		return "", err
	}
	until := time.Now().Add(lockPatience)
	for {
		f, err := os.OpenFile(lock, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if err == nil {
			return lock, f.Close()
		}
		if !errors.Is(err, fs.ErrExist) || time.Now().After(until) {
			_ = os.Remove(filepath.Join(s.store, ownLock))
			return "", fault(typeLocked, "lock the index", err)
		}
		awaitRemoval(lock, until)
	}
}

// nextIndex returns the user's index with the changes.
func (s *Space) nextIndex(ctx context.Context, changes []change) ([]byte, error) {
	env := s.otherIndex("next.index")
	file := filepath.Join(s.store, "next.index")
	index, err := os.ReadFile(filepath.Join(s.gitDir, "index"))
	switch {
	case notFound(err):
		_ = os.Remove(file)
	case err != nil:
		return nil, err
	default:
		if err := os.WriteFile(file, index, 0o600); err != nil {
			return nil, err
		}
	}
	if len(changes) == 0 && err == nil {
		return index, nil
	}
	in := new(bytes.Buffer)
	if _, err := in.ReadFrom(indexInfo(changes)); err != nil {
		return nil, err
	}
	if _, err := s.users(ctx, command{env: env, stdin: in}, "update-index", "-z", "--index-info"); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}
