package loop

// abandon ends a process whose setup failed: it files and notifies, and saves nothing.
func (l *Loop) abandon(s *State) {
	if s.End == "" {
		s.End = EndCancelled
	}
	for s.Step = StepFile; s.Step != StepOver; s.Step = l.step(s) {
	}
}

// endRun ends the run.
func (l *Loop) endRun(s *State, end EndReason, endsRun bool) Step {
	if s.End == "" {
		s.End, s.EndsRun, s.Ended = end, endsRun, l.now(s)
	}
	return StepInspectEnd
}

// inspectEnd finds the changes that remain when the run is over.
func (l *Loop) inspectEnd(s *State, it *Iteration) (Effect, continuation) {
	if !l.cfg.Workspace || s.Checked == "" || s.End == EndDryRun {
		return Effect{}, to(StepSaveEnd)
	}
	e := Effect{
		Op: OpDetect, Source: SourceGit, Trees: Trees{Checked: s.Checked, Committed: s.Committed}, Graced: true,
	}
	return e, func(out *Outcome, _ bool) Step {
		if out != nil {
			it.Found, it.Count, s.Uncommitted = out.Trees.Found, out.Count, out.Left
			s.Unchecked = union(s.Unchecked, out.Paths)
		}
		return StepSaveEnd
	}
}

// saveEnd saves the changes that remain unchecked when the run is over.
func (l *Loop) saveEnd(s *State, it *Iteration) (Effect, continuation) {
	if len(s.Unchecked) == 0 || it.Count == 0 {
		return Effect{}, to(StepBranchEnd)
	}
	return foundEffect(OpSave, s, it, nil), func(out *Outcome, _ bool) Step {
		l.addRef(s, out)
		return StepBranchEnd
	}
}

// branchEnd delivers the commits of a run that ended before its task was done.
func (l *Loop) branchEnd(s *State, _ *Iteration) (Effect, continuation) {
	if !s.undelivered() {
		return Effect{}, to(StepForward)
	}
	return Effect{Op: OpDeliver, Source: SourceGit, Graced: true}, func(out *Outcome, _ bool) Step {
		l.addBranch(s, out)
		return StepForward
	}
}

// forward forwards the person's branch to the delivered commits of a completed run.
func (l *Loop) forward(s *State, _ *Iteration) (Effect, continuation) {
	if s.End != EndCompleted || s.Branch == "" || l.cfg.KeepBranch || l.cfg.Deliver >= DeliverPullRequest {
		return Effect{}, to(StepFile)
	}
	return Effect{Op: OpForward, Source: SourceGit, Graced: true}, func(out *Outcome, _ bool) Step {
		switch {
		case out == nil:
		case out.Why != "":
			l.warn(s, "the result is "+s.Branch+", because "+out.Why+": "+out.Text)
		default:
			l.emit(s, Event{Kind: Forwarded, Text: s.Branch})
			s.Branch = ""
		}
		return StepFile
	}
}

// file files the task.
func (l *Loop) file(s *State, _ *Iteration) (Effect, continuation) {
	if !l.cfg.Filer || s.End == EndDryRun {
		return Effect{}, to(StepNotify)
	}
	return Effect{Op: OpFile, Source: SourceExecutor, State: s, Graced: true}, to(StepNotify)
}

// notify notifies people about the end of the run.
func (l *Loop) notify(s *State, _ *Iteration) (Effect, continuation) {
	if !l.cfg.Notifier || s.End == EndDryRun {
		return Effect{}, to(StepOver)
	}
	return Effect{Op: OpNotify, Source: SourceNotify, State: s, Graced: true}, to(StepOver)
}
