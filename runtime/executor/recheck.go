package executor

import (
	"context"
	"slices"
)

// recheck judges what a check has changed, as what a call has changed is: checks run code that a
// provider may have written. What is allowed becomes part of the work. It is done once for each
// check that ran, whatever that came to.
func (r *runner) recheck(ctx, graced context.Context, it *iteration, phase Phase, passed bool) {
	if r.cfg.Workspace == nil {
		return
	}
	if passed {
		it.passed = phase
	}
	from, before := len(it.failures), it.advanced
	changes, on := r.changesAgain(graced, it)
	if it.undetected = !on; !on || slices.Equal(changes, before) {
		return
	}
	r.emit(Event{Kind: ChangesDetected, Files: pathsOf(changes)})
	it.changes, it.reverted = changes, map[string]bool{}
	it.verdicts = r.verdicts(graced, it)
	r.violations(it)
	r.ask(ctx, it)
	causes := it.reverting(from)
	r.saveAndRevert(graced, it, causes, 0)
	for _, f := range causes {
		f.undone = true
	}
	r.advanceAnew(graced, it)
	if phase == PreCommit {
		r.pendAnew(it)
		return
	}
	r.pendSince(it, phase, before)
}

// changesAgain finds what differs from the checked tree that the iteration began with.
func (r *runner) changesAgain(ctx context.Context, it *iteration) (changes []Change, on bool) {
	op := guardOp(opDetect, sourceGit, nil)
	_, on = r.attempt(ctx, it, op, func() (err error) {
		changes, err = r.cfg.Workspace.Detect(ctx, r.state.Checked)
		return err
	})
	r.unseen = !on
	return changes, on
}

// pendAnew is pend for an iteration that had advanced before it was judged again.
func (r *runner) pendAnew(it *iteration) {
	pended, added, uncommitted := it.pended, it.added, it.uncommitted
	r.state.Pending, r.state.Added = pended, added
	r.pend(it)
	it.uncommitted = uncommitted
}

// pendSince leaves to the next commit what a check has changed behind the one of its iteration.
func (r *runner) pendSince(it *iteration, phase Phase, before []Change) {
	was := map[string]Change{}
	for _, c := range before {
		was[c.Path] = c
	}
	pending := setFrom(r.state.Pending)
	var fresh []string
	note := func(c Change) {
		if !c.Ignored {
			pending[c.Path] = true
			fresh = append(fresh, c.Path)
		}
	}
	for _, c := range it.advanced {
		if was[c.Path] != c {
			note(c)
		}
		delete(was, c.Path)
	}
	for path, c := range was {
		if !it.reverted[path] {
			note(c)
		}
	}
	if len(fresh) == 0 {
		return
	}
	slices.Sort(fresh)
	r.state.Pending = sorted(pending)
	r.warn(opValidate+string(phase)+" changed files behind the commit: "+listed(fresh), nil)
}
