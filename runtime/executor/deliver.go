package executor

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// deliver hands over what is allowed and valid: a commit of the pending paths, and with finished
// work what else is wanted. Only then is the task completed. What is begun is not cut short by a
// cancellation.
func (r *runner) deliver(ctx, graced context.Context, it *iteration) {
	if !it.deliverable() || ctx.Err() != nil {
		r.redeliver(graced, it)
		return
	}
	done := it.answer.Signal == SignalDone
	if !r.checkAndCommit(ctx, graced, it, done) || !done {
		return
	}
	it.completed = r.publish(ctx, graced, it)
}

// deliverable reports that the call has answered, that nothing is unchecked, and that no error
// stops, or that all of them let the work that is left count as done, and it was said to be.
func (it *iteration) deliverable() bool {
	if !it.answered || it.undetected || it.cancelled || it.stopped || len(it.unchecked()) > 0 {
		return false
	}
	for _, f := range it.failures {
		if f.stands() && !(it.answer.Signal == SignalDone && f.accepts()) {
			return false
		}
	}
	return true
}

// stands reports that a failure keeps the iteration from being a good one.
func (f *failure) stands() bool { return !f.overcome && f.decision.action != taxonomy.Continue }

// accepts reports that what is left after the failure may count as done.
func (f *failure) accepts() bool {
	return f.decision.reaction.AcceptCompletion && f.decision.action != taxonomy.Abort &&
		f.decision.action != taxonomy.Block
}

// pend adds what the iteration changed to what is to be committed. What came and went since the
// last commit is nothing.
func (r *runner) pend(it *iteration) {
	pending, added := setFrom(r.state.Pending), setFrom(r.state.Added)
	it.pended, it.added, it.uncommitted = r.state.Pending, r.state.Added, slices.Clone(r.state.Uncommitted)
	for _, c := range it.advanced {
		switch {
		case c.Ignored:
			continue
		case c.Kind == Removed && added[c.Path]:
			delete(pending, c.Path)
			delete(added, c.Path)
			continue
		case c.Kind == Added && !pending[c.Path]:
			added[c.Path] = true
		}
		pending[c.Path] = true
	}
	r.state.Pending, r.state.Added = sorted(pending), sorted(added)
}

// checkAndCommit validates and commits the pending paths. It reports whether the work goes on.
func (r *runner) checkAndCommit(ctx, graced context.Context, it *iteration, done bool) bool {
	pending := len(r.state.Pending) > 0
	if r.cfg.Deliver == DeliverNothing {
		pending = len(it.advanced) > 0
	}
	if !it.replay.committing() && (done || pending) && !r.validate(ctx, graced, it, PreCommit) {
		return false
	}
	if r.cfg.Deliver == DeliverNothing || len(r.state.Pending) == 0 || ctx.Err() != nil {
		return ctx.Err() == nil
	}
	return r.commit(graced, it)
}

// validate asks the validator, and has judged what it changed. It reports whether the work goes on.
func (r *runner) validate(ctx, graced context.Context, it *iteration, phase Phase) bool {
	if !r.checks(phase) || it.replay.passed(phase) {
		return true
	}
	r.unseen = true
	began := r.cfg.Clock.Now()
	op := operation{name: opValidate + string(phase), source: sourceValidator}
	left, on := r.attempt(ctx, it, op, func() error { return r.check(ctx, op, phase) })
	e := Event{Kind: Validated, Op: op.name, Took: r.cfg.Clock.Now().Sub(began)}
	if left != nil {
		e.Err = left.err
		r.givenUp(op, left)
	}
	r.emit(e)
	r.recheck(ctx, graced, it, phase, on)
	return on && it.deliverable()
}

// check runs the checks of a phase. Processes that it is told of are written down.
func (r *runner) check(ctx context.Context, op operation, phase Phase) error {
	v, ok := r.cfg.Validator.(Tracked)
	if !ok {
		return r.cfg.Validator.Validate(ctx, phase)
	}
	var d during
	defer d.end()
	return v.ValidateTracked(ctx, phase, r.tracking(ctx, op.name, &d))
}

// checks reports whether there is something to check in a phase.
func (r *runner) checks(phase Phase) bool {
	some := r.cfg.Validator != nil
	if v, ok := r.cfg.Validator.(Selective); ok {
		_ = contained(operation{}, func() error {
			some = v.Checks(phase)
			return nil
		})
	}
	return some
}

// commit commits the pending paths, and nothing else.
func (r *runner) commit(ctx context.Context, it *iteration) bool {
	c := Commit{Run: r.task.Run, Attempt: it.number, Checked: it.checked, Paths: r.state.Pending}
	var done CommitDone
	if it.replay.committing() {
		done = r.committedBefore(ctx, it, &c)
		c.Checked = cmp.Or(it.replay.intent.Checked, c.Checked)
	} else {
		r.recordJudged(ctx, it, Judged{})
		c.Message = r.message(it, c.Paths)
		r.record(
			ctx, Entry{Point: PointCommitting,
				Committing: &Committing{Paths: c.Paths, Checked: c.Checked, Message: c.Message}})
	}
	switch {
	case done.ID != "":
		r.committed(ctx, it, done, c.Paths)
		return true
	case it.replay.gaveUp(opCommit):
		r.leave(c.Paths)
		r.unlist(it)
		return true
	}
	op := operation{name: opCommit, source: sourceGit, class: classDeliver, files: c.Paths}
	left, on := r.attempt(ctx, it, op, func() (err error) {
		done, err = r.cfg.Workspace.Commit(ctx, c)
		return err
	})
	switch {
	case left == nil && on:
		r.committed(ctx, it, done, c.Paths)
	case on:
		r.leave(c.Paths)
		r.givenUp(op, left)
	}
	return on
}

// leave gives up on committing paths.
func (r *runner) leave(paths []string) {
	r.state.Uncommitted = sorted(setFrom(append(r.state.Uncommitted, paths...)))
	r.state.Pending, r.state.Added = nil, nil
}

// committedBefore looks for a commit that was about to be made when the run died.
func (r *runner) committedBefore(ctx context.Context, it *iteration, c *Commit) (done CommitDone) {
	c.Paths, c.Message = it.replay.intent.Paths, it.replay.intent.Message
	if it.replay.commit != nil {
		return *it.replay.commit
	}
	_ = contained(operation{}, func() (err error) {
		done, err = r.cfg.Workspace.Committed(ctx, *c)
		return err
	})
	return done
}

// committed notes a commit of paths; what it did not change of them needed none.
func (r *runner) committed(ctx context.Context, it *iteration, done CommitDone, paths []string) {
	r.state.Pending, r.state.Added = nil, nil
	for _, p := range paths {
		it.committed[p] = true
	}
	if done.ID == "" {
		return // nothing in them differs from the last commit
	}
	r.state.Uncommitted = slices.DeleteFunc(r.state.Uncommitted, func(p string) bool { return it.committed[p] })
	if it.replay == nil || it.replay.commit == nil {
		r.recordJudged(ctx, it, Judged{})
		r.record(ctx, Entry{Point: PointCommitted, Committed: &done})
	}
	r.noteCommit(done)
	r.emit(Event{Kind: Committed, Files: done.Paths, Text: done.ID})
}

// redeliver notes what was delivered before the run died in an iteration which delivers nothing
// more.
func (r *runner) redeliver(ctx context.Context, it *iteration) {
	if it.replay.committing() {
		c := Commit{Run: r.task.Run, Attempt: it.number, Checked: it.checked}
		if done := r.committedBefore(ctx, it, &c); done.ID != "" {
			r.committed(ctx, it, done, c.Paths)
		} else if it.replay.gaveUp(opCommit) {
			r.leave(c.Paths)
			r.unlist(it)
		}
	}
	if it.replay.pushed() {
		r.state.Pushed = true
	}
}

// message returns the message of a commit, secrets masked: it is in the journal and in the
// repository for good.
func (r *runner) message(it *iteration, paths []string) (m string) {
	err := contained(operation{}, func() error {
		m = r.cfg.CommitMessage(r.task, it.number, slices.Clone(paths))
		return nil
	})
	if err != nil || strings.TrimSpace(m) == "" {
		return "Work on a task"
	}
	return text.Masked(m)
}

// publish pushes finished work and opens a pull request for it, as far as that is wanted. It
// reports whether the task is completed.
func (r *runner) publish(ctx, graced context.Context, it *iteration) bool {
	if r.cfg.Deliver < DeliverPush {
		return true
	}
	if it.replay.gaveUp(opPush) {
		return true
	}
	if !it.replay.pushed() && !(r.validate(ctx, graced, it, PrePush) && ctx.Err() == nil && r.push(graced, it)) {
		return false
	}
	if it.replay.pushed() {
		r.state.Pushed = true
	}
	if r.cfg.Deliver < DeliverPullRequest || !r.state.Pushed {
		return true
	}
	if url := it.replay.pullRequest(); url != "" {
		r.result.PullRequest = url
		return true
	}
	return it.replay.gaveUp(opPR) || r.validate(ctx, graced, it, PrePR) && ctx.Err() == nil && r.openPR(graced, it)
}

func (r *runner) push(ctx context.Context, it *iteration) bool {
	op := operation{name: opPush, source: sourceGit, class: classDeliver}
	left, on := r.attempt(ctx, it, op, func() error { return r.cfg.Workspace.Push(ctx) })
	if r.state.Pushed = left == nil && on; r.state.Pushed {
		r.recordJudged(ctx, it, Judged{})
		r.record(ctx, Entry{Point: PointPushed})
		r.emit(Event{Kind: Pushed})
	}
	r.givenUp(op, left)
	return on
}

func (r *runner) openPR(ctx context.Context, it *iteration) bool {
	op := operation{name: opPR, source: sourceGit, class: classDeliver}
	var url string
	left, on := r.attempt(ctx, it, op, func() (err error) {
		url, err = r.cfg.Workspace.OpenPR(ctx, r.title(), text.Beginning(r.result.Text, maxAnswer))
		return err
	})
	if left == nil && on {
		r.result.PullRequest = url
		r.recordJudged(ctx, it, Judged{})
		r.record(ctx, Entry{Point: PointPROpened, PullRequest: url})
		r.emit(Event{Kind: PROpened, Text: url})
	}
	r.givenUp(op, left)
	return on
}

// givenUp warns about an operation that the work goes on without.
func (r *runner) givenUp(op operation, left *failure) {
	if left != nil && left.decision.action == taxonomy.Continue {
		r.warn("gave up on "+op.name, left.err)
	}
}

func setFrom(texts []string) map[string]bool {
	set := make(map[string]bool, len(texts))
	for _, t := range texts {
		set[t] = true
	}
	return set
}

func sorted(set map[string]bool) []string {
	if len(set) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(set))
}
