package loop

import (
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	maxFeedback = 50
	maxReports  = 8 // errors with a report in the state
)

// close updates the feedback, the counters and the checked tree after an iteration.
func (l *Loop) close(s *State, it *Iteration) Step {
	l.cancelled(it)
	s.Unchecked = it.unchecked()
	if it.Answered {
		s.Feedback = slices.Clone(s.Feedback[min(it.Sent, len(s.Feedback)):])
	}
	counts, unresolved := false, false
	for i := range it.Failures {
		f := &it.Failures[i]
		if !f.Retried && f.Decision.Reaction.Agent.FeedBack {
			s.Feedback = append(s.Feedback, Feedback{it.Number, f.Code, f.Feedback})
		}
		f.Counted = f.Decision.Counts && !f.Uncounted && !it.Interrupted && !it.Cancelled && !it.Completed
		counts = counts || f.Counted
		unresolved = unresolved || f.unresolved()
	}
	s.Feedback = s.Feedback[max(0, len(s.Feedback)-maxFeedback):]
	it.Clean = !counts && it.Answered && !it.Undetected && !it.Cancelled && (it.Completed || !unresolved)
	switch {
	case counts:
		s.Failures++
		s.Counted++
	case it.Clean:
		s.Failures, s.Streaks, s.LastError = 0, nil, nil
	}
	s.Checked = it.Checked
	return StepEnd
}

// precedence returns the rank of an action. The greatest rank in an iteration wins.
func precedence(a taxonomy.Action) int {
	return [...]int{
		taxonomy.Abort: 7, taxonomy.Block: 6, taxonomy.Escalate: 5, taxonomy.Recover: 4,
		taxonomy.Retry: 3, taxonomy.RetryOperation: 2, taxonomy.Continue: 1,
	}[a]
}

// winner returns the index of the failure whose reaction is carried out, or -1. On a tie the
// earlier failure wins, unless its reaction caused the later one.
func (it *Iteration) winner() int {
	best := -1
	for i := range it.Failures {
		f := &it.Failures[i]
		if f.Retried {
			continue
		}
		if best >= 0 {
			a, b := precedence(f.Decision.Action), precedence(it.Failures[best].Decision.Action)
			if a < b || a == b && !slices.Contains(f.Causes, best) {
				continue
			}
		}
		best = i
	}
	return best
}

// end ends the run after an iteration, or carries out the winning reaction.
func (l *Loop) end(s *State, it *Iteration) Step {
	i := it.winner()
	var w *Failure
	action := taxonomy.Continue
	if i >= 0 {
		w = &it.Failures[i]
		action = w.Decision.Action
	}
	end := EndReason("")
	switch {
	case it.Completed:
		end = EndCompleted
	case l.cancelled(it):
		end = EndCancelled
	case action == taxonomy.Abort:
		end = EndFatal
	case reached(s.Failures, l.cfg.Limits.Failures):
		end = EndMaxFailures
	case reached(s.Counted, l.cfg.Limits.Attempts):
		end = EndAttemptsUsedUp
	case action == taxonomy.Block:
		end = w.Decision.End
	case it.Signal == SignalBlocked && (it.Answered || it.Blocked) && (w == nil || !w.unresolved()):
		end = EndBlockedSignal
	case l.iterationsExhausted(s):
		end = EndMaxIterations
	}
	if end == "" && action == taxonomy.Recover {
		return l.beginRecovery(s, w, i, StepEnd)
	}
	if end == "" {
		return l.nextIteration(s, it, w)
	}
	if end.Status() == StatusBlocked { // also if a failure ended the iteration of the question
		s.Question = it.Question
	}
	for j := range it.Failures {
		if f := &it.Failures[j]; f.unresolved() {
			l.pause(s, f)
		}
	}
	endsRun := w != nil && w.Decision.ends() && end != EndCancelled &&
		w.Decision.Reaction.Agent.Extent == taxonomy.ExtentRun
	l.finish(s, it, w)
	return l.endRun(s, end, endsRun)
}

// nextIteration ends the iteration and prepares the next one, with the longest wait that a failure
// requires. If any failure requires a new conversation, the next iteration begins one. W is the
// failure whose reaction won, or nil.
func (l *Loop) nextIteration(s *State, it *Iteration, w *Failure) Step {
	s.NotBefore = s.Now
	for i := range it.Failures {
		f := &it.Failures[i]
		if !f.unresolved() {
			continue
		}
		l.pause(s, f)
		if until := s.Now.Add(f.Decision.Wait); until.After(s.NotBefore) {
			s.NotBefore = until
		}
		switch f.Decision.Reaction.Agent.Session {
		case taxonomy.SessionReduced:
			s.Session, s.Reduced = "", true
		case taxonomy.SessionFresh:
			s.Session = ""
		}
	}
	s.Retried = nil
	if w != nil && w.Op == OpCall && w.Decision.Action == taxonomy.Retry {
		retried := *w
		s.Retried = &retried
	}
	l.finish(s, it, w)
	if w != nil && w.Decision.Action == taxonomy.Escalate {
		l.escalate(s, w.Decision.Tier)
	}
	return StepHead
}

// finish adds the iteration's failures to the state's errors, and reduces the iteration to its
// summary. W is the failure whose reaction won, or nil.
func (l *Loop) finish(s *State, it *Iteration, w *Failure) {
	for i := range it.Failures {
		f := &it.Failures[i]
		if rec := l.record(s, f, it.Number); f == w && !it.Clean {
			s.LastError = &rec
		}
	}
	l.emit(s, Event{Kind: IterationEnded, Took: s.Now.Sub(it.Began)})
	s.Iter = Iteration{
		Number: it.Number, Began: it.Began, Calls: it.Calls, Spent: it.Spent, Provider: it.Provider,
		Changed: it.Changed,
		Clean:   it.Clean, Completed: it.Completed, Interrupted: it.Interrupted, Cancelled: it.Cancelled,
		Blocked: it.Blocked,
	}
	s.Crashes = 0
}

// record adds a failure to the state's errors, and returns the complete record.
func (l *Loop) record(s *State, f *Failure, iteration int) ErrorRecord {
	rec, d := f.ErrorRecord, &f.Decision
	rec.Iteration, rec.Tier, rec.Reaction, rec.Action = iteration, s.Tier, d.Reaction.Name, d.Action.String()
	if p := d.Reaction.Agent.Purpose; p != taxonomy.PurposeNone {
		rec.Purpose = p.String()
	}
	if f.Op != OpCall && !strings.HasPrefix(f.Op, OpValidate) {
		rec.Files = rec.Files[:min(len(rec.Files), maxListed)]
	}
	stored := rec
	stored.Wire = nil
	if n := len(s.Errors) - maxReports + 1; n > 0 {
		s.Errors[n-1].Report = ""
	}
	s.Errors = push(s.Errors, stored)
	s.ErrorCount++
	if s.Reactions == nil {
		s.Reactions = map[string]int{}
	}
	s.Reactions[rec.Reaction]++
	return rec
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
	case action == taxonomy.Recover && f.Decision.Reaction.inPlace() && !f.NotRepeatable:
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
	out := l.do(s, &Effect{Do: Recover{f}, Source: f.Source})
	s.Recover = Recovery{}
	if !l.inSetup() { // the setup has yet to end those of a dead process
		s.Processes = nil
	}
	l.emit(s, Event{
		Kind: Recovered, For: f.Cause(), Op: f.Op, Source: f.Source, Reaction: f.Decision.Reaction.Reaction,
		Attempt: f.Decision.Attempt, MaxAttempts: f.Decision.maxAttempts(), Text: strategy, failure: out.Failure,
	})
	if out.Failure != nil {
		l.warn(s, "strategy "+strategy+": "+out.Failure.Message)
		l.decideNext(s, it, f)
	}
	it.Cancelled = it.Cancelled || out.Cancelled
	switch {
	case r.Next == StepEnd:
		if out.Failure == nil && !out.Cancelled {
			return l.nextIteration(s, it, f)
		}
		return StepEnd
	case out.Cancelled && l.inSetup():
		return stepAbandon
	case out.Cancelled:
		return l.after(s, it, r.Next, false)
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
		pause := Pause{Credential: f.Credential, Until: s.Now.Add(f.Decision.Wait)}
		l.do(s, &Effect{Do: pause, Source: l.providerName(s), Graced: true})
	}
}

// escalate continues with a higher tier, which begins with new streaks and a new conversation.
func (l *Loop) escalate(s *State, tier int) {
	s.Tier, s.Streaks, s.Session = tier, nil, ""
	l.emit(s, Event{Kind: Escalated, Tier: l.tierName(s)})
}
