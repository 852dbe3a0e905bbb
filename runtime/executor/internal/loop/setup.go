package loop

import "github.com/errgen/errgen/runtime/taxonomy"

// loadConfig runs the program's part of the setup.
func (l *Loop) loadConfig(*State, *Iteration) Operation { return when(l.cfg.Setup, LoadConfig{}) }

// lock locks the working tree.
func (l *Loop) lock(s *State, _ *Iteration) Operation {
	return when(l.cfg.Workspace, Lock{Continue: s.Checked != ""})
}

func (l *Loop) locked(*State, *Iteration, *struct{}, bool) Step {
	if l.afterSetup == StepPrepare {
		return StepPrepare
	}
	return StepClean
}

// clean ends the processes that a dead process left running.
func (l *Loop) clean(s *State, _ *Iteration) Operation { return EndProcesses{s.Processes} }

func (l *Loop) cleaned(s *State, _ *Iteration, _ *struct{}, _ bool) Step {
	return l.endSetup(s, l.afterSetup)
}

// prepare records the tree of a new run.
func (l *Loop) prepare(*State, *Iteration) Operation { return when(l.cfg.Workspace, Prepare{}) }

func (l *Loop) prepared(s *State, _ *Iteration, tree *Tree, _ bool) Step {
	if tree != nil {
		s.Trees = Trees{*tree, *tree, *tree}
	}
	return l.endSetup(s, StepHead)
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
func (l *Loop) update(s *State, _ *Iteration) Operation {
	return when(l.cfg.Workspace && s.Checked != "", Update{s.Trees})
}

func (l *Loop) updated(s *State, it *Iteration, trees *Trees, _ bool) Step {
	if trees != nil {
		s.Trees = *trees
	}
	if s.ByHand {
		l.open(s)
		it.Answered, it.Signal, s.ByHand = true, SignalDone, false
		return l.inspect(it, StepDeliver)
	}
	return StepHead
}

// available checks whether the tier's provider can be used.
func (l *Loop) available(*State, *Iteration) Operation { return Available{} }

func (l *Loop) checkedAvailable(s *State, _ *Iteration, _ *struct{}, ok bool) Step {
	if ok {
		s.Available = append(s.Available, s.Tier)
	}
	return StepHead
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
