package escalate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/executor"
)

// Committing is a commit that is about to be made, of work that nothing was found to be wrong with.
// Once it is made the work counts, also when the process dies before it could note that.
type Committing struct {
	// Step is the step's ID, Print its fingerprint.
	Step  string `json:"step"`
	Print string `json:"print"`
	// Number is the call's whose work it is.
	Number int `json:"number"`
	// Checked is the tree with the work in it, Files what it has changed.
	Checked    executor.Checked `json:"checked"`
	Files      []string         `json:"files,omitempty"`
	Correction *Correction      `json:"correction,omitempty"`
}

// noteCommitting writes down that a commit is about to be made.
func (r *run) noteCommitting(ctx context.Context, c executor.Commit, step plan.Step, changes []executor.Change) error {
	r.state.Committing = &Committing{Step: step.ID, Print: stepFingerprint(step), Number: c.Attempt, Checked: c.Checked,
		Files: paths(changes)}
	if r.state.Work != nil {
		r.state.Committing.Correction = r.state.Work.Correction
	}
	return r.write(ctx)
}

// commitMade returns the commit that was about to be made when there was an error, or when a
// process died; ID "" says that there is none, and only then is nothing on its way any more. It is
// asked also after a cancellation: what is in the repository counts.
func (r *run) commitMade(ctx context.Context, number int) (executor.CommitDone, error) {
	graced, release := withGrace(ctx)
	defer release()
	done, err := r.committed(graced, number)
	if err != nil {
		return done, err
	}
	if done.ID == "" {
		r.state.Committing = nil
	}
	return done, nil
}

// unsure is the end of a run that cannot find out whether a commit was made. It stays as it is: the
// next start of the run asks again.
func (r *run) unsure(ctx context.Context) *ending {
	if r.unsaved != nil {
		return r.unsavable(ctx)
	}
	if r.lost == nil {
		return nil
	}
	r.died = true
	return r.broken(context.WithoutCancel(ctx), "find out whether the work was committed", sourceGit, opCommit, r.lost)
}

// recommitted has the work count that an earlier process has committed without noting it. It is not
// verified again: it was, and it is in the repository. An error says why the run cannot be gone on
// with.
func (r *run) recommitted(ctx context.Context) error {
	c := r.state.Committing
	if c == nil {
		return nil
	}
	done, err := r.commitMade(ctx, c.Number)
	if err != nil {
		return fmt.Errorf("find out whether the work of step %s was committed: %w", c.Step, err)
	}
	if done.ID == "" {
		return nil
	}
	i := slices.IndexFunc(r.plan.Steps, func(s plan.Step) bool { return s.ID == c.Step })
	if i < 0 || stepFingerprint(r.plan.Steps[i]) != c.Print {
		return errors.New("step " + c.Step + " is done and committed, and the plan has it otherwise now, or no more")
	}
	r.keepChecked(c.Checked)
	r.state.Step, r.state.Work = i, &Work{Correction: c.Correction}
	j := r.job(i)
	a := j.attempt(c.Number)
	by := r.person()
	if a != nil {
		by = a.Tier
	}
	changes := make([]executor.Change, len(c.Files))
	for i, file := range c.Files {
		changes[i].Path = file
	}
	j.done(claim{by: by, number: c.Number, changes: changes}, a, done)
	r.state.Committing, r.upToDate = nil, 0 // nobody knows what has changed since
	return nil
}
