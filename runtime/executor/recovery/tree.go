package recovery

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/gittree"
	"github.com/errgen/errgen/runtime/retry"
)

// Tree is a working tree in which strategies run fixes. If it is the Workspace of an executor, a
// fix for a failure of a run uses the space of the run. Any other fix takes the working tree under
// the name "recovery".
type Tree struct {
	*gittree.Workspace
	// Wait is how long a fix waits for another run or fix to release the working tree; 0 is 10
	// minutes.
	Wait time.Duration

	mu   sync.Mutex
	open map[string]*gittree.Space // by run
}

// NewTree returns a tree of a workspace.
func NewTree(w *gittree.Workspace) *Tree {
	return &Tree{Workspace: w, open: map[string]*gittree.Space{}}
}

// Open takes the working tree for a run, and tracks the run until its space is closed.
func (t *Tree) Open(ctx context.Context, run string) (executor.Space, error) {
	space, err := t.openSpace(ctx, run)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open[run] = space
	return &trackedSpace{space, t, run}, nil
}

// openSpace opens the workspace and returns its concrete space.
func (t *Tree) openSpace(ctx context.Context, run string) (*gittree.Space, error) {
	space, err := t.Workspace.Open(ctx, run)
	if err != nil {
		return nil, err
	}
	return space.(*gittree.Space), nil
}

// trackedSpace is the space of a run. Its tree tracks it until it is closed.
type trackedSpace struct {
	*gittree.Space
	tree *Tree
	run  string
}

// Close ends the tracking and closes the space.
func (s *trackedSpace) Close(forget bool) error {
	s.untrack()
	return s.Space.Close(forget)
}

// Discard ends the tracking and discards the space.
func (s *trackedSpace) Discard() error {
	s.untrack()
	return s.Space.Discard()
}

func (s *trackedSpace) untrack() {
	s.tree.mu.Lock()
	defer s.tree.mu.Unlock()
	delete(s.tree.open, s.run)
}

const (
	ownRun   = "recovery"
	lockPoll = 200 * time.Millisecond
)

// attempt runs a fix in the space of a run that is open, or otherwise in a new space.
func (t *Tree) attempt(ctx context.Context, run string, clock retry.Clock, a gittree.Attempt) (
	gittree.AttemptResult, error) {
	t.mu.Lock()
	space := t.open[run]
	t.mu.Unlock()
	if space != nil {
		return space.Attempt(ctx, a)
	}
	wait := t.Wait
	if wait == 0 {
		wait = 10 * time.Minute
	}
	until := clock.Now().Add(wait)
	for {
		space, err := t.openSpace(ctx, ownRun)
		if err == nil {
			done, err := space.Attempt(ctx, a)
			// The next fix begins with a new baseline, because a person can commit in between.
			return done, errors.Join(err, space.Close(true))
		}
		if !errors.Is(err, gittree.ErrInUse) || !clock.Now().Before(until) {
			return gittree.AttemptResult{}, err
		}
		if err := clock.Sleep(ctx, lockPoll); err != nil {
			return gittree.AttemptResult{}, err
		}
	}
}
