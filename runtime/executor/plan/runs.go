package plan

import (
	"context"
	"errors"

	"github.com/errgen/errgen/runtime/executor"
)

// Runs carries out the runs of a plan: in this process, or in the workflows of an engine.
type Runs interface {
	// Peek returns the state of a run that began earlier, or nil.
	Peek(run string) (*executor.RunState, error)
	// Run runs or resumes a step to its end, with the executor of [Runner.Executor].
	Run(p Part, task executor.Task, how executor.Reopening) (*executor.RunState, error)
	// End returns the result of [Runner.End].
	End(e Ending) Ended
}

// Part is a run of a plan, as plain data: a step, or a review.
type Part struct {
	Name string `json:"name"` // of the plan's run
	Plan *Plan  `json:"plan"`
	Step int    `json:"step"` // its index; the earlier steps are done
	// Begun reports that an earlier step or process began the plan.
	Begun bool `json:"begun,omitempty"`
	// Prepare reports that the run prepares the plan before the step.
	Prepare bool `json:"prepare,omitempty"`
	// Answered reports that a person answered, so the plan is not reviewed again.
	Answered bool    `json:"answered,omitempty"`
	Review   *Review `json:"review,omitempty"` // nil for a step
}

// Review is a run that reviews a plan, or the work on a step.
type Review struct {
	Of      string   `json:"of"` // the name of its template
	By      int      `json:"by"` // the tier
	Report  string   `json:"report,omitempty"`
	Changed []string `json:"changed,omitempty"`
}

// Reviewer carries out a review to its end.
type Reviewer func(ctx context.Context, p Part, task executor.Task) (*executor.RunState, error)

type reviewerKey struct{}

// WithReviewer returns a context for the effects of a step: their reviews are carried out by f.
func WithReviewer(ctx context.Context, f Reviewer) context.Context {
	return context.WithValue(ctx, reviewerKey{}, f)
}

// local carries out runs in this process.
type local struct {
	*Runner
	ctx context.Context
}

var errNoStore = errors.New("plan: the configuration lacks a store")

func (l *local) Peek(run string) (*executor.RunState, error) {
	if l.cfg.Store == nil {
		return nil, errNoStore
	}
	return l.cfg.Store().Peek(l.ctx, run)
}

func (l *local) Run(p Part, task executor.Task, how executor.Reopening) (*executor.RunState, error) {
	e, err := l.Executor(p)
	if err != nil {
		return nil, err
	}
	return e.Reopen(l.ctx, task, how).State, nil
}

func (l *local) End(e Ending) Ended { return l.Runner.End(l.ctx, e) }
