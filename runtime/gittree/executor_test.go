package gittree_test

import (
	"context"
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
	"github.com/errgen/errgen/runtime/gittree"
	"github.com/errgen/errgen/runtime/scope"
)

// agent is a provider that runs one script a call, and reports the end with the last.
type agent struct {
	scripts []string
	calls   int
}

func (a *agent) Name() string                    { return "agent" }
func (a *agent) Available(context.Context) error { return nil }

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

// TestExecutor runs an executor on the working tree and on a clone: what a forbidden attempt did is
// saved and reverted, and the allowed changes are committed.
func TestExecutor(t *testing.T) {
	for _, inClone := range []bool{false, true} {
		t.Run(map[bool]string{false: "in place", true: "clone"}[inClone], func(t *testing.T) {
			t.Parallel()
			r := newRepo(t, "mkdir node_modules")
			guard, err := scope.New(scope.Config{Allowed: []string{"src/**"}, Forbidden: []string{"**/.env"}})
			require.NoError(t, err)
			var tree *gittree.Workspace
			if inClone {
				tree, err = gittree.NewClone(t.Context(), r.dir, gittree.Clone{Dir: filepath.Join(r.dir, "../clone"),
					Copy: []string{".env"}})
			} else {
				tree, err = gittree.New(t.Context(), r.dir, gittree.Options{})
			}
			require.NoError(t, err)
			e, err := executor.New(executor.Config{
				Table: errs.Table, Classify: detect.Classifier(errs.Explain), Workspace: tree, Guard: guard,
				Deliver: executor.DeliverCommits,
				Provider: &agent{scripts: []string{
					"echo S > src/s.txt; echo stolen > .env; git commit -qam evil; git config core.fsmonitor " +
						"'touch ../ran'",
					"echo n > src/new.txt",
				}},
			})
			require.NoError(t, err)
			result := e.Run(t.Context(), executor.Task{Run: "run", ID: "1", Title: "Work", Prompt: "Work"})
			require.Equal(t, executor.EndCompleted, result.EndReason, "%v", result.Error)
			require.NotEmpty(t, result.Errors)
			assert.Equal(t, "SCOPE_FORBIDDEN", result.Errors[0].Code)
			in := &repo{t, tree.Dir()}
			assert.Equal(t, "A\tsrc/new.txt", in.sh("git diff --name-status HEAD~ HEAD | grep new"))
			assert.Equal(t, "2", in.sh("git rev-list --count HEAD"))
			assert.Equal(t, "PASSWORD=secret", in.sh("cat .env"))
			assert.NoFileExists(t, filepath.Join(r.dir, "../ran"))
			saves, err := gittree.Saves(t.Context(), r.dir, "run", gittree.Options{})
			require.NoError(t, err)
			require.Len(t, saves, 1)
			if inClone {
				require.NoError(t, tree.Deliver(t.Context(), "run", "result", false))
				assert.Equal(t, "n", r.sh("git show result:src/new.txt"))
				assert.Equal(t, "first", r.sh("git log -1 --format=%s"))
			}
		})
	}
}

// TestExecutorReportsRevealedFiles reports files that a rule revealed as uncommitted.
func TestExecutorReportsRevealedFiles(t *testing.T) {
	t.Parallel()
	r := newRepo(t, "echo '.vscode/*' > .gitignore; git commit -qm rules .gitignore; rm old.log; mkdir .vscode\n"+
		"echo mine > .vscode/mine")
	tree, err := gittree.New(t.Context(), r.dir, gittree.Options{})
	require.NoError(t, err)
	e, err := executor.New(executor.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain), Workspace: tree, Deliver: executor.DeliverCommits,
		Provider: &agent{scripts: []string{"echo '!.vscode/*' >> .gitignore; echo '{}' > .vscode/settings.json"}},
	})
	require.NoError(t, err)
	result := e.Run(t.Context(), executor.Task{Run: "run", ID: "1", Title: "Work", Prompt: "Work"})
	require.Equal(t, executor.EndCompleted, result.EndReason, "%v", result.Error)
	assert.Equal(t, "M\t.gitignore", r.sh("git show --name-status --format="))
	assert.Equal(t, []string{".vscode/mine", ".vscode/settings.json"}, result.UncommittedFiles)
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
				tree, err := gittree.New(t.Context(), r.dir, gittree.Options{})
				require.NoError(t, err)
				guard, err := scope.New(scope.Config{Allowed: []string{"src/**"}, Forbidden: forbidden})
				require.NoError(t, err)
				e, err := executor.New(executor.Config{
					Table: errs.Table, Classify: detect.Classifier(errs.Explain), Workspace: tree, Guard: guard,
					Deliver: executor.DeliverCommits, Provider: a, Store: store, Observer: store,
					Decode: func(b []byte) (error, error) { return errs.UnmarshalError(b) },
				})
				require.NoError(t, err)
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
