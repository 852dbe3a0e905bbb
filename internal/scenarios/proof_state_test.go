package scenarios_test

import (
	"context"
	"database/sql"
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

// unsure says of some entries that they could not be written, of which some are.
type unsure struct {
	executor.Journal
	rng *rand.Rand
}

func (u unsure) Append(ctx context.Context, e executor.Entry) error {
	failed := &taxonomy.Evidence{Source: "state", Op: "state_write", Errno: "EIO", Text: "no"}
	chance := u.rng.IntN(10)
	if chance == 0 {
		return failed
	}
	if err := u.Journal.Append(ctx, e); err != nil || chance > 1 {
		return err
	}
	return failed
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
			w.cfg.Journal = unsure{s.Journal(), rand.New(rand.NewPCG(seed, 11))}
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
	assert.Equal(t, []any{r.Run, r.Status, r.EndReason, r.Iterations, r.Calls},
		[]any{run.Name, run.Status, run.EndReason, run.Iteration, run.Calls})
	assert.Equal(t, r.UnknownCost, run.Spent.UnknownCost)
	assert.Equal(t, r.UnknownTokens, run.Spent.UnknownTokens)
	assert.Equal(t, r.Usage.InputTokens.Or(0), run.Spent.Usage.InputTokens.Or(0))
	assert.Equal(t, r.Usage.OutputTokens.Or(0), run.Spent.Usage.OutputTokens.Or(0))
	assert.InDelta(t, r.Usage.CostUSD.Or(0), run.Spent.Usage.CostUSD.Or(0), 1e-6*float64(1+r.Calls))
	counters, err := s.Counters(t.Context())
	require.NoError(t, err)
	assert.Equal(t, r.Failures, counters.ConsecutiveFailures, "failures in a row")

	db, err := sql.Open("sqlite", s.Path())
	require.NoError(t, err)
	defer func() { assert.NoError(t, db.Close()) }()
	var attempts, counted, inCalls, inRuns int
	require.NoError(t, db.QueryRow(`SELECT (SELECT count(*) FROM attempts), (SELECT count(*) FROM attempts WHERE counted),
		(SELECT count(*) FROM calls WHERE ended_at IS NOT NULL AND cost_microusd IS NULL), (SELECT unknown_cost FROM runs)`).
		Scan(&attempts, &counted, &inCalls, &inRuns))
	assert.Equal(t, r.Iterations, attempts, "an attempt for each iteration")
	assert.Equal(t, r.Counted, counted)
	assert.Equal(t, inCalls, inRuns, "calls of which nobody knows what they cost")
	var inTasks, recount string
	require.NoError(t, db.QueryRow(`SELECT json_array(calls, input_tokens, output_tokens, cost_microusd, unknown_tokens, unknown_cost),
		(SELECT json_array(count(*), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), coalesce(sum(cost_microusd), 0),
			coalesce(sum(input_tokens IS NULL OR output_tokens IS NULL), 0), coalesce(sum(cost_microusd IS NULL), 0)) FROM calls)
		FROM tasks`).Scan(&inTasks, &recount))
	assert.Equal(t, recount, inTasks, "what the task has cost")
	var status, sound string
	require.NoError(t, db.QueryRow("SELECT status FROM tasks").Scan(&status))
	want := string(r.Status)
	if r.Status == executor.StatusCancelled {
		want = "pending"
	}
	assert.Equal(t, want, status)
	require.NoError(t, db.QueryRow("PRAGMA integrity_check").Scan(&sound))
	assert.Equal(t, "ok", sound)
}
