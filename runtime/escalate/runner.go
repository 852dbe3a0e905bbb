package escalate

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/errgen/errgen/runtime/escalate/plan"
)

// Runner carries out plans. With a Journal or a Workspace it serves one run at a time.
type Runner struct {
	cfg  Config
	busy atomic.Bool
}

// New returns a runner. Its error names everything that is wrong with the configuration.
func New(c Config) (*Runner, error) {
	if err := c.problems(); err != nil {
		return nil, err
	}
	return &Runner{cfg: c.completed()}, nil
}

// Run carries out a plan, or goes on with the run of that name: where its process died, where it was cancelled, or, for one that is blocked
// by the plan's checks, with these. One that waits for an answer, or is over, is returned as it ended.
//
// The run's name is 1 to 80 letters, digits, '-', '_' and '.', the first a letter or a digit. When ctx ends the run is cancelled: what a
// tier was doing is stopped and put back. The result is never nil.
func (r *Runner) Run(ctx context.Context, run string, p plan.Plan) *Result {
	return r.serve(ctx, run, p, nil)
}

// Answer goes on with a run that is blocked, with a person's answer, or with one that has failed ([EndFailed]), whose failed steps are then
// carried out again. For any other run the result ends with [EndRefused], and what is kept of
// the run stays as it is.
func (r *Runner) Answer(ctx context.Context, run string, p plan.Plan, a Answer) *Result {
	return r.serve(ctx, run, p, &a)
}

var errBusy = errors.New("the runner serves another run")

func (r *Runner) serve(ctx context.Context, name string, p plan.Plan, a *Answer) *Result {
	u := newRun(&r.cfg, name, p)
	if !validRun(name) {
		return u.refuse(errors.New("the name of a run is " + runNameExpected))
	}
	if r.cfg.Journal != nil || r.cfg.Calls.Workspace != nil {
		if !r.busy.CompareAndSwap(false, true) {
			return u.refuse(errBusy)
		}
		defer r.busy.Store(false)
	}
	return u.serve(ctx, a)
}
