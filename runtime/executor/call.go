package executor

import (
	"github.com/errgen/errgen/runtime/taxonomy"
)

// prompt returns the input of the next prompt.
func (l *Loop) prompt(s *RunState) *PromptInput {
	return &PromptInput{
		Task: s.Task, Iteration: s.Iter.Number, Tier: l.tierName(s), Session: s.Session, Reduced: s.Reduced,
		Reports: s.Feedback, Errors: s.Errors, Answers: s.Answers, Mark: s.mark(),
	}
}

// call calls the provider and records its answer or its failure. An inspection finds its changes.
func (l *Loop) call(s *RunState, it *Iteration) Step {
	began := l.now(s)
	l.emit(s, Event{Kind: CallStarted, Source: l.providerName(s), Tier: l.tierName(s)})
	e := Effect{Op: OpCall, Source: l.providerName(s), Limit: l.timeLeft(s), Prompt: l.prompt(s)}
	if e.Limit > 0 {
		e.Span = it.Ends.Sub(it.Began)
	}
	out := l.do(s, e)
	a := Answer{}
	if out.Answer != nil {
		a = *out.Answer
	}
	it.Spent.end(a.Usage)
	s.Spent.end(a.Usage)
	s.Processes = nil
	l.emit(s, Event{
		Kind: CallEnded, Source: l.providerName(s), Tier: l.tierName(s), Took: l.now(s).Sub(began), Usage: a.Usage,
	})
	s.Retried = nil
	switch {
	case !l.cfg.Continue:
		s.Session = ""
	case a.Session != "":
		s.Session = a.Session
	}
	switch {
	case out.Cancelled:
		it.Cancelled = true
		return l.inspect(it, StepDeliver)
	case out.Failure == nil:
		it.Answered, it.Signal, it.Question, s.Text, s.Reduced = true, a.Signal, a.Question, a.Text, false
		if a.Session == "" {
			s.Session = ""
		}
		return l.inspect(it, StepDeliver)
	}
	return l.callFailed(s, it, &out, a)
}

// callFailed records the failure of a call and reacts to it. A call that continued a conversation
// is repeated once in a new one, if the failure has no code or its reaction requires a new one.
func (l *Loop) callFailed(s *RunState, it *Iteration, out *Outcome, a Answer) Step {
	op := OpCall
	if out.Failure.Op == OpResume { // the process that made the call died
		op, it.Interrupted, out.Failure.Found = OpResume, true, true
	}
	i := l.addFailure(s, it, op, l.providerName(s), out.Failure, nil, nil)
	f := &it.Failures[i]
	d := &f.Decision
	switch {
	case it.Interrupted:
		return l.inspect(it, StepDeliver)
	case !f.Categorized && a.Signal == SignalBlocked:
		f.Retried, f.Uncounted, it.Blocked, it.Signal, it.Question = true, true, true, a.Signal, a.Question
		return l.inspect(it, StepDeliver)
	case it.Fresh || it.With == "": // the conversation was new
		return l.react(s, it, i, StepCall)
	case f.Categorized && (d.Reaction.Session != taxonomy.SessionFresh || d.ends()):
		return l.react(s, it, i, StepCall)
	}
	if !f.Categorized {
		d.Wait = 0
	}
	if !it.Ends.IsZero() && !it.Ends.After(s.Now.Add(d.Wait)) {
		return l.react(s, it, i, StepCall)
	}
	// A continued conversation failed: call once more in a new one.
	it.Fresh, f.Uncounted, s.Session = true, true, ""
	return l.retryInPlace(s, it, i, StepCall)
}

// interrupted records a failure for the call during which a process died.
func (l *Loop) interrupted(s *RunState, it *Iteration) Step {
	it.Interrupted, s.Processes = true, nil
	f := l.env.Classify(taxonomy.Evidence{
		Source: sourceExecutor, Op: OpResume, Type: "interrupted", Text: "the executor ended during a call",
		Attributes: map[string]string{"provider": l.providerName(s)},
	})
	f.Found = true
	l.addFailure(s, it, OpResume, sourceExecutor, &f, nil, nil)
	return l.inspect(it, StepDeliver)
}

// react reacts to failure i, in the failed step. It carries out a reaction that repeats only the
// operation. Otherwise the run continues after the step, and end carries out the winning reaction.
// During the setup no iteration is open, so react carries out all reactions.
func (l *Loop) react(s *RunState, it *Iteration, i int, failed Step) Step {
	f := &it.Failures[i]
	d := &f.Decision
	repeats := d.Action == taxonomy.RetryOperation
	setup := l.back != "" || failed == StepAvailable
	if setup {
		if d.Action != taxonomy.Recover && !d.ends() {
			l.record(s, f, 0)
		}
		repeats = repeats || d.Action == taxonomy.Retry || d.Action == taxonomy.Escalate
		switch {
		case d.Action == taxonomy.Abort:
			return l.failSetup(s, f)
		case d.Action != taxonomy.Continue && d.Counts && reached(len(it.Failures), l.cfg.Limits.Failures):
			d.End = EndMaxFailures
			return l.failSetup(s, f)
		case d.Action == taxonomy.Block:
			return l.failSetup(s, f)
		case d.Action == taxonomy.Continue:
			l.warn(s, "continue without "+f.Op+": "+f.Message)
		case d.Action == taxonomy.Escalate:
			l.escalate(s, d.Tier)
			failed = StepHead
		}
	}
	if d.Action == taxonomy.Continue && traitsOf(f.Op).class == classDeliver {
		l.warn(s, "continue without "+f.Op+": "+f.Message)
	}
	switch {
	case d.Action == taxonomy.Recover && (d.Reaction.inPlace() && !f.Found || setup):
		return l.beginRecovery(s, f, i, failed)
	case repeats:
		return l.retryInPlace(s, it, i, failed)
	}
	return l.after(s, it, failed, d.Action == taxonomy.Continue)
}

// retryInPlace waits and repeats the failed step. If the reaction specifies it, the work of a
// failed call is reverted before the next call.
func (l *Loop) retryInPlace(s *RunState, it *Iteration, i int, failed Step) Step {
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
	if failed == StepCall && d.Reaction.Revert != taxonomy.RevertNone {
		it.BeforeRetry, it.RetryPending = true, Pending{until, f.label(), next}
		return l.inspect(it, "")
	}
	return l.waitUntil(s, until, f.label(), next)
}

// beginRecovery begins a strategy. It counts the run of the strategy before the state is saved.
// When the strategy succeeded, the run continues with the step next.
func (l *Loop) beginRecovery(s *RunState, f *Failure, i int, next Step) Step {
	if s.Recoveries == nil {
		s.Recoveries = map[string]int{}
	}
	s.Recoveries[f.streak(f.Decision.Depth)]++
	s.Recover = Recovery{Failure: i, Next: next}
	if l.back != "" {
		return l.recover(s, l.iteration(s))
	}
	return StepRecover
}

// recover runs the strategy of a reaction. If the strategy succeeds, the failed step is repeated,
// or the next iteration begins. Otherwise the next reaction of the chain follows.
func (l *Loop) recover(s *RunState, it *Iteration) Step {
	r := s.Recover
	f := &it.Failures[r.Failure]
	strategy := f.Decision.Reaction.Strategy
	out := l.do(s, Effect{Op: OpRecover, Source: f.Source, Failed: f, Attempt: f.Decision.Attempt})
	s.Recover = Recovery{}
	l.emit(s, Event{
		Kind: Recovered, For: f.error(), Op: f.Op, Source: f.Source, Reaction: f.Decision.Reaction.Reaction,
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
			return l.nextIteration(s, it)
		}
		return StepEnd
	case out.Cancelled && l.back != "":
		return stepAbandon
	case out.Cancelled:
		return l.after(s, it, r.Next, false)
	case out.Failure != nil:
		return l.react(s, it, r.Failure, r.Next)
	case l.back != "" || r.Next == StepAvailable:
		l.record(s, f, 0)
	}
	return l.retryInPlace(s, it, r.Failure, r.Next)
}

// pause makes all users of the failure's credential wait, if the reaction specifies that.
func (l *Loop) pause(s *RunState, f *Failure) {
	if f.Decision.Reaction.Shared == taxonomy.SharedCredential && f.Decision.Wait > 0 {
		l.do(s, Effect{
			Op: OpPause, Source: l.providerName(s), Lane: f.Credential, Until: s.Now.Add(f.Decision.Wait), Graced: true,
		})
	}
}

// escalate continues with a higher tier, which begins with new streaks and a new conversation.
func (l *Loop) escalate(s *RunState, tier int) {
	s.Tier, s.Streaks, s.Session = tier, nil, ""
	l.emit(s, Event{Kind: Escalated, Tier: l.tierName(s)})
}
