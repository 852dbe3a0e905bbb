package escalate

import (
	"context"
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// When a plan is checked as a whole.
const (
	opPrepare = "prepare" // before the first step
	opFinish  = "finish"  // after the last
)

// prepare checks the plan and all that it takes for granted, unless that was found to be well
// already.
func (r *run) prepare(ctx context.Context) *ending {
	if r.state.Prepared == r.state.Plan {
		return nil
	}
	if e := r.checkPlan(ctx, opPrepare); e != nil {
		return e
	}
	r.state.Prepared = r.state.Plan
	return r.save(ctx)
}

// finish looks again for what the plan leaves open: a plan that nobody could have misread before
// may be read otherwise once it is carried out.
func (r *run) finish(ctx context.Context) *ending {
	if e := r.checkPlan(ctx, opFinish); e != nil {
		return e
	}
	return r.stillHold(ctx)
}

// checkPlan checks until the plan is fit, or until what is wrong with it does not pass by itself.
func (r *run) checkPlan(ctx context.Context, op string) *ending {
	streaks := map[string]retry.State{}
	for {
		wrong := r.lookAtPlan(ctx, op)
		if e := r.untouchedBy(ctx, op); e != nil {
			return e
		}
		if ctx.Err() != nil {
			return r.cancelledBy(ctx)
		}
		r.tellPlan(op, wrong)
		if len(wrong) == 0 {
			return nil
		}
		wait, again := r.passes(wrong, streaks)
		if !again {
			return r.unfit(wrong, op)
		}
		if wait > 0 {
			r.emit(Event{Kind: Waiting, Until: r.later(wait), Text: taxonomy.CodeOf(wrong[0].err)})
		}
		if r.cfg.Calls.Clock.Sleep(ctx, wait) != nil && ctx.Err() != nil {
			return r.cancelledBy(ctx)
		}
	}
}

// lookAtPlan returns all that is wrong with the plan, at once.
func (r *run) lookAtPlan(ctx context.Context, op string) []found {
	var wrong []found
	p := r.correctedPlan()
	for _, f := range plan.Check(p) {
		wrong = append(wrong, r.find(faultEvidence(f, op), ""))
	}
	wrong = append(wrong, r.planReviewed(ctx, p, op)...)
	if op != opPrepare {
		return wrong
	}
	r.result.Prerequisites = r.verifyAll(ctx)
	for _, v := range r.result.Prerequisites {
		if v.Failed != nil {
			wrong = append(wrong, r.find(placed(v.Failed, op, v.Step), ""))
		}
	}
	return wrong
}

func faultEvidence(f plan.Fault, op string) *taxonomy.Evidence {
	return placed(&taxonomy.Evidence{Source: sourcePlan, Type: string(f.Kind), Text: f.Text}, op, f.Step)
}

// verifyAll verifies what is taken for granted by the plan and by its steps that are not over, but
// for what steps make.
func (r *run) verifyAll(ctx context.Context) []Verification {
	var all []plan.Prerequisite
	var steps []string
	add := func(step string, some []plan.Prerequisite) {
		for _, p := range some {
			if p.MadeBy == "" {
				all, steps = append(all, p), append(steps, step)
			}
		}
	}
	add("", r.plan.Prerequisites)
	for i, s := range r.plan.Steps {
		if state := r.result.Steps[i].State; state != StepDone && state != StepFailed {
			add(s.ID, s.Prerequisites)
		}
	}
	if len(all) == 0 {
		return nil
	}
	verified := r.verified(ctx, all)
	for i := range verified {
		verified[i].Step = steps[i]
	}
	return verified
}

// tellPlan says what came of a check.
func (r *run) tellPlan(op string, wrong []found) {
	met := 0
	for _, v := range r.result.Prerequisites {
		if v.Failed == nil {
			met++
		}
	}
	e := Event{Kind: PlanChecked, Text: fmt.Sprintf("%d of %d prerequisites are met", met, len(r.result.Prerequisites))}
	if op == opFinish {
		e.Text = "after the last step"
	}
	if len(wrong) > 0 {
		worst := &wrong[heaviest(wrong)]
		e.Code, e.Message, e.FaultKind = taxonomy.CodeOf(worst.err), listOf(wrong), worst.traits.Kind
	}
	r.emit(e)
}

// listOf returns what is wrong, a line for each.
func listOf(wrong []found) string {
	text := ""
	for i := range wrong {
		if text += wrong[i].message() + "\n"; len(text) > maxMessage {
			break
		}
	}
	return text
}

// passes returns how long to wait before the plan is checked again; false when something is wrong
// that does not pass by itself, or has not.
func (r *run) passes(wrong []found, streaks map[string]retry.State) (longest time.Duration, again bool) {
	counted := map[string]bool{}
	for i := range wrong {
		reaction := wrong[i].traits.Reaction
		if reaction == nil || reaction.Action != taxonomy.Retry && reaction.Action != taxonomy.RetryOperation {
			return 0, false
		}
		code := taxonomy.CodeOf(wrong[i].err)
		if counted[code] {
			continue
		}
		counted[code] = true
		s := situation{
			profile: r.profile(), random: r.random(), hint: retry.HintOf(taxonomy.HintsOf(wrong[i].err), r.now()),
			trail: trail{streaks[code]},
		}
		d := decision{reaction: reaction, trail: s.trail}
		if !s.try(&d) {
			return 0, false
		}
		streaks[code] = d.trail[0]
		longest = max(longest, d.wait)
	}
	return longest, true
}

// unfit is the end of a run whose plan is not fit: all that is wrong is said at once.
func (r *run) unfit(wrong []found, op string) *ending {
	worst := &wrong[heaviest(wrong)]
	e := &ending{reason: EndPlan, err: worst.err}
	e.code, e.category = codeAndCategory(worst.err)
	if worst.traits.Reaction != nil && worst.traits.Reaction.Action == taxonomy.Abort {
		e.reason = EndFailed
		return e
	}
	var needed []string
	for i := range wrong {
		needed = append(needed, neededFor(&wrong[i]))
	}
	why := "the plan is not fit: " + text.Count(len(wrong), "fault")
	if op == opFinish {
		why = "every step is over, and the plan leaves something open: " + text.Count(len(wrong), "fault")
		needed = append(needed, neededAtEnd)
	}
	e.question = newQuestion("", why, nil, needed, rawOf(wrong), r.cfg.MaxEvidence)
	r.emit(Event{Kind: Asked, Tier: r.person(), Message: e.question.Text()})
	return e
}
