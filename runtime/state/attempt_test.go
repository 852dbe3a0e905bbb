package state_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/state"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// TestRecordAttempt are the rows S8, S26, B-S07, B-S09, B-S10 and B-S11: what an attempt becomes,
// and how its task stands then.
func TestRecordAttempt(t *testing.T) {
	counted, uncounted := taxonomy.Some(true), taxonomy.Some(false)
	for _, c := range []struct {
		name         string
		give         state.Attempt
		without      bool // a taxonomy
		code         string
		written      string
		category     string
		reaction     string
		action       string
		counted      taxonomy.Opt[bool]
		status       state.TaskStatus
		completed    bool
		consecutives int
	}{
		{name: "S8 success", give: state.Attempt{Success: true}, counted: uncounted, status: state.TaskCompleted,
			completed: true},
		{name: "S26 a code", give: state.Attempt{Code: "TASK_FAILED"}, code: "TASK_FAILED", written: "TASK_FAILED",
			category: "attempt",
			reaction: "again", action: "retry", counted: counted, status: state.TaskRunning, consecutives: 1},
		{name: "S26 a former name", give: state.Attempt{Code: "FAILED"}, code: "TASK_FAILED", written: "FAILED",
			category: "attempt",
			reaction: "again", action: "retry", counted: counted, status: state.TaskRunning, consecutives: 1},
		{name: "B-S01 a deprecated code", give: state.Attempt{Code: "SYNTAX"}, code: "SYNTAX", written: "SYNTAX",
			category: "attempt",
			reaction: "again", action: "retry", counted: counted, status: state.TaskRunning, consecutives: 1},
		{name: "B-S05 an unknown code", give: state.Attempt{CodeAsWritten: "NEW_ONE"}, code: "UNKNOWN",
			written: "NEW_ONE", category: "attempt",
			reaction: "again", action: "retry", counted: counted, status: state.TaskRunning, consecutives: 1},
		{name: "B-S10 no code", give: state.Attempt{}, code: "UNKNOWN", category: "attempt",
			reaction: "again", action: "retry", counted: counted, status: state.TaskRunning, consecutives: 1},
		{name: "B-S07 fatal at once", give: state.Attempt{Code: "HOOK_FAILURE"}, code: "HOOK_FAILURE",
			written: "HOOK_FAILURE", category: "attempt",
			reaction: "fail_fast", action: "abort", counted: counted, status: state.TaskFailed, completed: true,
			consecutives: 1},
		{name: "B-S11 a failure that does not count", give: state.Attempt{Code: "RATE_LIMIT"}, code: "RATE_LIMIT",
			written:  "RATE_LIMIT",
			category: "attempt", reaction: "return_at_once", action: "abort", counted: uncounted,
			status: state.TaskFailed, completed: true},
		{name: "B-S11 the author knows better",
			give: state.Attempt{Code: "RATE_LIMIT", Counted: counted, Reaction: "r", Action: "a",
				Category: "c", TaskStatus: state.TaskPending}, code: "RATE_LIMIT", written: "RATE_LIMIT", category: "c",
			reaction: "r",
			action:   "a", counted: counted, status: state.TaskPending, consecutives: 1},
		{name: "block", give: state.Attempt{Code: "WAITS"}, code: "WAITS", written: "WAITS", category: "attempt",
			reaction: "ask",
			action:   "block", counted: uncounted, status: state.TaskBlocked, completed: true},
		{name: "no taxonomy", without: true, give: state.Attempt{Code: "X"}, code: "X", written: "X", counted: counted,
			status: state.TaskRunning, consecutives: 1},
		{name: "no taxonomy and no code", without: true, counted: counted, status: state.TaskRunning, consecutives: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := state.Options{Table: codes}
			if c.without {
				o.Table = taxonomy.Table{}
			}
			s := opened(t, o)
			c.give.Task, c.give.Duration = "TASK-1", 90*time.Second
			id, err := s.RecordAttempt(t.Context(), c.give)
			require.NoError(t, err)
			want := state.Attempt{
				ID: id, Task: "TASK-1", Generation: 1, At: noon, Duration: 90 * time.Second, Success: c.give.Success,
				Code:          c.code,
				CodeAsWritten: c.written, Category: c.category, Reaction: c.reaction, Action: c.action,
				Counted: c.counted,
			}
			attempts, err := s.Attempts(t.Context(), "TASK-1", 10)
			require.NoError(t, err)
			assert.Equal(t, []state.Attempt{want}, attempts)
			task, err := s.Task(t.Context(), "TASK-1")
			require.NoError(t, err)
			wantTask := state.Task{ID: "TASK-1", Status: c.status, StartedAt: noon.Add(-90 * time.Second),
				Generation: 1, Attempts: 1}
			if c.completed {
				wantTask.CompletedAt = noon
			}
			assert.Equal(t, wantTask, task)
			counters, err := s.Counters(t.Context())
			require.NoError(t, err)
			assert.Equal(t, c.consecutives, counters.ConsecutiveFailures)
		})
	}
}

func TestRecordAttemptKeepsEverything(t *testing.T) {
	s := opened(t, state.Options{Table: codes})
	a := state.Attempt{
		Task: "T", At: noon.In(time.FixedZone("", 3600)), Duration: 1500 * time.Millisecond, Error: "it failed",
		Code:   "TASK_FAILED",
		Output: "what it said", Category: "c", Rule: "r", Reaction: "x", Action: "retry", Counted: taxonomy.Some(false),
		NotBefore: noon.Add(time.Hour), Provider: "p", Tier: taxonomy.Some(0),
		Usage: executor.Usage{InputTokens: taxonomy.Some[int64](0), OutputTokens: taxonomy.Some[int64](7),
			CostUSD: taxonomy.Some(0.25)},
		Fingerprint: "f", Feedback: "do this", Changed: []string{"a b", "c"},
	}
	id, err := s.RecordAttempt(t.Context(), a)
	require.NoError(t, err)
	got, err := s.Attempts(t.Context(), "T", 1)
	require.NoError(t, err)
	a.ID, a.Generation, a.CodeAsWritten, a.At = id, 1, "TASK_FAILED", noon
	assert.Equal(t, []state.Attempt{a}, got)
	records, err := s.Errors(t.Context(), id)
	require.NoError(t, err)
	assert.Empty(t, records)
}

func TestRecordAttemptRefuses(t *testing.T) {
	s := opened(t, state.Options{Table: codes})
	for want, a := range map[string]state.Attempt{
		"cannot take less than no time": {Task: "T", Duration: -1},
		"not below 0":                   {Task: "T", Tier: taxonomy.Some(-1)},
		"-1: an attempt cannot use":     {Task: "T", Usage: executor.Usage{InputTokens: taxonomy.Some[int64](-1)}},
		"NaN: an attempt cannot cost":   {Task: "T", Usage: executor.Usage{CostUSD: taxonomy.Some(math.NaN())}},
		"+Inf: an attempt cannot cost":  {Task: "T", Usage: executor.Usage{CostUSD: taxonomy.Some(math.Inf(1))}},
		"succeeded has no code":         {Task: "T", Success: true, Code: "TASK_FAILED"},
		"the ID of a task":              {},
		"recorded by its journal":       {Task: "T", Run: "r"},
		"cannot be given this status":   {Task: "T", TaskStatus: "done"},
		"a name is longer":              {Task: "T", Code: strings.Repeat("x", 2000)},
		"needs the one that was":        {Task: "T", Code: "A", CodeAsWritten: "B"},
	} {
		_, err := s.RecordAttempt(t.Context(), a)
		require.ErrorContains(t, err, want)
		ev := err.(*taxonomy.Evidence)
		assert.Equal(t, "state", ev.Source)
		assert.Equal(t, "state_write", ev.Op)
		assert.Equal(t, s.Path(), ev.Attributes["path"])
	}
	task, err := s.Task(t.Context(), "T")
	require.NoError(t, err)
	assert.Equal(t, state.Task{ID: "T", Status: state.TaskPending, Generation: 1}, task, "nothing was written")
}

func TestRecordAttemptBoundsAndMasks(t *testing.T) {
	const secret = "sk-abcdefghij1234567890"
	s := opened(t, state.Options{Table: codes})
	_, err := s.RecordAttempt(t.Context(), state.Attempt{
		Task: "T", Error: "begins " + secret + strings.Repeat("é", 9000),
		Output:   strings.Repeat("é", 90_000) + secret + "\x00\xff ends",
		Feedback: secret, Changed: []string{secret}, Provider: secret, Rule: secret,
	})
	require.NoError(t, err)
	got, err := s.Attempts(t.Context(), "T", 1)
	require.NoError(t, err)
	a := got[0]
	assert.True(t, strings.HasPrefix(a.Error, "begins [REDACTED]"), a.Error[:40])
	assert.True(t, strings.HasSuffix(a.Error, "é…"))
	assert.LessOrEqual(t, len(a.Error), 4<<10)
	assert.True(t, strings.HasPrefix(a.Output, "…é"))
	assert.True(t, strings.HasSuffix(a.Output, "\uFFFD\uFFFD ends"), a.Output[len(a.Output)-40:])
	assert.LessOrEqual(t, len(a.Output), 16<<10)
	assert.Greater(t, len(a.Output), 15<<10)
	for _, text := range []string{a.Output, a.Feedback, a.Changed[0], a.Provider, a.Rule} {
		assert.NotContains(t, text, "abcdefghij")
	}
}

func TestAttempts(t *testing.T) {
	s := opened(t, state.Options{Table: codes})
	record := func(text string) {
		_, err := s.RecordAttempt(t.Context(), state.Attempt{Task: "T", Error: text})
		require.NoError(t, err)
	}
	texts := func(attempts []state.Attempt) (all []string) {
		for _, a := range attempts {
			all = append(all, a.Error)
		}
		return all
	}
	record("old")
	require.NoError(t, s.Reset(t.Context(), "T"))
	for _, text := range []string{"1", "2", "3"} {
		record(text)
	}
	for n, want := range map[int][]string{-1: nil, 0: nil, 1: {"3"}, 2: {"2", "3"}, 99: {"1", "2", "3"}} {
		got, err := s.Attempts(t.Context(), "T", n)
		require.NoError(t, err)
		assert.Equal(t, want, texts(got))
	}
	none, err := s.Attempts(t.Context(), "other", 5)
	require.NoError(t, err)
	assert.Empty(t, none)
	var all []state.Attempt
	for a, err := range s.AllAttempts(t.Context(), "T") {
		require.NoError(t, err)
		all = append(all, a)
	}
	assert.Equal(t, []string{"old", "1", "2", "3"}, texts(all))
	for range s.AllAttempts(t.Context(), "T") {
		break
	}
}
