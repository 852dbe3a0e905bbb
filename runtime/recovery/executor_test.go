//go:build unix

package recovery

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/scope"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/validate"
)

// writer is a provider that writes a file and is done.
type writer struct{ file string }

func (writer) Name() string                    { return "writer" }
func (writer) Available(context.Context) error { return nil }
func (w writer) Call(_ context.Context, req executor.Request) (executor.Answer, error) {
	if err := os.WriteFile(filepath.Join(req.Dir, w.file), []byte("bad\n"), 0o600); err != nil {
		return executor.Answer{}, err
	}
	return executor.Answer{Signal: executor.SignalDone}, nil
}

// everything is a code's error of whatever fails.
//
//lint:ignore ST1008 it is a Classifier
func everything(err error, _, _ string) (error, string) {
	if errors.Is(err, context.Canceled) {
		return err, "cancelled"
	}
	var known *coded
	if errors.As(err, &known) {
		return err, "known"
	}
	return &coded{text: err.Error(), cause: err}, "everything"
}

// A run of the executor whose validation fails, which a strategy mends: in the working tree that
// the run has, and what was mended is committed.
func TestInARunOfTheExecutor(t *testing.T) {
	run := func(t *testing.T, fix string, profile *taxonomy.Profile) (*repo, *world, *executor.Result) {
		r := newRepo(t)
		g := r.workspace()
		tools, err := NewTools(ToolsConfig{Workspace: g})
		require.NoError(t, err)
		check := line("! grep -q bad made.txt")
		w := newWorld(t, Options{Tools: tools, LintFix: Fix{Commands: line(fix), Check: check}})
		v, err := validate.New(validate.Config{Dir: r.dir, PreCommit: check})
		require.NoError(t, err)
		scope, err := scope.New(scope.Config{Forbidden: []string{"src/**"}})
		require.NoError(t, err)
		e, err := executor.New(executor.Config{
			Table: taxonomy.Table{Taxonomy: testTaxonomy, Overlay: profile}, Classify: everything,
			Provider:  writer{"made.txt"},
			Workspace: g, Guard: scope, Validator: v, Deliver: executor.DeliverCommits, Clock: newManual(),
			Recoverer: Contain(ByName(w.Strategies()), ContainOptions{}),
		})
		require.NoError(t, err)
		return r, w, e.Run(t.Context(), executor.Task{ID: "task", Prompt: "write"})
	}
	allowed := func(attempts int) *taxonomy.Profile {
		return &taxonomy.Profile{Name: "p", Recovery: taxonomy.Recovery{Enabled: true, MaxAttempts: attempts},
			Retry: taxonomy.RetryDefaults{Enabled: true}}
	}
	t.Run("mended", func(t *testing.T) {
		r, w, result := run(t, "echo good >made.txt", nil)
		assert.Equal(t, executor.EndCompleted, result.EndReason, result.Error)
		assert.Equal(t, "good", r.git("show", "HEAD:made.txt"))
		assert.Equal(t, "a\n", r.read("a.txt"))
		require.Len(t, w.records, 1)
		assert.Empty(t, r.git("for-each-ref", "refs/errgen"))
	})
	t.Run("mended a little at a time", func(t *testing.T) { // D94, D165
		_, w, result := run(t, "test -e tried && echo good >made.txt; touch tried; test -e .git", allowed(5))
		assert.NotEqual(t, executor.EndCompleted, result.EndReason,
			"a strategy that fails is not tried again: what follows is")
		require.Len(t, w.records, 1)
		assert.False(t, w.records[0].Successful)
		assert.Contains(t, result.Warnings[0], "run strategy apply_lint_fix: Failed to apply lint fixes") // D164
	})
	t.Run("forbidden", func(t *testing.T) {
		r, _, result := run(t, "echo good >made.txt; echo x >src/b.txt", nil)
		assert.NotEqual(t, executor.EndCompleted, result.EndReason, "the executor judges what a strategy has changed")
		assert.Equal(t, "b", r.git("show", "HEAD:src/b.txt"))
	})
	t.Run("no attempts are allowed", func(t *testing.T) { // D166
		profile := allowed(0)
		profile.Recovery.Enabled = false
		_, w, result := run(t, "echo good >made.txt", profile)
		assert.Empty(t, w.records)
		assert.NotEqual(t, executor.EndCompleted, result.EndReason)
	})
}

// flaky is a provider that fails a number of times.
type flaky struct{ left int }

func (*flaky) Name() string                    { return "flaky" }
func (*flaky) Available(context.Context) error { return nil }
func (f *flaky) Call(context.Context, executor.Request) (executor.Answer, error) {
	if f.left--; f.left >= 0 {
		return executor.Answer{}, errors.New("not now")
	}
	return executor.Answer{Signal: executor.SignalDone}, nil
}

// D94, D166, B-D16: the number of tries rises with each, and the profile ends them.
func TestAttemptsInARun(t *testing.T) {
	for most, want := range map[int][]int{1: {1}, 3: {1, 2, 3}, 5: {1, 2, 3, 4}} {
		profile := &taxonomy.Profile{Recovery: taxonomy.Recovery{Enabled: true, MaxAttempts: most},
			Retry: taxonomy.RetryDefaults{Enabled: true}}
		clock := newManual()
		w := newWorld(t, Options{Clock: clock, MaxAttempts: most})
		e, err := executor.New(executor.Config{
			Table: taxonomy.Table{Taxonomy: testTaxonomy, Overlay: profile}, Classify: everything, Provider: &flaky{4},
			Clock:     clock,
			Recoverer: ByName(map[string]Strategy{NameApplyLintFix: w.WaitForRateLimit}),
		})
		require.NoError(t, err)
		result := e.Run(t.Context(), executor.Task{ID: "task"})
		var got []int
		for _, r := range w.records {
			got = append(got, r.Attempts)
			assert.Equal(t, most, r.MaxAttempts)
		}
		assert.Equal(t, want, got)
		assert.Equal(t, most == 5, result.EndReason == executor.EndCompleted)
	}
}

// chatty is a provider that fails once, and says more than a line.
type chatty struct{ flaky }

func (c *chatty) Call(ctx context.Context, r executor.Request) (executor.Answer, error) {
	answer, err := c.flaky.Call(ctx, r)
	if err != nil {
		err = &taxonomy.Evidence{Source: "chatty", Text: "loader:1143\nCannot find module 'left-pad'"}
	}
	return answer, err
}

// A strategy gets all that was said, also when the error that the failure was classified as has
// only a line of it.
func TestEvidenceInARun(t *testing.T) {
	var got taxonomy.RecoveryRequest
	e, err := executor.New(executor.Config{
		Table: taxonomy.Table{Taxonomy: testTaxonomy}, Provider: &chatty{flaky{1}}, Clock: newManual(),
		//lint:ignore ST1008 it is a Classifier
		Classify: func(error, string, string) (error, string) { return &coded{text: "loader:1143"}, "test" },
		Recoverer: ByName(
			map[string]Strategy{NameApplyLintFix: func(_ context.Context, failed taxonomy.RecoveryRequest) error {
				got = failed
				return nil
			}}),
	})
	require.NoError(t, err)
	result := e.Run(t.Context(), executor.Task{ID: "task"})
	assert.Equal(t, executor.EndCompleted, result.EndReason)
	name, ok := packageIn(saidBy(got), NPM)
	assert.True(t, ok)
	assert.Equal(t, "left-pad", name)
}
