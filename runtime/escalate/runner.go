package escalate

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/internal/text"
)

// Runner carries out plans. With a Journal or a Workspace it serves one run at a time.
type Runner struct {
	cfg  Config
	busy atomic.Bool
	// telling is held while the observer is told.
	telling sync.Mutex
}

// New returns a runner. Its error names everything that is wrong with the configuration.
func New(c Config) (*Runner, error) {
	if err := c.problems(); err != nil {
		return nil, err
	}
	c = c.completed()
	c.Calls.Clock = &steadyClock{clock: c.Calls.Clock}
	return &Runner{cfg: c}, nil
}

// Run carries out a plan, or goes on with the run of that name: where its process died, where it
// was cancelled, or, for one that is blocked by the plan's checks, with these. One that has ended
// because what does not count could not be put back ([EndRevert]) puts that back first; what was
// changed meanwhile is put back with it, and kept as ever. One that waits for an answer is returned
// as it ended, and so is one that is over, if the plan demands the same as then; otherwise, and in
// another working tree than it was begun in, it is refused. The Err of a result that is returned so
// is what Calls.Decode reads of it, and its text only where it cannot.
//
// The run's name is 1 to 80 letters, digits, '-', '_' and '.', the first a letter or a digit. When
// ctx ends the run is cancelled: what a tier was doing is stopped and put back. The result is never
// nil. When something that the run works with ends the goroutine (runtime.Goexit, as testing's
// FailNow does), Run does not return, and the run is left as by a death.
func (r *Runner) Run(ctx context.Context, run string, p plan.Plan) *Result {
	return r.serve(ctx, run, p, nil)
}

// Answer goes on with a run that is blocked, with a person's answer, or with one that has failed
// ([EndFailed]), whose failed steps are then carried out again. One that has ended with [EndRevert]
// can be given up only. For any other run, and for an action that there is none, the result ends
// with [EndRefused], and what is kept of the run stays as it is.
func (r *Runner) Answer(ctx context.Context, run string, p plan.Plan, a Answer) *Result {
	return r.serve(ctx, run, p, &a)
}

func (r *Runner) serve(ctx context.Context, name string, p plan.Plan, a *Answer) *Result {
	u := newRun(&r.cfg, name, p)
	u.telling, u.silent = &r.telling, true
	if !validRun(name) {
		return u.refuse(errors.New("the name of a run is " + runNameExpected))
	}
	if a != nil && !a.known() {
		return u.refuse(fmt.Errorf("there is no answer %q", text.Beginning(string(a.Action), maxWord)))
	}
	if r.cfg.Journal != nil || r.cfg.Calls.Workspace != nil {
		if !r.busy.CompareAndSwap(false, true) {
			return u.refuse(errBusy)
		}
		defer r.busy.Store(false)
	}
	u.silent = false
	return u.serve(ctx, a)
}

// known reports that the action is one of those that there are.
func (a *Answer) known() bool {
	return a.Action == TryAgain || a.Action == DoneByHand || a.Action == GiveUp
}
