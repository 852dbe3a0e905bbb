package gittree

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// intent is a commit that is about to be published. It is recorded before the reference moves, so
// that a process can check after a crash whether the reference moved.
type intent struct {
	ID   string `json:"id"`
	Ref  string `json:"ref"`           // the reference that moves: a branch, or HEAD if it is detached
	Old  string `json:"old,omitempty"` // the commit before; "" for the first one
	Done bool   `json:"done,omitempty"`
}

// committed returns the commit of an attempt, and finishes it if it was published.
func (s *Space) committed(ctx context.Context, attempt int) (string, error) {
	in := s.state.Commits[attempt]
	if in.Done || in.ID == "" {
		return in.ID, nil
	}
	refs, err := s.readRefs()
	if err != nil {
		return "", err
	}
	// A person can have added commits since.
	if _, err := s.users(ctx, command{}, "merge-base", "--is-ancestor", in.ID, refs[in.Ref]); err != nil {
		return "", ctx.Err() // not published, so the caller makes it again
	}
	return s.finish(context.WithoutCancel(ctx), attempt, in)
}

// finishCommits finishes the commits that a killed process has published.
func (s *Space) finishCommits(ctx context.Context) error {
	for attempt := range s.state.Commits {
		if _, err := s.committed(ctx, attempt); err != nil {
			return err
		}
	}
	return nil
}

// publish adds a commit's files to the user's index, and moves the reference to the commit. If the
// process is killed between them, Guard restores the index.
func (s *Space) publish(ctx context.Context, attempt int, in intent) (string, error) {
	if s.state.Commits == nil {
		s.state.Commits = map[int]intent{}
	}
	s.state.Commits[attempt] = in
	if err := s.saveState(); err != nil {
		return "", err
	}
	if err := s.stage(ctx, in); err != nil {
		return "", err
	}
	if _, err := s.users(ctx, command{}, "update-ref", "--no-deref", "-m", "commit: run "+s.run, in.Ref, in.ID,
		cmp.Or(in.Old, strings.Repeat("0", len(in.ID)))); err != nil {
		_, _ = s.guard(ctx)
		return "", err
	}
	return s.finish(ctx, attempt, in)
}

// stage adds a commit's files to the user's index.
func (s *Space) stage(ctx context.Context, in intent) error {
	if err := s.linkObjects(); err != nil {
		return err
	}
	before := in.Old
	if before == "" {
		var err error
		if before, err = s.line(ctx, command{stdin: strings.NewReader(""),
			args: []string{"hash-object", "-t", "tree", "-w", "--stdin"}}); err != nil {
			return err
		}
	}
	changes, err := s.work.diff(ctx, Tree(before), Tree(in.ID))
	if err != nil {
		return err
	}
	awaitRemoval(filepath.Join(s.gitDir, "index.lock"), time.Now().Add(lockPatience))
	_, err = s.users(ctx, command{stdin: indexInfo(changes)}, "update-index", "-z", "--index-info")
	return err
}

// finish records that a commit is published.
func (s *Space) finish(ctx context.Context, attempt int, in intent) (string, error) {
	own := s.worktreeName()
	in.Done = true
	s.state.Commits[attempt] = in
	return in.ID, s.settle(ctx, func(p string) bool {
		return p == in.Ref || p == "packed-refs" || p == path.Join(own, "index") ||
			strings.HasPrefix(path.Base(p), "sharedindex.") || in.Ref == "HEAD" && p == path.Join(own, "HEAD")
	})
}
