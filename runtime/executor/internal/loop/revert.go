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

// found returns the changes that the last inspection found.
func found(s *State, it *Iteration, paths Paths) Found { return Found{s.Checked, it.Found, paths} }

// saveFound saves the changes before they are reverted.
func (l *Loop) saveFound(s *State, it *Iteration) *Effect {
	return &Effect{Do: Save(found(s, it, it.Revert)), Graced: true}
}

func (l *Loop) savedFound(s *State, it *Iteration, ref *string, ok bool) Step {
	l.addRef(s, ref)
	if ok {
		return StepRevert
	}
	return l.endInspection(s, it, false)
}

// addRef adds the ref of saved changes to the state.
func (l *Loop) addRef(s *State, ref *string) {
	if ref != nil && *ref != "" && !slices.Contains(s.Refs, *ref) {
		s.Refs = push(s.Refs, *ref)
		l.emit(s, Event{Kind: Saved, Text: *ref})
	}
}

// revert reverts the planned paths. Then the changes are detected again.
func (l *Loop) revert(s *State, it *Iteration) *Effect {
	return &Effect{Do: Revert(found(s, it, it.Revert)), Graced: true}
}

func (l *Loop) reverted(s *State, it *Iteration, paths *Paths, ok bool) Step {
	if paths != nil {
		l.emit(s, Event{Kind: Reverted, Files: *paths})
	}
	if ok { // the rest is judged again, because files that were ignored may not be ignored now
		return StepDetect
	}
	return l.endInspection(s, it, false)
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

// accept makes the iteration's checked tree, which contains the allowed changes.
func (l *Loop) accept(s *State, it *Iteration) *Effect {
	except := it.unchecked()
	it.Checked = s.Checked
	switch {
	case it.Count == 0 || it.More > 0:
		return nil
	case len(except) == 0:
		it.Checked = it.Found
		return nil
	}
	return &Effect{Do: Accept(found(s, it, except)), Graced: true}
}

// accepted returns the step after the inspection.
func (l *Loop) accepted(_ *State, it *Iteration, tree *Tree, ok bool) Step {
	if tree != nil {
		it.Checked = *tree
	}
	if l.passedTree != "" && it.Checked == l.passedTree {
		it.Passed = l.passed
	}
	l.passedTree = ""
	then := it.Then
	it.NotAccepted, it.Then = !ok, ""
	return then
}
