package executor

import (
	"context"
	"slices"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// maxListed bounds the lists of a result that a long run would make longer and longer.
const maxListed = 100

// outcome completes the result. Then the task is filed and people are told, which cannot change it.
func (r *runner) outcome(ctx context.Context) {
	known := r.past.ended != nil
	if !known {
		r.complete()
		r.recordEnd(ctx)
	}
	if !r.past.notified && r.result.EndReason != EndDryRun {
		graced, release := withGrace(ctx, r.cfg.Limits.Grace)
		defer release()
		r.fileAndNotify(graced)
		if known || r.begunWell {
			r.record(ctx, Entry{Point: PointNotified})
		}
	}
	if !known {
		r.letGo(ctx)
	}
	r.emit(Event{Kind: RunEnded, Result: r.result})
}

// recordEnd writes the outcome down. A run that was refused, or whose setup failed, is not over: it can be tried again.
func (r *runner) recordEnd(ctx context.Context) {
	if !r.begunWell {
		return
	}
	stored := *r.result
	r.record(ctx, Entry{Point: PointEnded, Ended: &stored})
}

// complete fills in what the run knows.
func (r *runner) complete() {
	res, s := r.result, &r.state
	res.Status = res.EndReason.Status()
	res.Failures, res.Counted = s.Failures, s.Counted
	res.UncommittedFiles = sorted(setFrom(append(slices.Clone(s.Uncommitted), s.Pending...)))
	res.Pushed = s.Pushed
	if s.LastError != nil && res.Status != StatusCompleted {
		res.Error, res.ErrorCode, res.ErrorCategory = s.LastError.Message, s.LastError.Code, s.LastError.Category
		res.ErrorDetails, res.Err = s.LastError.Details, r.lastErr
	}
	res.EndedAt = r.cfg.Clock.Now()
}

// fileAndNotify puts the task's file where it belongs and tells people. What fails there is a warning.
func (r *runner) fileAndNotify(ctx context.Context) {
	if r.cfg.Filer != nil {
		r.aside(operation{name: opFile, source: sourceExecutor, class: classSide}, func() error { return r.cfg.Filer.File(ctx, r.result) })
	}
	if r.cfg.Notifier != nil {
		r.aside(operation{name: opNotify, source: sourceNotify, class: classSide}, func() error { return r.cfg.Notifier.Notify(ctx, r.result) })
	}
}

// aside runs what cannot change the outcome.
func (r *runner) aside(op operation, f func() error) {
	if err := contained(op, f); err != nil {
		failed := r.fail(&iteration{number: r.number}, op, err)
		r.warn(op.name, failed.err)
	}
}

// letGo lets go of what the workspace keeps for the run.
func (r *runner) letGo(ctx context.Context) {
	if r.cfg.Workspace == nil || r.state.Checked == "" {
		return
	}
	err := contained(operation{}, func() error { return r.cfg.Workspace.Release(context.WithoutCancel(ctx), r.task.Run) })
	if err != nil {
		r.warn("let go of the checked tree", err)
	}
}

// release lets go of the locks, the last first.
func (r *runner) release() {
	for _, unlock := range slices.Backward(r.unlock) {
		if err := contained(operation{}, unlock); err != nil {
			r.warn("let go of a lock", err)
		}
	}
}

// noteErrors adds errors to the result: of very many the first and the last stay.
func (r *runner) noteErrors(all []ErrorRecord) {
	for _, rec := range all {
		rec.Wire = nil // the result has no use for it
		r.result.Errors = push(r.result.Errors, rec)
		r.result.ErrorCount++
		if r.result.Reactions == nil {
			r.result.Reactions = map[string]int{}
		}
		r.result.Reactions[reactionName(rec)]++
	}
}

func reactionName(rec ErrorRecord) string {
	if rec.Reaction != "" {
		return rec.Reaction
	}
	return rec.Action
}

func (r *runner) countWait(w Wait) {
	r.result.Waits = push(r.result.Waits, w)
	r.result.Waited += w.Took
}

func (r *runner) noteRef(ref string) {
	if ref != "" {
		r.result.SavedRefs = push(r.result.SavedRefs, ref)
	}
}

func (r *runner) noteCommit(c CommitDone) {
	r.result.Commits = append(r.result.Commits, c)
	r.result.CommittedFiles = sorted(setFrom(append(r.result.CommittedFiles, c.Paths...)))
}

// push appends to a bounded list: once it is full, the oldest of its second half makes room.
func push[T any](list []T, v T) []T {
	if len(list) < maxListed {
		return append(list, v)
	}
	return append(slices.Delete(list, maxListed/2, maxListed/2+1), v)
}

func bounded[T any](all []T) []T {
	var out []T
	for _, v := range all {
		out = push(out, v)
	}
	return out
}

// spend adds what a call cost.
func (r *runner) spend(u Usage) { r.result.Usage = r.result.Usage.plus(u) }

// plus returns the sum of what is known; of what neither knows nothing is known.
func (u Usage) plus(v Usage) Usage {
	return Usage{
		InputTokens:  sum(u.InputTokens, v.InputTokens),
		OutputTokens: sum(u.OutputTokens, v.OutputTokens),
		CostUSD:      sum(u.CostUSD, v.CostUSD),
	}
}

func sum[T int64 | float64](a, b taxonomy.Opt[T]) taxonomy.Opt[T] {
	if a.IsZero() {
		return b
	}
	return taxonomy.Some(a.Or(0) + b.Or(0))
}
