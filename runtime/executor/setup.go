package executor

import (
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// loadConfig runs the program's part of the setup.
func (l *Loop) loadConfig(s *RunState, it *Iteration) Step {
	if !l.cfg.Setup {
		return StepLock
	}
	return l.perform(s, it, Effect{Op: OpLoadConfig, Source: sourceConfig}, to(StepLock))
}

// lock locks the working tree.
func (l *Loop) lock(s *RunState, it *Iteration) Step {
	next := StepClean
	if l.back == StepPrepare {
		next = StepPrepare
	}
	if !l.cfg.Workspace {
		return next
	}
	e := Effect{Op: OpLock, Source: sourceExecutor, Graced: s.Iter.Open}
	return l.perform(s, it, e, to(next))
}

// clean ends the processes that a dead process left running.
func (l *Loop) clean(s *RunState, it *Iteration) Step {
	e := Effect{Op: OpResume, Source: sourceExecutor, Processes: s.Processes, Graced: true}
	return l.perform(s, it, e, func(*Outcome, bool) Step { return l.endSetup(s, l.back) })
}

// prepare records the tree of a new run.
func (l *Loop) prepare(s *RunState, it *Iteration) Step {
	if !l.cfg.Workspace {
		return l.endSetup(s, StepHead)
	}
	return l.perform(s, it, Effect{Op: OpPrepare, Source: sourceExecutor}, func(out *Outcome, _ bool) Step {
		s.setTrees(out)
		return l.endSetup(s, StepHead)
	})
}

func (s *RunState) setTrees(out *Outcome) {
	if out != nil {
		s.Checked, s.Delivered, s.Committed = out.Trees.Checked, out.Trees.Delivered, out.Trees.Committed
	}
}

// endSetup ends the setup. The run continues with the step next.
func (l *Loop) endSetup(s *RunState, next Step) Step {
	l.back = ""
	if s.Iter.Open {
		l.emitIterationStarted(s)
	}
	return next
}

// adopt accepts the changes that a person made while the run was over.
func (l *Loop) adopt(s *RunState, it *Iteration) Step {
	next := func(out *Outcome, _ bool) Step {
		s.setTrees(out)
		switch {
		case it.Cancelled:
			return l.endRun(s, EndCancelled, false)
		case s.ByHand:
			l.open(s)
			it.Answered, it.Signal, s.ByHand = true, SignalDone, false
			return l.inspect(it, StepDeliver)
		}
		return StepHead
	}
	if !l.cfg.Workspace || s.Checked == "" || s.Undetected {
		return next(nil, true)
	}
	return l.perform(s, it, Effect{
		Op: OpAdopt, Source: sourceExecutor, Paths: s.Unchecked,
		Trees: Trees{Checked: s.Checked, Delivered: s.Delivered, Committed: s.Committed},
	}, next)
}

// available checks whether the tier's provider can be used.
func (l *Loop) available(s *RunState, it *Iteration) Step {
	return l.perform(s, it, Effect{Op: OpAvailable, Source: l.providerName(s)}, func(_ *Outcome, ok bool) Step {
		if ok {
			s.Available = append(s.Available, s.Tier)
		}
		return StepHead
	})
}

// failSetup ends the run because its setup failed. Before the first iteration nothing is saved, so
// that another process can try again.
func (l *Loop) failSetup(s *RunState, f *Failure) Step {
	last := l.record(s, f, 0)
	s.LastError = &last
	p := l.endRun(s, f.Decision.End, f.Decision.Reaction.Extent == taxonomy.ExtentRun)
	if l.back != "" || s.Iter.Number == 0 {
		return stepAbandon
	}
	return p
}

// currentTier returns the run's tier. It is empty if the configuration does not have that tier.
func (l *Loop) currentTier(s *RunState) Tier {
	if s.Tier < 0 || s.Tier >= len(l.cfg.Ladder) {
		return Tier{}
	}
	return l.cfg.Ladder[s.Tier]
}

// providerName returns the name of the tier's provider.
func (l *Loop) providerName(s *RunState) string { return l.currentTier(s).Provider }

// tierName returns the name of the tier.
func (l *Loop) tierName(s *RunState) string { return l.currentTier(s).Name }

// cancelled reports whether the run was cancelled, which the iteration records.
func (l *Loop) cancelled(it *Iteration) bool {
	it.Cancelled = it.Cancelled || l.env.Cancelled()
	return it.Cancelled
}

// head is the step before an iteration: it checks the limits and waits.
func (l *Loop) head(s *RunState, _ *Iteration) Step {
	now := l.now(s)
	switch {
	case l.env.Cancelled():
		return l.endRun(s, EndCancelled, false)
	case !s.Deadline.IsZero() && !now.Before(s.Deadline):
		return l.endRun(s, EndDeadline, false)
	case l.iterationsExhausted(s):
		return l.endRun(s, EndMaxIterations, false)
	case s.NotBefore.After(now):
		if !s.Deadline.IsZero() && s.NotBefore.After(s.Deadline) {
			return l.endRun(s, EndDeadline, false)
		}
		why := "retry"
		if s.LastError != nil && s.LastError.Code != "" {
			why = s.LastError.Code
		}
		return l.waitUntil(s, s.NotBefore, why, StepHead)
	case !slices.Contains(s.Available, s.Tier):
		return StepAvailable
	case l.cfg.DryRun:
		p := l.prompt(s)
		p.Iteration++
		out := l.do(s, Effect{Op: OpCall, Source: l.providerName(s), Prompt: p})
		s.Text = out.Text
		return l.endRun(s, EndDryRun, false)
	}
	return StepAdmit
}

func (l *Loop) iterationsExhausted(s *RunState) bool {
	return s.Iter.Number-s.Reopened >= l.cfg.Limits.Iterations
}

// open begins the next iteration, unless one is open.
func (l *Loop) open(s *RunState) {
	if s.Iter.Open {
		return
	}
	now := l.now(s)
	s.Iter = Iteration{
		Number: s.Iter.Number + 1, Open: true, Began: now, Checked: s.Checked, Sent: len(s.Feedback),
	}
	if bounded(l.cfg.Limits.Iteration) {
		s.Iter.Ends = now.Add(l.cfg.Limits.Iteration)
	}
	if !s.Deadline.IsZero() && (s.Iter.Ends.IsZero() || s.Deadline.Before(s.Iter.Ends)) {
		s.Iter.Ends = s.Deadline
	}
	l.emitIterationStarted(s)
}

func (l *Loop) emitIterationStarted(s *RunState) {
	l.emit(s, Event{Kind: IterationStarted, Tier: l.tierName(s), Session: s.Session})
}

// admit asks the admitter whether the next call may be made. If it may, admit opens the iteration,
// unless it is open.
func (l *Loop) admit(s *RunState, it *Iteration) Step {
	if it.Open && l.cancelled(it) {
		return l.inspect(it, StepDeliver)
	}
	now := l.now(s)
	call := Call{
		Run: s.Task.Run, Task: s.Task.ID, Provider: l.providerName(s), Tier: s.Tier, Iteration: it.Number, Now: now,
		InPlace: it.Open, OverBudget: it.Open && it.OverBudget, RetryOf: s.Retried.retryOf(), Total: s.Spent,
	}
	if it.Open {
		call.Attempt = it.Spent
	} else {
		call.Iteration++
	}
	out := l.do(s, Effect{Op: OpBudget, Source: sourceBudget, Call: &call, Limit: l.timeLeft(s)})
	switch {
	case out.Cancelled && !it.Open:
		return l.endRun(s, EndCancelled, false)
	case out.Cancelled:
		it.Cancelled = true
		return l.inspect(it, StepDeliver)
	case out.Until.After(now):
		return l.waitForAdmission(s, it, &out)
	case out.Exhausted && s.Retried != nil:
		return l.retryBudgetExhausted(s)
	case out.Exhausted:
		f := l.env.Classify(taxonomy.Evidence{Source: sourceBudget, Op: OpBudget, Type: "exceeded"})
		out.Failure = &f
	}
	l.open(s)
	if f := out.Failure; f != nil {
		op, source := OpBudget, sourceBudget
		if f.Op != "" { // a measure before the call failed
			op, source = f.Op, f.Source
		}
		i := l.addFailure(s, it, op, source, f, nil, nil)
		return l.react(s, it, i, StepAdmit)
	}
	it.OverBudget = false
	it.Calls++
	it.Spent.begin()
	s.Spent.begin()
	it.With, it.Provider = s.Session, l.providerName(s)
	return StepCall
}

// timeLeft returns the remaining time of the open iteration; 0 is no limit.
func (l *Loop) timeLeft(s *RunState) time.Duration {
	if !s.Iter.Open || s.Iter.Ends.IsZero() {
		return 0
	}
	return max(s.Iter.Ends.Sub(s.Now), time.Nanosecond)
}

// retryBudgetExhausted continues with the next reaction of the failed call, because the shared
// budget has no retry left.
func (l *Loop) retryBudgetExhausted(s *RunState) Step {
	it := &s.Iter
	i := it.lastRetried()
	if !it.Open || i < 0 { // the retry would have been the next iteration
		l.open(s)
		f := *s.Retried
		f.Uncounted = true
		i, it.Failures = len(it.Failures), append(it.Failures, f)
	}
	s.Retried = nil
	f := &it.Failures[i]
	f.Retried = false
	l.decideNext(s, it, f)
	return l.react(s, it, i, StepCall)
}

// lastRetried returns the index of the last failed call that another call is about to replace, or
// -1.
func (it *Iteration) lastRetried() int {
	for i := len(it.Failures) - 1; i >= 0; i-- {
		if it.Failures[i].Op == OpCall && it.Failures[i].Retried {
			return i
		}
	}
	return -1
}

// waitForAdmission waits for a lane, the breaker or a precaution. If the wait would pass the run's
// deadline, the run ends. If it would pass the iteration's deadline, the iteration ends.
func (l *Loop) waitForAdmission(s *RunState, it *Iteration, out *Outcome) Step {
	if it.Open && !it.Ends.IsZero() && out.Until.After(it.Ends) {
		if i := it.lastRetried(); i >= 0 {
			f := &it.Failures[i]
			f.Retried, f.Decision.Action, f.Decision.Wait = false, taxonomy.Retry, 0
		}
		return l.inspect(it, StepDeliver)
	}
	if !s.Deadline.IsZero() && out.Until.After(s.Deadline) {
		return l.endRun(s, EndDeadline, false)
	}
	return l.waitUntil(s, out.Until, out.Why, StepAdmit)
}
