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
func (l *Loop) inspectEnd(s *State, _ *Iteration) *Effect {
	if !l.cfg.Workspace || s.Checked == "" || s.End == EndDryRun {
		return nil
	}
	return &Effect{Do: Detect{Trees: Trees{Checked: s.Checked, Committed: s.Committed}}, Graced: true}
}

func (l *Loop) inspectedEnd(s *State, it *Iteration, found *Changes, _ bool) Step {
	if found != nil {
		it.Found, it.Count, s.Uncommitted = found.Found, found.Count, found.Left
		s.Unchecked = union(s.Unchecked, found.Paths)
	}
	return StepSave
}

// forward forwards the person's branch to the delivered commits of a completed run.
func (l *Loop) forward(s *State, _ *Iteration) *Effect {
	if s.End != EndCompleted || s.Branch == "" || l.cfg.KeepBranch || l.cfg.Deliver >= DeliverPullRequest {
		return nil
	}
	return &Effect{Do: Forward{}, Graced: true}
}

func (l *Loop) forwarded(s *State, _ *Iteration, f *Forwarding, _ bool) Step {
	switch {
	case f == nil:
	case f.Why != "":
		l.warn(s, "the result is "+s.Branch+", because "+f.Why+": "+f.Command)
	default:
		l.emit(s, Event{Kind: Forwarded, Text: s.Branch})
		s.Branch = ""
	}
	return StepFile
}

// file files the task.
func (l *Loop) file(s *State, _ *Iteration) *Effect {
	if !l.cfg.Filer || s.End == EndDryRun {
		return nil
	}
	return &Effect{Do: File{s}, Graced: true}
}

// notify notifies people about the end of the run.
func (l *Loop) notify(s *State, _ *Iteration) *Effect {
	if !l.cfg.Notifier || s.End == EndDryRun {
		return nil
	}
	return &Effect{Do: Notify{s}, Graced: true}
}
