package plans_test

import (
	"context"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/executor/plan"
	"github.com/errgen/errgen/runtime/executor/plan/verify"
	"github.com/errgen/errgen/runtime/executor/workspace"
	"github.com/errgen/errgen/runtime/retry"

	"orchestrator.example.com/runner/errs"
)

// BenchmarkEntryPoints measures what each entry point adds to an operation that takes no time and
// succeeds immediately.
func BenchmarkEntryPoints(b *testing.B) {
	work := &agent{name: "p", do: says("STEP DONE MARK"), point: func(string) {}}
	b.Run("retry.Do", func(b *testing.B) {
		for b.Loop() {
			err := retry.Do(b.Context(), func(context.Context) error { return nil }, retry.ByTable(errs.Table))
			require.NoError(b, err)
		}
	})
	config := executor.Config{Table: errs.Table, Classify: detect.Classifier(errs.Explain), Provider: finished{work}}
	b.Run("executor", func(b *testing.B) {
		e, err := executor.New(config)
		require.NoError(b, err)
		for b.Loop() {
			if res := e.Run(b.Context(), executor.Task{ID: "1", Prompt: "x"}); res.Status != executor.StatusCompleted {
				b.Fatal(res.Error)
			}
		}
	})
	stored := config
	stored.Store, stored.Decode = filestore.New(b.TempDir()), func([]byte) (error, error) { return nil, nil }
	b.Run("executor with a store", func(b *testing.B) {
		e, err := executor.New(stored)
		require.NoError(b, err)
		for b.Loop() {
			if res := e.Run(b.Context(), executor.Task{ID: "1", Prompt: "x"}); res.Status != executor.StatusCompleted {
				b.Fatal(res.Error)
			}
		}
	})
	b.Run("plan step in git", func(b *testing.B) {
		dir, states := b.TempDir(), b.TempDir()
		for _, args := range [][]string{{"init", "-q"}, {"config", "user.name", "T"},
			{"config", "user.email", "t@example.com"}, {"commit", "-q", "--allow-empty", "-m", "begin"}} {
			cmd := exec.Command("git", args...)
			cmd.Dir = dir
			require.NoError(b, cmd.Run())
		}
		home := b.TempDir()
		criteria := []plan.Criterion{{Files: "*", Max: 9}}
		p := &plan.Plan{Steps: []plan.Step{{ID: "1", Instructions: "x", Criteria: criteria}}}
		n := 0
		for b.Loop() {
			n++
			run := "run" + strconv.Itoa(n)
			tree, err := workspace.New(b.Context(), dir, run, workspace.Options{Home: home})
			require.NoError(b, err)
			r, err := plan.New(plan.Config{
				Table: errs.Table, Classify: detect.Classifier(errs.Explain), Facts: verify.New(tree.Dir()),
				Workspace: tree, Tiers: map[string]executor.Provider{"haiku": work},
				Store: func() executor.Store { return filestore.New(states) },
			})
			require.NoError(b, err)
			res, err := r.Run(b.Context(), run, p)
			require.NoError(b, err)
			require.Equal(b, "completed", res.Status)
		}
	})
}

// finished is a provider that reports the end of its task.
type finished struct{ *agent }

func (f finished) Call(ctx context.Context, r executor.Request) (executor.Answer, error) {
	a, err := f.agent.Call(ctx, r)
	a.Signal = executor.SignalDone
	return a, err
}
