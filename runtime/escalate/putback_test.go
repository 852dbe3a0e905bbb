package escalate

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/scope"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/workspace"
)

// troubled is a tree with which something goes wrong.
type troubled struct {
	executor.Workspace
	detect, save, revert func() error
	saves                int
}

func (w *troubled) Detect(ctx context.Context, checked executor.Checked) ([]executor.Change, error) {
	if w.detect != nil {
		if err := w.detect(); err != nil {
			return nil, err
		}
	}
	return w.Workspace.Detect(ctx, checked)
}

func (w *troubled) Save(ctx context.Context, run string, n int, checked executor.Checked, changes []executor.Change) (
	string, error) {
	w.saves++
	if w.save != nil {
		if err := w.save(); err != nil {
			return "", err
		}
	}
	return w.Workspace.Save(ctx, run, n, checked, changes)
}

func (w *troubled) Revert(ctx context.Context, checked executor.Checked, changes []executor.Change) error {
	if w.revert != nil {
		if err := w.revert(); err != nil {
			return err
		}
	}
	return w.Workspace.Revert(ctx, checked, changes)
}

func TestPutBack(t *testing.T) {
	bad := errors.New("bad")
	for _, tt := range []struct {
		name string
		make func(dir string, w *troubled)
		// err is what the error says; empty is none.
		err   string
		files []string
		stays bool // what was changed is still there
		saves int
	}{
		{name: "nothing goes wrong", make: func(string, *troubled) {}, files: []string{"a.txt", "b.txt"}, saves: 1},
		{name: "what differs cannot be found out", make: func(
			_ string, w *troubled) {
			w.detect = func() error { return bad }
		}, err: "bad", stays: true},
		{name: "it cannot be saved, so that it stays", make: func(
			_ string, w *troubled) {
			w.save = func() error { return bad }
		}, err: "bad", stays: true, saves: 1},
		{name: "it cannot be put back", make: func(_ string, w *troubled) { w.revert = func() error { return bad } },
			err:   "2 files are not as they were",
			files: []string{"a.txt", "b.txt"}, stays: true, saves: 3},
		{name: "it can at the second time", make: func(_ string, w *troubled) {
			w.revert = func() error { w.revert = nil; return bad }
		}, files: []string{"a.txt", "b.txt"}, saves: 2},
		{name: "something comes up meanwhile", make: func(dir string, w *troubled) {
			w.revert = func() error {
				w.revert = nil
				return os.WriteFile(filepath.Join(dir, "late.txt"), []byte("x"), 0o644)
			}
		}, files: []string{"a.txt", "b.txt", "late.txt"}, saves: 2},
		{name: "the tree panics", make: func(_ string, w *troubled) { w.save = func() error { panic("boom") } },
			err: "panic: boom", stays: true, saves: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := gitRepo(t)
			r := begunRun(t, nil, dir, &actor{})
			w := &troubled{Workspace: r.cfg.Calls.Workspace}
			r.cfg.Calls.Workspace = w
			changed := map[string]string{"a.txt": "changed", "b.txt": "b"}
			for name, content := range changed {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
			}
			tt.make(dir, w)
			ref, files, err := r.putBack(t.Context(), r.checked, 1)
			if tt.err == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, tt.err)
			}
			assert.Equal(t, tt.files, files)
			assert.Equal(t, tt.saves, w.saves)
			want := map[string]string{"a.txt": "a\n"}
			if tt.stays {
				want = changed
			}
			assert.Equal(t, want, filesIn(t, dir))
			if tt.files != nil {
				assert.Equal(t, "changed", git(t, dir, "show", ref+":a.txt"))
			}
		})
	}
	r := bareRun(reactions{}.wired(), &actor{})
	ref, files, err := r.putBack(t.Context(), "", 1)
	require.NoError(t, err)
	assert.Empty(t, ref)
	assert.Empty(t, files)
}

// What counts is in the checked tree and in a commit of its own; what comes behind it and fails can
// be put back to the tree before.
func TestKeep(t *testing.T) {
	dir := gitRepo(t)
	r := begunRun(t, nil, dir, &actor{acts: []acts{says("x").writes(t, "b.txt", "b", "c.txt", "c")}})
	before := r.checked
	got := r.turn(t.Context(), first())
	next, err := r.advance(t.Context(), before, got.changes)
	require.NoError(t, err)
	require.NotEqual(t, before, next)
	left, err := r.left(t.Context(), next)
	require.NoError(t, err)
	assert.Empty(t, left)

	step := plan.Step{ID: "1.2", Title: " Add\nb  and c, password=hunter2secret "}
	done, err := r.commit(t.Context(), next, 1, step, got.changes)
	require.NoError(t, err)
	assert.Equal(t, []string{"b.txt", "c.txt"}, done.Paths)
	assert.Equal(t, "Step 1.2: Add b and c, password=[REDACTED]", git(t, dir, "log", "-1", "--format=%s"))
	left, err = r.left(t.Context(), next)
	require.NoError(t, err)
	assert.Empty(t, left, "a commit of ours is no change")

	// The process died before it noted the commit: the next one finds it, and commits nothing
	// twice.
	other, err := workspace.Open(t.Context(), dir, workspace.Options{})
	require.NoError(t, err)
	r.cfg.Calls.Workspace = other
	require.NoError(t, other.Resume(t.Context(), "r", before))
	found, err := r.committed(t.Context(), 1)
	require.NoError(t, err)
	assert.Equal(t, done, found)
	again, err := r.commit(t.Context(), next, 1, step, got.changes)
	require.NoError(t, err)
	assert.Equal(t, done, again)
	assert.Equal(t, "2", git(t, dir, "rev-list", "--count", "HEAD"))
	none, err := r.committed(t.Context(), 2)
	require.NoError(t, err)
	assert.Empty(t, none.ID)
}

// B-O10: work that was not accepted after all goes back to the tree before, although that was left
// already.
func TestPutBackBehindAnAdvance(t *testing.T) {
	dir := gitRepo(t)
	r := begunRun(t, nil, dir, &actor{acts: []acts{says("x").writes(t, "b.txt", "b")}})
	got := r.turn(t.Context(), first())
	_, err := r.advance(t.Context(), r.checked, got.changes)
	require.NoError(t, err)
	ref, files, err := r.putBack(t.Context(), r.checked, 1)
	require.NoError(t, err)
	assert.Equal(t, []string{"b.txt"}, files)
	assert.Equal(t, "b", git(t, dir, "show", ref+":b.txt"))
	assert.Equal(t, map[string]string{"a.txt": "a\n"}, filesIn(t, dir))
}

// Nothing is committed that git ignores or that is git's own, and nothing without a tree.
func TestKeepNothing(t *testing.T) {
	r := bareRun(reactions{}.wired(), &actor{})
	changes := []executor.Change{{Path: "a"}}
	next, err := r.advance(t.Context(), "x", changes)
	require.NoError(t, err)
	assert.Equal(t, executor.Checked("x"), next)
	done, err := r.commit(t.Context(), "x", 1, plan.Step{}, changes)
	require.NoError(t, err)
	assert.Empty(t, done.ID)
	done, err = r.committed(t.Context(), 1)
	require.NoError(t, err)
	assert.Empty(t, done.ID)

	r = begunRun(t, nil, gitRepo(t), &actor{})
	done, err = r.commit(t.Context(), r.checked, 1, plan.Step{},
		[]executor.Change{{Path: "a", Ignored: true}, {Path: ".git/config", Git: true}})
	require.NoError(t, err)
	assert.Empty(t, done.ID)
	next, err = r.advance(t.Context(), "no such tree", changes)
	require.Error(t, err)
	assert.Equal(t, executor.Checked("no such tree"), next)
	_, err = r.commit(t.Context(), "no such tree", 1, plan.Step{}, changes)
	_, ok := errors.AsType[*taxonomy.Evidence](err)
	assert.True(t, ok, "%v", err)
}

// What an earlier process had judged may stay only when nobody has to be asked about it.
func TestAllowed(t *testing.T) {
	scope, err := scope.New(scope.Config{Allowed: []string{"src/"}, Ask: []string{"src/ask"}})
	require.NoError(t, err)
	for _, tt := range []struct {
		change executor.Change
		guard  executor.Guard
		want   bool
	}{
		{executor.Change{Path: "x"}, nil, true},
		{executor.Change{Path: ".git/HEAD", Git: true}, nil, false},
		{executor.Change{Path: "x", Escapes: true}, nil, false},
		{executor.Change{Path: "src/x"}, scope, true},
		{executor.Change{Path: "x"}, scope, false},
		{executor.Change{Path: "src/ask"}, scope, false},
		{executor.Change{Path: "src/x"}, mute{}, false},
		{executor.Change{Path: "src/x"}, mute{errors.New("no")}, false},
	} {
		r := bareRun(reactions{}.wired(), &actor{})
		r.cfg.Calls.Guard = tt.guard
		err := r.allowed(t.Context(), []executor.Change{tt.change})
		assert.Equal(t, tt.want, err == nil, "%+v: %v", tt.change, err)
	}
}

// mute is a guard that judges nothing.
type mute struct{ err error }

func (m mute) Judge(context.Context, []executor.Change) ([]executor.Verdict, error) {
	return nil, m.err
}
func (mute) Mode() string { return "" }
