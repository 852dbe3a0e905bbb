package gittree_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/gittree"
)

// agent is a provider that runs one script a call, and reports the end with the last.
type agent struct {
	scripts   []string
	calls     int
	available func() error // unless nil
}

func (a *agent) Name() string { return "agent" }

func (a *agent) Available(context.Context) error {
	if a.available == nil {
		return nil
	}
	return a.available()
}

func (a *agent) Call(ctx context.Context, req executor.Request) (executor.Answer, error) {
	cmd := exec.CommandContext(ctx, "sh", "-ec", a.scripts[a.calls])
	cmd.Dir = req.Dir
	a.calls++
	answer := executor.Answer{Text: "done"}
	if a.calls == len(a.scripts) {
		answer.Signal = executor.SignalDone
	}
	return answer, cmd.Run()
}

// forgetful is a store that loses the saves after a commit, as if the process had died then.
type forgetful struct {
	executor.Store
	end func() // ends the run
	off bool
}

func (f *forgetful) Save(ctx context.Context, s *executor.RunState) error {
	if f.off {
		return nil
	}
	return f.Store.Save(ctx, s)
}

func (f *forgetful) Observe(e executor.Event) {
	if e.Kind == executor.Committed {
		f.off = true
		f.end()
	}
}

// TestExecutorCommitsOnce resumes a run that died after its commit, before that was saved. The
// commit stays, also if the scope forbids one of its files by now.
func TestExecutorCommitsOnce(t *testing.T) {
	for _, forbidden := range [][]string{nil, {"src/bad.txt"}} {
		t.Run("forbidden "+strings.Join(forbidden, ""), func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "")
			a := &agent{scripts: []string{"echo n > src/new.txt; echo b > src/bad.txt"}}
			ctx, cancel := context.WithCancel(t.Context())
			store := &forgetful{Store: filestore.New(t.TempDir()), end: cancel}
			run := func(ctx context.Context, forbidden ...string) *executor.Result {
				guard, err := scope.New(scope.Config{Allowed: []string{"src/**"}, Forbidden: forbidden})
				require.NoError(t, err)
				e := executorOf(t, executor.Config{Workspace: workspaceOf(t, r, false), Guard: guard,
					Deliver: executor.DeliverCommits, Provider: a, Store: store, Observer: store})
				return e.Run(ctx, executor.Task{Run: "run", ID: "1", Title: "Work", Prompt: "Work"})
			}
			require.Equal(t, executor.EndCancelled, run(ctx).EndReason)
			saved, err := store.Peek(t.Context(), "run")
			require.NoError(t, err)
			require.Equal(t, executor.StepCommit, saved.Step)
			head := r.sh("git rev-parse HEAD")
			store.off, store.end = false, func() {}
			result := run(t.Context(), forbidden...)
			require.Equal(t, executor.EndCompleted, result.EndReason, "%v", result.Error)
			require.Len(t, result.Commits, 1)
			assert.Equal(t, head, result.Commits[0].ID)
			assert.Equal(t, head, r.sh("git rev-parse HEAD"))
			assert.Len(t, result.Errors, len(forbidden))
		})
	}
}

// TestExecutorDryRun leaves no store and no clone after a dry run, however it ends.
func TestExecutorDryRun(t *testing.T) {
	stop := errors.New("no key")
	for _, c := range []struct {
		name, before string
		available    func(cancel func()) error
		want         executor.EndReason
	}{
		{"ends", "", func(func()) error { return nil }, executor.EndDryRun},
		{"fails", "", func(func()) error { return stop }, executor.EndFatal},
		{"is cancelled", "", func(cancel func()) error { cancel(); return stop }, executor.EndCancelled},
		{"finds a name that git refuses", "echo x > .GIT", func(func()) error { return nil }, executor.EndMaxFailures},
	} {
		for _, inClone := range []bool{false, true} {
			t.Run(fmt.Sprint(c.name, " clone ", inClone), func(t *testing.T) {
				t.Parallel()
				r := newRepo(t, "mkdir node_modules\n"+c.before)
				tree := workspaceOf(t, r, inClone)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				a := &agent{available: func() error { return c.available(cancel) }}
				for range 2 {
					result := dryRun(ctx, t, tree, a, nil)
					assert.Equal(t, c.want, result.EndReason, "%v", result.Error)
					assert.Equal(t, map[bool]string{false: "tree.lock", true: "run.lock"}[inClone],
						r.sh("ls .git/errgen"))
					assert.Equal(t, "repo", r.sh("ls .."))
				}
			})
		}
	}
}

// TestExecutorDryRunKeepsRuns makes dry runs with the name of a run that is not over, which they do
// not find in their store of states. The run continues after them.
func TestExecutorDryRunKeepsRuns(t *testing.T) {
	for _, inClone := range []bool{false, true} {
		t.Run(fmt.Sprint("clone ", inClone), func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "mkdir node_modules")
			tree := workspaceOf(t, r, inClone)
			store := filestore.New(t.TempDir())
			a := &agent{scripts: []string{"echo n > src/new.txt; exit 1", "echo o > src/other.txt"}}
			e := executorOf(t, executor.Config{Workspace: tree, Provider: a, Store: store,
				Deliver: executor.DeliverCommits, Limits: executor.Limits{Failures: 1}})
			task := executor.Task{Run: "run", ID: "1", Title: "Work", Prompt: "Work"}
			result := e.Run(t.Context(), task)
			require.Equal(t, []string{"src/new.txt"}, result.UncommittedFiles, "%v", result.EndReason)

			for _, other := range []executor.Store{nil, filestore.New(t.TempDir())} {
				require.Equal(t, executor.EndDryRun, dryRun(t.Context(), t, tree, a, other).EndReason)
			}
			refused := dryRun(t.Context(), t, workspaceOf(t, r, !inClone), a, nil)
			require.Equal(t, executor.EndMaxFailures, refused.EndReason)
			r.sh("git worktree add -q ../linked; mkdir ../linked/node_modules; touch ../linked/.env")
			linked := workspaceOf(t, &repo{t, filepath.Join(r.dir, "../linked")}, false)
			refused = dryRun(t.Context(), t, linked, a, nil)
			require.Equal(t, executor.EndMaxFailures, refused.EndReason)

			result = e.Reopen(t.Context(), task, executor.Reopening{})
			require.Equal(t, executor.EndCompleted, result.EndReason, "%v", result.Error)
			assert.Equal(t, []string{"src/new.txt", "src/other.txt"}, result.CommittedFiles)
			if inClone { // the run is completed, and not delivered yet
				require.Equal(t, executor.EndDryRun, dryRun(t.Context(), t, tree, a, nil).EndReason)
				require.NoError(t, tree.Deliver(t.Context(), "run", "result", false))
				assert.Equal(t, "o", r.sh("git show result:src/other.txt"))
			}
		})
	}
}

// TestExecutorDryRunBesideRun makes dry runs while another process has the working tree.
func TestExecutorDryRunBesideRun(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "")
	tr := r.open()
	checked, err := tr.begin()
	require.NoError(t, err)
	result := dryRun(t.Context(), t, workspaceOf(t, r, false), &agent{}, nil)
	require.ErrorIs(t, result.Err, gittree.ErrInUse)
	r.sh("echo A > a.txt")
	changes, err := tr.detect(checked)
	require.NoError(t, err)
	assert.Equal(t, []string{"a.txt"}, pathsOf(changes))
	require.NoError(t, tr.revert(checked, changes))
	require.NoError(t, tr.close())
}

// workspaceOf returns a working tree in place, or in a clone.
func workspaceOf(t *testing.T, r *repo, inClone bool) *gittree.Workspace {
	t.Helper()
	tree, err := gittree.New(t.Context(), r.dir, gittree.Options{})
	if inClone {
		tree, err = gittree.NewClone(t.Context(), r.dir, cloneOf(filepath.Dir(r.dir)))
	}
	require.NoError(t, err)
	return tree
}

func executorOf(t *testing.T, c executor.Config) *executor.Executor {
	t.Helper()
	c.Table, c.Classify = errs.Table, detect.Classifier(errs.Explain)
	c.Decode = func(b []byte) (error, error) { return errs.UnmarshalError(b) }
	e, err := executor.New(c)
	require.NoError(t, err)
	return e
}

// dryRun makes a dry run with the name "run".
func dryRun(
	ctx context.Context, t *testing.T, tree executor.Workspace, a *agent, store executor.Store,
) *executor.Result {
	t.Helper()
	e := executorOf(t, executor.Config{Workspace: tree, Provider: a, Store: store, DryRun: true,
		Limits: executor.Limits{Failures: 1}})
	return e.Run(ctx, executor.Task{Run: "run", ID: "1", Title: "Work", Prompt: "Work"})
}
