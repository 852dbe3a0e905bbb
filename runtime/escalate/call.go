package escalate

import (
	"context"
	"fmt"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// call asks a tier for what is to be done next.
func (j *job) call(ctx context.Context) *ending {
	resumed := j.state.Open != nil
	if !resumed {
		if ready, e := j.ready(ctx); !ready {
			return e
		}
		if e := j.begin(ctx); e != nil {
			return e
		}
	}
	w, number := j.work, j.state.Open.Number
	a := ask{number: number, rung: w.Rung, role: w.Role, purpose: w.Purpose, step: j.step.ID, prompt: j.prompt(number),
		reduced: j.work.lessIsSaid(), resumed: resumed, time: j.timeOfCall()}
	j.emit(Event{Kind: Called, Tier: j.tier(), Role: w.Role, Purpose: w.Purpose, Attempt: number})
	t := j.turn(ctx, a)
	j.noteCall(number, t)
	return j.settle(ctx, number, t)
}

func (j *job) tier() string { return j.ladder[j.work.Rung].tier.Name }

// ready finds out who is called, and that there is nothing against it; otherwise what is next has
// changed, or the run ends.
func (j *job) ready(ctx context.Context) (bool, *ending) {
	if !j.aim() {
		return false, nil
	}
	if j.guarded() {
		return false, nil
	}
	if j.work.Role == Execute {
		if wrong := j.prerequisites(ctx); ctx.Err() != nil {
			return false, nil
		} else if len(wrong) > 0 {
			// It counts as a turn, so that guards bound what only verifies, too.
			j.state.Turns++
			return false, j.fail(ctx, nil, Execute, wrong)
		}
	}
	return true, nil
}

// aim has the work done by a tier that can be called. It returns false when there is none, and says
// in the work how that ends.
func (j *job) aim() bool {
	w := j.work
	if w.Role == "" {
		w.Role, w.Rung, w.Purpose = Execute, -1, taxonomy.PurposeNone
		return j.handUp("no tier below is there")
	}
	if j.able(w.Rung) {
		return true
	}
	j.emit(Event{Kind: PassedOver, Tier: j.tier(), Text: "it is not there, or has failed itself too often"})
	return j.handUp("tier " + j.tier() + " cannot be called")
}

// handUp gives what is to be done to the next tier above that can be called. Without one the run
// ends, which is false.
func (j *job) handUp(why string) bool {
	w := j.work
	next := above(j.standings(), w.Rung, "")
	switch {
	case next < 0:
		w.End, w.Why = EndLadder, why+", and there is no higher one"
		w.Rung = max(w.Rung, 0)
		return false
	case j.ladder[next].tier.Person:
		w.End, w.Why = EndQuestion, why+", and above it are persons only"
	}
	if w.Rung >= 0 {
		j.emit(Event{Kind: Escalated, From: j.tier(), Tier: j.ladder[next].tier.Name, Purpose: w.Purpose})
	}
	w.Rung = next
	return w.End == ""
}

// begin notes the call before it is made.
func (j *job) begin(ctx context.Context) *ending {
	j.state.Number++
	j.state.Turns++
	n := j.state.Number
	j.state.Open = &OpenCall{Number: n, Tier: j.tier(), Role: j.work.Role,
		Run: callName(j.result.Run, j.state.Began, n), Began: j.now()}
	return j.save(ctx)
}

// maxFindings is how many findings are kept of what was tried before the last time.
const maxFindings = 8

// noteCall adds the call to the result.
func (j *job) noteCall(number int, t turned) {
	j.result.Calls++
	j.result.Usage = added(j.result.Usage, t.usage)
	a := Attempt{
		Number: number, Tier: j.tier(), Role: j.work.Role, Purpose: j.work.Purpose, Own: t.own, Said: t.text,
		Files: t.files,
		Usage: t.usage, Took: executor.Duration(t.took),
	}
	for _, s := range t.saved {
		a.SavedRef = s.ref
		j.emit(Event{Kind: PutBack, Tier: a.Tier, Text: s.ref, Files: s.files})
	}
	if n := len(j.res.Attempts); n > 0 {
		before := &j.res.Attempts[n-1]
		before.Findings = before.Findings[:min(len(before.Findings), maxFindings)]
	}
	j.res.Attempts = noted(j.res.Attempts, a, j.cfg.MaxEvidence)
}

// settle finds out what a call has come to.
func (j *job) settle(ctx context.Context, number int, t turned) *ending {
	w := j.work
	j.state.Open = nil
	a := j.attempt(number)
	switch {
	case t.answered && ctx.Err() == nil:
		delete(j.state.TierStreaks, j.tier())
		w.Heard = &Heard{Number: number, Rung: w.Rung, Role: w.Role, Text: maskedAnswer(t.text, maxHeard),
			Changes: t.changes}
		return j.save(ctx)
	case ctx.Err() != nil:
		a.Message = "cancelled"
		return nil
	case t.cancelled, t.interrupted:
		a.Message = "interrupted"
		return j.undo(ctx)
	case t.own:
		return j.ownFailure(ctx, a, t)
	case t.err != nil:
		if t.timedOut {
			j.emit(Event{Kind: GuardReached, Tier: j.tier(), Text: "time"})
		} else {
			delete(j.state.TierStreaks, j.tier()) // it was there, whatever it did
		}
		return j.fail(ctx, a, w.Role, []found{j.wrongWithCall(t)})
	}
	return j.fail(ctx, a, w.Role, []found{j.find(j.evidenceOf(Report{}, j.ladder[w.Rung].tier, w.Role, j.step.ID), "")})
}

// wrongWithCall returns what was wrong with a call that was not answered. The executor's error of
// files that must not be changed need not name them.
func (j *job) wrongWithCall(t turned) found {
	f := j.findErr(t.err, sourceAgent, string(j.work.Role))
	if f.evidence == nil && len(t.about) > 0 {
		f.source, f.evidence = sourceScope, &taxonomy.Evidence{Source: sourceScope, Op: sourceScope, Files: t.about}
	}
	return f
}

// ownFailure is that the tier itself has failed, and not the step: another tier takes over what was
// to be done, or the run ends.
func (j *job) ownFailure(ctx context.Context, a *Attempt, t turned) *ending {
	w, rung, name := j.work, j.work.Rung, j.tier()
	f := j.findErr(t.err, sourceAgent, string(w.Role))
	j.describe(a, &f)
	a.Response = "" // nothing is done about the step
	if j.state.TierStreaks == nil {
		j.state.TierStreaks = map[string]int{}
	}
	j.state.TierStreaks[name]++
	j.emit(Event{Kind: TierFailed, Tier: name, Code: a.Code, Message: a.Message})
	if j.state.TierStreaks[name] == j.cfg.Guards.TierFailures {
		j.emit(Event{Kind: PassedOver, Tier: name, Text: "it has failed itself too often"})
	}
	switch why := "tier " + name + " has failed itself: " + a.Message; {
	case t.end == executor.EndLadderUsedUp:
		j.handUp("tier " + name + " has failed itself")
	case t.end.Status() == executor.StatusBlocked:
		w.End, w.Why = EndBlocked, why
	default:
		w.End, w.Why = EndFailed, why
	}
	if w.End != "" && j.cfg.Guards.StepTime > 0 {
		// It may be no more than that the tier would have to be waited for longer.
		w.Why += fmt.Sprintf("; %s is left of the %s that a step may take", shortly(max(0, j.timeLeft())),
			j.cfg.Guards.StepTime)
	}
	if w.End != "" {
		w.Outage = &Failed{Rung: rung, Role: w.Role, Code: a.Code, Category: a.Category, Message: a.Message, err: f.err}
	}
	return j.undo(ctx)
}
