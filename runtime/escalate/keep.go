package escalate

import (
	"context"
	"strings"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// left returns what differs from a checked tree; nothing without a workspace.
func (r *run) left(ctx context.Context, checked executor.Checked) (changes []executor.Change, err error) {
	if r.cfg.Calls.Workspace == nil {
		return nil, nil
	}
	err = contained("detect_changes", func() (err error) {
		changes, err = r.cfg.Calls.Workspace.Detect(ctx, checked)
		return err
	})
	return changes, err
}

// advance returns the checked tree with changes in it as they were judged. The one before is valid
// until the next advance, so that what fails behind it can still be put back.
func (r *run) advance(ctx context.Context, checked executor.Checked, changes []executor.Change) (
	next executor.Checked, err error) {
	if r.cfg.Calls.Workspace == nil || len(changes) == 0 {
		return checked, nil
	}
	err = contained("save", func() (err error) {
		next, err = r.cfg.Calls.Workspace.Advance(ctx, r.result.Run, checked, changes)
		return err
	})
	if err != nil {
		return checked, err
	}
	return next, nil
}

// commit commits changes as the checked tree has them, for the call of that number. There is none
// (ID "") when nothing of them can be committed. One that was made although there is an error, a
// cancellation say, counts. Where that cannot be found out, the run ends: see unsure.
func (r *run) commit(ctx context.Context, checked executor.Checked, number int, step plan.Step,
	changes []executor.Change) (executor.CommitDone, error) {
	c := executor.Commit{Run: r.result.Run, Attempt: number, Checked: checked, Message: commitMessage(step)}
	for _, change := range changes {
		if !change.Ignored && !change.Git {
			c.Paths = append(c.Paths, change.Path)
		}
	}
	if r.cfg.Calls.Workspace == nil || len(c.Paths) == 0 {
		return executor.CommitDone{}, nil
	}
	if err := r.noteCommitting(ctx, c, step, changes); err != nil {
		return executor.CommitDone{}, err
	}
	var done executor.CommitDone
	err := contained("commit", func() (err error) {
		done, err = r.cfg.Calls.Workspace.Commit(ctx, c)
		return err
	})
	if err == nil {
		r.state.Committing = nil
		return done, nil
	}
	made, lost := r.commitMade(ctx, number)
	switch {
	case lost != nil:
		r.lost = lost
	case made.ID != "":
		r.state.Committing = nil
		return made, nil
	}
	return executor.CommitDone{}, err
}

// committed looks for the commit of a call, of which an earlier process may not have noted the end;
// ID "" is none.
func (r *run) committed(ctx context.Context, number int) (done executor.CommitDone, err error) {
	if r.cfg.Calls.Workspace == nil {
		return executor.CommitDone{}, nil
	}
	err = contained("commit", func() (err error) {
		done, err = r.cfg.Calls.Workspace.Committed(
			ctx, executor.Commit{Run: r.result.Run, Attempt: number, Checked: r.checked})
		return err
	})
	return done, err
}

// commitMessage returns one line that names the step, secrets masked: it is in the repository for
// good.
func commitMessage(step plan.Step) string {
	title := strings.Join(strings.Fields(taxonomy.Redact(step.Title)), " ")
	if title == "" {
		return "Step " + step.ID
	}
	return "Step " + step.ID + ": " + title
}

// allowed returns an error unless each of the changes may stay without anybody being asked.
func (r *run) allowed(ctx context.Context, changes []executor.Change) error {
	verdicts := make([]executor.Verdict, len(changes))
	for i := range verdicts {
		verdicts[i] = executor.Allowed
	}
	if g := r.cfg.Calls.Guard; g != nil {
		err := contained("scope", func() (err error) {
			verdicts, err = g.Judge(ctx, changes)
			return err
		})
		if err != nil {
			return err
		}
	}
	var bad []string
	for i, c := range changes {
		if c.Git || c.Escapes || i >= len(verdicts) || verdicts[i] != executor.Allowed {
			bad = append(bad, c.Path)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return &taxonomy.Evidence{Source: "scope", Op: "scope", Type: "outside_allowed", Files: bad,
		Text: "nobody has judged what an earlier process left"}
}
