package executor

import (
	"context"
	"slices"

	"github.com/errgen/errgen/runtime/internal/text"
)

// maxListed bounds the lists of a result that a long run would make longer and longer.
const maxListed = 100

// outcome completes the result. Then the task is filed and people are told, which cannot change it.
func (r *runner) outcome(ctx context.Context) {
	if !r.known {
		r.lookAgain(ctx)
		r.complete(ctx)
		r.recordEnd(ctx)
	}
	if !r.known || !r.past.notified {
		if r.result.EndReason != EndDryRun {
			r.fileAndNotify(ctx)
		}
		r.letGo(ctx)
		if r.known || r.begunWell {
			r.record(ctx, Entry{Point: PointNotified})
		}
	}
	r.emit(Event{Kind: RunEnded, Result: r.result})
}

// lookAgain finds what nobody has judged, or what could not be put back, and saves it: what a
// strategy or a check has changed since the last look is among it. It is neither committed nor put
// back, but said.
func (r *runner) lookAgain(ctx context.Context) {
	if !r.begunWell || r.state.Checked == "" || !r.unseen && len(r.result.UncheckedFiles) == 0 {
		return
	}
	graced, release := withGrace(ctx, r.cfg.Limits.Grace)
	defer release()
	var changes []Change
	err := contained(operation{name: opDetect, source: sourceGit}, func() (err error) {
		changes, err = r.cfg.Workspace.Detect(graced, r.state.Checked)
		return err
	})
	if r.unseen = err != nil; r.unseen {
		r.warn("look for what was changed last", err)
		return
	}
	known := setFrom(r.result.UncheckedFiles)
	fresh := slices.DeleteFunc(pathsOf(changes), func(path string) bool { return known[path] })
	if len(fresh) > 0 {
		r.result.UncheckedFiles = sorted(setFrom(append(r.result.UncheckedFiles, fresh...)))
		r.warn("changed since the last look, and judged by nobody: "+listed(fresh), nil)
	}
	r.keepUnchecked(graced, changes)
}

// keepUnchecked saves changes that the run leaves unchecked, unless they are saved as they are.
func (r *runner) keepUnchecked(ctx context.Context, changes []Change) {
	if !slices.ContainsFunc(changes, func(c Change) bool { return !r.saved[c] }) {
		return
	}
	ref := ""
	err := contained(operation{name: opSave, source: sourceGit}, func() (err error) {
		ref, err = r.cfg.Workspace.Save(ctx, r.task.Run, r.number, r.state.Checked, changes)
		return err
	})
	if err != nil {
		r.warn("save what is unchecked", err)
		return
	}
	r.noteRef(ref)
	r.emit(Event{Kind: Saved, Text: ref})
}

// recordEnd writes the outcome down. A run that was refused, or whose setup failed, is not over: it
// can be tried again.
func (r *runner) recordEnd(ctx context.Context) {
	if !r.begunWell {
		return
	}
	stored := *r.result
	r.record(ctx, Entry{Point: PointEnded, Ended: &stored})
	r.over = r.log.settled()
}

// complete fills in what the run knows.
func (r *runner) complete(ctx context.Context) {
	res, s := r.result, &r.state
	res.Status = res.EndReason.Status()
	res.Failures, res.Counted = s.Failures, s.Counted
	res.UncommittedFiles = sorted(setFrom(append(slices.Clone(s.Uncommitted), s.Pending...)))
	res.Pushed = s.Pushed
	if s.LastError != nil && res.Status != StatusCompleted {
		res.Error, res.ErrorCode, res.ErrorCategory = s.LastError.Message, s.LastError.Code, s.LastError.Category
		res.ErrorDetails, res.Err = s.LastError.Details, r.lastErr
	} else if cause := context.Cause(ctx); res.EndReason == EndCancelled && cause != nil {
		res.Error, res.Err = text.Error(cause, maxMessage), harmless(finite(cause))
	}
	res.mask()
	res.EndedAt = r.cfg.Clock.Now()
}

// letGo lets go of what the workspace keeps for the run, once the run is over and nothing is
// unchecked: what the checked tree has of such files may be nowhere else. Of a run that was over
// before, nobody holds the working tree.
func (r *runner) letGo(ctx context.Context) {
	if r.cfg.Workspace == nil || !r.known && !r.over && !r.tried() || r.unseen || len(r.result.UncheckedFiles) > 0 {
		return
	}
	ctx = context.WithoutCancel(ctx)
	err := contained(operation{}, func() error {
		if r.known {
			unlock, err := r.cfg.Workspace.Lock(ctx, r.tree)
			if err != nil {
				return err
			}
			if unlock != nil {
				r.unlock = append(r.unlock, unlock)
			}
		}
		return r.cfg.Workspace.Release(ctx, r.tree)
	})
	if err != nil {
		r.warn("let go of the checked tree", err)
	}
}

// tried reports that it was a dry run, of which nothing is left.
func (r *runner) tried() bool { return r.result.EndReason == EndDryRun }

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
		rec.Wire, rec.Decided = nil, nil // the result has no use for them
		rec.Files = maskedPaths(rec.Files)
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
