package main

import (
	"context"
	"io"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
)

// checkPlan checks the plan and what it takes for granted, all of it, and writes it down. It
// reports whether all is well. Nothing is carried out, and no tier is asked.
func (s *session) checkPlan(ctx context.Context, out io.Writer) (*checkup, error) {
	c := &checkup{Title: s.doc.Plan.Title, Steps: checkedSteps(s.doc.Plan), Notes: s.doc.Notes,
		Faults: plan.Check(s.doc.Plan)}
	var all []plan.Prerequisite
	var steps []string
	add := func(step string, some []plan.Prerequisite) {
		for _, p := range some {
			if p.MadeBy != "" {
				c.Later = append(
					c.Later, escalate.Verification{Prerequisite: p, Step: step, How: "made by step " + p.MadeBy})
				continue
			}
			all, steps = append(all, p), append(steps, step)
		}
	}
	add("", s.doc.Plan.Prerequisites)
	for _, step := range s.doc.Plan.Steps {
		add(step.ID, step.Prerequisites)
	}
	c.Prerequisites = s.verifier.Prerequisites(ctx, all)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for i := range c.Prerequisites {
		c.Prerequisites[i].Step = steps[i]
	}
	if s.json {
		return c, c.writeJSON(out)
	}
	c.write(out, s.options.plan)
	return c, nil
}
