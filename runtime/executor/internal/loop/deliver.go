package loop

import "slices"

// Delivery selects how finished work is delivered.
type Delivery uint8

// The deliveries; each includes the ones before it.
const (
	DeliverNothing     Delivery = iota // changes stay in the working tree of the run
	DeliverCommits                     // allowed and valid changes are committed to a branch
	DeliverPush                        // and pushed when the task is done
	DeliverPullRequest                 // and a pull request is opened
)

// deliver chooses the next step of the delivery; each step returns here.
func (l *Loop) deliver(s *State, it *Iteration) Step {
	if l.cancelled(it) || !it.deliverable() {
		return l.close(s, it)
	}
	done := it.Signal == SignalDone
	pending := it.Checked != s.Delivered
	if l.cfg.Deliver == DeliverNothing {
		pending = it.Checked != s.Checked
	}
	// validate returns StepValidate if a phase that belongs before the step has not passed.
	validate := func(phases []Phase, otherwise Step) Step {
		for _, p := range phases {
			if slices.Contains(l.cfg.Checks, p) && !slices.Contains(it.Passed, p) {
				it.Check = p
				return StepValidate
			}
		}
		return otherwise
	}
	if !it.TriedCommit && (done || pending) && validate(l.checksBeforeCommit(), "") == StepValidate {
		return StepValidate
	}
	switch {
	case l.cfg.Deliver >= DeliverCommits && pending && !it.TriedCommit:
		it.TriedCommit = true
		return StepCommit
	case !done:
		return StepClose
	case s.undelivered():
		return StepBranch
	case l.cfg.Deliver >= DeliverPush && !it.TriedPush:
		return validate([]Phase{PrePush}, StepPush)
	case l.cfg.Deliver >= DeliverPullRequest && s.Pushed && s.PullRequest == "" && !it.TriedPR:
		return validate([]Phase{PrePR}, StepOpenPR)
	}
	it.Completed = true
	return StepClose
}

func (l *Loop) checksBeforeCommit() []Phase {
	return slices.DeleteFunc(slices.Clone(l.cfg.Checks), func(c Phase) bool { return c == PrePush || c == PrePR })
}

// deliverable reports whether the iteration was answered, all changes are checked, and no failure
// prevents the delivery.
func (it *Iteration) deliverable() bool {
	if !it.Answered || it.Undetected || it.Cancelled || len(it.Bad) > 0 {
		return false
	}
	for i := range it.Failures {
		f := &it.Failures[i]
		if f.unresolved() && !(it.Signal == SignalDone && f.allowsCompletion()) {
			return false
		}
	}
	return true
}

func (l *Loop) validate(s *State, it *Iteration) Operation {
	return Validate{Phase: it.Check, Base: s.Delivered, Tree: it.Checked, Text: s.Text}
}

func (l *Loop) validated(s *State, it *Iteration, _ *struct{}, ok bool) Step {
	s.Processes = nil
	if ok {
		it.Passed = append(it.Passed, it.Check)
		return l.inspect(it, StepDeliver)
	}
	return l.inspect(it, StepClose)
}

// commit commits the checked changes, unless the process that began the commit died.
func (l *Loop) commit(s *State, it *Iteration) Operation {
	trees := Trees{Checked: it.Checked, Delivered: s.Delivered, Committed: s.Committed}
	return when(!l.rejudge, Commit{Trees: trees, Task: s.Task.ID, Title: s.Task.Title})
}

func (l *Loop) committed(s *State, it *Iteration, done *CommitResult, ok bool) Step {
	if l.rejudge {
		l.passed, l.passedTree = it.Passed, it.Checked
		it.TriedCommit, it.Passed = false, nil
		return l.inspect(it, StepDeliver)
	}
	if ok { // a failed commit whose reaction is to continue is not tried again
		s.Delivered = it.Checked
	}
	if done == nil {
		return l.afterDelivery(it, ok)
	}
	if done.ID != "" {
		s.Commits = append(s.Commits, done.CommitDone)
		l.emit(s, Event{Kind: Committed, Op: OpCommit, Files: done.Paths, Text: done.ID})
	}
	s.Committed, s.Checked = done.Committed, it.Checked
	// A later revert of this iteration does not touch the committed changes.
	it.clearChanges()
	return StepDeliver
}

// undelivered reports whether commits of the run are not on the branch yet.
func (s *State) undelivered() bool { return len(s.Commits) > s.OnBranch }

// branch delivers the commits to a branch of the person's repository, also those of a run that ended
// before its task was done.
func (l *Loop) branch(s *State, _ *Iteration) Operation { return when(s.undelivered(), Deliver{}) }

func (l *Loop) delivered(s *State, it *Iteration, branch *string, ok bool) Step {
	if branch != nil {
		if s.Branch, s.OnBranch = *branch, len(s.Commits); s.Branch != "" {
			l.emit(s, Event{Kind: Delivered, Op: OpDeliver, Text: s.Branch})
		}
	}
	if s.End != "" {
		return StepForward
	}
	return l.afterDelivery(it, ok)
}

func (l *Loop) push(*State, *Iteration) Operation { return Push{} }

func (l *Loop) pushed(s *State, it *Iteration, done *struct{}, ok bool) Step {
	if it.TriedPush = true; done != nil {
		s.Pushed = true
		l.emit(s, Event{Kind: Delivered, Op: OpPush, Text: s.Branch})
	}
	return l.afterDelivery(it, ok)
}

func (l *Loop) openPR(s *State, _ *Iteration) Operation {
	return OpenPR{Title: s.Task.Title, Body: s.Text}
}

func (l *Loop) opened(s *State, it *Iteration, address *string, ok bool) Step {
	if it.TriedPR = true; address != nil {
		s.PullRequest = *address
		l.emit(s, Event{Kind: Delivered, Op: OpPR, Text: *address})
	}
	return l.afterDelivery(it, ok)
}

// afterDelivery continues the delivery, or ends it after a failure.
func (l *Loop) afterDelivery(it *Iteration, ok bool) Step {
	if ok {
		return StepDeliver
	}
	return l.inspect(it, StepClose)
}
