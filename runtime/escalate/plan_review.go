package escalate

import (
	"context"
	"fmt"
	"slices"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// planReviewed returns what the reviewer of plans finds, or why it could not look.
func (r *run) planReviewed(ctx context.Context, p plan.Plan, op string) []found {
	if r.cfg.PlanReviewer == nil || r.state.Clear == r.state.Plan {
		return nil
	}
	faults, err := r.reviewPlan(
		ctx, PlanReviewInput{Run: r.result.Run, Plan: p, AtEnd: op == opFinish, Answers: r.answersAboutPlan()})
	if err != nil {
		return []found{r.findErr(notOfReview(err), sourceEscalate, opReview)}
	}
	all := make([]*taxonomy.Evidence, len(faults))
	for i, f := range faults {
		all[i] = faultEvidence(f, op)
	}
	return r.findAll(all, "")
}

// untouchedBy puts back what the reviewer of plans has changed.
func (r *run) untouchedBy(ctx context.Context, op string) *ending {
	if r.cfg.PlanReviewer == nil || r.state.Clear == r.state.Plan {
		return nil
	}
	when := "before the first step"
	if op == opFinish {
		when = "after the last step"
	}
	return r.untouched(ctx, "the review of the plan "+when)
}

func (r *run) reviewPlan(ctx context.Context, in PlanReviewInput) (faults []plan.Fault, err error) {
	defer func() {
		if p := recover(); p != nil {
			faults, err = nil, fmt.Errorf("review the plan: panic: %v", p)
		}
	}()
	var over func()
	in.Started, over = r.tracking(ctx, ByPlanReviewer)
	defer over()
	return r.cfg.PlanReviewer.ReviewPlan(ctx, in)
}

// answersAboutPlan returns what persons have said about the plan, and then about each step.
func (r *run) answersAboutPlan() []string {
	all := slices.Clone(r.state.Answers[""])
	for _, s := range r.plan.Steps {
		for _, text := range r.state.Answers[s.ID] {
			all = append(all, "Step "+s.ID+": "+text)
		}
	}
	return all
}

// correctedPlan returns the plan with the instructions as they were corrected, where that counts.
func (r *run) correctedPlan() plan.Plan {
	p := r.plan
	if len(r.state.Corrections) == 0 {
		return p
	}
	p.Steps = slices.Clone(p.Steps)
	for i := range p.Steps {
		if c, ok := r.state.Corrections[p.Steps[i].ID]; ok && r.result.Steps[i].State == StepDone {
			p.Steps[i].Instructions = c.New
		}
	}
	return p
}

// takenForClear notes that a person takes the plan, all of which was carried out, for clear as it
// is: reviews of it no longer stop the run.
func (r *run) takenForClear() {
	if !slices.ContainsFunc(
		r.result.Steps, func(s StepResult) bool { return s.State != StepDone && s.State != StepFailed }) {
		r.state.Clear = r.state.Plan
	}
}
