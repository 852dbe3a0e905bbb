package loop

import "github.com/errgen/errgen/runtime/taxonomy"

// loadConfig runs the program's part of the setup.
func (l *Loop) loadConfig(_ *State, _ *Iteration) (Effect, continuation) {
	if !l.cfg.Setup {
		return Effect{}, to(StepLock)
	}
	return Effect{Op: OpLoadConfig, Source: SourceConfig}, to(StepLock)
}

// lock locks the working tree.
func (l *Loop) lock(s *State, _ *Iteration) (Effect, continuation) {
	next := StepClean
	if l.afterSetup == StepPrepare {
		next = StepPrepare
	}
	if !l.cfg.Workspace {
		return Effect{}, to(next)
	}
	e := Effect{Op: OpLock, Source: SourceExecutor, Graced: s.Iter.Open, Trees: Trees{Checked: s.Checked}}
	return e, to(next)
}

// clean ends the processes that a dead process left running.
func (l *Loop) clean(s *State, _ *Iteration) (Effect, continuation) {
	e := Effect{Op: OpResume, Source: SourceExecutor, Processes: s.Processes, Graced: true}
	return e, func(*Outcome, bool) Step { return l.endSetup(s, l.afterSetup) }
}

// prepare records the tree of a new run.
func (l *Loop) prepare(s *State, _ *Iteration) (Effect, continuation) {
	e := Effect{}
	if l.cfg.Workspace {
		e = Effect{Op: OpPrepare, Source: SourceExecutor}
	}
	return e, func(out *Outcome, _ bool) Step {
		if out != nil {
			s.Checked, s.Delivered, s.Committed = out.Trees.Checked, out.Trees.Checked, out.Trees.Checked
		}
		return l.endSetup(s, StepHead)
	}
}

// endSetup ends the setup. The run continues with the step next.
func (l *Loop) endSetup(s *State, next Step) Step {
	l.afterSetup = ""
	if s.Iter.Open {
		l.emitIterationStarted(s)
	}
	return next
}

// update merges the commits that a person made while the run was over. If that is impossible, the
// run continues without them.
func (l *Loop) update(s *State, it *Iteration) (Effect, continuation) {
	next := func(out *Outcome, _ bool) Step {
		if out != nil {
			s.Checked, s.Delivered, s.Committed = out.Trees.Checked, out.Trees.Delivered, out.Trees.Committed
		}
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
	if !l.cfg.Workspace || s.Checked == "" {
		return Effect{}, next
	}
	trees := Trees{Checked: s.Checked, Delivered: s.Delivered, Committed: s.Committed}
	return Effect{Op: OpUpdate, Source: SourceGit, Trees: trees}, next
}

// available checks whether the tier's provider can be used.
func (l *Loop) available(s *State, _ *Iteration) (Effect, continuation) {
	return Effect{Op: OpAvailable, Source: l.providerName(s)}, func(_ *Outcome, ok bool) Step {
		if ok {
			s.Available = append(s.Available, s.Tier)
		}
		return StepHead
	}
}

// failSetup ends the run because its setup failed. Before the first iteration nothing is saved, so
// that another process can try again.
func (l *Loop) failSetup(s *State, f *Failure) Step {
	last := l.record(s, f, 0)
	s.LastError = &last
	p := l.endRun(s, f.Decision.End, f.Decision.Reaction.Agent.Extent == taxonomy.ExtentRun)
	if l.inSetup() || s.Iter.Number == 0 {
		return stepAbandon
	}
	return p
}

// currentTier returns the run's tier. It is empty if the configuration does not have that tier.
func (l *Loop) currentTier(s *State) Tier {
	if s.Tier < 0 || s.Tier >= len(l.cfg.Ladder) {
		return Tier{}
	}
	return l.cfg.Ladder[s.Tier]
}

// providerName returns the name of the tier's provider.
func (l *Loop) providerName(s *State) string { return l.currentTier(s).Provider }

// tierName returns the name of the tier.
func (l *Loop) tierName(s *State) string { return l.currentTier(s).Name }

// cancelled reports whether the run was cancelled, which the iteration records.
func (l *Loop) cancelled(it *Iteration) bool {
	it.Cancelled = it.Cancelled || l.env.Cancelled()
	return it.Cancelled
}
