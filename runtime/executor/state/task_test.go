package state

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// S7, S9, S11, B-S07, B-S09: tasks and their statuses.
func TestTasks(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	unknown, err := s.Task(ctx, "TASK-1")
	require.NoError(t, err)
	assert.Equal(t, Task{ID: "TASK-1", Status: TaskPending, Generation: 1}, unknown)
	at := func(second int) time.Time { return time.Date(2026, 3, 1, 12, 0, second, 0, time.UTC) }
	for _, step := range []struct {
		status             TaskStatus
		started, completed time.Time
	}{
		{status: TaskSkipped, completed: at(1)},
		{status: TaskRunning, started: at(2)},
		{status: TaskFailed, started: at(2), completed: at(3)},
		{status: TaskPending, started: at(2)},
		{status: TaskRunning, started: at(5)},
		{status: TaskCompleted, started: at(5), completed: at(6)},
	} {
		require.NoError(t, s.SetStatus(ctx, "TASK-1", step.status))
		got, err := s.Task(ctx, "TASK-1")
		require.NoError(t, err)
		assert.Equal(t, Task{ID: "TASK-1", Status: step.status, StartedAt: step.started, CompletedAt: step.completed,
			Generation: 1}, got)
	}
	for _, id := range []string{"", strings.Repeat("x", maxTask+1), "a\x00b", "\xff", "sk-ant-api03-" +
		strings.Repeat("A1b2", 12)} {
		_, what := evidenceOf(t, s.MarkRunning(ctx, id))
		assert.Equal(t, "state state_write  ", what, "%q", id)
	}
	assert.Error(t, s.SetStatus(ctx, "TASK-1", "finished"))
}

// The start of running work stays the same until the work ends.
func TestStartedAt(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	started := func() time.Time {
		task, err := s.Task(ctx, "T")
		require.NoError(t, err)
		return task.StartedAt
	}
	require.NoError(t, s.MarkRunning(ctx, "T"))
	first := started()
	for range 2 {
		_, err := s.RecordAttempt(ctx, Attempt{Task: "T", Code: "TIMEOUT"})
		require.NoError(t, err)
		assert.Equal(t, first, started())
	}
	require.NoError(t, s.MarkRunning(ctx, "T"))
	assert.Equal(t, first, started())
	require.NoError(t, s.SetStatus(ctx, "T", TaskFailed))
	require.NoError(t, s.MarkRunning(ctx, "T"))
	assert.True(t, started().After(first))
}

// S8, S10, S11, S26, B-S01, B-S05, B-S07, B-S11: what an attempt leaves behind.
func TestRecordAttempt(t *testing.T) {
	for _, c := range []struct {
		name     string
		attempt  Attempt
		code     string
		counted  bool
		action   string
		outcome  AttemptOutcome
		status   TaskStatus
		counters Counters
	}{
		{"success", Attempt{Success: true}, "", false, "", Clean, TaskCompleted, Counters{Completed: 1}},
		{"retried", Attempt{Code: "TIMEOUT", Error: "slow"}, "TIMEOUT", true, "retry", Failed, TaskRunning,
			Counters{ConsecutiveFailures: 1}},
		{"aborts", Attempt{Code: "HOOK_FAILURE"}, "HOOK_FAILURE", true, "abort", Failed, TaskFailed,
			Counters{ConsecutiveFailures: 1, Failed: 1}},
		{"blocks and does not count", Attempt{Code: "RATE_LIMIT"}, "RATE_LIMIT", false, "block", Failed, TaskBlocked,
			Counters{}},
		{"deprecated code", Attempt{Code: "SYNTAX"}, "SYNTAX", true, "retry", Failed, TaskRunning,
			Counters{ConsecutiveFailures: 1}},
		{"alias", Attempt{Code: "FAILED"}, "TASK_FAILED", true, "retry", Failed, TaskRunning,
			Counters{ConsecutiveFailures: 1}},
		{"unknown code", Attempt{Code: "NEW_ONE"}, "UNKNOWN", true, "retry", Failed, TaskRunning,
			Counters{ConsecutiveFailures: 1}},
		{"no code", Attempt{Error: "x"}, "UNKNOWN", true, "retry", Failed, TaskRunning,
			Counters{ConsecutiveFailures: 1}},
		{"given", Attempt{Code: "TIMEOUT", Counted: taxonomy.Some(false), Action: "block", TaskStatus: TaskFailed},
			"TIMEOUT", false, "block", Failed, TaskFailed, Counters{Failed: 1}},
		{"cancelled", Attempt{Outcome: Cancelled, Counted: taxonomy.Some(false), TaskStatus: TaskPending}, "", false,
			"retry", Cancelled, TaskPending, Counters{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, ctx := newStore(t), t.Context()
			c.attempt.Task, c.attempt.Duration, c.attempt.Changed = "T", 1500*time.Millisecond, []string{"a.go"}
			c.attempt.Usage = executor.Usage{InputTokens: taxonomy.Some[int64](7), CostUSD: taxonomy.Some(0.25)}
			id, err := s.RecordAttempt(ctx, c.attempt)
			require.NoError(t, err)
			all, err := s.Attempts(ctx, "T", 5)
			require.NoError(t, err)
			require.Len(t, all, 1)
			got := all[0]
			assert.Equal(t, id, got.ID)
			assert.Equal(t, c.code, got.Code)
			assert.Equal(t, c.attempt.Code, got.CodeAsWritten)
			assert.Equal(t, taxonomy.Some(c.counted), got.Counted)
			assert.Equal(t, c.action, got.Action)
			assert.Equal(t, c.outcome, got.Outcome)
			assert.Equal(t, c.attempt.Duration, got.Duration)
			assert.Equal(t, c.attempt.Changed, got.Changed)
			assert.Equal(t, c.attempt.Usage, got.Usage)
			assert.Equal(t, time.UTC, got.At.Location())
			task, err := s.Task(ctx, "T")
			require.NoError(t, err)
			assert.Equal(t, c.status, task.Status)
			counters, err := s.Counters(ctx)
			require.NoError(t, err)
			assert.Equal(t, c.counters, counters)
			stop, err := s.ShouldStop(ctx, 1)
			require.NoError(t, err)
			assert.Equal(t, c.counters.ConsecutiveFailures >= 1, stop)
		})
	}
}

func TestRecordAttemptRejects(t *testing.T) {
	s := newStore(t)
	for name, a := range map[string]Attempt{
		"no task":             {},
		"success with error":  {Task: "T", Success: true, Error: "x"},
		"success that counts": {Task: "T", Success: true, Counted: taxonomy.Some(true)},
		"tokens":              {Task: "T", Usage: executor.Usage{OutputTokens: taxonomy.Some[int64](-1)}},
		"cost":                {Task: "T", Usage: executor.Usage{CostUSD: taxonomy.Some(-0.1)}},
		"status":              {Task: "T", TaskStatus: "finished"},
	} {
		_, err := s.RecordAttempt(t.Context(), a)
		ev, _ := evidenceOf(t, err)
		assert.Equal(t, "state_write", ev.Op, name)
	}
}

// S10: failures in a row are counted over all tasks, since the last success, without generations
// that were reset.
func TestConsecutiveFailures(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	for _, step := range []struct {
		task, code string
		reset      bool
		want       int
	}{
		{task: "A", code: "TIMEOUT", want: 1},
		{task: "B", code: "TIMEOUT", want: 2},
		{task: "B", code: "RATE_LIMIT", want: 2},
		{task: "A", code: "TIMEOUT", want: 3},
		{task: "A", reset: true, want: 1},
		{task: "C", want: 0},
		{task: "A", code: "TIMEOUT", want: 1},
	} {
		var err error
		if step.reset {
			err = s.Reset(ctx, step.task)
		} else {
			_, err = s.RecordAttempt(ctx, Attempt{Task: step.task, Code: step.code, Success: step.code == ""})
		}
		require.NoError(t, err)
		c, err := s.Counters(ctx)
		require.NoError(t, err)
		assert.Equal(t, step.want, c.ConsecutiveFailures, "%+v", step)
		for limit := range 4 {
			stop, err := s.ShouldStop(ctx, limit)
			require.NoError(t, err)
			assert.Equal(t, limit > 0 && step.want >= limit, stop, "%+v, limit %d", step, limit)
		}
	}
}

func TestReset(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	_, err := s.RecordAttempt(ctx, Attempt{Task: "T", Code: "HOOK_FAILURE"})
	require.NoError(t, err)
	require.NoError(t, s.Reset(ctx, "T"))
	require.NoError(t, s.Reset(ctx, "unknown"))
	task, err := s.Task(ctx, "T")
	require.NoError(t, err)
	assert.Equal(t, Task{ID: "T", Status: TaskPending, Generation: 2}, task)
	current, err := s.Attempts(ctx, "T", 9)
	require.NoError(t, err)
	assert.Empty(t, current)
	all, err := s.AllAttempts(ctx, "T")
	require.NoError(t, err)
	assert.Len(t, all, 1)
	told, err := s.RetryContext(ctx, "T", 3)
	require.NoError(t, err)
	assert.Nil(t, told)
	statuses, err := s.Statuses(ctx)
	require.NoError(t, err)
	require.Len(t, statuses, 1)
	assert.Equal(t, int64(0), statuses[0].Last.ID)
}

func TestStatuses(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	require.NoError(t, s.SetStatus(ctx, "B", TaskSkipped))
	for _, cost := range []taxonomy.Opt[float64]{taxonomy.Some(0.5), {}} {
		_, err := s.RecordAttempt(ctx, Attempt{Task: "A", Code: "TIMEOUT", Error: "slow", Provider: "p",
			Usage: executor.Usage{InputTokens: taxonomy.Some[int64](10), OutputTokens: taxonomy.Some[int64](1),
				CostUSD: cost}})
		require.NoError(t, err)
	}
	_, err := s.RecordAttempt(ctx, Attempt{Task: "B", Success: true}) // without a call
	require.NoError(t, err)
	all, err := s.Statuses(ctx)
	require.NoError(t, err)
	require.Len(t, all, 2)
	assert.Equal(t, "B", all[0].ID)
	assert.Zero(t, all[0].Spent)
	a := all[1]
	assert.Equal(t, []any{"A", TaskRunning, 2, "TIMEOUT", "slow", false},
		[]any{a.ID, a.Status, a.Attempts, a.Last.Code, a.Last.Error, a.Last.Success})
	assert.Equal(t, executor.Spending{Calls: 2, UnknownCost: 1, Usage: executor.Usage{
		InputTokens: taxonomy.Some[int64](20), OutputTokens: taxonomy.Some[int64](2), CostUSD: taxonomy.Some(0.5),
	}}, a.Spent)
}

func TestReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	_, err := Open(t.Context(), path, Options{ReadOnly: true})
	ev, what := evidenceOf(t, err)
	assert.Equal(t, "executor prepare  ", what)
	assert.Equal(t, "ENOENT", ev.Errno)
	w := opened(t, path)
	require.NoError(t, w.MarkRunning(t.Context(), "T"))
	s, err := Open(t.Context(), path, Options{ReadOnly: true})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	task, err := s.Task(t.Context(), "T")
	require.NoError(t, err)
	assert.Equal(t, TaskRunning, task.Status)
	err = s.MarkRunning(t.Context(), "T")
	require.ErrorIs(t, err, ErrReadOnly)
	require.NoError(t, w.MarkRunning(t.Context(), "U"))
	unknown, err := s.Task(t.Context(), "U")
	require.NoError(t, err)
	assert.Equal(t, TaskRunning, unknown.Status, "a reader sees later writes")
}

func TestClaim(t *testing.T) {
	s, other, ctx := newStore(t), (*Store)(nil), t.Context()
	other = opened(t, s.Path())
	c, err := s.Claim(ctx, "queue")
	require.NoError(t, err)
	_, err = other.Claim(ctx, "queue")
	ev, what := evidenceOf(t, err)
	assert.Equal(t, "executor lock  ", what)
	assert.NotEmpty(t, ev.Attributes["pid"])
	require.NoError(t, c.Release())
	require.NoError(t, c.Release())
	c, err = other.Claim(ctx, "queue")
	require.NoError(t, err)
	require.NoError(t, c.Release())
	_, err = s.Claim(ctx, "../x")
	_, what = evidenceOf(t, err)
	assert.Equal(t, "executor prepare  ", what)
}

// A read that fails has an op of its own.
func TestReadsFail(t *testing.T) {
	s := newStore(t)
	require.NoError(t, s.reader.Close())
	_, err := s.Counters(t.Context())
	_, what := evidenceOf(t, err)
	assert.Equal(t, "state state_read  ", what)
}
