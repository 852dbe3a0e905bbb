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

// Tree is a working tree in which strategies run fixes. Given to an executor as its Workspace, a
// fix for a failure of a run uses the run's own store. Without a run, a fix takes the working tree
// under the name "recovery".
type Tree struct {
	*gittree.Workspace
	// Wait is how long a fix waits while another run or fix has the working tree; 0 is 10 minutes.
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
	space, err := t.Workspace.Open(ctx, run)
	if err != nil {
		return nil, err
	}
	own, ok := space.(*gittree.Space)
	if !ok {
		return space, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open[run] = own
	return &openSpace{own, t, run}, nil
}

// openSpace is a run's space that is tracked.
type openSpace struct {
	*gittree.Space
	tree *Tree
	run  string
}

// Close ends the tracking and closes the space.
func (s *openSpace) Close(forget bool) error {
	s.tree.mu.Lock()
	delete(s.tree.open, s.run)
	s.tree.mu.Unlock()
	return s.Space.Close(forget)
}

const (
	ownRun   = "recovery"
	lockPoll = 200 * time.Millisecond
)

// attempt runs a fix in the space of a run, or in a space of its own.
func (t *Tree) attempt(
	ctx context.Context,
	run string,
	clock retry.Clock,
	a gittree.Attempt,
) (gittree.Attempted, error) {
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
		opened, err := t.Workspace.Open(ctx, ownRun)
		if err == nil {
			own := opened.(*gittree.Space)
			done, err := own.Attempt(ctx, a)
			return done, errors.Join(err, own.Close(false))
		}
		if !errors.Is(err, gittree.ErrHeld) || !clock.Now().Before(until) {
			return gittree.Attempted{}, err
		}
		if err := clock.Sleep(ctx, lockPoll); err != nil {
			return gittree.Attempted{}, err
		}
	}
}
