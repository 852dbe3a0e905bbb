package executor

import (
	"context"
	"slices"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// putBack carries out what the reactions of the iteration take back: what it changed, or the files
// that an error names. The state is saved before, and what is about to be done is written down.
func (r *runner) putBack(ctx context.Context, it *iteration) {
	if it.replay.hasJudged() {
		all := it.replay.judged.Revert
		r.revert(ctx, it, all, it.reverting(0))
		if it.late > 0 {
			it.tried = setFrom(pathsOf(all)) // for the late failures, too
		}
		return
	}
	r.saveAndRevert(ctx, it, it.reverting(0), 0)
}

// putBackLate is putBack for the failures that came after the checked tree had advanced. What was
// committed stays.
func (r *runner) putBackLate(ctx context.Context, it *iteration, from int) {
	causes := it.reverting(from)
	if len(causes) == 0 {
		return
	}
	before := len(it.reverted)
	r.saveAndRevert(ctx, it, causes, 0)
	if len(it.reverted) == before {
		return
	}
	delivered := len(r.state.Pending) == 0 // to a commit, or given up
	r.advanceAnew(ctx, it)
	if !delivered {
		r.pendAnew(it)
	}
	r.unlist(it)
}

// unlist takes off the list of what is given up what was put back to something that had not been on
// it, nor been about to be committed.
func (r *runner) unlist(it *iteration) {
	r.state.Uncommitted = slices.DeleteFunc(r.state.Uncommitted, func(path string) bool {
		return it.reverted[path] && !slices.Contains(it.pended, path) && !slices.Contains(it.uncommitted, path)
	})
}

// reverting returns the failures from an index on whose reactions take something back.
func (it *iteration) reverting(from int) []*failure {
	var out []*failure
	for _, f := range it.failures[from:] {
		if !f.overcome && !f.undone && f.decision.reaction.Revert != taxonomy.RevertNone {
			out = append(out, f)
		}
	}
	return out
}

// saveAndRevert takes back what causes ask for; call is the call behind which another follows, or
// 0.
func (r *runner) saveAndRevert(ctx context.Context, it *iteration, causes []*failure, call int) {
	changes := it.toRevert(causes)
	if r.cfg.Workspace == nil || len(changes) == 0 {
		return
	}
	ref := ""
	op := guardOp(opSave, sourceGit, pathsOf(changes))
	_, on := r.attemptFor(ctx, it, op, causes, func() (err error) {
		ref, err = r.cfg.Workspace.Save(ctx, r.task.Run, it.number, r.state.Checked, changes)
		return err
	})
	if !on {
		return // what could not be saved stays where it is
	}
	r.noteRef(ref)
	r.noteSaved(changes)
	r.emit(Event{Kind: Saved, Text: ref})
	r.recordJudged(ctx, it, Judged{Revert: changes, Ref: ref, Call: call})
	r.revert(ctx, it, changes, causes)
}

// noteSaved remembers what is saved.
func (r *runner) noteSaved(changes []Change) {
	r.saved = make(map[Change]bool, len(changes))
	for _, c := range changes {
		r.saved[c] = true
	}
}

// revert puts changes back to the checked content.
func (r *runner) revert(ctx context.Context, it *iteration, changes []Change, causes []*failure) {
	if len(changes) == 0 {
		return
	}
	op := guardOp(opRevert, sourceGit, pathsOf(changes))
	_, on := r.attemptFor(ctx, it, op, causes, func() error {
		return r.cfg.Workspace.Revert(ctx, r.state.Checked, changes)
	})
	if !on {
		return
	}
	for _, c := range changes {
		it.reverted[c.Path] = true
	}
	r.emit(Event{Kind: Reverted, Files: pathsOf(changes)})
}

// toRevert returns the changes that the reactions take back, of those that are still there. An
// error that names no files takes back all of them: something is to be undone, all of it is saved,
// and nobody can say what may stay.
func (it *iteration) toRevert(causes []*failure) []Change {
	var all bool
	named := map[string]bool{}
	for _, f := range causes {
		all = all || f.decision.reaction.Revert == taxonomy.RevertIteration || len(f.hints.Files) == 0
		for _, file := range f.hints.Files {
			named[file] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(it.changes), func(c Change) bool {
		return it.reverted[c.Path] || it.tried[c.Path] || it.committed[c.Path] || !all && !named[c.Path]
	})
}

// advance moves the checked tree on by what is allowed and was not put back.
func (r *runner) advance(ctx context.Context, it *iteration) {
	if r.cfg.Workspace == nil {
		return
	}
	changes := it.kept()
	if len(changes) == 0 {
		return
	}
	op := guardOp(opSave, sourceGit, pathsOf(changes))
	_, on := r.attempt(ctx, it, op, func() (err error) {
		it.checked, err = r.cfg.Workspace.Advance(ctx, r.task.Run, r.state.Checked, changes)
		return err
	})
	if !on {
		it.checked = r.state.Checked
		return
	}
	it.advanced = changes
}

// advanceAnew is advance for an iteration that had advanced before it was judged again.
func (r *runner) advanceAnew(ctx context.Context, it *iteration) {
	it.checked, it.advanced = r.state.Checked, nil
	r.advance(ctx, it)
}

// advancedBefore takes over the checked tree that a commit was about to be made of when the run
// died. It reports whether there is one: what is there now may have been changed since. What was
// put back may still be in it.
func (r *runner) advancedBefore(it *iteration) bool {
	if r.cfg.Workspace == nil || !it.replay.committing() || it.replay.intent.Checked == "" || it.undetected ||
		len(it.reverted) > 0 {
		return false
	}
	if len(it.kept()) < len(it.paths(Allowed)) {
		return false // what was put back since is in that tree
	}
	it.checked, it.advanced = it.replay.intent.Checked, it.kept()
	return true
}

// kept returns the changes that are allowed and not put back.
func (it *iteration) kept() []Change {
	var changes []Change
	for i, c := range it.changes {
		if it.verdicts[i] == Allowed && !it.reverted[c.Path] {
			changes = append(changes, c)
		}
	}
	return changes
}

// unchecked returns the changes that are neither allowed and kept, nor put back.
func (it *iteration) unchecked() []string {
	kept := map[string]bool{}
	for _, c := range it.advanced {
		kept[c.Path] = true
	}
	var out []string
	for _, c := range it.changes {
		if !kept[c.Path] && !it.reverted[c.Path] {
			out = append(out, c.Path)
		}
	}
	return out
}
