package escalate_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
)

// O22, O23: all that is not there is said at once, and nothing is begun.
func TestPlanWhosePrerequisitesAreNotMet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := steps("1", "2")
	p.Prerequisites = []plan.Prerequisite{{Kind: plan.File, Name: "AGENTS.md"}, {Kind: plan.File, Name: "CLAUDE.md"}}
	p.Steps[1].Prerequisites = []plan.Prerequisite{{Kind: plan.Variable, Name: "DSN"},
		{Kind: plan.File, Name: "report.md", MadeBy: "1"}}
	res := w.run(p)
	require.Equal(t, escalate.EndPlan, res.EndReason, res.Error)
	assert.Equal(t, "missing", res.ErrorCode)
	assert.Zero(t, res.Calls)
	require.Len(t, res.Prerequisites, 3, "what a step makes is not looked for yet")
	assert.Nil(t, res.Prerequisites[0].Failed)
	assert.Equal(t, "2", res.Prerequisites[2].Step)
	assert.Equal(t, []string{"file CLAUDE.md: CLAUDE.md is not there", "step 2: env DSN: DSN is not there"},
		res.Question.Needed)

	// Somebody provides one, and takes the other out of the plan.
	w.write("CLAUDE.md", "here")
	p.Steps[1].Prerequisites = p.Steps[1].Prerequisites[1:]
	w.tiers["low"].script = []turn{does("report.md", "found"), does("report-2.md", "found")}
	res = w.run(p)
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.True(t, res.Resumed)
	assert.Equal(t, []string{"report.md"}, res.Steps[0].Files, "what a person has done is theirs")
}

func TestPlanThatPassesByItself(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		after int
		end   escalate.EndReason
		slept string
	}{
		{"in time", 2, escalate.EndCompleted, "6s"},
		{"too late", 9, escalate.EndPlan, "6s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			looks := 0
			w.prerequisites = func() {
				if looks++; looks > tt.after {
					w.write("service", "up")
				}
			}
			p := oneStep()
			p.Prerequisites = []plan.Prerequisite{{Kind: plan.Address, Name: "service:80"}}
			w.tiers["low"].script = []turn{does("report.md", "found")}
			w.tiers["low"].repeat = true
			res := w.run(p)
			assert.Equal(t, tt.end, res.EndReason, res.Error)
			assert.Equal(t, tt.slept, w.clock.slept.String())
		})
	}
}

func TestPlanWithFaults(t *testing.T) { // B-O02
	t.Parallel()
	w := newWorld(t)
	p := oneStep()
	p.Steps[0].Criteria = nil
	res := w.run(p)
	require.Equal(t, escalate.EndPlan, res.EndReason, res.Error)
	assert.NotEmpty(t, res.Question.Needed)
	assert.Zero(t, res.Calls)
}

func TestPlanThatAborts(t *testing.T) {
	t.Parallel()
	rows := rowsOfTests()
	missing := rows["missing"]
	missing.reaction = rows["fatal"].reaction
	rows["missing"] = missing
	w := bareWorld(t, tablesOf(rows, tiersOfTests()...))
	p := oneStep()
	p.Prerequisites = []plan.Prerequisite{{Kind: plan.File, Name: "CLAUDE.md"}}
	res := w.run(p)
	assert.Equal(t, escalate.EndFailed, res.EndReason)
	assert.Nil(t, res.Question)
}

type planReviewer func(n int) ([]plan.Fault, error)

type countingReviewer struct {
	n      int
	review planReviewer
}

func (r *countingReviewer) ReviewPlan(context.Context, escalate.PlanReviewInput) ([]plan.Fault, error) {
	r.n++
	return r.review(r.n)
}

func TestPlanReview(t *testing.T) {
	t.Parallel()
	fault := []plan.Fault{{Kind: plan.Several, Step: "2.3", Text: "which report?"}}
	for _, tt := range []struct {
		name   string
		review planReviewer
		calls  int
		end    escalate.EndReason
	}{
		{"nothing", func(int) ([]plan.Fault, error) { return nil, nil }, 1, escalate.EndCompleted},
		{"a fault before", func(int) ([]plan.Fault, error) { return fault, nil }, 0, escalate.EndPlan},
		{"no review", func(int) ([]plan.Fault, error) { return nil, assert.AnError }, 0, escalate.EndPlan},
		{"a panic", func(int) ([]plan.Fault, error) { panic("no") }, 0, escalate.EndPlan},
		{"a fault after", func(n int) ([]plan.Fault, error) { return fault[:n-1], nil }, 1, escalate.EndPlan}, // B-O02
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.cfg.PlanReviewer = &countingReviewer{review: tt.review}
			w.tiers["low"].script = []turn{does("report.md", "found")}
			res := w.run(oneStep())
			assert.Equal(t, tt.end, res.EndReason, res.Error)
			assert.Equal(t, tt.calls, res.Calls)
		})
	}
}

// What the plan leaves open at its end is asked, and checked again with the answer; the steps that
// count are not carried out again.
func TestAnswerAboutThePlanAtItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.PlanReviewer = &countingReviewer{review: func(n int) ([]plan.Fault, error) {
		if n == 2 {
			return []plan.Fault{{Kind: plan.Silent, Text: "what about the rest?"}}, nil
		}
		return nil, nil
	}}
	w.tiers["low"].script = []turn{does("report.md", "found")}
	require.Equal(t, escalate.EndPlan, w.run(oneStep()).EndReason)
	res := w.answer(oneStep(), escalate.Answer{Text: "leave it"})
	assert.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Len(t, w.tiers["low"].prompts, 1)
}
