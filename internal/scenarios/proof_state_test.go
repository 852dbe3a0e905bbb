package scenarios_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/state"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// newStates returns a func that makes states, which are copies of an empty one.
func newStates(t *testing.T) func(*testing.T) *state.Store {
	t.Helper()
	dir, made := t.TempDir(), 0
	empty := filepath.Join(dir, "empty.db")
	s, err := state.Open(t.Context(), empty, state.Options{})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	content, err := os.ReadFile(empty)
	require.NoError(t, err)
	return func(t *testing.T) *state.Store {
		t.Helper()
		made++
		path := filepath.Join(dir, fmt.Sprint(made, ".db"))
		require.NoError(t, os.WriteFile(path, content, 0o600))
		s, err := state.Open(t.Context(), path, state.Options{})
		require.NoError(t, err)
		return s
	}
}

// unsure reports errors of some saves that succeeded.
type unsure struct {
	executor.Store
	rng *rand.Rand
}

func (u unsure) Save(ctx context.Context, s *executor.RunState) error {
	if err := u.Store.Save(ctx, s); err != nil || u.rng.IntN(10) > 0 {
		return err
	}
	return &taxonomy.Evidence{Source: "state", Op: "state_write", Errno: "EIO", Text: "no"}
}

// Random stories whose journal cannot always be believed have all in their state that they come to,
// once.
func TestRandomStoriesWithState(t *testing.T) {
	t.Parallel()
	newState := newStates(t)
	synctest.Test(t, func(t *testing.T) {
		for seed := uint64(0); seed < 60 && !t.Failed(); seed++ {
			if testing.Short() && seed%10 != 0 {
				continue
			}
			w, s := makeWorld(seed, false), newState(t)
			w.cfg.Store = unsure{s.RunStore(), rand.New(rand.NewPCG(seed, 11))}
			r := w.live()
			w.check(t, r)
			checkKept(t, s, r)
			require.NoError(t, s.Close())
			if t.Failed() {
				t.Logf("seed %d", seed)
			}
		}
	})
}

// checkKept checks that a state which knows one run says of it what its result says, and what a
// recount comes to.
func checkKept(t *testing.T, s *state.Store, r *executor.Result) {
	t.Helper()
	runs, err := s.Runs(t.Context(), r.Task)
	require.NoError(t, err)
	if r.EndReason == executor.EndRefused || len(runs) == 0 {
		return // the run was never begun
	}
	require.Len(t, runs, 1)
	run := runs[0]
	if run.Ended.IsZero() {
		return // its setup failed when it went on, so that it can be tried again
	}
	assert.Equal(t, []any{r.Run, r.EndReason, r.Iterations, r.Calls},
		[]any{run.Run, run.End, run.Iteration, run.Spent.Calls})
	assert.Equal(t, r.UnknownCost, run.Spent.UnknownCost)
	assert.Equal(t, r.UnknownTokens, run.Spent.UnknownTokens)
	assert.Equal(t, r.Usage.InputTokens.Or(0), run.Spent.Usage.InputTokens.Or(0))
	assert.Equal(t, r.Usage.OutputTokens.Or(0), run.Spent.Usage.OutputTokens.Or(0))
	assert.InDelta(t, r.Usage.CostUSD.Or(0), run.Spent.Usage.CostUSD.Or(0), 1e-6*float64(1+r.Calls))
	counters, err := s.Counters(t.Context())
	require.NoError(t, err)
	assert.Equal(t, r.Failures, counters.ConsecutiveFailures, "failures in a row")
}
