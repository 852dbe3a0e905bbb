package executor

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// maxFeedback bounds the feedback that waits for a call that is answered.
const maxFeedback = 50

// settle ends an iteration: it merges what the reactions to its failures come to, looks whether the
// run ends, and otherwise hands over to another tier or runs a strategy. All of it is written down
// at once.
func (r *runner) settle(ctx context.Context, it *iteration) {
	r.result.UncheckedFiles = it.unchecked()
	r.feedback(it)
	r.count(it)
	end, winner := r.carryOut(ctx, it)
	r.state.NotBefore = time.Time{}
	if end == "" {
		r.effects(ctx, it)
	} else {
		r.lastWaits(ctx, it)
	}
	r.state.RetryOf = nil
	if end == "" && winner != nil && winner.stands() {
		r.state.RetryOf = winner.retryOf()
	}
	r.lastError(it, winner)
	r.close(ctx, it, end, winner)
}

// feedback drops what went out with an answered call, and adds what is new.
func (r *runner) feedback(it *iteration) {
	if it.answered {
		r.state.Feedback = slices.Clone(r.state.Feedback[min(it.sent, len(r.state.Feedback)):])
	}
	for _, f := range it.failures {
		if !f.overcome && f.decision.reaction.FeedBack {
			r.state.Feedback = append(r.state.Feedback, r.feedBack(it, f))
		}
	}
	if extra := len(r.state.Feedback) - maxFeedback; extra > 0 {
		r.state.Feedback = slices.Delete(r.state.Feedback, 0, extra)
	}
}

// count raises the counter at most once. An interrupted or cancelled iteration never counts, and
// only a clean answered one resets counter and streaks.
func (r *runner) count(it *iteration) {
	r.state.Count = false
	for _, f := range it.failures {
		f.record.Counted = f.decision.counts && !f.excused && !it.interrupted && !it.cancelled && !it.completed
		r.state.Count = r.state.Count || f.record.Counted
	}
	r.state.Clean = it.clean() && !r.state.Count
	switch {
	case r.state.Count:
		r.state.Failures++
		r.state.Counted++
	case r.state.Clean:
		r.state.Failures, r.state.Streaks = 0, nil
	}
}

// clean reports that the iteration was answered, and that no error is left of it.
func (it *iteration) clean() bool {
	return it.answered && !it.undetected && !it.cancelled &&
		(it.completed || !slices.ContainsFunc(it.failures, (*failure).stands))
}

// precedence is how much an action outweighs others.
var precedence = [...]int{
	taxonomy.Abort: 7, taxonomy.Block: 6, taxonomy.Escalate: 5, taxonomy.Recover: 4,
	taxonomy.Retry: 3, taxonomy.RetryOperation: 2, taxonomy.Continue: 1,
}

// winner returns the failure whose reaction is carried out, or nil.
func (it *iteration) winner() *failure {
	var best *failure
	for _, f := range it.failures {
		if !f.overcome && (best == nil || f.beats(best)) {
			best = f
		}
	}
	return best
}

// beats reports whether f, which came later, outweighs g. On a tie an error that was raised by
// carrying out the reaction to g does.
func (f *failure) beats(g *failure) bool {
	a, b := precedence[f.decision.action], precedence[g.decision.action]
	return a > b || a == b && slices.Contains(f.causes, g)
}

// carryOut returns why the run ends, and otherwise carries out the winning reaction as far as it is
// more than another iteration. What follows a strategy that fails may be another end.
func (r *runner) carryOut(ctx context.Context, it *iteration) (EndReason, *failure) {
	for {
		winner := it.winner()
		end := r.endOf(ctx, it, winner)
		if end != "" || winner == nil || !winner.stands() {
			return end, winner
		}
		switch winner.decision.action {
		case taxonomy.Escalate:
			r.escalate(winner.decision.tier)
		case taxonomy.Recover:
			if !r.recovers(ctx, it, winner) {
				continue
			}
		}
		return "", winner
	}
}

// endOf returns why the run ends with the iteration, or "". The order is that in which the reasons
// outweigh each other.
func (r *runner) endOf(ctx context.Context, it *iteration, winner *failure) EndReason {
	action := taxonomy.Continue
	if winner != nil {
		action = winner.decision.action
	}
	limits := &r.cfg.Limits
	switch {
	case it.completed:
		return EndCompleted
	case it.cancelled || ctx.Err() != nil:
		return EndCancelled
	case action == taxonomy.Abort:
		return EndFatal
	case r.state.Failures >= limits.Failures:
		return EndMaxFailures
	case limits.Attempts > 0 && r.state.Counted >= limits.Attempts:
		return EndAttemptsUsedUp
	case action == taxonomy.Block:
		return winner.decision.end
	case it.asksForPerson(winner):
		r.result.Question = it.answer.Question
		return EndBlockedSignal
	case it.number >= limits.Iterations:
		return EndMaxIterations
	}
	return ""
}

// asksForPerson reports that the provider said so, and that no error is left to be dealt with
// before.
func (it *iteration) asksForPerson(winner *failure) bool {
	if it.answer.Signal != SignalBlocked || !it.answered && !it.blocked {
		return false
	}
	return winner == nil || !winner.stands()
}

// escalate hands over to a higher tier. Streaks and conversation are cleared; the counter is kept.
func (r *runner) escalate(tier int) {
	r.state.Tier, r.state.Streaks, r.state.Session = tier, nil, ""
	r.emit(Event{Kind: Escalated, Tier: r.tierName()})
}

// effects merges what the failures ask for the next iteration: the longest wait, the freshest
// conversation.
func (r *runner) effects(ctx context.Context, it *iteration) {
	for _, f := range it.failures {
		if !f.stands() {
			continue
		}
		r.share(ctx, f)
		if until := r.until(f); until.After(r.state.NotBefore) {
			r.state.NotBefore = until
		}
		switch f.decision.reaction.Session {
		case taxonomy.SessionReduced:
			r.state.Session, r.state.Reduced = "", true
		case taxonomy.SessionFresh:
			r.state.Session = ""
		}
	}
}

// lastWaits tells the others what an iteration that ends the run has found out: that the credential
// has to wait is true also for a run that does not.
func (r *runner) lastWaits(ctx context.Context, it *iteration) {
	graced, release := withGrace(ctx, r.cfg.Limits.Grace)
	defer release()
	for _, f := range it.failures {
		if f.stands() {
			r.share(graced, f)
		}
	}
}

// lastError keeps the winner as the last error, which only a clean iteration forgets.
func (r *runner) lastError(it *iteration, winner *failure) {
	if r.state.Clean {
		r.state.LastError, r.lastErr = nil, nil
	}
	if winner == nil || r.state.Clean {
		return
	}
	rec := winner.recorded()
	r.state.LastError, r.lastErr = &rec, winner.err
}

// recorded returns the record of a failure as it is now.
func (f *failure) recorded() ErrorRecord {
	rec := f.record
	rec.Overcome = f.overcome
	return rec
}

// close writes the iteration's end down.
func (r *runner) close(ctx context.Context, it *iteration, end EndReason, winner *failure) {
	s := &r.state
	s.Checked, s.Unchecked, s.Waits = it.checked, r.result.UncheckedFiles, r.takeWaits()
	s.Errors = nil
	for _, f := range it.failures {
		s.Errors = append(s.Errors, f.recorded())
	}
	s.End, s.EndsRun = end, false
	if winner != nil && (winner.decision.action == taxonomy.Abort || winner.decision.action == taxonomy.Block) {
		s.EndsRun = winner.decision.reaction.Extent == taxonomy.ExtentRun && end != "" && end != EndCancelled
	}
	s.Changed = maskedPaths(bounded(pathsOf(it.changes)))
	r.noteErrors(s.Errors)
	closed := *s
	closed.Streaks, closed.Recoveries = maps.Clone(s.Streaks), maps.Clone(s.Recoveries)
	r.record(ctx, Entry{Point: PointClosed, Closed: &closed})
	r.emit(Event{Kind: IterationEnded, Failures: s.Failures, Took: r.cfg.Clock.Now().Sub(it.began)})
	if end != "" {
		r.result.EndReason, r.result.EndsRun = cmp.Or(r.result.EndReason, end), s.EndsRun
	}
}
