package loop

import (
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// addFailure adds a failure to the iteration and chooses its reaction. It returns the failure's
// index.
func (l *Loop) addFailure(s *State, it *Iteration, f *Failure) int {
	l.emit(s, Event{Kind: ErrorClassified, Text: f.Why, failure: f})
	f.Decision = l.decide(s, it, f, 0)
	it.Failures = append(it.Failures, *f)
	for i := range f.Others {
		o := &f.Others[i]
		o.Retried = true
		l.emit(s, Event{Kind: ErrorClassified, Text: o.Why, failure: o})
		o.Decision = Decision{Action: f.Decision.Action, Reaction: f.Decision.Reaction}
		l.record(s, o, s.Iter.Number)
	}
	d := &f.Decision
	taken := Event{
		Kind: ReactionTaken, Reaction: *d.Reaction, Action: d.Action,
		Exhausted: d.Exhausted, Attempt: d.Attempt, MaxAttempts: d.MaxAttempts, failure: f,
	}
	if d.Wait > 0 {
		taken.Until = s.Now.Add(d.Wait)
	}
	l.emit(s, taken)
	return len(it.Failures) - 1
}

// react reacts to failure i, in the failed step. It carries out a reaction that repeats only the
// operation. Otherwise the run continues after the step, and end carries out the winning reaction.
func (l *Loop) react(s *State, it *Iteration, i int, failed Step) Step {
	if l.inSetup() || failed == StepAvailable {
		return l.reactInSetup(s, it, i, failed)
	}
	f := &it.Failures[i]
	switch action := f.Decision.Action; {
	case action == taxonomy.RetryOperation:
		return l.retryInPlace(s, it, i, failed)
	case action == taxonomy.Recover && inPlace(f.Decision.Reaction) && !f.NotRepeatable:
		return l.beginRecovery(s, f, i, failed)
	case action == taxonomy.Continue && traitsOf(f.Op).class == classDeliver:
		l.warn(s, "continue without "+f.Op+": "+f.Message)
	}
	return l.after(s, it, failed, f.Decision.Action == taxonomy.Continue)
}

// reactInSetup is react for the setup. No iteration is open, so all reactions are carried out, and
// each retry repeats the operation.
func (l *Loop) reactInSetup(s *State, it *Iteration, i int, failed Step) Step {
	f := &it.Failures[i]
	d := &f.Decision
	if d.Action != taxonomy.Recover && !d.ends() { // these are recorded later
		l.record(s, f, 0)
	}
	switch {
	case d.Action == taxonomy.Abort:
		return l.failSetup(s, f)
	case d.Action == taxonomy.Continue:
		l.warn(s, "continue without "+f.Op+": "+f.Message)
		return l.after(s, it, failed, true)
	case d.Counts && reached(len(it.Failures), l.cfg.Limits.Failures):
		d.End = EndMaxFailures
		return l.failSetup(s, f)
	case d.Action == taxonomy.Block:
		return l.failSetup(s, f)
	case d.Action == taxonomy.Recover:
		return l.beginRecovery(s, f, i, failed)
	case d.Action == taxonomy.Escalate:
		l.escalate(s, d.Tier)
		failed = StepHead
	}
	return l.retryInPlace(s, it, i, failed)
}

// retryInPlace waits and repeats the failed step. If the reaction specifies it, the work of a
// failed call is reverted before the next call.
func (l *Loop) retryInPlace(s *State, it *Iteration, i int, failed Step) Step {
	f := &it.Failures[i]
	d := &f.Decision
	until, next := s.Now.Add(d.Wait), failed
	if failed == StepCall {
		next = StepAdmit
		if !it.Ends.IsZero() && until.After(it.Ends) {
			d.Action = taxonomy.Retry
			return l.after(s, it, failed, false)
		}
		retried := *f
		s.Retried = &retried
	}
	f.Retried = true
	l.pause(s, f)
	if failed == StepCall && d.Reaction.Agent.Revert != taxonomy.RevertNone {
		it.BeforeRetry, it.RetryPending = true, Pending{until, f.label(), next}
		return l.inspect(it, "")
	}
	return l.waitUntil(s, until, f.label(), next)
}

// beginRecovery begins a strategy. It counts the run of the strategy before the state is saved.
// When the strategy succeeded, the run continues with the step next.
func (l *Loop) beginRecovery(s *State, f *Failure, i int, next Step) Step {
	if s.Recoveries == nil {
		s.Recoveries = map[string]int{}
	}
	s.Recoveries[f.streak(f.Decision.Depth)]++
	s.Recover = Recovery{Failure: i, Next: next}
	if l.inSetup() {
		return l.recover(s, l.iteration(s))
	}
	return StepRecover
}

// recover runs the strategy of a reaction. If the strategy succeeds, the failed step is repeated,
// or the next iteration begins. Otherwise the next reaction of the chain follows.
func (l *Loop) recover(s *State, it *Iteration) Step {
	r := s.Recover
	f := &it.Failures[r.Failure]
	strategy := f.Decision.Reaction.Strategy
	out := l.do(s, l.effect(s, Recover{f}))
	s.Recover = Recovery{}
	if !l.inSetup() { // the setup has yet to end those of a dead process
		s.Processes = nil
	}
	l.emit(s, Event{
		Kind: Recovered, For: f.Cause(), Op: f.Op, Source: f.Source, Reaction: *f.Decision.Reaction,
		Attempt: f.Decision.Attempt, MaxAttempts: f.Decision.MaxAttempts, Text: strategy, failure: out.Failure,
	})
	if out.Failure != nil {
		l.warn(s, "strategy "+strategy+": "+out.Failure.Message)
		l.decideNext(s, it, f)
	}
	switch {
	case r.Next == StepEnd && (out.Failure != nil || out.Cancelled):
		return StepEnd
	case r.Next == StepEnd:
		return l.nextIteration(s, it, f)
	case out.Cancelled:
		return l.cancel(s, it, r.Next)
	case out.Failure != nil:
		return l.react(s, it, r.Failure, r.Next)
	case l.inSetup() || r.Next == StepAvailable:
		l.record(s, f, 0)
	}
	return l.retryInPlace(s, it, r.Failure, r.Next)
}

// pause makes all users of the failure's credential wait, if the reaction specifies that.
func (l *Loop) pause(s *State, f *Failure) {
	if f.Decision.Reaction.Shared == taxonomy.SharedCredential && f.Decision.Wait > 0 {
		l.do(s, l.effect(s, Pause{Credential: f.Credential, Until: s.Now.Add(f.Decision.Wait)}))
	}
}

// escalate continues with a higher tier, which begins with new streaks and a new conversation.
func (l *Loop) escalate(s *State, tier int) {
	s.Tier, s.Streaks, s.Session = tier, nil, ""
	l.emit(s, Event{Kind: Escalated, Tier: l.tierName(s)})
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

// Failure is a failure as plain data. The host classifies it, and the loop chooses the reaction.
type Failure struct {
	// ErrorRecord is the part that the state lists. The loop completes it; see Loop.record.
	ErrorRecord
	// Effect is whether the operation did its work.
	Effect taxonomy.Effect `json:"effect,omitempty"`
	// Categorized reports that the failure has a code of the taxonomy.
	Categorized bool                        `json:"categorized"`
	Feedback    string                      `json:"feedback,omitempty"`
	Credential  string                      `json:"credential,omitempty"`
	RetryAfter  taxonomy.Opt[time.Duration] `json:"retryAfter,omitzero"`
	ResetAt     taxonomy.Opt[time.Time]     `json:"resetAt,omitzero"`
	// Chain is the reaction and its successors, with the profile and the adapted policies applied.
	// Their Then is nil.
	Chain []taxonomy.Reaction `json:"chain,omitempty"`
	// Others are further failures of the same operation, such as the other problems of a
	// configuration. They are recorded and change nothing.
	Others []Failure `json:"others,omitempty"`

	Decision Decision `json:"decision"`
	// Uncounted reports that the failure never counts, Reverted that no later inspection of the
	// iteration reverts for it.
	Uncounted bool `json:"uncounted,omitempty"`
	Reverted  bool `json:"reverted,omitempty"`
	// NotRepeatable reports that repeating the operation alone cannot help, because the failure is
	// a change that is not allowed, or a process died.
	NotRepeatable bool `json:"notRepeatable,omitempty"`
	// Causes are the failures whose reactions were being carried out.
	Causes []int `json:"causes,omitempty"`
	// Charged reports that the retry of the failure has asked for admission.
	Charged bool `json:"charged,omitempty"`

	// Evidence is the classified evidence; nil if it is missing, or the failure occurred in another
	// process.
	Evidence *taxonomy.Evidence `json:"-"`
}

// inPlace reports whether the reaction is a strategy after which only the operation is repeated.
func inPlace(r *taxonomy.Reaction) bool {
	return r.Action == taxonomy.Recover && r.Agent.Resume == taxonomy.ResumeOperation
}

// retryOf describes the failure to the call that retries it.
func (f *Failure) retryOf() *RetryOf {
	if f == nil {
		return nil
	}
	d := &f.Decision
	return &RetryOf{Code: f.Code, Policy: d.Reaction.Policy, Attempt: d.Attempt + 1, Wait: d.Wait, Charged: f.Charged}
}

// label returns the reason of a wait after the failure; see [Wait].
func (f *Failure) label() string {
	if f.Code != "" {
		return f.Code
	}
	return "retry"
}

// unresolved reports whether the iteration is not clean because of the failure.
func (f *Failure) unresolved() bool { return !f.Retried && f.Decision.Action != taxonomy.Continue }

// allowsCompletion reports whether the work that remains after the failure's revert may be
// delivered.
func (f *Failure) allowsCompletion() bool {
	return f.Decision.Reaction.Agent.AcceptCompletion && f.Decision.Action != taxonomy.Abort &&
		f.Decision.Action != taxonomy.Block
}

// PlainFailure is a failure that has only a text. The classifier does not get it.
type PlainFailure string

func (p PlainFailure) Error() string { return string(p) }

// Cause returns the failure as a Go error. If it occurred in another process, that is its message.
func (f *Failure) Cause() error {
	switch {
	case f == nil:
		return nil
	case f.Err != nil:
		return f.Err
	}
	return PlainFailure(f.Message)
}

// BudgetPolicy returns the policy by which a breaker judges the failure: the first of the chain
// with a budget, or the first.
func (f *Failure) BudgetPolicy() *taxonomy.Policy {
	var first *taxonomy.Policy
	for i := range f.Chain {
		p := f.Chain[i].Policy
		if p != nil && p.Budget != nil {
			return p
		}
		if first == nil {
			first = p
		}
	}
	return first
}
