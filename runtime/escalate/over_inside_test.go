package escalate

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// whole is a step whose attempts, as many as there may be, have as much of each text as they may.
func whole(attempts int) StepResult {
	long := strings.Repeat("word ", 8_000)
	s := StepResult{ID: "1", State: StepDone,
		Correction: &Correction{By: "mid", Old: long[:maxInstructions], New: long[:maxInstructions],
			Why: long[:maxWords]}}
	for i := range attempts {
		a := Attempt{
			Number: i + 1, Tier: "low", Role: Execute, Said: long, Message: long, Refused: long,
			Diagnosis: &Diagnosis{Verdict: Simple, Cause: long, Fix: long, Needed: long, Instructions: long},
		}
		for range maxFindings {
			a.Findings, a.Files = append(a.Findings, Finding{Source: "check", Message: long}), append(a.Files, long)
		}
		s.Attempts = append(s.Attempts, maskedAttempt(a, maxSaid))
	}
	return s
}

// All that is kept of steps that are over fits into a state, whatever was tried for them, and the
// first and the last of it stay.
func TestStepsThatAreOverAreShortened(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ steps, attempts int }{{1, 1}, {1, 200}, {20, 150}, {2000, 1}, {2000, 40},
		{10_000, 20}} {
		s := whole(tt.attempts)
		first, last := s.Attempts[0], s.Attempts[tt.attempts-1]
		s.shorten(tt.steps)
		b, err := json.Marshal(s)
		require.NoError(t, err)
		assert.Less(t, len(b)*tt.steps, maxState/2, "%+v", tt)
		require.NotEmpty(t, s.Attempts)
		assert.Equal(t, first.Number, s.Attempts[0].Number)
		at := s.Attempts[len(s.Attempts)-1]
		assert.Equal(t, last.Number, at.Number)
		assert.NotEmpty(t, at.Findings)
		assert.True(t, strings.HasPrefix(last.Said, at.Said[:10]))
		assert.True(t, strings.HasSuffix(last.Said, at.Said[len(at.Said)-10:]))
		assert.Equal(t, last.Diagnosis.Verdict, at.Diagnosis.Verdict)
		assert.Len(t, last.Diagnosis.Cause, maxWords, "who has the diagnosis still has all of it")

		again := whole(0)
		again.Attempts = s.Attempts
		again.shorten(tt.steps)
		assert.Equal(t, len(s.Attempts), len(again.Attempts), "twice is like once")
	}
}

func TestShortAttemptsStay(t *testing.T) {
	t.Parallel()
	s := StepResult{Attempts: []Attempt{{Number: 1, Said: "a"},
		{Number: 2, Said: "b", Findings: []Finding{{Message: "c"}}}}, Correction: &Correction{Old: "d", New: "e"}}
	want := StepResult{Attempts: []Attempt{{Number: 1, Said: "a"},
		{Number: 2, Said: "b", Findings: []Finding{{Message: "c"}}}}, Correction: &Correction{Old: "d", New: "e"}}
	s.shorten(100_000)
	assert.Equal(t, want, s)
}

// Only what is over is shortened: what is blocked or cancelled is gone on with.
func TestStepsAreShortenedWhenTheyAreOver(t *testing.T) {
	t.Parallel()
	for state, shortened := range map[StepState]bool{
		StepDone: true, StepFailed: true, StepBlocked: false, StepCancelled: false,
	} {
		cfg := &Config{Calls: executor.Config{Clock: retry.System,
			Table: taxonomy.Table{Taxonomy: &taxonomy.Taxonomy{}}}}
		r := newRun(cfg, "run", plan.Plan{Steps: make([]plan.Step, 2000)})
		j := r.job(0)
		*j.res = whole(40)
		before := *j.res
		j.endStep(state, "low")
		assert.Equal(t, shortened, len(j.res.Attempts) < len(before.Attempts), state)
		assert.Equal(t, shortened, len(j.res.Correction.Old) < len(before.Correction.Old), state)
	}
}
