package loop

import (
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Config configures a [Loop]. Except for Yield it is plain data.
type Config struct {
	Ladder  []Tier   `json:"ladder"`
	Deliver Delivery `json:"deliver,omitempty"`
	// KeepBranch leaves the delivered commits on their branch.
	KeepBranch bool `json:"keepBranch,omitempty"`
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
	Yield func(s *State) bool `json:"-"`
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
		StepSave: operate(l.saveFound, l.savedFound), StepRevert: operate(l.revert, l.reverted),
		StepAccept: operate(l.accept, l.accepted), StepValidate: operate(l.validate, l.validated),
		StepCommit: operate(l.commit, l.committed), StepBranch: operate(l.branch, l.delivered),
		StepPush: operate(l.push, l.pushed), StepOpenPR: operate(l.openPR, l.opened),
		StepInspectEnd: operate(l.inspectEnd, l.inspectedEnd), StepSaveEnd: operate(l.saveEnd, l.savedEnd),
		StepBranchEnd: operate(l.branchEnd, l.deliveredEnd), StepForward: operate(l.forward, l.forwarded),
		StepFile: operate(l.file, to(StepNotify)), StepNotify: operate(l.notify, to(StepOver)),
	}
	l.steps = map[Step]func(*State, *Iteration) Step{
		StepHead: l.head, StepAdmit: l.admit, StepCall: l.call, StepInterrupted: l.interrupted,
		StepDeliver: l.deliver, StepClose: l.close, StepEnd: l.end, StepRecover: l.recover, StepWait: l.wait,
	}
	return l
}

// Begin returns the state of a new run. Word must be random, because the marks of calls derive from
// it; see [Request].Mark. The jitter of waits depends on the name of the run.
func Begin(task Task, cfg Config, word string) *State {
	seed := fnv.New64a()
	_, _ = seed.Write([]byte(task.Run))
	return &State{
		Version: Version, Task: task, Dir: cfg.Dir, Tier: firstTier(cfg.Ladder),
		Seed: seed.Sum64(), Word: word,
	}
}

// Reopening describes how a person continues a run that is over and not completed.
type Reopening struct {
	// Answer is the answer to the run's question; the next prompts contain it. It may be empty if
	// the run has no question.
	Answer string
	// ByHand reports that a person did the work. The tree is checked and delivered unchanged before
	// any provider is called.
	ByHand bool
}

// Permits reports whether the run can continue. A question requires an answer, unless a person did
// the work.
func (r Reopening) Permits(s *State) bool { return s.Question == "" || r.Answer != "" || r.ByHand }

// Reopen changes the state of a run that is over, so that [Loop.Run] continues it. Counters,
// streaks and the tier are reset. Pending changes stay pending. A state that is not over only gets
// the answer. If the run has a question that r does not answer, the state stays unchanged.
func Reopen(s *State, cfg Config, r Reopening) {
	if !r.Permits(s) {
		return
	}
	const between = "\nThe answer: "
	answer := taxonomy.Redact(r.Answer)
	given := func(a string) bool { return a == answer || strings.HasSuffix(a, between+answer) }
	switch {
	case answer == "":
	case s.Question != "":
		s.Answers, s.Question = append(s.Answers, "You asked: "+s.Question+between+answer), ""
	case !slices.ContainsFunc(s.Answers, given): // the process that got it may have died
		s.Answers = append(s.Answers, answer)
	}
	if s.Step != StepOver {
		return
	}
	s.Step, s.Tier, s.Reopened, s.ByHand = StepUpdate, firstTier(cfg.Ladder), s.Iter.Number, r.ByHand
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
	l.refuse(s, OpResume, l.env.Classify(taxonomy.Evidence{
		Source: SourceExecutor, Op: OpResume, Type: "refused",
		Text: "the process ended " + text.Count(s.Crashes, "time") + " in the same iteration, last in step " +
			string(s.Step),
	}))
	return false
}

// Refuse ends a new run that cannot begin, because of failure f of op.
func (l *Loop) Refuse(s *State, op string, f Failure) {
	l.emitRunStarted(s)
	l.refuse(s, op, f)
}

// refuse ends a run that cannot begin or be resumed, because of failure f of op.
func (l *Loop) refuse(s *State, op string, f Failure) {
	if !l.inSetup() {
		l.afterSetup = StepPrepare
	}
	d := &l.setup.Failures[l.addFailure(s, &l.setup, op, SourceExecutor, &f)].Decision
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
	if e.failure != nil {
		e.Err, e.Evidence = e.failure.Cause(), e.failure.Evidence
	}
	l.env.Emit(e)
}
