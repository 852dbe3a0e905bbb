package escalate

import (
	"context"
	"fmt"
	"slices"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The operations and types of evidence about what is verified, as the vocabulary of this package
// has them.
const (
	opVerify    = "verify"
	opClean     = "clean"
	opCommit    = "commit"
	typeUnclean = "unclean"
)

// claim is what somebody says to have done for a step.
type claim struct {
	// by is the tier, or the person.
	by     string
	role   Role
	number int
	// report is what was said, changes what was judged of what was changed.
	report  string
	changes []executor.Change
	// hand reports that a person has carried the step out.
	hand bool
}

// hear reads an answer.
func (j *job) hear(ctx context.Context) *ending {
	h := j.work.Heard
	a := j.attempt(h.Number)
	if h.Role == Diagnose {
		return j.diagnosed(ctx, a, h)
	}
	tier := j.ladder[h.Rung].tier
	rep, unread := parseReport(h.Text, tier.Classifies, j.mark(h.Number))
	if unread != nil || !rep.Done {
		return j.reported(ctx, a, rep, tier, unread)
	}
	j.emit(Event{Kind: Claimed, Tier: tier.Name, Text: "done", Attempt: h.Number})
	return j.accept(ctx, a, claim{by: tier.Name, role: h.Role, number: h.Number, report: h.Text, changes: h.Changes})
}

// reported reacts to an agent's report of a failure. What claims nothing is one.
func (j *job) reported(ctx context.Context, a *Attempt, rep Report, tier taxonomy.Tier, unread error) *ending {
	j.emit(Event{Kind: Claimed, Tier: tier.Name, Text: "failed", Code: rep.Code, Attempt: a.Number})
	ev := j.evidenceOf(rep, tier, a.Role, j.step.ID)
	if tier.Classifies && unread != nil {
		ev.Text, ev.Err = saidOf(unread, ev.Text), unread
	}
	f := j.find(ev, rep.Code)
	if tier.Classifies {
		a.Disagrees = disagreement(rep, f.traits.Retryable)
	}
	return j.fail(ctx, a, a.Role, []found{f})
}

// accept verifies a claim. Only here does a step become done.
func (j *job) accept(ctx context.Context, a *Attempt, c claim) *ending {
	wrong, unreviewed := j.verify(ctx, c, a)
	switch {
	case ctx.Err() != nil:
		return nil
	case unreviewed != nil:
		return j.unreviewed(ctx, a, c, unreviewed)
	case len(wrong) > 0:
		return j.fail(ctx, a, c.role, wrong)
	}
	return j.count(ctx, c, a)
}

// verify finds out what is wrong with what was done: prerequisites, gate and criteria, in the order
// in which failures are asked for, and the review only of what has passed these. Without a review
// nothing is known to be wrong, and yet nothing counts. A is nil for what a person has done.
func (j *job) verify(ctx context.Context, c claim, a *Attempt) (wrong []found, unreviewed *unmade) {
	if c.role == Fix {
		wrong = append(wrong, j.prerequisites(ctx)...)
		j.told(c, "prerequisites", wrong)
	}
	for _, check := range []struct {
		name string
		run  func(context.Context) []*taxonomy.Evidence
	}{{"gate", j.gate}, {"criteria", j.criteria}} {
		failed := j.findAll(check.run(ctx), j.step.ID)
		j.told(c, check.name, failed)
		wrong = append(wrong, failed...)
	}
	if len(wrong) == 0 && j.cfg.Reviewer != nil && ctx.Err() == nil {
		if wrong, unreviewed = j.reviewed(ctx, c, a); unreviewed == nil {
			j.told(c, "review", wrong)
		}
	}
	return wrong, unreviewed
}

// told says what came of a check.
func (j *job) told(c claim, what string, failed []found) {
	e := Event{Kind: Verified, Tier: c.by, Text: what}
	if len(failed) > 0 {
		e.Message = failed[0].message()
	}
	j.emit(e)
}

func (j *job) gate(ctx context.Context) []*taxonomy.Evidence {
	if len(j.plan.Gate) == 0 {
		return nil
	}
	return j.checking("gate", func() []*taxonomy.Evidence {
		return j.verifying(ctx, func(v Verifier) []*taxonomy.Evidence { return v.Gate(ctx, j.plan.Gate) })
	})
}

func (j *job) criteria(ctx context.Context) []*taxonomy.Evidence {
	if len(j.step.Criteria) == 0 {
		return nil
	}
	return j.checking("criteria", func() []*taxonomy.Evidence {
		return j.verifying(ctx, func(v Verifier) []*taxonomy.Evidence { return v.Criteria(ctx, j.step.Criteria) })
	})
}

// checking runs checks. One that panics has found that nothing is known to be well.
func (r *run) checking(op string, check func() []*taxonomy.Evidence) (wrong []*taxonomy.Evidence) {
	defer func() {
		if p := recover(); p != nil {
			wrong = []*taxonomy.Evidence{{Source: sourceCheck, Op: op, Type: "panic",
				Text: fmt.Sprintf("panic: %v", p)}}
		}
	}()
	wrong = check()
	return slices.DeleteFunc(wrong, func(ev *taxonomy.Evidence) bool { return ev == nil })
}

// verified verifies prerequisites. Whatever nothing came back of counts as not met.
func (r *run) verified(ctx context.Context, all []plan.Prerequisite) []Verification {
	var got []Verification
	failed := r.checking("prerequisites", func() []*taxonomy.Evidence {
		return r.verifying(ctx, func(v Verifier) []*taxonomy.Evidence {
			got = v.Prerequisites(ctx, all)
			return nil
		})
	})
	out := make([]Verification, len(all))
	for i, p := range all {
		switch {
		case i < len(got):
			out[i] = got[i]
		case len(failed) > 0:
			out[i].Failed = failed[0]
		default:
			out[i].Failed = &taxonomy.Evidence{Source: sourcePlan, Op: opPrepare, Text: "it was not verified"}
		}
		out[i].Prerequisite, out[i].How = maskedPrerequisite(p), bounded(out[i].How)
	}
	return out
}

// count makes work count that nothing was found to be wrong with, if nothing but what was judged is
// in the tree.
func (j *job) count(ctx context.Context, c claim, a *Attempt) *ending {
	next, done, wrong := j.kept(ctx, c)
	if e := j.unsure(ctx); e != nil {
		return e
	}
	if ctx.Err() != nil && done.ID == "" {
		return j.cancelOr(ctx, a)
	}
	if wrong != nil {
		j.told(c, opClean, []found{*wrong})
		if a == nil {
			return j.notByHand(ctx, c.by, []found{*wrong})
		}
		return j.fail(ctx, a, c.role, []found{*wrong})
	}
	j.told(c, opClean, nil)
	if next != "" {
		j.keepChecked(next)
	}
	j.done(c, a, done)
	return j.save(ctx)
}

// cancelOr leaves a call's work to be cancelled by what comes next, and cancels a person's.
func (j *job) cancelOr(ctx context.Context, a *Attempt) *ending {
	if a != nil {
		return nil
	}
	return j.cancel(ctx)
}

// kept makes the changes part of the checked tree, and commits them if commits are wanted.
func (j *job) kept(ctx context.Context, c claim) (executor.Checked, executor.CommitDone, *found) {
	if wrong := j.unclean(ctx, j.checked, c.changes); wrong != nil {
		return "", executor.CommitDone{}, wrong
	}
	next, err := j.advance(ctx, j.checked, c.changes)
	if err != nil {
		return "", executor.CommitDone{}, j.wrongWith(err, "save")
	}
	if wrong := j.unclean(ctx, next, nil); wrong != nil {
		return "", executor.CommitDone{}, wrong
	}
	if !j.cfg.Commit {
		return next, executor.CommitDone{}, nil
	}
	done, err := j.commit(ctx, next, c.number, j.step, c.changes)
	if err != nil {
		return "", done, j.wrongWith(err, opCommit)
	}
	return next, done, nil
}

func (j *job) wrongWith(err error, op string) *found {
	f := j.findErr(err, sourceGit, op)
	return &f
}

// unclean finds out whether the tree differs from a checked one by anything but the changes: nobody
// has judged that.
func (j *job) unclean(ctx context.Context, checked executor.Checked, judged []executor.Change) *found {
	now, err := j.left(ctx, checked)
	if err != nil {
		return j.wrongWith(err, "detect_changes")
	}
	files := differing(judged, now)
	if len(files) == 0 {
		return nil
	}
	f := j.find(&taxonomy.Evidence{
		Source: sourceCheck, Op: opClean, Type: typeUnclean, Files: files,
		Text:       notAsJudged(len(files)),
		Attributes: map[string]string{"step": j.step.ID},
	}, "")
	return &f
}

func notAsJudged(n int) string {
	if n == 1 {
		return "1 file is not as it was judged"
	}
	return fmt.Sprintf("%d files are not as they were judged", n)
}

// differing returns the paths that two lists of changes do not say the same of.
func differing(a, b []executor.Change) []string {
	seen := make(map[string]executor.Change, len(a))
	for _, c := range a {
		seen[c.Path] = c
	}
	var files []string
	for _, c := range b {
		if was, ok := seen[c.Path]; !ok || was != c {
			files = append(files, c.Path)
		}
		delete(seen, c.Path)
	}
	for path := range seen {
		files = append(files, path)
	}
	slices.Sort(files)
	return files
}

// done notes that the step is done.
func (j *job) done(c claim, a *Attempt, made executor.CommitDone) {
	if a != nil {
		a.Counts, a.Said = true, text.BothEnds(a.Said, maxSaid)
	}
	j.res.By, j.res.Files, j.res.Commit = c.by, maskedFiles(paths(c.changes)), made.ID
	if fix := j.work.Correction; fix != nil && !c.hand {
		j.res.Correction = fix
		keep(&j.state.Corrections, j.step.ID, Correction{By: fix.By, New: fix.New})
	}
	keepStep(j.state, j.step)
	j.upToDate = j.stepNamed(j.step.ID) + 1
	j.emit(Event{Kind: Accepted, Tier: c.by, Files: j.res.Files, Text: made.ID})
	j.endStep(StepDone, c.by)
	j.state.forgetWork()
}

func keepStep(s *State, step plan.Step) {
	if s.Steps == nil {
		s.Steps = map[string]string{}
	}
	s.Steps[step.ID] = stepFingerprint(step)
}
