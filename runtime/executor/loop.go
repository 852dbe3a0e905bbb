package executor

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// runner runs one task.
type runner struct {
	*Executor
	handle  *Run
	telling sync.Mutex
	task    Task
	result  *Result
	log     recorder
	past    *past

	// spent is what the calls have cost, those of earlier processes too.
	spent Spending
	// state is what the run knows between iterations; each iteration ends by writing it down.
	state Closed
	// number is the iteration that was begun last.
	number   int
	deadline time.Time
	// lastErr is the error of state.LastError.
	lastErr  error
	approved map[string]bool
	denied   map[string]bool
	asked    map[int]bool // rungs whose provider said that it is there
	waits    []Wait       // not written down yet
	unlock   []func() error
	// tree is the name under which the workspace knows the run.
	tree string
	// unseen reports that something ran since the last look at the tree that may have changed it.
	unseen bool
	// begunWell reports that the setup is behind the run, so that its end is one for good.
	begunWell bool
	// known reports that the result is the one of an earlier process.
	known bool
	// over reports that the end is written down, so that nothing is gone on with any more.
	over bool
	// saved are the changes that Save has kept, as they were.
	saved map[Change]bool
	// admission is what the next call has been let through.
	admission admission
	// warned are the warnings that are said only once.
	warned map[string]bool
	// strategies are those that there is nobody to run, and that this was said of.
	strategies map[string]bool
}

// iteration is what one iteration comes to.
type iteration struct {
	number int
	began  time.Time
	// ends is when its calls must be over; callsEnd is the same as long as calls are made, then
	// zero.
	ends, callsEnd time.Time
	// replay is what a run that died has left of it, or nil.
	replay *open

	calls       int
	spent       Spending
	answer      Answer
	answered    bool
	interrupted bool
	cancelled   bool
	fresh       bool   // a call was made fresh already
	session     string // of the last call
	sent        int    // how much feedback its prompt has
	failures    []*failure

	changes    []Change
	undetected bool
	verdicts   []Verdict
	reverted   map[string]bool
	tried      map[string]bool // what a replay has tried to put back, and need not again
	advanced   []Change
	checked    Checked
	judged     bool
	passed     Phase // the last check that passed, and whose changes are among those that were judged
	noted      int   // failures that are written down with what was judged
	late       int   // failures of a delivery before the run died, and behind it: the last ones
	stopped    bool  // that delivery did not go on
	committed  map[string]bool
	// pended and added are what earlier iterations had left to be committed, uncommitted what they
	// had given up on.
	pended, added, uncommitted []string
	completed                  bool
	blocked                    bool
}

// execute runs the task: the steps of an iteration, until there is an end.
func (e *Executor) execute(ctx context.Context, task Task, run *Run) {
	r := newRunner(e, task, run)
	defer r.release()
	defer r.cutShort()
	defer r.withdraw(retry.Result{Cancelled: true})
	ctx, end := r.waiting(ctx)
	defer end()
	if !r.alone() {
		r.refuse(
			"executor", "in use",
			"one that no other run uses, because a Journal or a Workspace serves one run at a time")
	} else {
		r.setUp(ctx)
	}
	for r.result.EndReason == "" {
		if r.head(ctx); r.result.EndReason != "" {
			break
		}
		it := r.begin()
		r.call(ctx, it)
		r.afterwards(ctx, it)
	}
	r.withdraw(retry.Result{Cancelled: true})
	r.outcome(ctx)
}

// waiting returns a context that ends with the run, so that those who wait behind it at a gate or a
// preventer move up.
func (r *runner) waiting(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.cfg.Gate == nil && r.cfg.Preventer == nil {
		return ctx, func() {}
	}
	return context.WithCancel(ctx)
}

// alone takes what serves one run at a time. It reports whether no other run has it.
func (r *runner) alone() bool {
	if r.cfg.Journal == nil && r.cfg.Workspace == nil {
		return true
	}
	if !r.busy.CompareAndSwap(false, true) {
		return false
	}
	r.unlock = append(r.unlock, func() error {
		r.busy.Store(false)
		return nil
	})
	return true
}

// errCutShort is why a run has no end of its own.
var errCutShort = errors.New("the goroutine of the run was ended from within, as runtime.Goexit does")

// cutShort gives an end to a run whose goroutine was ended by something that it works with. It is
// like a death: nothing is written down, and the run can be gone on with.
func (r *runner) cutShort() {
	if res := r.result; res.Status == "" {
		res.EndReason, res.Status = EndFatal, EndFatal.Status()
		res.Err, res.Error = errCutShort, errCutShort.Error()
	}
}

// afterwards is what follows the calls of an iteration always: also after failures, and for a while
// after a cancellation.
func (r *runner) afterwards(ctx context.Context, it *iteration) {
	graced, release := withGrace(ctx, r.cfg.Limits.Grace)
	defer release()
	it.callsEnd = time.Time{}
	r.detect(graced, it)
	r.judge(ctx, graced, it)
	r.putBack(graced, it)
	if !r.advancedBefore(it) {
		r.advance(graced, it)
	}
	r.pend(it)
	known := len(it.failures) - it.late
	r.deliver(ctx, graced, it)
	r.putBackLate(graced, it, known)
	r.settle(ctx, it)
}

// begin begins the next iteration.
func (r *runner) begin() *iteration {
	r.number++
	now := r.cfg.Clock.Now()
	it := &iteration{
		number: r.number, began: now, ends: now.Add(r.cfg.Limits.Iteration),
		reverted: map[string]bool{}, committed: map[string]bool{}, checked: r.state.Checked,
		sent: len(r.state.Feedback),
	}
	if !r.deadline.IsZero() && r.deadline.Before(it.ends) {
		it.ends = r.deadline
	}
	it.callsEnd = it.ends
	if r.past.open != nil && r.past.open.number == it.number {
		it.replay, r.past.open = r.past.open, nil
		it.spent = it.replay.spent
	}
	r.result.Iterations = r.number
	r.emit(Event{Kind: IterationStarted, Tier: r.tierName(), Session: r.state.Session})
	return it
}

// withGrace returns a context that outlives ctx by the grace.
func withGrace(ctx context.Context, grace time.Duration) (context.Context, func()) {
	graced, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(grace, cancel)
		context.AfterFunc(graced, func() { timer.Stop() })
	})
	return graced, func() {
		stop()
		cancel()
	}
}

// provider returns who does the work; nil before a setup that fails.
func (r *runner) provider() Provider {
	if !r.ladder.has(r.state.Tier) {
		return nil
	}
	return r.ladder[r.state.Tier].provider
}

func (r *runner) tierName() string { return r.ladder[r.state.Tier].name }

// end ends the run, unless it has an end already.
func (r *runner) end(reason EndReason, extent taxonomy.Extent) {
	if r.result.EndReason == "" {
		r.result.EndReason = reason
		r.result.EndsRun = extent == taxonomy.ExtentRun
	}
}
