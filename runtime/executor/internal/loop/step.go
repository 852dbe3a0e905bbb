package loop

import (
	"cmp"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Step is a step of a run. If a process dies in a step, another process can repeat the step.
type Step string

// The steps. The first four are the setup, which every process runs and which is not saved.
const (
	StepLoadConfig Step = "load_config"
	StepLock       Step = "lock"
	StepClean      Step = "clean" // ends the processes that a dead process left running
	StepPrepare    Step = "prepare"

	StepUpdate      Step = "update" // first step of a reopened run
	StepHead        Step = "head"
	StepAvailable   Step = "available"
	StepAdmit       Step = "admit"
	StepCall        Step = "call" // saved before
	StepInterrupted Step = "interrupted"
	StepDetect      Step = "detect"
	StepAsk         Step = "ask"
	StepSave        Step = "save"
	StepRevert      Step = "revert" // saved before
	StepAccept      Step = "accept"
	StepDeliver     Step = "deliver"
	StepValidate    Step = "validate" // saved before
	StepCommit      Step = "commit"   // saved before
	StepBranch      Step = "branch"   // delivers the commits to a branch
	StepPush        Step = "push"
	StepOpenPR      Step = "open_pr"
	StepClose       Step = "close"
	StepEnd         Step = "end"
	StepRecover     Step = "recover" // saved before
	StepWait        Step = "wait"    // saved before
	StepInspectEnd  Step = "inspect_end"
	StepSaveEnd     Step = "save_end"
	StepBranchEnd   Step = "branch_end"
	StepForward     Step = "forward"
	StepFile        Step = "file"
	StepNotify      Step = "notify"
	StepOver        Step = "over"

	stepAbandon Step = "abandon" // the setup failed
)

// Durable reports whether the state is saved before the step. The state is also saved after the
// answer of a provider or a person. A resumed run repeats everything else.
func (p Step) Durable() bool {
	switch p {
	case StepHead, StepCall, StepInterrupted, StepRevert, StepValidate, StepCommit, StepRecover, StepWait,
		StepInspectEnd, StepOver:
		return true
	}
	return false
}

// operation is a step with one effect. Effect returns the effect, or nil if the step has nothing to
// do. Next returns the step that follows: after a success, after a step with nothing to do, and after
// a failure whose reaction does not repeat the step.
type operation struct {
	effect func(s *State, it *Iteration) *Effect
	next   func(s *State, it *Iteration, out *Outcome, ok bool) Step
}

// operate returns an operation whose result is a T. In next, the result is nil unless the effect was
// carried out and succeeded. Ok is false if it failed, unless the reaction was to continue.
func operate[T any](effect func(*State, *Iteration) *Effect, next func(*State, *Iteration, *T, bool) Step) operation {
	return operation{effect, func(s *State, it *Iteration, out *Outcome, ok bool) Step {
		if out == nil {
			return next(s, it, nil, ok)
		}
		result := resultOf[T](out)
		return next(s, it, &result, ok)
	}}
}

// to is the next of an operation that the step p follows in any case.
func to(p Step) func(*State, *Iteration, *struct{}, bool) Step {
	return func(*State, *Iteration, *struct{}, bool) Step { return p }
}

// step runs the current step and returns the next one.
func (l *Loop) step(s *State) Step {
	it := l.iteration(s)
	op, ok := l.operations[s.Step]
	if !ok {
		return l.steps[s.Step](s, it)
	}
	e := op.effect(s, it)
	if e == nil {
		return op.next(s, it, nil, true)
	}
	return l.perform(s, it, e, op)
}

// perform carries out the effect of the current step. If it fails, perform records the failure and
// reacts to it.
func (l *Loop) perform(s *State, it *Iteration, e *Effect, op operation) Step {
	out := l.do(s, e)
	_, validates := e.Do.(Validate)
	switch {
	case out.Cancelled:
		_, detects := e.Do.(Detect)
		it.Cancelled, l.expired = true, l.expired || e.Graced && detects
		if l.inSetup() {
			return stepAbandon
		}
		return op.next(s, it, nil, false)
	case out.Failure == nil:
		if validates {
			l.emit(s, Event{Kind: Validated, Op: e.Op(), Took: out.Took})
		}
		return op.next(s, it, &out, true)
	case s.End != "": // the run is over, so the failure changes nothing
		l.warn(s, e.Op()+": "+out.Failure.Message)
		return op.next(s, it, nil, false)
	}
	name, source := cmp.Or(reportedAs[e.Op()], e.Op()), e.Source
	if out.Failure.Op != "" { // a part of the operation failed
		name, source = out.Failure.Op, out.Failure.Source
	}
	out.Failure.Causes = slices.Clone(it.Causes)
	if len(out.Failure.Files) == 0 {
		out.Failure.Files = e.Paths()
	}
	i := l.addFailure(s, it, name, source, out.Failure)
	if validates {
		l.emit(s, Event{Kind: Validated, Op: e.Op(), Took: out.Took, failure: out.Failure})
	}
	return l.react(s, it, i, s.Step)
}

// after returns the step that follows a step that failed and is not repeated. If ok, the run
// continues as after a success.
func (l *Loop) after(s *State, it *Iteration, failed Step, ok bool) Step {
	if op, is := l.operations[failed]; is {
		return op.next(s, it, nil, ok)
	}
	if failed == StepAdmit {
		if it.OverBudget = ok; ok { // the reaction is to continue
			return StepAdmit
		}
	}
	return l.inspect(it, StepDeliver)
}

// do carries out an effect and records its warnings.
func (l *Loop) do(s *State, e *Effect) Outcome {
	source, _ := nameOf(e.Do)
	e.Source = cmp.Or(e.Source, source)
	e.Run, e.Iteration, e.Tier = s.Task.Run, s.Iter.Number, s.Tier
	out := l.env.Do(*e)
	for _, w := range out.Warnings {
		l.warn(s, w)
	}
	return out
}

// reportedAs are the operations that failures of these effects have.
var reportedAs = map[string]string{OpAccept: OpSave, OpUpdate: OpPrepare}

// waitUntil returns StepWait, or next if the time has come.
func (l *Loop) waitUntil(s *State, until time.Time, why string, next Step) Step {
	if !until.After(l.now(s)) {
		return next
	}
	s.Wait = Pending{Until: until, For: why, Next: next}
	return StepWait
}

// wait is StepWait: it waits and returns the pending step.
func (l *Loop) wait(s *State, it *Iteration) Step {
	began := l.now(s)
	l.emit(s, Event{Kind: Waiting, Until: s.Wait.Until, Text: s.Wait.For})
	cancelled := l.env.Sleep(s.Wait.Until.Sub(began))
	if !cancelled && s.Now.Before(s.Wait.Until) {
		s.Now = s.Wait.Until // the sleep is over, even if the clock was set back
	}
	took := l.now(s).Sub(began)
	s.Waits = push(s.Waits, Wait{s.Iter.Number, s.Wait.For, taxonomy.Duration(took)})
	s.Waited += taxonomy.Duration(took)
	l.emit(s, Event{Kind: Waited, Took: took})
	next := s.Wait.Next
	s.Wait = Pending{}
	if !cancelled {
		return next
	}
	it.Cancelled = true
	switch {
	case l.inSetup():
		return stepAbandon
	case next == StepAdmit && s.Iter.Open:
		return l.inspect(it, StepDeliver)
	case next == StepHead, next == StepAdmit:
		return l.endRun(s, EndCancelled, false)
	}
	return l.after(s, it, next, false)
}
