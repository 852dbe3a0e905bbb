package state_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/state"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// knowingStore returns a store that understands the codes of the shipped taxonomy.
func knowingStore(t *testing.T, table taxonomy.Table) *state.Store {
	t.Helper()
	return knowingStoreAt(t, filepath.Join(t.TempDir(), "state.db"), table)
}

func knowingStoreAt(t *testing.T, path string, table taxonomy.Table) *state.Store {
	t.Helper()
	s, err := state.Open(t.Context(), path, state.Options{Table: table})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

// told returns what the next attempt at the task ought to know, of three.
func told(t *testing.T, s *state.Store, task string) *state.RetryContext {
	t.Helper()
	c, err := s.RetryContext(t.Context(), task, 3)
	require.NoError(t, err)
	return c
}

func record(t *testing.T, s *state.Store, all ...state.Attempt) {
	t.Helper()
	for _, a := range all {
		a.Task = "task"
		_, err := s.RecordAttempt(t.Context(), a)
		require.NoError(t, err)
	}
}

// failedWith is an iteration that was closed with a failure that counts.
func failedWith(iteration int, rec executor.ErrorRecord, feedback ...executor.Feedback) executor.Closed {
	rec.Iteration, rec.Counted = iteration, true
	return executor.Closed{Failures: 1, Count: true, Errors: []executor.ErrorRecord{rec}, LastError: &rec,
		Feedback: feedback}
}

var failedTests = executor.ErrorRecord{
	Op: "validate_pre_commit", Source: "validator", Code: "VALIDATION_PRE_COMMIT", Category: "validation",
	Reaction: "correct", Action: "retry",
	Message: `pre-commit validation failed: "make test" exited with code 2`,
	Details: json.RawMessage(
		`{"command":"make test","exitCode":2,"output":"--- FAIL: TestSum\n    got 4, want 5","phase":"pre_commit"}`),
}

const toldOfTests = `The work was not committed, because "make test" exited with code 2. Mend what it reports:
--- FAIL: TestSum
    got 4, want 5`

func TestRetryContext(t *testing.T) {
	const (
		doc        = "A check before the commit failed."
		resolution = "Run the command in the working tree and mend what it reports."
	)
	s := knowingStore(t, errs.Table)
	assert.Nil(t, told(t, s, "task"), "a task that nobody knows")

	closed := failedWith(1, failedTests, executor.Feedback{Iteration: 1, Code: failedTests.Code, Text: toldOfTests})
	closed.Changed = []string{"sum.go", "a\nb.go"}
	keep(t, s, "run-1",
		begunEntry("run-1", "task"), startedEntry(1, 1, 1), answeredEntry(
			2, 1, 1, "I have rewritten Sum.\n", executor.Usage{}), closedEntry(3, 1, closed))
	want := &state.RetryContext{
		AttemptNumber: 2, MaxAttempts: 3, PreviousErrorCode: "VALIDATION_PRE_COMMIT",
		PreviousError: failedTests.Message,
		WhatWasTried: "It changed these files:\n- sum.go\n- \"a\\nb.go\"\nIts answer ended with:\nI have rewritten " +
			"Sum.",
		CheckOutput: toldOfTests, Meaning: doc, WhatToFix: resolution,
	}
	assert.Equal(t, want, told(t, s, "task"))
	assert.Nil(t, told(t, s, "another task"))

	record(t, s, state.Attempt{Success: true})
	assert.Nil(t, told(t, s, "task"), "the last attempt did not fail")
}

func TestRetryContextBeginsAnewWithATaskThatIsReset(t *testing.T) {
	s := knowingStore(t, errs.Table)
	record(t, s, state.Attempt{Error: "wrong", Code: "ITERATION_TIMEOUT"})
	require.NotNil(t, told(t, s, "task"))
	require.NoError(t, s.Reset(t.Context(), "task"))
	assert.Nil(t, told(t, s, "task"))
	record(t, s, state.Attempt{Error: "worse", Code: "ITERATION_TIMEOUT"})
	c := told(t, s, "task")
	assert.Equal(t, 2, c.AttemptNumber)
	assert.Empty(t, c.Earlier)
}

func TestRetryContextOfCodes(t *testing.T) {
	fallback, ok := errs.Table.Code(errs.Table.Taxonomy.Fallback)
	require.True(t, ok)
	timeout, ok := errs.Table.Code("ITERATION_TIMEOUT")
	require.True(t, ok)
	tests := []struct {
		name    string
		attempt state.Attempt
		table   taxonomy.Table
		want    string
		meaning *taxonomy.Code
	}{
		{"known", state.Attempt{Code: "ITERATION_TIMEOUT", Error: "late"}, errs.Table, "ITERATION_TIMEOUT", timeout},
		{"not known any more", state.Attempt{CodeAsWritten: "GONE", Error: "odd"}, errs.Table, "GONE", fallback},
		{"none", state.Attempt{Error: "odd"}, errs.Table, errs.Table.Taxonomy.Fallback, fallback},
		{"without a taxonomy", state.Attempt{Code: "ITERATION_TIMEOUT", Error: "late"}, taxonomy.Table{},
			"ITERATION_TIMEOUT", &taxonomy.Code{}},
		{"nothing at all", state.Attempt{}, taxonomy.Table{}, "", &taxonomy.Code{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := knowingStore(t, tt.table)
			record(t, s, tt.attempt)
			c := told(t, s, "task")
			assert.Equal(t, tt.want, c.PreviousErrorCode)
			assert.Equal(t, tt.meaning.Doc, c.Meaning)
			assert.Equal(t, tt.meaning.Resolution, c.WhatToFix)
			assert.NotEmpty(t, c.PreviousError)
			assert.NotEmpty(t, c.WhatWasTried)
		})
	}
}

func TestAttemptsThatDoNotCountHaveNoNumberOfTheirOwn(t *testing.T) {
	s := knowingStore(t, errs.Table)
	uncounted := state.Attempt{Code: "PROVIDER_RATE_LIMIT", Error: "slow down\nplease", Counted: taxonomy.Some(false)}
	record(t, s, uncounted)
	assert.Equal(t, 1, told(t, s, "task").AttemptNumber)
	record(t, s, state.Attempt{Code: "ITERATION_TIMEOUT", Error: "late"}, uncounted,
		state.Attempt{Success: true, TaskStatus: state.TaskRunning},
		state.Attempt{CodeAsWritten: "GONE", Error: "\n\n  odd thing \nmore"},
		state.Attempt{Code: "ITERATION_TIMEOUT", Error: "late again"})
	c := told(t, s, "task")
	assert.Equal(t, 4, c.AttemptNumber)
	assert.Equal(t, []state.EarlierAttempt{
		{Number: 1, Code: "PROVIDER_RATE_LIMIT", Error: "slow down"},
		{Number: 1, Code: "ITERATION_TIMEOUT", Error: "late"},
		{Number: 2, Code: "PROVIDER_RATE_LIMIT", Error: "slow down"},
		{Number: 2, Code: "GONE", Error: "odd thing"},
	}, c.Earlier)
}

func TestRetryContextIsBounded(t *testing.T) {
	s := knowingStore(t, errs.Table)
	long := strings.Repeat("é", 20_000)
	a := state.Attempt{Code: "VALIDATION_PRE_COMMIT", Error: long, Output: long, Feedback: long}
	for range 12 {
		record(t, s, a)
	}
	for range 500 {
		a.Changed = append(a.Changed, long[:400])
	}
	record(t, s, a)
	c := told(t, s, "task")
	assert.Len(t, c.Earlier, 10)
	b, err := json.Marshal(c)
	require.NoError(t, err)
	assert.Less(t, len(b), 40<<10)
	assert.Contains(t, c.WhatWasTried, "- and 480 more\n")
}

func TestInterruptedAttemptsAreToldAsSuch(t *testing.T) {
	s := knowingStore(t, errs.Table)
	rec := executor.ErrorRecord{Iteration: 1, Op: "resume", Source: "executor", Code: "PROVIDER_CRASH",
		Message: "the executor ended during a call", Reaction: "again"}
	keep(t, s, "run-1", begunEntry("run-1", "task"), startedEntry(1, 1, 1),
		closedEntry(3, 1, executor.Closed{Errors: []executor.ErrorRecord{rec}, LastError: &rec}))
	c := told(t, s, "task")
	assert.True(t, c.Interrupted)
	assert.Equal(t, 1, c.AttemptNumber, "it does not count")
	assert.Contains(t, c.Render(4096, executor.Markers{}), "was interrupted")
}

// What is in the prompt of the next attempt is for the taxonomy to say, now, and not when the
// attempt was stored.
func TestDetailsAreToldWhereTheReactionFeedsBack(t *testing.T) {
	silent, err := errs.Table.Override(
		taxonomy.Overrides{Reactions: map[string]taxonomy.ReactionOverride{"correct": {FeedBack: new(false)}}})
	require.NoError(t, err)
	talking, err := errs.Table.Override(
		taxonomy.Overrides{Reactions: map[string]taxonomy.ReactionOverride{"again": {FeedBack: new(true)}}})
	require.NoError(t, err)
	late := executor.ErrorRecord{Op: "call", Code: "ITERATION_TIMEOUT", Category: "timeout", Reaction: "again",
		Message: "late",
		Details: json.RawMessage(`{"limit":1,"said":"was busy with late tests","where":"late"}`)}
	ended := failedTests
	ended.Reaction, ended.Action = "block", "block"
	bare := failedTests
	bare.Details = nil

	fed := executor.Feedback{Iteration: 1, Text: toldOfTests}
	const context = "command: make test\noutput: --- FAIL: TestSum\n    got 4, want 5\nphase: pre_commit"
	tests := []struct {
		name   string
		table  taxonomy.Table
		closed executor.Closed
		want   string
	}{
		{"fed back", errs.Table, failedWith(1, failedTests, fed), toldOfTests},
		{"fed back, which the taxonomy does not do any more", silent, failedWith(1, failedTests, fed), ""},
		{"not fed back", errs.Table, failedWith(1, late), ""},
		{"not fed back, which the taxonomy does now", talking, failedWith(1, late), "said: was busy with late tests"},
		{"the last try, which ended the task", errs.Table, failedWith(1, ended),
			strings.Replace(context, "command: make test\n", "", 1)},
		{"the last try, of what is not fed back", silent, failedWith(1, ended), ""},
		{"nothing but the message", errs.Table, failedWith(1, bare), ""},
		{"without a taxonomy as it was", taxonomy.Table{}, failedWith(1, late, fed), toldOfTests},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := knowingStore(t, tt.table)
			keep(t, s, "run-1", begunEntry("run-1", "task"), startedEntry(1, 1, 1), closedEntry(2, 1, tt.closed))
			assert.Equal(t, tt.want, told(t, s, "task").CheckOutput)
		})
	}
}

func TestWhatNobodyWasToldYetIsToldAgain(t *testing.T) {
	s := knowingStore(t, errs.Table)
	fed := executor.Feedback{Iteration: 1, Code: failedTests.Code, Text: toldOfTests}
	limited := executor.ErrorRecord{Op: "call", Code: "PROVIDER_RATE_LIMIT", Category: "provider", Reaction: "wait",
		Message: "slow down"}
	second := failedWith(2, limited, fed)
	second.Count = false
	entries := []executor.Entry{begunEntry("run-1", "task"), startedEntry(1, 1, 1),
		closedEntry(2, 1, failedWith(1, failedTests, fed)),
		startedEntry(3, 2, 1), closedEntry(4, 2, second)}
	keep(t, s, "run-1", entries...)
	c := told(t, s, "task")
	assert.Equal(t, failedTests.Code, c.PreviousErrorCode)
	assert.Equal(t, toldOfTests, c.CheckOutput)
	assert.Equal(t, []state.EarlierAttempt{{Number: 2, Code: "PROVIDER_RATE_LIMIT", Error: "slow down"}}, c.Since)
	assert.Contains(t, c.Render(4096, executor.Markers{}), "--- FAIL: TestSum")

	// The third was answered, so that its prompt has told it.
	third := failedWith(3, limited)
	keepMore(t, s, "run-1", startedEntry(5, 3, 1), closedEntry(6, 3, third))
	for _, a := range told(t, s, "task").Earlier {
		assert.Empty(t, a.CheckOutput)
	}
}

// keepMore adds to a run's journal.
func keepMore(t *testing.T, s *state.Store, run string, entries ...executor.Entry) {
	t.Helper()
	j := s.Journal()
	_, err := j.Open(t.Context(), run)
	require.NoError(t, err)
	for _, e := range entries {
		require.NoError(t, j.Append(t.Context(), e))
	}
	require.NoError(t, j.Close())
}

func TestRetryContextAsJSON(t *testing.T) {
	b, err := json.Marshal(
		state.RetryContext{AttemptNumber: 2, MaxAttempts: 3, PreviousErrorCode: "X", PreviousError: "x",
			WhatWasTried: "y"})
	require.NoError(t, err)
	assert.JSONEq(
		t, `{"attempt_number":2,"max_attempts":3,"previous_error_code":"X","previous_error":"x","what_was_tried":"y"}`,
		string(b))
	b, err = json.Marshal(
		state.RetryContext{CheckOutput: "c", Meaning: "m", WhatToFix: "f", Interrupted: true, Cancelled: true,
			Question: "q",
			Since:    []state.EarlierAttempt{{Cancelled: true}},
			Earlier:  []state.EarlierAttempt{{Number: 1, Code: "X"}}})
	require.NoError(t, err)
	for _, key := range []string{"check_output", "meaning", "what_to_fix", "interrupted", "cancelled", "question",
		"since", "earlier", "number", "code", "error"} {
		assert.Contains(t, string(b), `"`+key+`":`)
	}
}

func TestRetryContextOfAStateThatCannotBeRead(t *testing.T) {
	s, err := state.Open(t.Context(), filepath.Join(t.TempDir(), "state.db"), state.Options{})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	c, err := s.RetryContext(t.Context(), "task", 3)
	assert.Nil(t, c)
	assert.Equal(t, "state", evidenceOf(t, err).Source)
}
