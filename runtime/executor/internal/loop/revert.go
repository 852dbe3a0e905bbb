package loop

import (
	"slices"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// planRevert chooses the paths that the reactions revert.
func (l *Loop) planRevert(s *State, it *Iteration) Step {
	it.Causes = nil
	for i := range it.Failures {
		f := &it.Failures[i]
		due := !f.Retried
		if it.BeforeRetry {
			due = i == it.lastRetried()
		}
		if due && !f.Reverted && f.Decision.Reaction.Agent.Revert != taxonomy.RevertNone {
			it.Causes = append(it.Causes, i)
		}
	}
	var named Paths
	all := it.More > 0
	for _, i := range it.Causes {
		f := &it.Failures[i]
		f.Reverted = true
		all = all || f.Decision.Reaction.Agent.Revert == taxonomy.RevertIteration || len(f.Files) == 0
		named = union(named, f.Files)
	}
	if len(it.Causes) == 0 || it.Count == 0 {
		return l.endInspection(s, it, true)
	}
	if it.Revert = named; all {
		it.Revert = nil
	}
	return StepSave
}

// foundEffect returns an effect on the changes that the last inspection found.
func foundEffect(op string, s *State, it *Iteration, paths Paths) Effect {
	return Effect{
		Op: op, Source: SourceGit, Trees: Trees{Checked: s.Checked, Found: it.Found}, Paths: paths, Graced: true,
	}
}

// saveFound saves the changes before they are reverted.
func (l *Loop) saveFound(s *State, it *Iteration) (Effect, continuation) {
	return foundEffect(OpSave, s, it, it.Revert), func(out *Outcome, ok bool) Step {
		l.addRef(s, out)
		if ok {
			return StepRevert
		}
		return l.endInspection(s, it, false)
	}
}

// addRef adds the ref of saved changes to the state.
func (l *Loop) addRef(s *State, out *Outcome) {
	if out != nil && out.Text != "" && !slices.Contains(s.Refs, out.Text) {
		s.Refs = push(s.Refs, out.Text)
		l.emit(s, Event{Kind: Saved, Text: out.Text})
	}
}

// revert reverts the planned paths. Then the changes are detected again.
func (l *Loop) revert(s *State, it *Iteration) (Effect, continuation) {
	return foundEffect(OpRevert, s, it, it.Revert), func(out *Outcome, ok bool) Step {
		if out != nil {
			l.emit(s, Event{Kind: Reverted, Files: out.Paths})
		}
		if ok { // the rest is judged again, because files that were ignored may not be ignored now
			return StepDetect
		}
		return l.endInspection(s, it, false)
	}
}

// endInspection ends an inspection. Either another call follows, or the checked tree advances.
func (l *Loop) endInspection(s *State, it *Iteration, ok bool) Step {
	it.Revert, it.Causes = nil, nil
	// A later inspection reverts nothing for these failures, because a check of the rest may have
	// passed.
	for i := range it.Failures {
		it.Failures[i].Reverted = it.Failures[i].Reverted || !it.BeforeRetry
	}
	if !it.BeforeRetry {
		return StepAccept
	}
	it.BeforeRetry = false
	if ok && !it.Undetected && !it.Cancelled {
		it.clearChanges()
		return l.waitUntil(s, it.RetryPending.Until, it.RetryPending.For, it.RetryPending.Next)
	}
	if i := it.lastRetried(); i >= 0 {
		it.Failures[i].Retried = false
	}
	return l.inspect(it, StepDeliver)
}

// clearChanges removes the result of the last inspection.
func (it *Iteration) clearChanges() {
	it.Found, it.Count, it.Bad, it.More = "", 0, nil, 0
}

// accept makes the iteration's checked tree, which contains the allowed changes, and returns the
// step after the inspection.
func (l *Loop) accept(s *State, it *Iteration) (Effect, continuation) {
	next := func(out *Outcome, ok bool) Step {
		if out != nil {
			it.Checked = out.Trees.Checked
		}
		if l.passedTree != "" && it.Checked == l.passedTree {
			it.Passed = l.passed
		}
		l.passedTree = ""
		then := it.Then
		it.NotAccepted, it.Then = !ok, ""
		return then
	}
	except := it.unchecked()
	it.Checked = s.Checked
	switch {
	case it.Count == 0 || it.More > 0:
		return Effect{}, next
	case len(except) == 0:
		it.Checked = it.Found
		return Effect{}, next
	}
	return foundEffect(OpAccept, s, it, except), next
}
