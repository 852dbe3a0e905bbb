package executor

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// deliver hands over what is allowed and valid: a commit of the pending paths, and with finished work what else is
// wanted. Only then is the task completed. What is begun is not cut short by a cancellation.
func (r *runner) deliver(ctx, graced context.Context, it *iteration) {
	if !it.deliverable() || ctx.Err() != nil {
		r.recommit(graced, it)
		return
	}
	done := it.answer.Signal == SignalDone
	if !r.checkAndCommit(ctx, graced, it, done) || !done {
		return
	}
	it.completed = r.publish(ctx, graced, it)
}

// deliverable reports that the call has answered, that nothing is unchecked, and that no error stops, or that all of them
// let the work that is left count as done, and it was said to be.
func (it *iteration) deliverable() bool {
	if !it.answered || it.undetected || it.cancelled || len(it.unchecked()) > 0 {
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
	return f.decision.reaction.AcceptCompletion && f.decision.action != taxonomy.Abort && f.decision.action != taxonomy.Block
}

// pend adds what the iteration changed to what is to be committed. What came and went since the last commit is nothing.
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
	if !it.replay.committing() && (done || pending) && !r.validate(ctx, it, PreCommit) {
		return false
	}
	if r.cfg.Deliver == DeliverNothing || len(r.state.Pending) == 0 || ctx.Err() != nil {
		return ctx.Err() == nil
	}
	return r.commit(graced, it)
}

// validate asks the validator. It reports whether the work goes on.
func (r *runner) validate(ctx context.Context, it *iteration, phase Phase) bool {
	if r.cfg.Validator == nil {
		return true
	}
	began := r.cfg.Clock.Now()
	op := operation{name: "validate_" + string(phase), source: sourceValidator}
	left, on := r.attempt(ctx, it, op, func() error { return r.cfg.Validator.Validate(ctx, phase) })
	e := Event{Kind: Validated, Op: op.name, Took: r.cfg.Clock.Now().Sub(began)}
	if left != nil {
		e.Err = left.err
		r.givenUp(op, left)
	}
	r.emit(e)
	return on
}

// commit commits the pending paths, and nothing else.
func (r *runner) commit(ctx context.Context, it *iteration) bool {
	c := Commit{Run: r.task.Run, Attempt: it.number, Checked: it.checked, Paths: r.state.Pending}
	var id string
	if it.replay.committing() {
		id = r.committedBefore(ctx, it, &c)
	} else {
		r.recordJudged(ctx, it, Judged{})
		c.Message = r.message(it, c.Paths)
		r.record(ctx, Entry{Point: PointCommitting, Committing: &Committing{Paths: c.Paths, Checked: c.Checked, Message: c.Message}})
	}
	if id != "" {
		r.committed(ctx, it, id, c.Paths)
		return true
	}
	op := operation{name: opCommit, source: sourceGit, class: classDeliver, files: c.Paths}
	left, on := r.attempt(ctx, it, op, func() (err error) {
		id, err = r.cfg.Workspace.Commit(ctx, c)
		return err
	})
	switch {
	case left == nil && on:
		r.committed(ctx, it, id, c.Paths)
	case on:
		r.state.Uncommitted = sorted(setFrom(append(r.state.Uncommitted, c.Paths...)))
		r.state.Pending, r.state.Added = nil, nil
		r.givenUp(op, left)
	}
	return on
}

// committedBefore looks for a commit that was about to be made when the run died.
func (r *runner) committedBefore(ctx context.Context, it *iteration, c *Commit) (id string) {
	c.Paths, c.Message = it.replay.intent.Paths, it.replay.intent.Message
	if it.replay.commit != nil {
		return it.replay.commit.ID
	}
	_ = contained(operation{}, func() (err error) {
		id, err = r.cfg.Workspace.Committed(ctx, *c)
		return err
	})
	return id
}

func (r *runner) committed(ctx context.Context, it *iteration, id string, paths []string) {
	r.state.Pending, r.state.Added = nil, nil
	for _, p := range paths {
		it.committed[p] = true
	}
	if id == "" {
		return // nothing in them differs from the last commit
	}
	r.state.Uncommitted = slices.DeleteFunc(r.state.Uncommitted, func(p string) bool { return it.committed[p] })
	done := CommitDone{ID: id, Paths: paths}
	if it.replay == nil || it.replay.commit == nil {
		r.record(ctx, Entry{Point: PointCommitted, Committed: &done})
	}
	r.noteCommit(done)
	r.emit(Event{Kind: Committed, Files: paths, Text: id})
}

// recommit notes a commit that was made before the run died in an iteration which delivers nothing more.
func (r *runner) recommit(ctx context.Context, it *iteration) {
	if it.replay != nil && it.replay.commit != nil {
		r.committed(ctx, it, it.replay.commit.ID, it.replay.commit.Paths)
	}
}

// message returns the message of a commit.
func (r *runner) message(it *iteration, paths []string) (m string) {
	err := contained(operation{}, func() error {
		m = r.cfg.CommitMessage(r.task, it.number, slices.Clone(paths))
		return nil
	})
	if err != nil || strings.TrimSpace(m) == "" {
		return "Work on a task"
	}
	return m
}

// publish pushes finished work and opens a pull request for it, as far as that is wanted. It reports whether the task is
// completed.
func (r *runner) publish(ctx, graced context.Context, it *iteration) bool {
	if r.cfg.Deliver < DeliverPush {
		return true
	}
	if !it.replay.pushed() && !(r.validate(ctx, it, PrePush) && ctx.Err() == nil && r.push(graced, it)) {
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
	return r.validate(ctx, it, PrePR) && ctx.Err() == nil && r.openPR(graced, it)
}

func (r *runner) push(ctx context.Context, it *iteration) bool {
	op := operation{name: opPush, source: sourceGit, class: classDeliver}
	left, on := r.attempt(ctx, it, op, func() error { return r.cfg.Workspace.Push(ctx) })
	if r.state.Pushed = left == nil && on; r.state.Pushed {
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
		url, err = r.cfg.Workspace.OpenPR(ctx, r.title(), beginningOf(r.result.Text, maxAnswer))
		return err
	})
	if left == nil && on {
		r.result.PullRequest = url
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
