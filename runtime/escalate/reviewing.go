package escalate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// unmade is a review that could not be made, when nothing is left to be tried about that.
type unmade struct {
	found found
	end   EndReason
}

// reviewed asks the reviewer, again as long as the reaction to its own failures has it: those say
// nothing of the work, which stays as it is meanwhile. It returns what was found, or why there is
// no review.
func (j *job) reviewed(ctx context.Context, c claim, a *Attempt) ([]found, *unmade) {
	in := j.reviewInput(c)
	trails := map[string]trail{}
	for {
		all, err := j.review(ctx, in)
		if ctx.Err() != nil {
			return nil, nil
		}
		if err == nil {
			return j.findAll(all, j.step.ID), nil
		}
		f := j.findErr(notOfReview(err), sourceEscalate, opReview)
		j.noteUnreviewed(a, c, &f)
		wait, end := j.afterNoReview(&f, trails)
		if end == "" && j.outlasts(wait) {
			end = EndGuard
		}
		if end != "" {
			return nil, &unmade{f, end}
		}
		if wait > 0 {
			j.emit(Event{Kind: Waiting, Until: j.later(wait), Text: f.finding().Code})
		}
		if j.cfg.Calls.Clock.Sleep(ctx, wait) != nil && ctx.Err() != nil {
			return nil, nil
		}
	}
}

func (j *job) reviewInput(c claim) ReviewInput {
	in := ReviewInput{Run: j.result.Run, Step: j.step, Tier: c.by, Report: c.report, Files: paths(c.changes)}
	if fix := j.work.Correction; fix != nil && !c.hand {
		in.Corrected, in.CorrectedBy = fix.New, fix.By
	}
	if w := j.cfg.Calls.Workspace; w != nil {
		in.Dir = w.Dir()
	}
	return in
}

func (j *job) review(ctx context.Context, in ReviewInput) (all []*taxonomy.Evidence, err error) {
	defer func() {
		if p := recover(); p != nil {
			all, err = nil, fmt.Errorf("review: panic: %v", p)
		}
	}()
	var over func()
	in.Started, over = j.tracking(ctx, ByReviewer)
	defer over()
	return j.cfg.Reviewer.Review(ctx, in)
}

// notOfReview returns an error of a reviewer with evidence of whoever it is but a review's: that
// nobody reviewed is no finding.
func notOfReview(err error) error {
	ev, ok := errors.AsType[*taxonomy.Evidence](err)
	if !ok || ev.Source != sourceReview && ev.Source != "" {
		return err
	}
	own := *ev
	own.Source = sourceEscalate
	return &own
}

// maxUnreviewed is how many reviews that could not be made an attempt lists: the last ones.
const maxUnreviewed = 8

// noteUnreviewed notes that there was no review. A is nil for what a person has done.
func (j *job) noteUnreviewed(a *Attempt, c claim, f *found) {
	one := f.finding()
	if a != nil {
		a.Unreviewed = append(a.Unreviewed[max(0, len(a.Unreviewed)-maxUnreviewed+1):], one)
	}
	j.emit(Event{Kind: NotReviewed, Tier: c.by, Code: one.Code, Message: one.Message, Text: f.why})
}

// afterNoReview returns how long to wait before the reviewer is asked again, or why the run ends.
// Only trying again and giving up can be done about a reviewer; with every other reaction a person
// is asked.
func (j *job) afterNoReview(f *found, trails map[string]trail) (time.Duration, EndReason) {
	if f.traits.Reaction == nil {
		return 0, EndBlocked
	}
	code := taxonomy.CodeOf(f.err)
	s := situation{profile: j.profile(), random: j.random(), hint: retry.HintOf(taxonomy.HintsOf(f.err), j.now())}
	d := decision{reaction: f.traits.Reaction, trail: trails[code]}
	defer func() { trails[code] = d.trail }()
	for ; d.depth < taxonomy.MaxChain; d.depth++ {
		switch d.reaction.Action {
		case taxonomy.Retry, taxonomy.RetryOperation:
			if s.try(&d) {
				return d.wait, ""
			}
		case taxonomy.Abort:
			return 0, EndFailed
		default:
			return 0, EndBlocked
		}
		d.reaction = follower(s.profile, d.reaction)
	}
	return 0, EndBlocked
}

// unreviewed ends the run because nobody could review what was done: it may be well, and yet it
// does not count.
func (j *job) unreviewed(ctx context.Context, a *Attempt, c claim, u *unmade) *ending {
	w, message := j.work, bounded(u.found.message())
	code, category := codeAndCategory(u.found.err)
	w.Heard = nil
	w.Failed = &Failed{
		Rung: w.Rung, Role: c.role, Code: code, Category: category, Message: message, err: u.found.err,
		evidence: u.found.evidence,
		Needed: []string{"Somebody has to review it: see to it that the reviewer can be asked, then answer. What " +
			"was done may be well; it was put aside only because nobody has looked at it."},
	}
	w.End, w.Why = u.end, "nobody could review what "+c.by+" has done: "+message
	if a == nil {
		w.Failed.Needed = []string{"Somebody has to review it: see to it that the reviewer can be asked, then " +
			"answer once more."}
		if e := j.save(ctx); e != nil {
			return e
		}
		return j.ends()
	}
	a.Message = "nobody could review it: " + message
	if e := j.save(ctx); e != nil {
		return e
	}
	return j.undo(ctx)
}
