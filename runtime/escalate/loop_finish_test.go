package escalate_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// readingPlans keeps what a reviewer of plans is shown.
type readingPlans struct {
	seen []escalate.PlanReviewInput
	find func(in escalate.PlanReviewInput) ([]plan.Fault, error)
}

func (r *readingPlans) ReviewPlan(_ context.Context, in escalate.PlanReviewInput) ([]plan.Fault, error) {
	r.seen = append(r.seen, in)
	if r.find == nil {
		return nil, nil
	}
	return r.find(in)
}

// B-O02: what was corrected is looked at last as it was corrected.
func TestCorrectionsAreReviewedAtTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := &readingPlans{}
	w.cfg.PlanReviewer = r
	right := "Read AGENTS.md and write report.md."
	w.tiers["low"].script = []turn{saysFailed("missing: CLAUDE.md"), does("report-2.md", "found")}
	w.tiers["mid"].script = []turn{simply("the file is AGENTS.md", right), does("report.md", "found")}
	p := steps("1", "2")
	was := p.Steps[0].Instructions
	res := w.run(p)
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	require.Len(t, r.seen, 2)
	assert.Equal(t, []bool{false, true}, []bool{r.seen[0].AtEnd, r.seen[1].AtEnd})
	assert.Equal(t, "run", r.seen[1].Run)
	assert.Equal(t, was, r.seen[0].Plan.Steps[0].Instructions)
	assert.Equal(t, right, r.seen[1].Plan.Steps[0].Instructions)
	assert.Equal(t, p.Steps[1], r.seen[1].Plan.Steps[1])
	assert.Equal(t, was, p.Steps[0].Instructions, "the caller's plan stays as it is")
}

// A correction that no plan could have is none: nobody could tell from it what is to be done.
func TestCorrectionThatSaysNothing(t *testing.T) {
	t.Parallel()
	for _, instructions := range []string{"TBD", "---", "Write <insert the name> there."} {
		t.Run(instructions, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tiers["low"].script = []turn{saysFailed("missing: a")}
			w.tiers["mid"].script = []turn{simply("c", instructions)}
			w.tiers["top"].script = []turn{simply("b", ""), does("report.md", "found")}
			res := w.run(oneStep())
			require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
			assert.Equal(t, "top", res.Steps[0].By)
			assert.Nil(t, res.Steps[0].Correction)
			refused := res.Steps[0].Attempts[1]
			assert.Nil(t, refused.Diagnosis)
			assert.Contains(t, refused.Findings[0].Message, "the corrected instructions: ")
			assert.Empty(t, w.kinds(escalate.Corrected))
		})
	}
}

// The state may be another program's: what is wrong with what it says is found, too.
func TestKeptCorrectionThatSaysNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.PlanReviewer = &readingPlans{find: func(in escalate.PlanReviewInput) ([]plan.Fault, error) {
		if in.AtEnd {
			return []plan.Fault{{Kind: plan.Several, Text: "a or b?"}}, nil
		}
		return nil, nil
	}}
	w.tiers["low"].script = []turn{does("report.md", "found")}
	require.Equal(t, escalate.EndPlan, w.run(oneStep()).EndReason)
	state, err := w.journal.Open(t.Context(), "run")
	require.NoError(t, err)
	state.Corrections = map[string]escalate.Correction{"2.3": {By: "mid", New: "TBD"}}
	require.NoError(t, w.journal.Save(t.Context(), state))
	res := w.answer(oneStep(), escalate.Answer{Action: escalate.DoneByHand})
	require.Equal(t, escalate.EndPlan, res.EndReason, "a person's word does not outweigh what contradicts itself")
	assert.Contains(t, res.Question.Evidence, "TBD")
}

// What is asked at the end can be answered: by words that the reviewer is shown, or by taking the
// plan for clear.
func TestAnswersAtTheEnd(t *testing.T) {
	t.Parallel()
	fault := []plan.Fault{{Kind: plan.Several, Step: "2.3", Text: "which report?"}}
	for _, tt := range []struct {
		name   string
		answer escalate.Answer
		end    escalate.EndReason
		shown  []string
	}{
		{"words", escalate.Answer{Text: "the first"}, escalate.EndCompleted, []string{"the first"}},
		{"no words", escalate.Answer{}, escalate.EndPlan, nil},
		{"it is clear", escalate.Answer{Action: escalate.DoneByHand}, escalate.EndCompleted, nil},
		{"given up", escalate.Answer{Action: escalate.GiveUp}, escalate.EndFailed, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			r := &readingPlans{find: func(in escalate.PlanReviewInput) ([]plan.Fault, error) {
				if in.AtEnd && len(in.Answers) == 0 {
					return fault, nil
				}
				return nil, nil
			}}
			w.cfg.PlanReviewer = r
			w.tiers["low"].script = []turn{does("report.md", "found")}
			res := w.run(oneStep())
			require.Equal(t, escalate.EndPlan, res.EndReason, res.Error)
			assert.Contains(t, res.Question.Text(), "not to be edited")
			res = w.answer(oneStep(), tt.answer)
			assert.Equal(t, tt.end, res.EndReason, res.Error)
			assert.Equal(t, tt.shown, r.seen[len(r.seen)-1].Answers)
			assert.Equal(t, escalate.StepDone, res.Steps[0].State)
			assert.Len(t, w.tiers["low"].prompts, 1)
		})
	}
}

// Before the first step nobody can say that the plan was carried out: what a reviewer finds then is
// settled with the reviewer.
func TestPlanIsNotTakenForClearBeforeItIsCarriedOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.PlanReviewer = &readingPlans{find: func(escalate.PlanReviewInput) ([]plan.Fault, error) {
		return []plan.Fault{{Kind: plan.Several, Text: "a or b?"}}, nil
	}}
	require.Equal(t, escalate.EndPlan, w.run(oneStep()).EndReason)
	res := w.answer(oneStep(), escalate.Answer{Action: escalate.DoneByHand})
	assert.Equal(t, escalate.EndPlan, res.EndReason)
	assert.Zero(t, res.Calls)
}

// What persons have said about steps is said to who reviews the plan, too.
func TestAnswersAboutStepsAtTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := &readingPlans{}
	w.cfg.PlanReviewer = r
	w.tiers["low"].script = []turn{saysFailed("halt: which file?"), does("report.md", "found")}
	require.Equal(t, escalate.EndBlocked, w.run(oneStep()).EndReason)
	require.Equal(t, escalate.EndCompleted, w.answer(oneStep(), escalate.Answer{Text: "take AGENTS.md"}).EndReason)
	assert.Equal(t, []string{"Step 2.3: take AGENTS.md"}, r.seen[len(r.seen)-1].Answers)
}

// A reviewer of plans that is down is waited for; one that stays away has the run ask.
func TestPlanReviewThatCannotBeMade(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, typ string
		times     int
		end       escalate.EndReason
		slept     string
	}{
		{"rate-limited once", "rate", 1, escalate.EndCompleted, "1m0s"},
		{"rate-limited for good", "rate", 9, escalate.EndPlan, "1m0s"},
		{"down", "down", 1, escalate.EndPlan, "0s"},
		{"what must not go on", "fatal", 1, escalate.EndFailed, "0s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			left := tt.times
			w.cfg.PlanReviewer = &readingPlans{find: func(escalate.PlanReviewInput) ([]plan.Fault, error) {
				if left--; left < 0 {
					return nil, nil
				}
				return nil, &taxonomy.Evidence{Source: "critic", Op: "call", Type: tt.typ}
			}}
			w.tiers["low"].script = []turn{does("report.md", "found")}
			res := w.run(oneStep())
			assert.Equal(t, tt.end, res.EndReason, res.Error)
			assert.Equal(t, tt.slept, w.clock.slept.String())
			if tt.end == escalate.EndPlan {
				assert.Contains(t, res.Question.Needed[0], "the plan can be reviewed")
			}
		})
	}
}
