package scenarios_test

import (
	"context"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/state"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// dyingClock has a run die in its first wait, after some time.
type dyingClock struct {
	retry.Clock
	after time.Duration
}

func (c dyingClock) Sleep(ctx context.Context, _ time.Duration) error {
	if err := c.Clock.Sleep(ctx, c.after); err != nil {
		return err
	}
	runtime.Goexit()
	return nil
}

// stateStory is a run whose executor dies, and goes on, with a file of SQLite.
type stateStory struct {
	*memWorld
	path string
}

// lives opens the file, has one life of the run, and closes it as the end of the process would. It
// returns nil after a death.
func (s *stateStory) lives(t *testing.T) (r *executor.Result) {
	t.Helper()
	store, err := state.Open(t.Context(), s.path, state.Options{Table: errs.Table})
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	s.cfg.Store = store.RunStore()
	over := make(chan struct{})
	go func() {
		defer close(over)
		r = s.run(t.Context())
	}()
	<-over
	return r
}

// looks opens the state for reading.
func (s *stateStory) looks(t *testing.T, look func(*state.Store)) {
	t.Helper()
	store, err := state.Open(t.Context(), s.path, state.Options{Table: errs.Table})
	require.NoError(t, err)
	look(store)
	require.NoError(t, store.Close())
}

// unfinished returns the one run that can be resumed.
func unfinished(t *testing.T, s *state.Store) state.Run {
	t.Helper()
	runs, err := s.Unfinished(t.Context())
	require.NoError(t, err)
	require.Len(t, runs, 1)
	assert.Nil(t, runs[0].Holder, "its process is dead")
	return runs[0]
}

// attempts returns what the attempts at the task came to, the oldest first.
func attempts(t *testing.T, s *state.Store) (all []state.Attempt, told []string) {
	t.Helper()
	all, err := s.Attempts(t.Context(), "task-1", 10)
	require.NoError(t, err)
	for _, a := range all {
		line := a.Code + " " + a.Reaction
		if a.Success {
			line = "success"
		}
		if a.Counted.Or(false) {
			line += ", counted"
		}
		told = append(told, line)
	}
	return all, told
}

// A run dies in a wait, and then in a call. It is found, the wait is kept, the call that was lost
// is an attempt with a code and a reaction, counters are recounted, and it goes on to its end.
func TestResumedFromState(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	synctest.Test(t, func(t *testing.T) {
		cost := func(usd float64) executor.Answer {
			return executor.Answer{Usage: executor.Usage{CostUSD: taxonomy.Some(usd)}}
		}
		done := cost(0.5)
		done.Text = "TASK COMPLETE"
		s := &stateStory{inMemory(errs.Table, detect.Classifier(errs.Explain),
			turn{says: cost(0),
				fails: &taxonomy.Evidence{Source: "claude-cli", Op: "call", Status: 429,
					RetryAfter: taxonomy.Some(10 * time.Minute)}},
			turn{writes: []string{"src/half"}},
			turn{writes: []string{"src/secret/key"}, says: cost(0.125)},
			turn{writes: []string{"src/a"}, says: done},
		), path}
		s.cfg.Decode = func(b []byte) (error, error) { return errs.UnmarshalError(b) }
		clock := s.cfg.Clock

		// It dies in the third minute of ten.
		begun := time.Now()
		s.cfg.Clock = dyingClock{clock, 3 * time.Minute}
		require.Nil(t, s.lives(t))
		s.cfg.Clock = clock
		until := time.Time{}
		s.looks(t, func(store *state.Store) {
			run := unfinished(t, store)
			assert.Equal(t, []any{"run", "task-1", "wait", 1, 1},
				[]any{run.Run, run.Task, string(run.Step), run.Iteration, run.Spent.Calls})
			all, told := attempts(t, store)
			assert.Equal(t, []string{"PROVIDER_RATE_LIMIT wait"}, told)
			s, err := store.RunStore().Peek(t.Context(), "run")
			require.NoError(t, err)
			require.Len(t, all, 1)
			until = s.Wait.Until
			assert.GreaterOrEqual(t, until.Sub(begun), 10*time.Minute)
		})

		// It waits for the rest, and dies in the call.
		s.actor.around = func(call func()) {
			call()
			assert.False(t, time.Now().Before(until), "the wait was not over")
			assert.Less(t, time.Since(until), time.Second, "the wait was not begun anew")
			runtime.Goexit()
		}
		require.Nil(t, s.lives(t))
		s.actor.around = nil
		s.looks(t, func(store *state.Store) {
			run := unfinished(t, store)
			assert.Equal(t, []any{"call", 2, 2, 1},
				[]any{string(run.Step), run.Iteration, run.Spent.Calls, run.Spent.UnknownCost})
			task, err := store.Task(t.Context(), "task-1")
			require.NoError(t, err)
			assert.Equal(t, state.TaskRunning, task.Status)
		})

		r := s.lives(t)
		require.NotNil(t, r)
		assert.Equal(t, []any{executor.EndCompleted, true, 4}, []any{r.EndReason, r.Resumed, r.Iterations}, "%+v",
			r.Errors)
		s.looks(t, func(store *state.Store) {
			all, told := attempts(t, store)
			assert.Equal(
				t, []string{"PROVIDER_RATE_LIMIT wait", "PROVIDER_CRASH again", "SCOPE_FORBIDDEN undo, counted",
					"success"}, told)
			assert.True(t, all[1].Usage.CostUSD.IsZero(), "nobody knows what it cost")
			runs, err := store.Unfinished(t.Context())
			require.NoError(t, err)
			assert.Empty(t, runs)
			ended, err := store.Runs(t.Context(), r.Task)
			require.NoError(t, err)
			require.Len(t, ended, 1)
			assert.Equal(t, []any{r.Run, r.EndReason, r.Iterations, r.Calls, r.UnknownCost},
				[]any{ended[0].Run, ended[0].End, ended[0].Iteration, ended[0].Spent.Calls, ended[0].Spent.UnknownCost})
			assert.InDelta(t, r.Usage.CostUSD.Or(0), ended[0].Spent.Usage.CostUSD.Or(0), 1e-5)
			counters, err := store.Counters(t.Context())
			require.NoError(t, err)
			assert.Equal(t, state.Counters{Completed: 1}, counters)
		})
	})
}
