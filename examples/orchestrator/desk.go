package main

import (
	"context"
	"sync"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/taxonomy"

	"orchestrator.example.com/runner/scripted"
)

// desk knows what is asked of a tier, for those that play a script. It is safe for concurrent use.
type desk struct {
	mu   sync.Mutex
	step string
	tier string
	role escalate.Role
}

func (d *desk) note(step, tier string, role escalate.Role) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.step, d.tier, d.role = step, tier, role
}

// under returns which step and tier are under way.
func (d *desk) under() (step, tier string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.step, d.tier
}

func (d *desk) asked() (string, escalate.Role) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.step, d.role
}

// Observe notes calls.
func (d *desk) Observe(e escalate.Event) {
	if e.Kind == escalate.Called {
		d.note(e.Step, e.Tier, e.Role)
	}
}

// reviewer notes that a review is asked for. The run asks for one thing at a time.
type reviewer struct {
	*desk
	tier  string
	steps escalate.Reviewer
	plans escalate.PlanReviewer
}

// Review implements escalate.Reviewer.
func (r *reviewer) Review(ctx context.Context, in escalate.ReviewInput) ([]*taxonomy.Evidence, error) {
	r.note(in.Step.ID, r.tier, scripted.Review)
	return r.steps.Review(ctx, in)
}

// ReviewPlan implements escalate.PlanReviewer.
func (r *reviewer) ReviewPlan(ctx context.Context, in escalate.PlanReviewInput) ([]plan.Fault, error) {
	r.note("", r.tier, scripted.ReviewPlan)
	return r.plans.ReviewPlan(ctx, in)
}

// observers tells each of several what happens.
type observers []escalate.Observer

// Observe implements escalate.Observer.
func (all observers) Observe(e escalate.Event) {
	for _, o := range all {
		o.Observe(e)
	}
}
