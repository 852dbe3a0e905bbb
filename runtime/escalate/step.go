package escalate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// job is a step that is being carried out.
type job struct {
	*run
	step plan.Step
	res  *StepResult
	work *Work
	// since is until when the time that the step takes is counted.
	since time.Time
}

func (r *run) job(i int) *job {
	return &job{run: r, step: r.plan.Steps[i], res: &r.result.Steps[i], work: r.state.Work, since: r.now()}
}

// carryOut carries out a step, unless it is over. It returns nil when the next one is to be carried
// out.
func (r *run) carryOut(ctx context.Context, i int) *ending {
	j := r.job(i)
	if j.over() {
		return nil
	}
	if r.state.Step != i {
		r.state.Step = i
		r.state.forgetWork()
	}
	j.open()
	for !j.over() {
		if e := j.next(ctx); e != nil {
			return e
		}
	}
	return nil
}

func (j *job) over() bool { return j.res.State == StepDone || j.res.State == StepFailed }

// open notes that the step is under way.
func (j *job) open() {
	if j.state.Work == nil {
		j.state.Work = &Work{}
	}
	j.work = j.state.Work
	if j.res.State != StepRunning {
		j.emit(Event{Kind: StepStarted, Text: j.step.Title})
	}
	j.res.State = StepRunning
}

// next does what is next. What it depends on is all in the state, so that a run whose process died
// goes on in the same way.
func (j *job) next(ctx context.Context) *ending {
	w := j.work
	switch {
	case ctx.Err() != nil:
		return j.cancel(ctx)
	case w.Heard != nil:
		return j.hear(ctx)
	case w.End != "":
		return j.ends()
	case w.Skipped:
		j.endStep(StepFailed, "")
		j.state.forgetWork()
		return j.save(ctx)
	case !w.Until.IsZero():
		return j.wait(ctx)
	case w.Strategy:
		return j.recover(ctx)
	}
	return j.call(ctx)
}

func (j *job) wait(ctx context.Context) *ending {
	if left := j.work.Until.Sub(j.now()); left > 0 {
		if j.outlasted(left) {
			return nil
		}
		j.emit(Event{Kind: Waiting, Until: j.work.Until, Text: j.waitsFor()})
		if j.cfg.Calls.Clock.Sleep(ctx, left) != nil && ctx.Err() != nil {
			return nil
		}
	}
	j.work.Until = time.Time{}
	return nil
}

func (j *job) waitsFor() string {
	if f := j.work.Failed; f != nil {
		return f.Code
	}
	return ""
}

// prerequisites verifies what the step takes for granted, what earlier steps have made included.
func (j *job) prerequisites(ctx context.Context) []found {
	var all []plan.Prerequisite
	for _, p := range j.step.Prerequisites {
		if p.MadeBy == "" || j.made(p.MadeBy) {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return nil
	}
	var wrong []found
	for _, v := range j.verified(ctx, all) {
		if v.Failed != nil {
			wrong = append(wrong, j.find(placed(v.Failed, opVerify, j.step.ID), ""))
		}
	}
	return wrong
}

func (j *job) made(step string) bool {
	i := j.stepNamed(step)
	return i >= 0 && j.result.Steps[i].State == StepDone
}

// placed returns evidence with where it was found.
func placed(ev *taxonomy.Evidence, op, step string) *taxonomy.Evidence {
	at := *ev
	at.Op = op
	at.Attributes = make(map[string]string, len(ev.Attributes)+1)
	for name, value := range ev.Attributes {
		at.Attributes[name] = value
	}
	if step != "" {
		at.Attributes["step"] = step
	}
	return &at
}

// save saves the state, with how long the step has taken.
func (j *job) save(ctx context.Context) *ending {
	if j.state.Work != nil {
		j.noteTime()
	}
	return j.run.save(ctx)
}

// emit notes an event of the step.
func (j *job) emit(e Event) {
	e.Step = j.step.ID
	j.run.emit(e)
}

// attempt returns the result's record of a call; nil when there is none.
func (j *job) attempt(number int) *Attempt {
	for i := len(j.res.Attempts) - 1; i >= 0; i-- {
		if j.res.Attempts[i].Number == number {
			return &j.res.Attempts[i]
		}
	}
	return nil
}

func (j *job) endStep(state StepState, by string) {
	j.res.State = state
	if j.over() {
		j.res.shorten(len(j.plan.Steps))
	}
	j.emit(Event{Kind: StepEnded, Tier: by, Text: string(state)})
}

// cancel puts back what was done for the step, which is carried out when the run is gone on with.
func (j *job) cancel(ctx context.Context) *ending {
	j.state.Open, j.work.Heard = nil, nil
	if e := j.undo(ctx); e != nil {
		return e
	}
	j.endStep(StepCancelled, "")
	return j.cancelledBy(ctx)
}

// ends is the end of the run that was decided on.
func (j *job) ends() *ending {
	w := j.work
	e := &ending{reason: w.End}
	if f := cmp.Or(w.Outage, w.Failed); f != nil {
		e.code, e.category, e.err = f.Code, f.Category, f.failure()
	}
	if e.err == nil {
		e.err = fmt.Errorf("step %s: %s", j.step.ID, w.Why)
	}
	if w.End.Status() == EndFailed.Status() {
		j.endStep(StepFailed, "")
		return e
	}
	e.question = j.asks(w.Why)
	j.endStep(StepBlocked, "")
	asked := Event{Kind: Asked, Message: e.question.Text()}
	if i := slices.IndexFunc(j.ladder, func(g rung) bool { return g.tier.Person }); i >= 0 {
		asked.Tier = j.ladder[i].tier.Name
	}
	j.emit(asked)
	return e
}
