package executor

import (
	"hash/fnv"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Step is a step of a run. Each can be repeated after a process died in it.
type Step string

// The steps. Every process runs the steps of the setup, which are the first four. They are not
// saved.
const (
	StepLoadConfig Step = "load_config"
	StepLock       Step = "lock"
	StepClean      Step = "clean" // ends the processes that a dead process left running
	StepPrepare    Step = "prepare"

	StepAdopt       Step = "adopt" // first step of a reopened run
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
	StepPush        Step = "push"
	StepOpenPR      Step = "open_pr"
	StepClose       Step = "close"
	StepEnd         Step = "end"
	StepRecover     Step = "recover" // saved before
	StepWait        Step = "wait"    // saved before
	StepInspectEnd  Step = "inspect_end"
	StepSaveEnd     Step = "save_end"
	StepFile        Step = "file"
	StepNotify      Step = "notify"
	StepOver        Step = "over"

	stepAbandon Step = "abandon" // the setup failed
)

// durable reports whether the state is saved before the step. The state is also saved after the
// answer of a provider or a person. A resumed run repeats everything else.
func (p Step) durable() bool {
	switch p {
	case StepHead, StepCall, StepInterrupted, StepRevert, StepValidate, StepCommit, StepRecover, StepWait,
		StepInspectEnd, StepOver:
		return true
	}
	return false
}

// LoopConfig is the configuration of a loop, as data.
type LoopConfig struct {
	Ladder  []Tier   `json:"ladder"`
	Deliver Delivery `json:"deliver,omitempty"`
	// Checks are the phases in which the validator has something to check. All but pre_push and
	// pre_pr come before a commit, in this order.
	Checks    []Phase `json:"checks,omitempty"`
	Setup     bool    `json:"setup,omitempty"`
	Workspace bool    `json:"workspace,omitempty"`
	Asker     bool    `json:"asker,omitempty"`
	Filer     bool    `json:"filer,omitempty"`
	Notifier  bool    `json:"notifier,omitempty"`
	// Strict turns `continue` on a call, a check or a commit into `block`.
	Strict            bool   `json:"strict,omitempty"`
	Continue          bool   `json:"continue,omitempty"`
	ApproveUnattended bool   `json:"approveUnattended,omitempty"`
	DryRun            bool   `json:"dryRun,omitempty"`
	Dir               string `json:"dir,omitempty"`
	// Limits are the limits with their defaults.
	Limits Limits `json:"limits"`
	// Yield, unless nil, is called at the head of each iteration. If it returns true, the loop ends
	// there, and another loop can continue with the state.
	Yield func(s *RunState) bool `json:"-"`
}

// Loop runs a state to its end. It stores everything in the state, except the failures of this
// process's setup. It uses no goroutine, context, clock or random source; those are in [Env].
type Loop struct {
	cfg   LoopConfig
	env   Env
	steps map[Step]func(s *RunState, it *Iteration) Step
	// setup contains the failures of this process's setup. Back is the step after the setup, and
	// empty once the setup is done.
	setup Iteration
	back  Step
	// expired reports that the grace of a cancelled run ended before its changes were inspected.
	// Then the state is not saved, so that the next process inspects the changes.
	expired   bool
	announced bool // RunStarted was emitted
	// decided, unless nil, ends the current step without its effect; see after.
	decided *bool
	// Yielded reports that Yield ended the loop.
	Yielded bool
}

// NewLoop returns a loop.
func NewLoop(cfg LoopConfig, env Env) *Loop {
	l := &Loop{cfg: cfg, env: env}
	l.steps = map[Step]func(*RunState, *Iteration) Step{
		StepLoadConfig: l.loadConfig, StepLock: l.lock, StepClean: l.clean, StepPrepare: l.prepare,
		StepAdopt: l.adopt, StepHead: l.head, StepAvailable: l.available, StepAdmit: l.admit, StepCall: l.call,
		StepInterrupted: l.interrupted, StepDetect: l.detect, StepAsk: l.ask, StepSave: l.saveFound,
		StepRevert: l.revert, StepAccept: l.accept, StepDeliver: l.deliver, StepValidate: l.validate,
		StepCommit: l.commit, StepPush: l.push, StepOpenPR: l.openPR, StepClose: l.close, StepEnd: l.end,
		StepRecover: l.recovering, StepWait: l.waiting, StepInspectEnd: l.inspectEnd, StepSaveEnd: l.saveEnd,
		StepFile: l.file, StepNotify: l.notify,
	}
	return l
}

// Begin returns the state of a new run. Word is random, see [Request].Mark. The jitter of waits
// depends on the name of the run.
func Begin(task Task, cfg LoopConfig, word string) *RunState {
	seed := fnv.New64a()
	_, _ = seed.Write([]byte(task.Run))
	return &RunState{
		Version: StateVersion, Task: task, Dir: cfg.Dir, Tier: firstTier(cfg.Ladder),
		Seed: seed.Sum64(), Word: word,
	}
}

// Reopening describes how a person continues a run that is over and not completed.
type Reopening struct {
	// Answer is the answer to the run's question; the next prompts contain it. It may be empty.
	Answer string
	// ByHand reports that a person did the work. The tree is checked and delivered unchanged before
	// any provider is called.
	ByHand bool
}

// Reopen changes the state of a run that is over, so that [Loop.Run] continues it. Counters,
// streaks and the tier are reset. Pending changes stay pending. A state that has not begun gets the
// answer only.
func Reopen(s *RunState, cfg LoopConfig, r Reopening) {
	if r.Answer != "" {
		s.Answers = append(s.Answers, taxonomy.Redact(r.Answer))
	}
	if s.Step == "" {
		return
	}
	s.Step, s.Tier, s.Reopened, s.ByHand = StepAdopt, firstTier(cfg.Ladder), s.Iter.Number, r.ByHand
	s.End, s.EndsRun, s.Ended, s.Question, s.Session, s.LastError = "", false, time.Time{}, "", "", nil
	s.Failures, s.Counted, s.Streaks, s.Recoveries, s.Available = 0, 0, nil, nil, nil
	s.Retried, s.NotBefore, s.Crashes = nil, time.Time{}, 0
	s.Iter = Iteration{Number: s.Iter.Number}
	if r.ByHand {
		s.Text = ""
	}
}

const maxCrashes = 3

// Run runs the state to its end. If the state was saved, Run resumes it at the saved step.
func (l *Loop) Run(s *RunState) {
	l.back = s.Step
	l.now(s)
	switch s.Step {
	case StepOver:
		return
	case "":
		l.back, s.Began = StepPrepare, s.Now
	case StepCall:
		l.back, s.Resumed = StepInterrupted, true
	default:
		s.Resumed = s.Resumed || s.Step != StepAdopt
	}
	s.Deadline = l.cfg.Limits.Deadline
	if d := s.Now.Add(l.cfg.Limits.Run); bounded(l.cfg.Limits.Run) && (s.Deadline.IsZero() || d.Before(s.Deadline)) {
		s.Deadline = d
	}
	if s.Resumed && !l.resumable(s) {
		return
	}
	for s.Step = StepLoadConfig; s.Step != StepOver; {
		was := s.Step
		s.Step = l.step(s)
		if s.Step == stepAbandon { // the saved state stays unchanged
			l.abandon(s)
			return
		}
		if l.back == "" && (s.Step.durable() || was == StepCall || was == StepAsk) {
			l.save(s)
		}
		if s.Step == StepHead && l.cfg.Yield != nil && l.cfg.Yield(s) {
			l.Yielded = true
			return
		}
	}
}

func (l *Loop) save(s *RunState) {
	if l.expired {
		return
	}
	s.Saves++
	l.env.Save(s)
}

// resumable counts the processes that died in this iteration, and reports whether the run may
// continue. After maxCrashes it ends the run, because the step seems to kill the process.
func (l *Loop) resumable(s *RunState) bool {
	s.Iter.Cancelled = false // this process is not cancelled
	if s.Step != StepHead && s.Step != StepWait && s.End == "" {
		s.Crashes++
	}
	if s.Crashes < maxCrashes {
		l.save(s)
		return true
	}
	l.refuse(s, OpResume, l.env.Classify(taxonomy.Evidence{
		Source: sourceExecutor, Op: OpResume, Type: "refused",
		Text: "the process ended " + text.Count(s.Crashes, "time") + " in step " + string(s.Step) +
			" of the same iteration",
	}))
	return false
}

// refuse ends a run that cannot begin or be resumed.
func (l *Loop) refuse(s *RunState, op string, f Failure) {
	if l.back == "" {
		l.back = StepPrepare
	}
	d := &l.setup.Failures[l.note(s, &l.setup, op, sourceExecutor, &f, nil, nil)].Decision
	if !d.ends() {
		d.Action = taxonomy.Abort
	}
	switch {
	case l.env.Cancelled():
		d.End = EndCancelled
	case op == OpResume:
		d.End = EndRefused
	case d.Action == taxonomy.Block:
		d.End = EndBlocked
	default:
		d.End = EndFatal
	}
	l.setupEnds(s, &l.setup.Failures[len(l.setup.Failures)-1])
	l.abandon(s)
}

// announce emits RunStarted once for each process, when the setup has succeeded or failed.
func (l *Loop) announce(s *RunState) {
	if l.announced {
		return
	}
	l.announced = true
	started := Event{Kind: RunStarted}
	if s.Resumed {
		started.Text = "resumed"
	}
	l.emit(s, started)
	if l.back == "" && s.Iter.Open {
		l.emit(s, Event{Kind: IterationStarted, Tier: l.tier(s), Session: s.Session})
	}
}

// abandon ends a process whose setup failed: it files and notifies, and saves nothing.
func (l *Loop) abandon(s *RunState) {
	l.announce(s)
	if s.End == "" {
		s.End = EndCancelled
	}
	for s.Step = StepFile; s.Step != StepOver; s.Step = l.step(s) {
	}
}

// iteration returns the iteration that records failures: the open one, or the setup of this
// process.
func (l *Loop) iteration(s *RunState) *Iteration {
	if l.back != "" {
		return &l.setup
	}
	return &s.Iter
}

// now advances the state's time, which never goes back.
func (l *Loop) now(s *RunState) time.Time {
	if t := l.env.Now(); t.After(s.Now) {
		s.Now = t
	}
	return s.Now
}

func (l *Loop) step(s *RunState) Step { return l.steps[s.Step](s, l.iteration(s)) }

// perform carries out the effect of a step. A failure is noted and reacted to, which may repeat the
// step. Otherwise next returns the step that follows. Its outcome is nil unless the effect
// succeeded. If ok, it succeeded, or the reaction was to continue.
func (l *Loop) perform(s *RunState, it *Iteration, e Effect, next func(out *Outcome, ok bool) Step) Step {
	if ok := l.decided; ok != nil {
		l.decided = nil
		return next(nil, *ok)
	}
	out := l.do(s, e)
	switch {
	case out.Cancelled:
		it.Cancelled = true
		l.expired = l.expired || e.Graced && e.Op == OpDetect
		if l.back != "" {
			return stepAbandon
		}
		return next(nil, false)
	case out.Failure == nil:
		return next(&out, true)
	case s.End != "": // the run is over, so the failure changes nothing
		l.warn(s, e.Op+": "+out.Failure.Message)
		return next(nil, false)
	}
	name, source := e.reportedAs(), e.Source
	if out.Failure.Op != "" { // a part of the operation failed
		name, source = out.Failure.Op, out.Failure.Source
	}
	i := l.note(s, it, name, source, out.Failure, it.Causes, e.Paths)
	if e.Check != "" {
		l.emit(s, Event{Kind: Validated, Op: e.Op, Took: out.Took, failure: out.Failure})
	}
	return l.react(s, it, i, s.Step)
}

func to(p Step) func(*Outcome, bool) Step { return func(*Outcome, bool) Step { return p } }

// after ends a step that was not carried out, or that failed for good, and returns the next one. If
// ok, the run continues as after a success.
func (l *Loop) after(s *RunState, it *Iteration, p Step, ok bool) Step {
	switch p {
	case StepAdmit:
		if it.OverBudget = ok; ok { // the reaction is to continue
			return StepAdmit
		}
		return l.inspect(it, StepDeliver)
	case StepCall:
		return l.inspect(it, StepDeliver)
	}
	s.Step, l.decided = p, &ok
	return l.step(s)
}

func (l *Loop) do(s *RunState, e Effect) Outcome {
	e.Run, e.Iteration, e.Tier = s.Task.Run, s.Iter.Number, s.Tier
	out := l.env.Do(e)
	for _, w := range out.Warnings {
		l.warn(s, w)
	}
	return out
}

// reportedAs returns the operation that evidence about the effect names.
func (e *Effect) reportedAs() string {
	switch e.Op {
	case OpAccept:
		return OpSave
	case OpAdopt:
		return OpPrepare
	}
	return e.Op
}

// wait returns the step in which the run waits, or next if the time has come.
func (l *Loop) wait(s *RunState, until time.Time, why string, next Step) Step {
	if !until.After(l.now(s)) {
		return next
	}
	s.Wait = Pending{Until: until, For: why, Next: next}
	return StepWait
}

func (l *Loop) waiting(s *RunState, it *Iteration) Step {
	began := l.now(s)
	l.emit(s, Event{Kind: Waiting, Until: s.Wait.Until, Text: s.Wait.For})
	cancelled := l.env.Sleep(s.Wait.Until.Sub(began))
	if !cancelled && s.Now.Before(s.Wait.Until) {
		s.Now = s.Wait.Until // the sleep is over, even if the clock was set back
	}
	took := l.now(s).Sub(began)
	s.Waits = push(s.Waits, Wait{s.Iter.Number, s.Wait.For, Duration(took)})
	s.Waited += Duration(took)
	l.emit(s, Event{Kind: Waited, Took: took})
	next := s.Wait.Next
	s.Wait = Pending{}
	if !cancelled {
		return next
	}
	it.Cancelled = true
	switch {
	case l.back != "":
		return stepAbandon
	case next == StepAdmit && s.Iter.Open:
		return l.inspect(it, StepDeliver)
	case next == StepHead, next == StepAdmit:
		return l.over(s, EndCancelled, false)
	}
	return l.after(s, it, next, false)
}

// over ends the run.
func (l *Loop) over(s *RunState, end EndReason, endsRun bool) Step {
	if s.End == "" {
		s.End, s.EndsRun, s.Ended = end, endsRun, l.now(s)
	}
	return StepInspectEnd
}

func (l *Loop) warn(s *RunState, warning string) {
	if !slices.Contains(s.Warnings, warning) {
		s.Warnings = push(s.Warnings, warning)
		l.emit(s, Event{Kind: Warned, Text: warning})
	}
}

func (l *Loop) emit(s *RunState, e Event) {
	if e.Kind != RunStarted {
		l.announce(s)
	}
	e.At = s.Now
	if e.failure != nil {
		e.Err, e.Evidence = e.failure.error(), e.failure.evidence
	}
	l.env.Emit(e)
}
