package loop

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// inspect begins an inspection, which finds, judges and reverts changes. The run then continues
// with the step then.
func (l *Loop) inspect(it *Iteration, then Step) Step {
	it.Then, it.Named = then, nil
	return StepDetect
}

// detect finds the changes since the checked tree, which the guard judges. Changes that need
// approval are denied if no person can be asked, or the person has denied them before.
func (l *Loop) detect(s *State, _ *Iteration) Operation {
	d := Detect{Trees: Trees{Checked: s.Checked}, Approved: s.Approved}
	if l.rejudge {
		d.Delivered = s.Delivered
	}
	return when(l.cfg.Workspace, d)
}

func (l *Loop) detected(s *State, it *Iteration, found *Changes, ok bool) Step {
	it.clearChanges()
	l.rejudge = l.rejudge && !ok
	it.Undetected, it.Checked = !ok, s.Checked
	if found != nil {
		s.Checked, it.Checked = cmp.Or(found.Checked, s.Checked), found.Accepted
		l.recordChanges(s, it, found)
	}
	set := it.unnamed(NeedsAsk)
	if it.BeforeRetry || len(set) == 0 {
		return l.planRevert(s, it)
	}
	denied := slices.Contains(s.Denied, fingerprint(set))
	if !l.cancelled(it) && !denied && l.cfg.Asker {
		return StepAsk
	}
	return l.answered(s, it, &Approval{NoPerson: !denied}, true)
}

// recordChanges records the changes that an inspection found, and the failures that follow.
func (l *Loop) recordChanges(s *State, it *Iteration, out *Changes) {
	it.Found, it.Count, it.Bad, it.More = out.Found, out.Count, out.Bad, out.More
	changed := out.Paths[:min(len(out.Paths), maxListed)]
	if slices.ContainsFunc(changed, func(p string) bool { return !slices.Contains(it.Changed, p) }) {
		it.Changed = changed
	}
	if !it.BeforeRetry {
		l.addViolations(s, it, out.Mode)
	}
}

// addViolations adds a failure for all forbidden changes, and one for those outside the allowed
// paths.
func (l *Loop) addViolations(s *State, it *Iteration, mode string) {
	for _, kind := range []struct {
		name    string
		verdict Verdict
	}{{"forbidden", Forbidden}, {"outside_allowed", Outside}} {
		files := PathsOf(it.unnamed(kind.verdict))
		if len(files) == 0 {
			continue
		}
		l.addFilesFailure(s, it, taxonomy.Evidence{
			Op: OpScope, Type: kind.name, Files: files, Attributes: map[string]string{"scope_mode": mode},
		})
	}
}

// addFilesFailure adds a failure for changes that are not allowed.
func (l *Loop) addFilesFailure(s *State, it *Iteration, ev taxonomy.Evidence) {
	ev.Source = SourceScope
	f := l.env.Classify(ev)
	f.Files, f.NotRepeatable, it.Named = ev.Files, true, union(it.Named, ev.Files)
	l.addFailure(s, it, &f)
}

// ask asks a person about the changes that need approval.
func (l *Loop) ask(s *State, it *Iteration) Operation {
	// A process with another configuration may have resumed the run.
	return when(l.cfg.Asker, Ask{Task: s.Task.ID, Paths: PathsOf(it.unnamed(NeedsAsk))})
}

func (l *Loop) answered(s *State, it *Iteration, a *Approval, _ bool) Step {
	if a == nil && !l.cfg.Asker {
		a = &Approval{NoPerson: true}
	}
	if a != nil && l.handleAnswer(s, it, a) {
		return StepDetect // with the approved paths
	}
	return l.planRevert(s, it)
}

// handleAnswer handles a person's answer, and reports whether it is an approval. The state is saved
// after the answer, so an approval is not lost.
func (l *Loop) handleAnswer(s *State, it *Iteration, out *Approval) (approved bool) {
	set := it.unnamed(NeedsAsk)
	paths := PathsOf(set)
	if out.Approved || out.NoPerson && l.cfg.ApproveUnattended && !it.Cancelled {
		s.Approved = union(s.Approved, paths)
		l.emit(s, Event{Kind: Asked, Files: paths, Text: "approved"})
		return true
	}
	l.emit(s, Event{Kind: Asked, Files: paths, Text: "denied"})
	ev := taxonomy.Evidence{Op: OpAsk, Type: "denied", Files: paths}
	if out.NoPerson {
		ev.Type = "unattended"
	} else if name := fingerprint(set); !slices.Contains(s.Denied, name) {
		s.Denied = append(s.Denied, name)
	}
	l.addFilesFailure(s, it, ev)
	return false
}

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
	return StepRevert
}

// revert saves the changes and reverts the planned paths. Then the changes are detected again.
func (l *Loop) revert(s *State, it *Iteration) Operation {
	return Revert{s.Checked, it.Found, it.Revert}
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
		if l.passedTree != "" && it.Checked == l.passedTree {
			it.Passed = l.passed
		}
		l.passedTree = ""
		then := it.Then
		it.Then = ""
		return then
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

// unnamed returns the changes with a verdict for which this inspection has added no failure.
func (it *Iteration) unnamed(v Verdict) []Change {
	var out []Change
	for _, j := range it.Bad {
		if j.Verdict == v && !slices.Contains(it.Named, j.Change.Path) {
			out = append(out, j.Change)
		}
	}
	return out
}

// BadPaths returns the paths of the changes that are not allowed.
func BadPaths(bad []Judged) []string {
	var out []string
	for _, j := range bad {
		out = append(out, j.Change.Path)
	}
	return out
}

// PathsOf returns the paths of the changes.
func PathsOf(changes []Change) []string {
	var out []string
	for _, c := range changes {
		out = append(out, c.Path)
	}
	return out
}

// fingerprint returns a hash of a set of changes and their contents.
func fingerprint(changes []Change) string {
	h := sha256.New()
	for _, c := range changes {
		fmt.Fprintf(h, "%q %s %s\n", c.Path, c.Kind, c.Hash)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// union returns the sorted union.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
