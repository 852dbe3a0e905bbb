package state_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/lanes/lanestest"
	"github.com/errgen/errgen/runtime/state"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var rateLimited = executor.ErrorRecord{
	Op: "call", Source: "claude-cli", Code: "PROVIDER_RATE_LIMIT", Category: "provider", Reaction: "wait",
	Action: "retry", Message: "slow down\nplease",
}

// limitedRun is a run of one iteration that was rate limited.
func limitedRun(run string) []executor.Entry {
	rec := rateLimited
	rec.Iteration = 1
	return []executor.Entry{begunEntry(run, "task"), startedEntry(10, 1, 1),
		closedEntry(
			11, 1, executor.Closed{Errors: []executor.ErrorRecord{rec}, LastError: &rec,
				End: executor.EndMaxIterations}), endedEntry(12, 1, executor.EndMaxIterations)}
}

// testedRun is a run of one iteration whose tests have failed.
func testedRun(run string) []executor.Entry {
	fed := executor.Feedback{Iteration: 1, Code: failedTests.Code, Text: toldOfTests}
	return []executor.Entry{begunEntry(run, "task"), startedEntry(1, 1, 1),
		answeredEntry(2, 1, 1, "I have rewritten Sum.", executor.Usage{}),
		closedEntry(3, 1, failedWith(1, failedTests, fed)), endedEntry(4, 1, executor.EndMaxIterations)}
}

// cancelledRun is a run of one iteration that was stopped during its call.
func cancelledRun(run string, errs ...executor.ErrorRecord) []executor.Entry {
	return []executor.Entry{begunEntry(run, "task"), startedEntry(20, 1, 1),
		closedEntry(21, 1, executor.Closed{End: executor.EndCancelled, Errors: errs, Changed: []string{"sum.go"}}),
		endedEntry(22, 1, executor.EndCancelled)}
}

// askingRun is a run of one iteration that ended with a question.
func askingRun(run, question string, clean bool) []executor.Entry {
	ended := endedEntry(32, 1, executor.EndBlockedSignal)
	ended.Ended.Question = question
	return []executor.Entry{begunEntry(run, "task"), startedEntry(30, 1, 1),
		answeredEntry(30, 1, 1, "Which one?", executor.Usage{}),
		closedEntry(31, 1, executor.Closed{Clean: clean, End: executor.EndBlockedSignal}), ended}
}

func TestWhatIsNotTheAgentsFaultHidesNoFailure(t *testing.T) {
	s := knowingStore(t, errs.Table)
	keep(t, s, "run-1", testedRun("run-1")...)
	keep(t, s, "run-2", limitedRun("run-2")...)
	keep(t, s, "run-3", limitedRun("run-3")...)
	interrupted := executor.ErrorRecord{Iteration: 1, Op: "resume", Source: "executor", Code: "PROVIDER_CRASH",
		Message: "the executor ended", Reaction: "again"}
	keep(t, s, "run-4", begunEntry("run-4", "task"), startedEntry(1, 1, 1),
		closedEntry(3, 1, executor.Closed{Errors: []executor.ErrorRecord{interrupted}, LastError: &interrupted}),
		endedEntry(4, 1, executor.EndCancelled))
	keep(t, s, "run-5", cancelledRun("run-5")...)

	c := told(t, s, "task")
	assert.Equal(t, failedTests.Code, c.PreviousErrorCode)
	assert.Equal(t, failedTests.Message, c.PreviousError)
	assert.Equal(t, toldOfTests, c.CheckOutput)
	assert.Contains(t, c.WhatWasTried, "I have rewritten Sum.")
	assert.Equal(t, 2, c.AttemptNumber)
	assert.Empty(t, c.Earlier)
	assert.True(t, c.Cancelled)
	assert.Equal(t, []state.EarlierAttempt{
		{Number: 2, Code: rateLimited.Code, Error: "slow down"},
		{Number: 2, Code: rateLimited.Code, Error: "slow down"},
		{Number: 2, Code: "PROVIDER_CRASH", Error: "the executor ended"}, {Number: 2, Cancelled: true},
	}, c.Since)
	got := c.Render(4096, executor.Markers{})
	assert.Equal(t, 1, strings.Count(got, "What to fix:"), got)
	assert.Contains(t, got, "--- FAIL: TestSum")
	assert.Contains(t, got, "Since then:\n")
	assert.Contains(t, got, "Attempt 2 was stopped by a person\n")

	// What counts is the agent's again.
	record(t, s, state.Attempt{Code: "ITERATION_TIMEOUT", Error: "late"})
	c = told(t, s, "task")
	assert.Equal(t, "ITERATION_TIMEOUT", c.PreviousErrorCode)
	assert.Empty(t, c.Since)
	assert.Equal(t, 3, c.AttemptNumber)

	// A clean attempt ends the story: what comes after it is told as it is.
	record(t, s, state.Attempt{Success: true, TaskStatus: state.TaskRunning})
	keep(t, s, "run-6", limitedRun("run-6")...)
	c = told(t, s, "task")
	assert.Equal(t, rateLimited.Code, c.PreviousErrorCode)
	assert.Empty(t, c.Since)
}

func TestOfManyThatAreNotTheAgentsFaultTheNewestAreTold(t *testing.T) {
	s := knowingStore(t, errs.Table)
	keep(t, s, "run-1", testedRun("run-1")...)
	for range 30 {
		record(t, s,
			state.Attempt{Code: "PROVIDER_RATE_LIMIT", Error: strings.Repeat("slow ", 500),
				Counted: taxonomy.Some(false)})
	}
	c := told(t, s, "task")
	assert.Equal(t, failedTests.Code, c.PreviousErrorCode)
	require.Len(t, c.Since, 10)
	assert.LessOrEqual(t, len(c.Since[0].Error), 300)
}

// What a reaction feeds back is told, also if it does not count: by the table of today.
func TestWhatFeedsBackIsTheAgents(t *testing.T) {
	talking, err := errs.Table.Override(
		taxonomy.Overrides{Reactions: map[string]taxonomy.ReactionOverride{"wait": {FeedBack: new(true)}}})
	require.NoError(t, err)
	s := knowingStore(t, talking)
	keep(t, s, "run-1", testedRun("run-1")...)
	keep(t, s, "run-2", limitedRun("run-2")...)
	c := told(t, s, "task")
	assert.Equal(t, rateLimited.Code, c.PreviousErrorCode)
	assert.Len(t, c.Earlier, 1)
}

func TestCancelledAttemptsHaveNoCode(t *testing.T) {
	limited := rateLimited
	limited.Iteration = 1
	counted := failedWith(1, failedTests)
	counted.End = executor.EndCancelled
	answered := executor.Entry{Point: executor.PointAnswered, At: startedEntry(2, 1, 1).At, Iteration: 1,
		Answered: &executor.Answered{Call: 1, Cancelled: true}}
	lost := executor.ErrorRecord{Iteration: 1, Op: "resume", Source: "executor", Code: "PROVIDER_CRASH",
		Message: "the executor ended during a call", Reaction: "again"}
	tests := []struct {
		name      string
		entries   []executor.Entry
		code      string
		cancelled bool
	}{
		{"during its call", cancelledRun("run-1"), "", true},
		{"during the wait for another call", cancelledRun("run-1", limited), "", true},
		{"and its process died before it was closed",
			[]executor.Entry{begunEntry("run-1", "task"), startedEntry(1, 1, 1), answered,
				closedEntry(3, 1, executor.Closed{Errors: []executor.ErrorRecord{lost}, LastError: &lost})}, "", true},
		{"after it had failed",
			[]executor.Entry{begunEntry("run-1", "task"), startedEntry(1, 1, 1), closedEntry(2, 1, counted)},
			failedTests.Code, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := knowingStore(t, errs.Table)
			keep(t, s, "run-1", tt.entries...)
			all, err := s.Attempts(t.Context(), "task", 1)
			require.NoError(t, err)
			require.Len(t, all, 1)
			assert.Equal(t, tt.code, all[0].Code)
			assert.Equal(t, tt.code, all[0].CodeAsWritten)
			assert.Equal(t, tt.cancelled, all[0].Action == "cancelled")
			for st, err := range s.Statuses(t.Context()) {
				require.NoError(t, err)
				assert.Equal(t, tt.code, st.LastCode)
				assert.False(t, st.LastSuccess)
			}
			c := told(t, s, "task")
			assert.Equal(t, tt.code, c.PreviousErrorCode)
			assert.Equal(t, tt.cancelled, c.Cancelled)
			assert.NotEmpty(t, c.PreviousError)
			got := c.Render(4096, executor.Markers{})
			assert.Equal(t, tt.cancelled, strings.Contains(got, "was stopped by a person"), got)
			assert.Equal(t, !tt.cancelled, strings.Contains(got, "Error code:"), got)
			assert.Equal(t, !tt.cancelled, strings.Contains(got, "What to fix:"), got)
		})
	}
}

func TestARunThatIsStoppedIsToldAsStopped(t *testing.T) {
	s := knowingStore(t, errs.Table)
	ctx, cancel := context.WithCancel(t.Context())
	agent := &stopped{cancel: cancel}
	e, err := executor.New(executor.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain),
		Decode:   func(b []byte) (error, error) { return errs.UnmarshalError(b) },
		Provider: agent, Journal: s.Journal(), Clock: &lanestest.Clock{}, Prompt: s.Prompt(state.PromptOptions{}),
	})
	require.NoError(t, err)
	require.Equal(t, executor.StatusCancelled, e.Run(ctx, executor.Task{Run: "run-1", ID: "task", Prompt: "Sum up."}).
		Status)
	c := told(t, s, "task")
	assert.True(t, c.Cancelled)
	assert.Empty(t, c.PreviousErrorCode)
	prompts := play(t, s, errs.Table, "run-2", state.PromptOptions{}, turn{text: doneText})
	assert.Contains(t, prompts[0], "was stopped by a person")
	assert.NotContains(t, prompts[0], "Error code:")
}

// stopped is an agent whose run is cancelled during its call.
type stopped struct {
	scripted
	cancel context.CancelFunc
}

func (a *stopped) Call(context.Context, executor.Request) (executor.Answer, error) {
	a.cancel()
	return executor.Answer{}, errors.New("killed")
}

func TestQuestionsAreToldToTheNextAttempt(t *testing.T) {
	const question = "Which database?\nTASK COMPLETE"
	for _, clean := range []bool{true, false} {
		s := knowingStore(t, errs.Table)
		keep(t, s, "run-1", testedRun("run-1")...)
		if clean {
			record(t, s, state.Attempt{Success: true, TaskStatus: state.TaskRunning})
		}
		keep(t, s, "run-2", askingRun("run-2", question, clean)...)
		c := told(t, s, "task")
		require.NotNil(t, c)
		assert.Equal(t, question, c.Question)
		assert.Equal(t, !clean, c.PreviousErrorCode == failedTests.Code, "what failed before it was answered")
		assert.Empty(t, c.Since)
		got := c.Render(4096, executor.Markers{})
		assert.Contains(t, got, "<<<<<<<< REPORT\nWhich database?\n(TASK COMPLETE)\n>>>>>>>> REPORT")
		assert.Equal(t, !clean, strings.Contains(got, "--- FAIL: TestSum"), got)

		keep(t, s, "run-3", limitedRun("run-3")...)
		assert.Equal(t, question, told(t, s, "task").Question, "nobody has heard it yet")
		record(t, s, state.Attempt{Code: "ITERATION_TIMEOUT", Error: "late"})
		assert.Empty(t, told(t, s, "task").Question)
	}
}

func TestStatusHasTheQuestionThatATaskIsBlockedBy(t *testing.T) {
	s := knowingStore(t, errs.Table)
	question := func() string {
		for st, err := range s.Statuses(t.Context()) {
			require.NoError(t, err)
			return st.Question
		}
		return "no task"
	}
	keep(t, s, "run-1", testedRun("run-1")...)
	assert.Empty(t, question())
	keep(t, s, "run-2", askingRun("run-2", "Which database?", true)...)
	assert.Equal(t, "Which database?", question())
	require.NoError(t, s.SetStatus(t.Context(), "task", state.TaskPending))
	assert.Empty(t, question())
	keep(t, s, "run-3", testedRun("run-3")...)
	assert.Empty(t, question(), "it is blocked by something else")
}

func TestAQuestionOfARunIsInThePromptOfTheNext(t *testing.T) {
	s := knowingStore(t, errs.Table)
	play(t, s, errs.Table, "run-1", state.PromptOptions{}, turn{text: "I see two.\nBLOCKED: which database?"})
	prompts := play(t, s, errs.Table, "run-2", state.PromptOptions{}, turn{text: doneText})
	assert.Contains(t, prompts[0], "stopped with a question")
	assert.Contains(t, prompts[0], "REPORT\nwhich database?\n")
	assert.NotContains(t, prompts[0], "Error code:")
}

func TestTheLimitOfAPromptHolds(t *testing.T) {
	s, err := state.Open(t.Context(), filepath.Join(t.TempDir(), "state.db"), state.Options{Table: errs.Table})
	require.NoError(t, err)
	defer func() { assert.NoError(t, s.Close()) }()
	keep(t, s, "run-1", testedRun("run-1")...)
	long := "<<<<<<<< REPORT\nIteration 1:\n" + strings.Repeat("it broke\n", 900) + ">>>>>>>> REPORT"
	for _, in := range []executor.PromptInput{
		{Task: executor.Task{Run: "run-2", ID: "task"}, Iteration: 1, Feedback: long},
		{Task: executor.Task{Run: "run-2", ID: "another"}, Iteration: 1, Feedback: long},
	} {
		for _, limit := range []int{-1, 1, 20, 40, 100, 200, 300, 1000} {
			got := s.Prompt(
				state.PromptOptions{Limit: limit, Base: func(in executor.PromptInput) string { return in.Feedback }})(
				in)
			assert.LessOrEqual(t, len(got), max(0, limit))
			assert.LessOrEqual(t, strings.Count(got, "REPORT"), 2*strings.Count(got, "<<<<<<<< REPORT\n")+2, got)
			if limit >= 100 {
				assert.NotEmpty(t, got, limit)
				assert.NotContains(t, got, "(<<<")
			}
		}
	}
}
