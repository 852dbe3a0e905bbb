package escalate

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// historian is a workspace that knows what is in the history of HEAD, as workspace.Git.
type historian interface {
	// Missing returns those of the commits that are not in it.
	Missing(ctx context.Context, commits []string) ([]string, error)
}

// maxLost is how many steps are named that do not hold any more; of the others it is said how many
// they are.
const maxLost = 32

// lostCommits warns of steps that are done with commits that are not in the history any more:
// somebody has moved the branch since, or is on another one.
func (r *run) lostCommits(ctx context.Context) {
	w, ok := r.cfg.Calls.Workspace.(historian)
	var commits []string
	for i := range r.result.Steps {
		if s := &r.result.Steps[i]; s.State == StepDone && s.Commit != "" {
			commits = append(commits, s.Commit)
		}
	}
	if !ok || len(commits) == 0 {
		return
	}
	var missing []string
	err := contained(opResume, func() (err error) {
		missing, err = w.Missing(ctx, commits)
		return err
	})
	if err != nil {
		r.warn("find out whether the commits of steps that are done are still there", err)
		return
	}
	gone := make(map[string]bool, len(missing))
	for _, id := range missing {
		gone[id] = true
	}
	lost := losses{run: r, rest: "more steps are done with commits that are not in the history of HEAD any more"}
	for i := range r.result.Steps {
		if s := &r.result.Steps[i]; s.State == StepDone && gone[s.Commit] {
			lost.note("step " + text.OneLine(s.ID, maxWord) + " is done with commit " +
				text.OneLine(s.Commit, maxWord) +
				", which is not in the history of HEAD any more")
		}
	}
	lost.end()
}

// stillHold verifies once more, at the end, what made steps count, and warns of what does not hold
// any more: later steps may have meant that. What was verified since the tree has changed last is
// not verified again. It ends the run only when the tree cannot be put back to how it was before.
func (r *run) stillHold(ctx context.Context) *ending {
	verified := map[string]bool{}
	if i := r.upToDate; i > 0 {
		unverified(r.plan.Steps[i-1].Criteria, verified)
	}
	lost := losses{run: r, rest: "more steps were done, and do not hold any more"}
	asked := false
	for i := range r.plan.Steps {
		if r.result.Steps[i].State != StepDone {
			continue
		}
		criteria := unverified(r.plan.Steps[i].Criteria, verified)
		if len(criteria) == 0 {
			continue
		}
		if ctx.Err() != nil {
			return r.cancelledBy(ctx)
		}
		asked = true
		wrong := r.checking("criteria", func() []*taxonomy.Evidence {
			return r.verifying(ctx, func(v Verifier) []*taxonomy.Evidence { return v.Criteria(ctx, criteria) })
		})
		if len(wrong) > 0 && ctx.Err() == nil {
			lost.note("step " + text.OneLine(r.plan.Steps[i].ID, maxWord) + " was done, and does not hold any more: " +
				brief(wrong))
		}
	}
	lost.end()
	if !asked {
		return nil
	}
	if ctx.Err() != nil {
		return r.cancelledBy(ctx)
	}
	return r.untouched(ctx, "verifying once more what was done")
}

// unverified returns the criteria that are not among those that were verified, and adds them.
func unverified(all []plan.Criterion, verified map[string]bool) []plan.Criterion {
	var left []plan.Criterion
	for _, c := range all {
		at := c
		at.Line = 0 // where it stands does not make it another one
		key, err := json.Marshal(at)
		if err == nil && verified[string(key)] {
			continue
		}
		verified[string(key)] = true
		left = append(left, c)
	}
	return left
}

// brief says in one line what was found.
func brief(wrong []*taxonomy.Evidence) string {
	s := wrong[0].Text
	if s == "" {
		s = wrong[0].Error()
	}
	if s = text.OneLine(s, maxValue); len(wrong) > 1 {
		s += fmt.Sprintf(" (and %d more)", len(wrong)-1)
	}
	return s
}

// losses warns of steps, the first of them by name.
type losses struct {
	run  *run
	rest string
	n    int
}

func (l *losses) note(text string) {
	if l.n++; l.n <= maxLost {
		l.run.warn(text, nil)
	}
}

func (l *losses) end() {
	if more := l.n - maxLost; more > 0 {
		l.run.warn(fmt.Sprintf("%d %s", more, l.rest), nil)
	}
}

// untouched puts back what somebody has changed who was to look only, before the first step or
// after the last. It warns of that; what the end of the run is says that it could not be put back.
func (r *run) untouched(ctx context.Context, who string) *ending {
	if r.checked == "" || r.state.Open != nil || r.state.Work != nil && r.state.Work.Heard != nil {
		return nil // what is in the tree is still to be judged
	}
	ref, files, e := r.restore(ctx)
	if ref != "" {
		r.emit(Event{Kind: PutBack, Text: ref, Files: maskedFiles(files)})
		r.warn(who+" has changed the working tree, which was put back: "+
			filesOf(&found{evidence: &taxonomy.Evidence{Files: files}})+" (kept in "+ref+")", nil)
	}
	return e
}
