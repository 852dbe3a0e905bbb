package executor

import (
	"context"
	"slices"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// putBack carries out what the reactions of the iteration take back: what it changed, or the files that an error names.
// The state is saved before, and what is about to be done is written down.
func (r *runner) putBack(ctx context.Context, it *iteration) {
	if it.replay.hasJudged() {
		r.revert(ctx, it, it.replay.judged.Revert, it.reverting(0))
		return
	}
	r.saveAndRevert(ctx, it, it.reverting(0), 0)
}

// putBackLate is putBack for the failures that came after the checked tree had advanced. What was committed stays.
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
	it.checked, it.advanced = r.state.Checked, nil
	r.advance(ctx, it)
	if !delivered {
		r.state.Pending, r.state.Added = it.pended, it.added
		r.pend(it)
	}
	r.state.Uncommitted = slices.DeleteFunc(r.state.Uncommitted, func(path string) bool {
		return it.reverted[path] && !slices.Contains(it.pended, path) && !slices.Contains(it.uncommitted, path)
	})
}

// reverting returns the failures from an index on whose reactions take something back.
func (it *iteration) reverting(from int) []*failure {
	var out []*failure
	for _, f := range it.failures[from:] {
		if !f.overcome && f.decision.reaction.Revert != taxonomy.RevertNone {
			out = append(out, f)
		}
	}
	return out
}

// saveAndRevert takes back what causes ask for; call is the call behind which another follows, or 0.
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
	r.emit(Event{Kind: Saved, Text: ref})
	r.recordJudged(ctx, it, Judged{Revert: changes, Ref: ref, Call: call})
	r.revert(ctx, it, changes, causes)
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

// toRevert returns the changes that the reactions take back, of those that are still there. An error that names no
// files takes back all of them: something is to be undone, all of it is saved, and nobody can say what may stay.
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
		return it.reverted[c.Path] || it.committed[c.Path] || !all && !named[c.Path]
	})
}

// advance moves the checked tree on by what is allowed and was not put back.
func (r *runner) advance(ctx context.Context, it *iteration) {
	if r.cfg.Workspace == nil {
		return
	}
	var changes []Change
	for i, c := range it.changes {
		if it.verdicts[i] == Allowed && !it.reverted[c.Path] {
			changes = append(changes, c)
		}
	}
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
