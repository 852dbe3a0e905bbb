package recovery

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/workspace"
	"github.com/errgen/errgen/runtime/internal/text"
)

// Tree is where strategies run fixes. A fix for a failure of a run works in the clone of the run, if
// the run's workspace is one of [Tree.Track]. Any other fix works in a clone of its own. If its check
// passes, it is committed, and the person's branch is forwarded to it.
type Tree struct {
	dir  string
	opts workspace.Options

	mu   sync.Mutex
	open map[string]*workspace.Space // by run
}

// NewTree returns the tree of the repository that dir is in.
func NewTree(ctx context.Context, dir string, opts workspace.Options) (*Tree, error) {
	_, err := workspace.New(ctx, dir, "fix", opts)
	return &Tree{dir: dir, opts: opts, open: map[string]*workspace.Space{}}, err
}

// Track returns the workspace of a run, in which fixes for failures of the run work.
func (t *Tree) Track(w *workspace.Workspace) executor.Workspace { return &trackedTree{w, t} }

type trackedTree struct {
	*workspace.Workspace
	tree *Tree
}

// Open opens the clone of the run, and tracks it until it is closed.
func (w *trackedTree) Open(ctx context.Context, run string) (executor.Space, error) {
	opened, err := w.Workspace.Open(ctx, run)
	if err != nil {
		return nil, err
	}
	space := opened.(*workspace.Space)
	w.tree.mu.Lock()
	defer w.tree.mu.Unlock()
	w.tree.open[run] = space
	return &trackedSpace{space, w.tree, run}, nil
}

// trackedSpace is the clone of a run. Its tree tracks it until it is closed.
type trackedSpace struct {
	*workspace.Space
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

// has reports whether the clone of a run is open.
func (t *Tree) has(run string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.open[run] != nil
}

// within runs f in the clone of a run that is open, or otherwise in a new clone. Dir is the directory
// of commands in the person's working tree; f gets the same directory of the clone.
func (t *Tree) within(ctx context.Context, run, name, dir string,
	f func(space *workspace.Space, dir string) error,
) (delivered string, err error) {
	t.mu.Lock()
	space := t.open[run]
	t.mu.Unlock()
	if space != nil {
		return "", f(space, inside(space, dir))
	}
	w, err := workspace.New(ctx, t.dir, name, t.opts)
	if err != nil {
		return "", err
	}
	opened, err := w.Open(ctx, name)
	if err != nil {
		return "", err
	}
	space = opened.(*workspace.Space)
	if err = f(space, inside(space, dir)); err == nil {
		delivered, err = deliver(ctx, space, name)
	}
	return delivered, errors.Join(err, space.Close(true))
}

// inside returns the directory of a clone that corresponds to one of the person's working tree. It is
// the root of the clone if dir is empty, or is in neither of them.
func inside(space *workspace.Space, dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for _, root := range []string{space.Root(), space.Dir()} {
		if rel, err := filepath.Rel(root, dir); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(space.Dir(), rel)
		}
	}
	return space.Dir()
}

// deliver commits a fix and forwards the person's branch to it. If that is impossible, it returns the
// branch of the fix, and why.
func deliver(ctx context.Context, space *workspace.Space, name string) (string, error) {
	head, err := space.Head(ctx)
	if err != nil {
		return "", err
	}
	now, err := space.Snapshot(ctx)
	if err != nil {
		return "", err
	}
	changes, err := space.Diff(ctx, head, now)
	if err != nil {
		return "", err
	}
	var paths []string
	for _, c := range changes {
		if !c.Ignored {
			paths = append(paths, c.Path)
		}
	}
	if len(paths) == 0 {
		return "", nil
	}
	title := "Fix " + text.Count(len(paths), "file") + " (" + strings.TrimPrefix(name, "fix-") + ")"
	if _, err := space.Commit(ctx, executor.Commit{Attempt: 1, Tree: now, Paths: paths, Message: title}); err != nil {
		return "", err
	}
	branch, err := space.Deliver(ctx)
	if err != nil {
		return "", err
	}
	why, next, err := space.Forward(ctx)
	if err != nil || why == "" {
		return "", err
	}
	return fmt.Sprintf("%s, because %s: %s", branch, why, next), nil
}
