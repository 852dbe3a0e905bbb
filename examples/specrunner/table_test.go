package main

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"

	"specrunner.example.com/runner/errs"
)

// S25: eight codes, whose values are their names. S26: a code is stored as text.
func TestCodes(t *testing.T) {
	codes := []errs.AttemptCode{
		errs.CodeTimeout, errs.CodeRateLimit,
		//lint:ignore SA1019 stored attempts may have it
		errs.CodeSyntax,
		errs.CodeTestFailure, errs.CodeLintFailure, errs.CodeTaskFailed, errs.CodeHookFailure, errs.CodeUnknown,
	}
	names := []string{"TIMEOUT", "RATE_LIMIT", "SYNTAX", "TEST_FAILURE", "LINT_FAILURE", "TASK_FAILED", "HOOK_FAILURE",
		"UNKNOWN"}
	var values []string
	for _, code := range errs.Table.Taxonomy.Codes() {
		values = append(values, code.Value)
	}
	assert.Equal(t, names, values)
	for i, name := range names {
		text, err := codes[i].MarshalText()
		require.NoError(t, err)
		assert.Equal(t, name, string(text))
		var back errs.AttemptCode
		require.NoError(t, back.UnmarshalText(text))
		assert.Equal(t, codes[i], back)
	}
	var back errs.AttemptCode
	assert.Error(t, back.UnmarshalText([]byte("FLAKY")), "the set is closed")
}

// B-S01: no factory makes SYNTAX, and stored errors with it can be read.
func TestSyntaxIsOnlyRead(t *testing.T) {
	code, ok := errs.Table.Code("SYNTAX")
	require.True(t, ok)
	assert.NotEmpty(t, code.Extras().Deprecated)
	err, decodeErr := errs.UnmarshalError(
		[]byte(`{"category":"attempt","code":"SYNTAX","message":"","retryable":true,"context":{"detail":"a.py: ` +
			`invalid syntax"}}`))
	require.NoError(t, decodeErr)
	//lint:ignore SA1019 the test reads a deprecated code
	require.ErrorIs(t, err, errs.CodeSyntax)
	assert.Equal(t, "the code cannot be parsed: a.py: invalid syntax", err.Error())
	assert.Equal(t, "explain_and_retry", errs.Table.Reaction(err).Name)
}

// B-S05: an unknown stored code keeps its name. The program that stored it declared that a retry may
// help, so the reaction is a retry with the default values of the language.
func TestStoredUnknownCode(t *testing.T) {
	stored := `{"domain":"specrunner.example.com","name":"AttemptError","category":"attempt","code":"FLAKY",` +
		`"message":"the tests pass now and then","retryable":true,"context":{"detail":"2 of 3"}}`
	err, decodeErr := errs.UnmarshalError([]byte(stored))
	require.NoError(t, decodeErr)
	unknown, ok := errors.AsType[*taxonomy.Unknown](error(err))
	require.True(t, ok)
	assert.Equal(t, "FLAKY", unknown.Code())
	assert.True(t, taxonomy.IsRetryable(err))
	assert.Equal(t, taxonomy.Retry, errs.Table.Reaction(err).Action)
	again, err2 := json.Marshal(err)
	require.NoError(t, err2)
	assert.JSONEq(t, stored, string(again), "what was stored goes on unchanged")

	// A database that holds nothing but the code's text gives no more than that.
	bare := taxonomy.NewUnknown(errs.Table.Taxonomy, taxonomy.Wire{Code: "FLAKY", Retryable: true})
	assert.Equal(t, "FLAKY", taxonomy.CodeOf(bare))
	assert.Equal(t, taxonomy.Retry, errs.Table.Reaction(bare).Action)
}

// budget is a budget of a scope that is spent.
func budget(scope string) error {
	return errs.Classify(&taxonomy.Evidence{
		Source: "budget", Op: "budget", Type: "exceeded",
		Attributes: map[string]string{"scope": scope, "limit": "1", "spent": "1.2", "unit": "usd"},
	})
}

func TestReactions(t *testing.T) {
	attempts := &taxonomy.Policy{
		Name: "attempts", MaxAttempts: 3, Backoff: taxonomy.Constant, InitialDelay: 5 * time.Second,
		MaxDelay: 30 * time.Second, MaxRetryAfter: 30 * time.Second, Multiplier: 2,
	}
	interruptions := &taxonomy.Policy{
		Name: "interruptions", MaxAttempts: 10, Backoff: taxonomy.Constant, MaxDelay: 30 * time.Second,
		MaxRetryAfter: 30 * time.Second, Multiplier: 2,
	}
	overflow := errs.NewTaskFailed().WithContextOverflow(true)
	tests := []struct {
		name    string
		err     error
		action  taxonomy.Action
		session taxonomy.Session
		told    bool
		counts  bool
		policy  *taxonomy.Policy
	}{
		{"S17 the same again", errs.CodeTimeout, taxonomy.Retry, taxonomy.SessionKeep, false, true, attempts},
		{"S18 B-S11 returned at once, not counted", errs.CodeRateLimit, taxonomy.Block, taxonomy.SessionKeep, false,
			false, nil},
		{"S20 with the tests in the prompt", errs.CodeTestFailure, taxonomy.Retry, taxonomy.SessionKeep, true, true,
			attempts},
		{"S21 with the findings in the prompt", errs.CodeLintFailure, taxonomy.Retry, taxonomy.SessionKeep, true, true,
			attempts},
		{"S22 with the reason in the prompt", errs.CodeTaskFailed, taxonomy.Retry, taxonomy.SessionKeep, true, true,
			attempts},
		{"S23 failed at once, counted once", errs.CodeHookFailure, taxonomy.Abort, taxonomy.SessionKeep, false, true,
			nil},
		{"S24 with the error in the prompt", errs.CodeUnknown, taxonomy.Retry, taxonomy.SessionKeep, true, true,
			attempts},
		{"B-S04 with less context", overflow, taxonomy.Retry, taxonomy.SessionReduced, true, true, attempts},
		{"interrupted: once more, not counted", errs.NewUnknown().WithInterrupted(true), taxonomy.Retry,
			taxonomy.SessionKeep, false, false, interruptions},
		{"the instrument: ended, not counted", errs.NewUnknown().WithInstrument(true), taxonomy.Block,
			taxonomy.SessionKeep, false, false, nil},
		{"a budget: ended, not counted", budget("all"), taxonomy.Block, taxonomy.SessionKeep, false, false, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := errs.Table.Reaction(tt.err)
			assert.Equal(t, tt.action, r.Action)
			assert.Equal(t, tt.session, r.Agent.Session)
			assert.Equal(t, tt.told, r.Agent.FeedBack)
			assert.Equal(t, tt.counts, r.CountFailure)
			assert.Equal(t, tt.policy, r.Policy)
		})
	}
}

// What ends every task: that none of them could go on. A budget of one task ends that task only, in
// every profile without being counted.
func TestWhatEndsAllTasks(t *testing.T) {
	phase1, err := errs.Table.Profile(errs.ProfilePhase1)
	require.NoError(t, err)
	tests := []struct {
		name   string
		err    error
		extent taxonomy.Extent
	}{
		{"the instrument", errs.NewUnknown().WithInstrument(true), taxonomy.ExtentRun},
		{"the budget of all", budget("all"), taxonomy.ExtentRun},
		{"the budget of each task", budget("task"), taxonomy.ExtentTask},
		{"the budget of one task", budget("task:TASK-001"), taxonomy.ExtentTask},
		{"the budget of an attempt", budget("attempt"), taxonomy.ExtentTask},
		{"a hook", errs.CodeHookFailure, taxonomy.ExtentTask},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, table := range []taxonomy.Table{errs.Table, phase1} {
				r := table.Reaction(tt.err)
				assert.Equal(t, tt.extent, r.Agent.Extent)
				assert.Equal(t, tt.name == "a hook", r.CountFailure)
			}
			assert.False(t, taxonomy.IsRetryable(tt.err))
		})
	}
}
