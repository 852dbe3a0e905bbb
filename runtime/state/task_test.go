package state_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/state"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// TestTask are the rows S3, S7, S9 and B-S13: how a task stands after what was done.
func TestTask(t *testing.T) {
	type do = func(context.Context, *state.Store) error
	running := func(ctx context.Context, s *state.Store) error { return s.MarkRunning(ctx, "T") }
	reset := func(ctx context.Context, s *state.Store) error { return s.Reset(ctx, "T") }
	set := func(status state.TaskStatus) do {
		return func(ctx context.Context, s *state.Store) error { return s.SetStatus(ctx, "T", status) }
	}
	attempt := func(a state.Attempt) do {
		return func(ctx context.Context, s *state.Store) error {
			a.Task = "T"
			_, err := s.RecordAttempt(ctx, a)
			return err
		}
	}
	for _, c := range []struct {
		name string
		do   []do
		want state.Task
	}{
		{"S7 unknown", nil, state.Task{Status: state.TaskPending, Generation: 1}},
		{"S9 running", []do{running}, state.Task{Status: state.TaskRunning, StartedAt: noon, Generation: 1}},
		{"reset of an unknown one", []do{reset}, state.Task{Status: state.TaskPending, Generation: 1}},
		{"S3 made with a status", []do{set(state.TaskSkipped)},
			state.Task{Status: state.TaskSkipped, CompletedAt: noon, Generation: 1}},
		{"set to running", []do{set(state.TaskFailed), set(state.TaskRunning)},
			state.Task{Status: state.TaskRunning, StartedAt: noon, Generation: 1}},
		{"set to pending", []do{running, set(state.TaskPending)},
			state.Task{Status: state.TaskPending, StartedAt: noon, Generation: 1}},
		{"B-S13 cleared by a start", []do{attempt(state.Attempt{Success: true}), running},
			state.Task{Status: state.TaskRunning, StartedAt: noon, Generation: 1, Attempts: 1}},
		{"B-S13 cleared by a failure", []do{attempt(state.Attempt{Success: true}), attempt(state.Attempt{})},
			state.Task{Status: state.TaskRunning, StartedAt: noon, Generation: 1, Attempts: 2}},
		{"B-S13 reset", []do{attempt(state.Attempt{}), attempt(state.Attempt{Success: true}), reset},
			state.Task{Status: state.TaskPending, Generation: 2}},
		{"B-S13 a new generation",
			[]do{attempt(state.Attempt{}), reset, attempt(state.Attempt{}), reset, attempt(state.Attempt{})},
			state.Task{Status: state.TaskRunning, StartedAt: noon, Generation: 3, Attempts: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := opened(t, state.Options{Table: codes})
			for _, do := range c.do {
				require.NoError(t, do(t.Context(), s))
			}
			got, err := s.Task(t.Context(), "T")
			require.NoError(t, err)
			c.want.ID = "T"
			assert.Equal(t, c.want, got)
		})
	}
	s := opened(t, state.Options{})
	require.ErrorContains(t, s.SetStatus(t.Context(), "T", "done"), `"done": a task cannot be given this status`)
	require.ErrorContains(t, s.MarkRunning(t.Context(), ""), "the ID of a task")
}

// TestCounters are the rows S10 and S11: failures in a row, over all tasks and generations.
func TestCounters(t *testing.T) {
	s := opened(t, state.Options{Table: codes})
	for i, c := range []struct {
		task, code string
		success    bool
		want       state.Counters
	}{
		{"A", "TASK_FAILED", false, state.Counters{ConsecutiveFailures: 1}},
		{"B", "RATE_LIMIT", false, state.Counters{ConsecutiveFailures: 1, Failed: 1}},
		{"C", "HOOK_FAILURE", false, state.Counters{ConsecutiveFailures: 2, Failed: 2}},
		{"C", "HOOK_FAILURE", false, state.Counters{ConsecutiveFailures: 3, Failed: 2}}, // B-S07: a task counts once
		{"A", "", true, state.Counters{Completed: 1, Failed: 2}},
		{"B", "", false, state.Counters{ConsecutiveFailures: 1, Completed: 1, Failed: 1}},
	} {
		_, err := s.RecordAttempt(t.Context(), state.Attempt{Task: c.task, Code: c.code, Success: c.success})
		require.NoError(t, err)
		got, err := s.Counters(t.Context())
		require.NoError(t, err)
		assert.Equal(t, c.want, got, i)
		for limit := -1; limit < 5; limit++ {
			stop, err := s.ShouldStop(t.Context(), limit)
			require.NoError(t, err)
			assert.Equal(t, limit > 0 && c.want.ConsecutiveFailures >= limit, stop, "%d: limit %d", i, limit)
		}
	}
	require.NoError(t, s.Reset(t.Context(), "B"))
	got, err := s.Counters(t.Context())
	require.NoError(t, err)
	assert.Equal(t, state.Counters{Completed: 1, Failed: 1}, got, "failures of an earlier generation count no more")
}

// Failures of earlier generations count no more, and others are counted around them. A success is
// one, whenever it was.
func TestCountersAfterResets(t *testing.T) {
	s := opened(t, state.Options{})
	fail := func(task string, times int) {
		t.Helper()
		for range times {
			_, err := s.RecordAttempt(t.Context(), state.Attempt{Task: task})
			require.NoError(t, err)
		}
	}
	counted := func(want int) {
		t.Helper()
		got, err := s.Counters(t.Context())
		require.NoError(t, err)
		assert.Equal(t, want, got.ConsecutiveFailures)
		for limit := 1; limit < 9; limit++ {
			stop, err := s.ShouldStop(t.Context(), limit)
			require.NoError(t, err)
			assert.Equal(t, want >= limit, stop, "limit %d", limit)
		}
	}
	fail("A", 3)
	_, err := s.RecordAttempt(t.Context(), state.Attempt{Task: "B", Success: true})
	require.NoError(t, err)
	counted(0)
	fail("A", 2)
	fail("C", 1)
	counted(3)
	require.NoError(t, s.Reset(t.Context(), "B"))
	counted(3)
	require.NoError(t, s.Reset(t.Context(), "A"))
	counted(1)
	fail("A", 2)
	fail("B", 1)
	counted(4)
	require.NoError(t, s.Reset(t.Context(), "A"))
	require.NoError(t, s.Reset(t.Context(), "C"))
	counted(1)
}

func TestStatuses(t *testing.T) {
	s := opened(t, state.Options{Table: codes})
	usage := executor.Usage{InputTokens: taxonomy.Some[int64](10), OutputTokens: taxonomy.Some[int64](5),
		CostUSD: taxonomy.Some(0.5)}
	for _, a := range []state.Attempt{
		{Task: "Z", Usage: usage, Code: "NEW", Error: "first", At: noon},
		{Task: "A", Success: true, At: noon, Provider: "claude-cli"},
		{Task: "Z", Code: "NEW", Error: "second", At: noon.Add(time.Hour)},
		{Task: "R", Usage: usage, Code: "TASK_FAILED"},
	} {
		_, err := s.RecordAttempt(t.Context(), a)
		require.NoError(t, err)
	}
	require.NoError(t, s.Reset(t.Context(), "R"))
	require.NoError(t, s.MarkRunning(t.Context(), "M"))
	var got []state.Status
	for st, err := range s.Statuses(t.Context()) {
		require.NoError(t, err)
		got = append(got, st)
	}
	assert.Equal(t, []state.Status{
		{Task: state.Task{ID: "Z", Status: state.TaskRunning, StartedAt: noon, Generation: 1, Attempts: 2},
			LastAt:   noon.Add(time.Hour),
			LastCode: "UNKNOWN", LastCodeAsWritten: "NEW", LastError: "second",
			Spent: executor.Spending{Calls: 1, Usage: usage}},
		{Task: state.Task{ID: "A", Status: state.TaskCompleted, StartedAt: noon, CompletedAt: noon, Generation: 1,
			Attempts: 1},
			LastAt: noon, LastSuccess: true, Spent: executor.Spending{Calls: 1, UnknownTokens: 1, UnknownCost: 1}},
		{Task: state.Task{ID: "R", Status: state.TaskPending, Generation: 2},
			Spent: executor.Spending{Calls: 1, Usage: usage}},
		{Task: state.Task{ID: "M", Status: state.TaskRunning, StartedAt: noon, Generation: 1}},
	}, got)
	for range s.Statuses(t.Context()) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n := 0
	for _, err := range s.Statuses(ctx) {
		require.Error(t, err)
		n++
	}
	assert.Equal(t, 1, n)
}

// TestConcurrentAttempts is the row B-S08: many record at once, and nothing is lost.
func TestConcurrentAttempts(t *testing.T) {
	s := opened(t, state.Options{Table: codes})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 10 {
				_, err := s.RecordAttempt(context.Background(), state.Attempt{Task: fmt.Sprintf("T%d", i%3)})
				assert.NoError(t, err)
			}
		})
	}
	wg.Wait()
	counters, err := s.Counters(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 80, counters.ConsecutiveFailures)
}

// Whoever goes through the tasks may ask for more about each, however many do so at once.
func TestReadWhileReading(t *testing.T) {
	s := knowingStore(t, taxonomy.Table{})
	_, err := s.RecordAttempt(t.Context(), state.Attempt{Task: "T-1", Success: true})
	require.NoError(t, err)
	const readers = 20
	var inside, done sync.WaitGroup
	inside.Add(readers)
	for range readers {
		done.Go(func() {
			for _, err := range s.Statuses(t.Context()) {
				assert.NoError(t, err)
				inside.Done()
				inside.Wait()
				all, err := s.Attempts(t.Context(), "T-1", 1)
				assert.NoError(t, err)
				assert.Len(t, all, 1)
			}
		})
	}
	done.Wait()
}
