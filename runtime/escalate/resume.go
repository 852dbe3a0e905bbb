package escalate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/escalate/plan"
)

func newState(name string, p plan.Plan, now time.Time) *State {
	s := &State{Version: stateVersion, Began: now, Result: Result{Run: name, Title: bounded(p.Title), StartedAt: now}}
	s.steady = true
	s.Result.Steps = stepResults(p, nil)
	return s
}

// stepResults returns a result for each step of the plan: that of before, or one that is pending.
func stepResults(p plan.Plan, before []StepResult) []StepResult {
	known := make(map[string]StepResult, len(before))
	for _, s := range before {
		known[s.ID] = s
	}
	all := make([]StepResult, 0, len(p.Steps))
	for _, s := range p.Steps {
		res, ok := known[s.ID]
		if !ok {
			res = StepResult{ID: bounded(s.ID), State: StepPending}
		}
		res.Title = bounded(s.Title)
		all = append(all, res)
	}
	return all
}

// takeUp goes on with what was kept of the run; nil was nothing. It returns the result of a run
// that is not gone on with.
func (r *run) takeUp(kept *State, a *Answer) *Result {
	if kept == nil {
		if a != nil {
			return r.refuse(errUnknownRun)
		}
		return nil
	}
	if err := r.obstacle(kept, a); err != nil {
		r.result.Steps = stepResults(r.plan, kept.Result.Steps)
		return r.refuse(err)
	}
	if a == nil && over(&kept.Result) {
		return r.remembered(kept)
	}
	r.adopt(kept)
	return nil
}

// obstacle returns why a run cannot be gone on with, answered, or returned as it ended.
func (r *run) obstacle(kept *State, a *Answer) error {
	switch {
	case kept.Version != stateVersion:
		return fmt.Errorf("the kept state has version %d, and this program knows %d", kept.Version, stateVersion)
	case kept.Tree != r.treePrint():
		return errOfTree(kept.Dir, r.treeDir())
	case a != nil && !waits(&kept.Result) && (a.Action != GiveUp || kept.Result.EndReason != EndRevert):
		return errNotAsked(&kept.Result)
	case a == nil && endedForGood(&kept.Result) && kept.Plan != planFingerprint(r.plan):
		return fmt.Errorf("the run is over (%s), and the plan is another one now: %s; "+overAdvice(&kept.Result),
			kept.Result.EndReason, listed(differences(kept.Parts, r.plan)))
	case a == nil && over(&kept.Result):
		return nil
	}
	return r.sameSteps(kept)
}

// remembered returns the result of a run that has ended, with its error as far as that was kept.
func (r *run) remembered(kept *State) *Result {
	res := &kept.Result
	if res.Error != "" {
		res.Err = cmp.Or(r.decoded(kept.Wire), errors.New(res.Error))
	}
	return res
}

// waits reports that a run can be answered: one that is blocked asks, and one that has failed can
// be taken up again by a person.
func waits(res *Result) bool {
	return res.EndReason == EndFailed || res.Question != nil && res.EndReason == res.blockedBy()
}

// question returns what an answer to the run is about.
func (res *Result) question() *Question {
	if res.Question != nil || res.EndReason != EndFailed {
		return res.Question
	}
	for i := range res.Steps {
		if s := &res.Steps[i]; s.State == StepFailed {
			return &Question{Step: s.ID}
		}
	}
	return &Question{}
}

// blockedBy returns the end reason of a run that is blocked; empty for any other.
func (res *Result) blockedBy() EndReason {
	switch res.EndReason {
	case EndPlan, EndQuestion, EndLadder, EndBlocked, EndGuard:
		return res.EndReason
	}
	return ""
}

// over reports that a run is not gone on with without an answer.
func over(res *Result) bool {
	switch res.EndReason {
	case "", EndCancelled, EndPlan, EndRevert:
		return false
	}
	return true
}

// endedForGood reports that a run is over, and that it does not wait for an answer to a question.
func endedForGood(res *Result) bool { return over(res) && res.blockedBy() == "" }

// sameSteps finds out whether steps that are done are in the plan as they were: what counts was
// verified against them.
func (r *run) sameSteps(kept *State) error {
	now := make(map[string]string, len(r.plan.Steps))
	for _, s := range r.plan.Steps {
		now[s.ID] = stepFingerprint(s)
	}
	for _, s := range kept.Result.Steps {
		switch print, there := now[s.ID]; {
		case s.State != StepDone:
		case !there:
			return fmt.Errorf("step %s is done, and the plan has it no more; "+stepAdvice, s.ID)
		case print != kept.Steps[s.ID]:
			return fmt.Errorf("step %s is done, and the plan has it otherwise now; "+stepAdvice, s.ID)
		}
	}
	return nil
}

// adopt makes a kept state the run's. Under another plan or taxonomy the step that was under way is
// begun again: what was to be done next may be something else now.
func (r *run) adopt(kept *State) {
	fresh := r.state
	r.state, r.result = kept, &kept.Result
	r.result.Resumed, r.result.Title = true, fresh.Result.Title
	r.result.Steps = stepResults(r.plan, r.result.Steps)
	kept.steady = true
	r.died = r.result.EndReason == "" || r.result.EndReason == EndRevert
	if r.result.EndReason == EndRevert {
		r.unfailed()
	}
	if kept.Plan != planFingerprint(r.plan) {
		r.changed = differences(kept.Parts, r.plan)
	}
	if kept.Plan != planFingerprint(r.plan) || kept.Taxonomy != tableFingerprint(r.cfg.Calls.Table) {
		kept.Work, kept.Open = nil, nil
	}
	if kept.Work != nil &&
		(kept.Step < 0 || kept.Step >= len(r.plan.Steps) || kept.Work.Rung < 0 || kept.Work.Rung >= len(r.ladder)) {
		kept.Work, kept.Open = nil, nil
	}
	if w := kept.Work; w != nil && w.Heard != nil &&
		(w.Heard.Rung < 0 || w.Heard.Rung >= len(r.ladder) || r.job(kept.Step).attempt(w.Heard.Number) == nil) {
		w.Heard = nil
	}
}

// unfailed has the step be under way again that has failed because its work could not be put back.
func (r *run) unfailed() {
	if i := r.state.Step; i < len(r.result.Steps) && r.result.Steps[i].State == StepFailed {
		r.result.Steps[i].State = StepCancelled
	}
}

// start notes that the run is under way, and returns what was asked when it ended last.
func (r *run) start(a *Answer) *Question {
	res, asked := r.result, r.result.question()
	text := ""
	switch {
	case a != nil:
		text = "answered"
	case res.Resumed:
		text = "resumed"
	}
	r.state.Plan, r.state.Taxonomy, r.state.Parts = planFingerprint(r.plan), tableFingerprint(r.cfg.Calls.Table),
		planParts(r.plan)
	r.state.Tree, r.state.Dir, r.state.Wire = r.treePrint(), bounded(r.treeDir()), nil
	res.Status, res.EndReason, res.Question, res.EndedAt = "", "", nil, time.Time{}
	res.Error, res.ErrorCode, res.ErrorCategory, res.Err = "", "", "", nil
	r.emit(Event{Kind: RunStarted, Text: text})
	if len(r.changed) > 0 {
		r.warn("the plan has changed since: "+listed(r.changed), nil)
	}
	if died := r.markTree(); died != "" {
		r.warn("run "+died+
			" has died in this working tree: what it has left there is taken for what was there; going on with it "+
			"later puts that back, and what is not committed of this run, too", nil)
	}
	return asked
}

// notBegun returns the result of a run that could not get what it works with.
func (r *run) notBegun(ctx context.Context, err error) *Result {
	res := r.refuse(err)
	if ctx.Err() != nil {
		e := r.cancelledBy(ctx)
		res.EndReason, res.Status, res.Error, res.Err = e.reason, e.reason.Status(), bounded(e.err.Error()), e.err
		res.ErrorCode, res.ErrorCategory = "", ""
	}
	return res
}

// refuse returns the result of a run that is not begun or gone on with. What is kept of it stays as
// it is.
func (r *run) refuse(err error) *Result {
	reason := reasonOf(err)
	err, _ = r.classify(err, sourceEscalate, opPrepare)
	res := r.result
	res.EndReason, res.Status, res.EndedAt = EndRefused, EndRefused.Status(), r.now()
	res.Error, res.Err = bounded(withReason(err.Error(), reason)), err
	res.ErrorCode, res.ErrorCategory = codeAndCategory(err)
	r.emit(Event{Kind: RunEnded, Text: string(EndRefused)})
	return res
}
