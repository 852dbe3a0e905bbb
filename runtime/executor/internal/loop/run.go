package loop

import (
	"cmp"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
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
	StepRevert      Step = "revert" // saved before
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

// Loop runs a state to its end. It uses no goroutine, context, clock or random source; those are in
// [Env]. The state contains everything that a later process needs. A Loop keeps only what this
// process must do before it continues with the saved step: the setup, and to judge the work of an
// earlier process again.
type Loop struct {
	cfg Config
	env Env
	// operations are the steps with one effect, steps all others.
	operations map[Step]operation
	steps      map[Step]func(s *State, it *Iteration) Step
	// setup contains the failures of this process's setup, and afterSetup the step that follows it.
	// AfterSetup is empty when the setup is done.
	setup      Iteration
	afterSetup Step
	// rejudge reports that an earlier process accepted changes, perhaps under another scope. The
	// first inspection judges those again that are not delivered, and nothing is committed before.
	rejudge bool
	// passed are the checks that passedTree passed in an earlier process. If the inspection before
	// the commit finds another tree, they are repeated.
	passed     []Phase
	passedTree Tree
	// expired reports that the grace of a cancelled run ended before its changes were inspected.
	// Then the state is not saved, so that the next process inspects the changes.
	expired bool
	// Yielded reports that Yield ended the loop.
	Yielded bool
}

// New returns a loop.
func New(cfg Config, env Env) *Loop {
	l := &Loop{cfg: cfg, env: env}
	l.operations = map[Step]operation{
		StepLoadConfig: operate(l.loadConfig, to(StepLock)), StepLock: operate(l.lock, l.locked),
		StepClean: operate(l.clean, l.cleaned), StepPrepare: operate(l.prepare, l.prepared),
		StepUpdate: operate(l.update, l.updated), StepAvailable: operate(l.available, l.checkedAvailable),
		StepDetect: operate(l.detect, l.detected), StepAsk: operate(l.ask, l.answered),
		StepRevert: operate(l.revert, l.reverted), StepValidate: operate(l.validate, l.validated),
		StepCommit: operate(l.commit, l.committed),
		StepBranch: operate(l.branch, l.delivered), StepPush: operate(l.push, l.pushed),
		StepOpenPR:     operate(l.openPR, l.opened),
		StepInspectEnd: operate(l.inspectEnd, l.inspectedEnd), StepForward: operate(l.forward, l.forwarded),
		StepFile: operate(l.file, to(StepNotify)), StepNotify: operate(l.notify, to(StepOver)),
	}
	l.steps = map[Step]func(*State, *Iteration) Step{
		StepHead: l.head, StepAdmit: l.admit, StepCall: l.call, StepInterrupted: l.interrupted,
		StepDeliver: l.deliver, StepClose: l.close, StepEnd: l.end, StepRecover: l.recover, StepWait: l.wait,
	}
	return l
}

const maxCrashes = 3

// Run runs the state to its end. If the state was saved, Run resumes it at the saved step.
func (l *Loop) Run(s *State) {
	l.afterSetup = s.Step
	l.now(s)
	switch s.Step {
	case StepOver:
		return
	case "":
		l.afterSetup, s.Began = StepPrepare, s.Now
	case StepCall:
		l.afterSetup, s.Resumed, l.rejudge = StepInterrupted, true, true
	default:
		s.Resumed, l.rejudge = s.Resumed || s.Step != StepUpdate, true
	}
	l.emitRunStarted(s)
	s.Deadline = l.cfg.Limits.Deadline
	if d := s.Now.Add(l.cfg.Limits.Run); bounded(l.cfg.Limits.Run) && (s.Deadline.IsZero() || d.Before(s.Deadline)) {
		s.Deadline = d
	}
	if s.Resumed && !l.checkCrashes(s) {
		return
	}
	for s.Step = StepLoadConfig; s.Step != StepOver; {
		was := s.Step
		s.Step = l.step(s)
		if s.Step == stepAbandon { // the saved state stays unchanged
			l.abandon(s)
			return
		}
		if !l.inSetup() && (s.Step.Durable() || was == StepCall || was == StepAsk) {
			l.saveState(s)
		}
		if s.Step == StepHead && l.cfg.Yield != nil && l.cfg.Yield(s) {
			l.Yielded = true
			return
		}
	}
}

// operation is a step with one effect. Do returns the operation of the effect, or nil if the step has
// nothing to do. Next returns the step that follows: after a success, after a step with nothing to do,
// and after a failure whose reaction does not repeat the step.
type operation struct {
	do   func(s *State, it *Iteration) Operation
	next func(s *State, it *Iteration, out *Outcome, ok bool) Step
}

// operate returns an operation whose result is a T. In next, the result is nil unless the effect was
// carried out and succeeded. Ok is false if it failed, unless the reaction was to continue.
func operate[T any](do func(*State, *Iteration) Operation, next func(*State, *Iteration, *T, bool) Step) operation {
	return operation{do, func(s *State, it *Iteration, out *Outcome, ok bool) Step {
		if out == nil {
			return next(s, it, nil, ok)
		}
		result := resultOf[T](out)
		return next(s, it, &result, ok)
	}}
}

// when returns the operation if there is something to do, otherwise nil.
func when(due bool, o Operation) Operation {
	if due {
		return o
	}
	return nil
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
	if do := op.do(s, it); do != nil {
		return l.perform(s, it, do, op)
	}
	return op.next(s, it, nil, true)
}

// perform carries out the effect of the current step. If it fails, perform records the failure and
// reacts to it.
func (l *Loop) perform(s *State, it *Iteration, do Operation, op operation) Step {
	e := l.effect(s, do)
	out := l.do(s, e)
	_, validates := do.(Validate)
	switch {
	case out.Cancelled:
		_, detects := do.(Detect)
		l.expired = l.expired || detects
		return l.cancel(s, it, s.Step)
	case out.Failure == nil:
		if validates {
			l.emit(s, Event{Kind: Validated, Op: e.Op(), Took: out.Took})
		}
		return op.next(s, it, &out, true)
	case s.End != "": // the run is over, so the failure changes nothing
		l.warn(s, e.Op()+": "+out.Failure.Message)
		return op.next(s, it, nil, false)
	}
	out.Failure.Causes = slices.Clone(it.Causes)
	if len(out.Failure.Files) == 0 {
		out.Failure.Files = e.Paths()
	}
	i := l.addFailure(s, it, out.Failure)
	if validates {
		l.emit(s, Event{Kind: Validated, Op: e.Op(), Took: out.Took, failure: out.Failure})
	}
	return l.react(s, it, i, s.Step)
}

// effect returns the effect of an operation. Calls and their admission end with the iteration.
func (l *Loop) effect(s *State, do Operation) Effect {
	source, _, t := nameOf(do)
	e := Effect{
		Do: do, Source: cmp.Or(source, l.providerName(s)), Graced: t.graced,
		Run: s.Task.Run, Iteration: s.Iter.Number, Tier: s.Tier,
	}
	switch do := do.(type) {
	case Lock:
		e.Graced = s.Iter.Open
	case Admit, CallProvider:
		e.Limit = l.timeLeft(s)
	case Recover:
		e.Source = do.Failure.Source
	}
	return e
}

// do carries out an effect, and records its warnings and the work that it saved.
func (l *Loop) do(s *State, e Effect) Outcome {
	out := l.env.Do(e)
	for _, w := range out.Warnings {
		l.warn(s, w)
	}
	if out.Saved != "" && !slices.Contains(s.Refs, out.Saved) {
		s.Refs = push(s.Refs, out.Saved)
	}
	if out.Cancelled {
		l.iteration(s).Cancelled = true
	}
	return out
}

// cancel returns the step that follows a step during which the run was cancelled. The changes of an
// open iteration are inspected first.
func (l *Loop) cancel(s *State, it *Iteration, step Step) Step {
	switch {
	case l.inSetup():
		return stepAbandon
	case !it.Open && s.End == "":
		return l.endRun(s, EndCancelled, false)
	}
	return l.after(s, it, step, false)
}

// waitUntil returns StepWait, or next if the time has come. If a wait between iterations would pass
// the run's deadline, the run ends.
func (l *Loop) waitUntil(s *State, until time.Time, why string, next Step) Step {
	switch {
	case !until.After(l.now(s)):
		return next
	case !s.Iter.Open && !l.inSetup() && !s.Deadline.IsZero() && until.After(s.Deadline):
		return l.endRun(s, EndDeadline, false)
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
	return l.cancel(s, it, next)
}

// saveState saves the state, unless the changes of a cancelled run were not inspected; see expired.
func (l *Loop) saveState(s *State) {
	if l.expired {
		return
	}
	s.Saves++
	l.env.Save(s)
}

// checkCrashes counts the processes that died in this iteration, and reports whether the run may
// continue. After maxCrashes it ends the run, because the iteration seems to kill the process.
func (l *Loop) checkCrashes(s *State) bool {
	s.Iter.Cancelled = false // this process is not cancelled
	if s.Step != StepHead && s.Step != StepWait && s.End == "" {
		s.Crashes++
	}
	if s.Crashes < maxCrashes {
		l.saveState(s)
		return true
	}
	l.refuse(s, l.env.Classify(taxonomy.Evidence{
		Source: SourceExecutor, Op: OpResume, Type: "refused",
		Text: "the process ended " + text.Count(s.Crashes, "time") + " in the same iteration, last in step " +
			string(s.Step),
	}))
	return false
}

// Refuse ends a new run that cannot begin, because of failure f.
func (l *Loop) Refuse(s *State, f Failure) {
	l.emitRunStarted(s)
	l.refuse(s, f)
}

// refuse ends a run that cannot begin or be resumed, because of failure f.
func (l *Loop) refuse(s *State, f Failure) {
	if !l.inSetup() {
		l.afterSetup = StepPrepare
	}
	d := &l.setup.Failures[l.addFailure(s, &l.setup, &f)].Decision
	if !d.ends() {
		d.Action = taxonomy.Abort
	}
	switch {
	case l.env.Cancelled():
		d.End = EndCancelled
	case f.Op == OpResume:
		d.End = EndRefused
	case d.Action == taxonomy.Block:
		d.End = EndBlocked
	default:
		d.End = EndFatal
	}
	l.failSetup(s, &l.setup.Failures[len(l.setup.Failures)-1])
	l.abandon(s)
}

func (l *Loop) emitRunStarted(s *State) {
	e := Event{Kind: RunStarted}
	if s.Resumed {
		e.Text = "resumed"
	}
	l.emit(s, e)
}

// inSetup reports whether the setup of this process is not done yet.
func (l *Loop) inSetup() bool { return l.afterSetup != "" }

// iteration returns the iteration that records failures: the open one, or the setup of this
// process.
func (l *Loop) iteration(s *State) *Iteration {
	if l.inSetup() {
		return &l.setup
	}
	return &s.Iter
}

// now advances the state's time, which never goes back.
func (l *Loop) now(s *State) time.Time {
	if t := l.env.Now(); t.After(s.Now) {
		s.Now = t
	}
	return s.Now
}

func (l *Loop) warn(s *State, warning string) {
	if !slices.Contains(s.Warnings, warning) {
		s.AddWarning(warning)
		l.emit(s, Event{Kind: Warned, Text: warning})
	}
}

func (l *Loop) emit(s *State, e Event) {
	e.At = s.Now
	if f := e.failure; f != nil {
		e.Err, e.Evidence = f.Cause(), f.Evidence
		e.Op, e.Source = cmp.Or(e.Op, f.Op), cmp.Or(e.Source, f.Source)
	}
	l.env.Emit(e)
}
