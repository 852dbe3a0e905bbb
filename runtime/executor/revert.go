package executor

import (
	"slices"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// planRevert chooses the paths that the reactions revert.
func planRevert(l *Loop, s *RunState, it *Iteration, _ bool) Step {
	if !it.BeforeRetry {
		it.Causes = nil
		for i := range it.Failures {
			f := &it.Failures[i]
			if !f.Retried && !f.Reverted && f.Decision.Reaction.Revert != uint8(taxonomy.RevertNone) {
				it.Causes = append(it.Causes, i)
			}
		}
	}
	it.Revert, it.All = nil, len(it.Causes) > 0 && it.More > 0
	var named Paths
	for _, i := range it.Causes {
		f := &it.Failures[i]
		f.Reverted = true
		it.All = it.All || f.Decision.Reaction.Revert == uint8(taxonomy.RevertIteration) || len(f.Files) == 0
		named = union(named, f.Files)
	}
	if len(it.Causes) == 0 || it.Count == 0 {
		return l.inspected(s, it, true)
	}
	if !it.All {
		it.Revert = named
	}
	return StepSave
}

// foundEffect returns an effect on the changes that the last inspection found.
func foundEffect(op string, s *RunState, it *Iteration, paths Paths) Effect {
	return Effect{
		Op: op, Source: sourceGit, Trees: Trees{Checked: s.Checked, Found: it.Found}, Paths: paths, Graced: true,
	}
}

func saveEffect(l *Loop, s *RunState, it *Iteration) (Effect, bool) {
	return foundEffect(OpSave, s, it, it.Revert), true
}

func saved(l *Loop, s *RunState, it *Iteration, out *Outcome) {
	if out.Text != "" && !slices.Contains(s.Refs, out.Text) {
		s.Refs = push(s.Refs, out.Text)
		l.emit(s, Event{Kind: Saved, Text: out.Text})
	}
}

func afterSave(l *Loop, s *RunState, it *Iteration, ok bool) Step {
	if ok {
		return StepRevert
	}
	return l.inspected(s, it, false)
}

func revertEffect(l *Loop, s *RunState, it *Iteration) (Effect, bool) {
	return foundEffect(OpRevert, s, it, it.Revert), true
}

func reverted(l *Loop, s *RunState, it *Iteration, out *Outcome) {
	it.Reverted, it.AllReverted = union(it.Reverted, it.Revert), it.AllReverted || it.All
	l.emit(s, Event{Kind: Reverted, Files: out.Paths})
	it.Surfaced = out.Surfaced && !it.Surfaced
}

func afterRevert(l *Loop, s *RunState, it *Iteration, ok bool) Step {
	if ok && it.Surfaced { // files that were ignored before are visible now: they are judged too
		return StepDetect
	}
	return l.inspected(s, it, ok)
}

// inspected ends an inspection: another call follows, or the checked tree advances.
func (l *Loop) inspected(s *RunState, it *Iteration, ok bool) Step {
	it.Revert, it.Causes, it.Surfaced = nil, nil, false
	for i := range it.Failures { // a check that passed is not undermined by a later revert
		it.Failures[i].Reverted = it.Failures[i].Reverted || !it.BeforeRetry
	}
	if !it.BeforeRetry {
		return StepAccept
	}
	it.BeforeRetry = false
	if ok && !it.Undetected && !it.Cancelled {
		it.clearChanges()
		return l.wait(s, it.RetryPending.Until, it.RetryPending.For, it.RetryPending.Next)
	}
	if i := it.lastRetried(); i >= 0 {
		it.Failures[i].Retried = false
	}
	return l.inspect(it, StepDeliver)
}

// clearChanges removes the result of the last inspection.
func (it *Iteration) clearChanges() {
	it.Found, it.Count, it.Bad, it.Reverted, it.AllReverted = "", 0, nil, nil, false
}

func acceptEffect(l *Loop, s *RunState, it *Iteration) (Effect, bool) {
	except := union(it.Reverted, it.badPaths())
	it.Checked = s.Checked
	if it.Count == 0 || it.AllReverted {
		return Effect{}, false
	}
	if len(except) == 0 {
		it.Checked = it.Found
		return Effect{}, false
	}
	return foundEffect(OpAccept, s, it, except), it.More == 0
}

func accepted(l *Loop, s *RunState, it *Iteration, out *Outcome) { it.Checked = out.Trees.Checked }

func afterAccept(l *Loop, s *RunState, it *Iteration, ok bool) Step {
	it.NotAccepted = !ok
	then := it.Then
	it.Then = ""
	return then
}

func inspectEndEffect(l *Loop, s *RunState, it *Iteration) (Effect, bool) {
	s.Undetected = l.cfg.Workspace && s.Checked != "" && s.End != EndDryRun // until the inspection succeeds
	return Effect{
		Op: OpDetect, Source: sourceGit, Trees: Trees{Checked: s.Checked, Committed: s.Committed}, Graced: true,
	}, s.Undetected
}

func inspectedEnd(l *Loop, s *RunState, it *Iteration, out *Outcome) {
	it.Found, it.Count, s.Uncommitted, s.Undetected = out.Trees.Found, out.Count, out.Left, false
	s.Unchecked = union(s.Unchecked, out.Paths)
}

func saveEndEffect(l *Loop, s *RunState, it *Iteration) (Effect, bool) {
	return foundEffect(OpSave, s, it, nil), len(s.Unchecked) > 0 && it.Count > 0
}
