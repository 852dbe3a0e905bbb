package escalate

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/errgen/errgen/runtime/internal/text"
)

// maxAnswers bounds the answers that are kept for a step; the last ones are.
const maxAnswers = 20

// answered does what a person has answered to a question.
func (r *run) answered(ctx context.Context, q *Question, a *Answer) *ending {
	if a == nil || q == nil {
		return nil
	}
	by := cmp.Or(text.OneLine(a.By, maxWord), r.person())
	r.emit(Event{Kind: Answered, Step: q.Step, Tier: by, Text: a.Text})
	r.noteAnswer(q.Step, a.Text)
	i := r.stepNamed(q.Step)
	switch {
	case a.Action == GiveUp:
		return r.givenUp(i, by)
	case i < 0 && a.Action == DoneByHand:
		r.takenForClear()
	case i < 0:
		// It was about the plan, which is checked again, or about a step that the plan has no more.
	case a.Action == DoneByHand:
		return r.byHand(ctx, i, by)
	}
	r.afresh()
	return r.save(ctx)
}

// afresh has the step under way begin again with the lowest tier, and so do steps that have failed.
func (r *run) afresh() {
	r.state.forgetWork()
	r.state.TierStreaks = nil
	for i := range r.result.Steps {
		if s := &r.result.Steps[i]; s.State == StepFailed {
			s.State = StepPending
		}
	}
}

func (r *run) noteAnswer(step, s string) {
	if s = text.BothEnds(s, r.cfg.MaxEvidence); s == "" {
		return
	}
	if r.state.Answers == nil {
		r.state.Answers = map[string][]string{}
	}
	all := append(slices.Clip(r.state.Answers[step]), s)
	r.state.Answers[step] = all[max(0, len(all)-maxAnswers):]
}

// answersFor returns what was answered about the plan, and about the step.
func (r *run) answersFor(step string) []string {
	return append(slices.Clip(r.state.Answers[""]), r.state.Answers[step]...)
}

// stepNamed returns the index of a step; -1 for none.
func (r *run) stepNamed(id string) int {
	if id == "" {
		return -1
	}
	return slices.IndexFunc(r.result.Steps, func(s StepResult) bool { return s.ID == id })
}

// givenUp is the end of a run that a person has given up.
func (r *run) givenUp(step int, by string) *ending {
	e := &ending{reason: EndFailed, err: errors.New(by + " has given it up")}
	if step >= 0 {
		j := r.job(step)
		j.endStep(StepFailed, by)
		if n := len(j.res.Attempts); n > 0 {
			e.code, e.category = j.res.Attempts[n-1].Code, j.res.Attempts[n-1].Category
		}
	}
	r.state.Work = nil
	return e
}

// byHand verifies a step that a person has carried out. What the person has changed is in the
// checked tree already, and theirs.
func (r *run) byHand(ctx context.Context, step int, by string) *ending {
	r.afresh()
	if e := r.prepare(ctx); e != nil {
		return e // nothing counts by a plan that has changed and is not fit
	}
	r.state.Step = step
	j := r.job(step)
	j.open()
	c := claim{by: by, hand: true}
	all, unreviewed := j.verify(ctx, c, nil)
	switch {
	case ctx.Err() != nil:
		return j.cancel(ctx)
	case unreviewed != nil:
		return j.unreviewed(ctx, nil, c, unreviewed)
	case len(all) > 0:
		return j.notByHand(ctx, by, all)
	}
	return j.count(ctx, c, nil)
}

// notByHand puts the question again, with what is still wrong.
func (j *job) notByHand(ctx context.Context, by string, all []found) *ending {
	j.state.Number++
	a := Attempt{Number: j.state.Number, Tier: by, Role: Execute}
	worst := j.note(&a, all)
	j.res.Attempts = noted(j.res.Attempts, a, j.cfg.MaxEvidence)
	j.work.Failed = j.failedWith(worst, all, "")
	if e := j.undo(ctx); e != nil {
		return e
	}
	j.work.End, j.work.Why = EndQuestion, "what "+by+" has done does not count: "+bounded(worst.message())
	return j.ends()
}
