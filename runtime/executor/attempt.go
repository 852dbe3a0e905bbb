package executor

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// attempt runs an operation, and again as long as the reactions to its failures ask for that at
// once. It returns the failure that is left, or nil, and whether the iteration goes on as if all
// were well. When the run is cancelled meanwhile the iteration is, too, and nothing has failed.
func (r *runner) attempt(ctx context.Context, it *iteration, op operation, f func() error) (left *failure, on bool) {
	return r.attemptFor(ctx, it, op, nil, f)
}

// attemptFor is attempt for an operation that carries out the reactions to causes.
func (r *runner) attemptFor(ctx context.Context, it *iteration, op operation, causes []*failure, f func() error) (
	left *failure, on bool) {
	for {
		err := contained(op, f)
		if err == nil {
			return nil, true
		}
		if ctx.Err() != nil {
			it.cancelled = true
			return nil, false
		}
		left = r.fail(it, op, err)
		left.causes = causes
		it.failures = append(it.failures, left)
		if !r.again(ctx, it, left) {
			return left, left.decision.action == taxonomy.Continue
		}
	}
}

// again carries out a reaction that runs again only what failed. It reports whether that is to be
// run again now.
func (r *runner) again(ctx context.Context, it *iteration, f *failure) bool {
	for f.runsAgain() {
		if it.replay.began(f.op, it.calls+1) {
			if f.decision.action == taxonomy.Recover {
				r.noteRun(f)
			}
			f.overcome = true
			return true
		}
		if f.decision.action == taxonomy.Recover && !r.recovers(ctx, it, f) {
			continue
		}
		f.overcome = r.waitInPlace(ctx, it, f)
		return f.overcome
	}
	return false
}

// runsAgain reports that the decision is to run again only what failed.
func (f *failure) runsAgain() bool {
	switch f.decision.action {
	case taxonomy.RetryOperation:
		return true
	case taxonomy.Recover:
		return f.decision.reaction.Resume == taxonomy.ResumeOperation && !f.op.single
	}
	return false
}

// waitInPlace waits before the next try within an iteration. It reports whether there is time for
// one.
func (r *runner) waitInPlace(ctx context.Context, it *iteration, f *failure) bool {
	r.share(ctx, f)
	now := r.cfg.Clock.Now()
	until, why := now.Add(f.decision.wait), cmp.Or(f.record.Code, "retry")
	if f.op.name == opCall {
		if lane, ok := r.laneOpens(ctx, f.hints.Credential, now); ok && lane.After(until) {
			if !isJitter(lane, until, now) {
				why = "lane"
			}
			until = lane
		}
	}
	if r.late(it, until) {
		// The lane is closed for longer than the reaction knew: the next iteration waits for it.
		f.decision.action = taxonomy.Retry
		f.record.Action = f.decision.action.String()
		return false
	}
	if until.After(now) && r.sleep(ctx, until.Sub(now), why) != nil {
		it.cancelled = true
		return false
	}
	return r.enterInPlace(ctx, it, f) && ctx.Err() == nil
}

// enterInPlace has the call that is tried again let through. One for which that takes too long is
// left to the next iteration.
func (r *runner) enterInPlace(ctx context.Context, it *iteration, f *failure) bool {
	if f.op.name != opCall || it.replay.began(f.op, it.calls+1) || r.admitInPlace(ctx, it) {
		return true
	}
	if !it.cancelled {
		f.decision.action, f.decision.wait = taxonomy.Retry, 0
		f.record.Action = f.decision.action.String()
	}
	return false
}

func (r *runner) late(it *iteration, until time.Time) bool {
	return !it.callsEnd.IsZero() && until.After(it.callsEnd) || !r.deadline.IsZero() && until.After(r.deadline)
}

// errNoStrategies is said where a strategy cannot be run.
var errNoStrategies = errors.New("there is nobody to run strategies")

// recovers runs the strategy of a failure's reaction. When it fails, the reaction that follows is
// decided on.
func (r *runner) recovers(ctx context.Context, it *iteration, f *failure) bool {
	failed := taxonomy.RecoveryRequest{
		Err: f.err, Reaction: *f.decision.reaction, Evidence: f.evidence, NoText: !r.cfg.Table.SearchesText(),
		Run: r.task.Run, Attempt: f.decision.attempt,
	}
	op := operation{name: f.op.name, source: sourceExecutor}
	err := contained(op, func() error {
		if r.cfg.Recoverer == nil {
			return errNoStrategies
		}
		r.unseen = true
		return r.cfg.Recoverer.Recover(ctx, failed)
	})
	r.noteRun(f)
	r.emit(Event{
		Kind: Recovered, For: f.err, Op: f.op.name, Source: f.op.source, Reaction: failed.Reaction,
		Action:  f.decision.action,
		Attempt: failed.Attempt, MaxAttempts: f.decision.most, Text: failed.Reaction.Strategy, Err: err,
	})
	if err == nil {
		return true
	}
	if ctx.Err() != nil {
		it.cancelled = true
	}
	r.warn("run strategy "+failed.Reaction.Strategy, err)
	r.follow(it, f)
	return false
}
