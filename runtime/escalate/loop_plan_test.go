package escalate_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
)

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
