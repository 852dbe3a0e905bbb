package executor

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/retry"
)

// precaution asks the preventer what is to be done before a call. One that fails asks for nothing.
func (r *runner) precaution(ctx context.Context, lane string, now time.Time) (p Precaution) {
	if r.cfg.Preventer == nil {
		return Precaution{}
	}
	err := contained(operation{name: opCall, source: sourceExecutor}, func() (err error) {
		p, err = r.cfg.Preventer.Before(
			ctx, Coming{Provider: nameOf(r.provider()), Lane: lane, Run: r.task.Run, Now: now})
		return err
	})
	if err != nil {
		r.warn("ask what is to be done before a call", err)
		r.giveBack(p)
		return Precaution{}
	}
	return p
}

// takeBack takes back what a call has taken that has to wait before it begins.
func (r *runner) takeBack(p Precaution) {
	if p.Withdraw != nil {
		p.Release = p.Withdraw
	}
	r.giveBack(p)
}

// giveBack gives back the place that a call has taken.
func (r *runner) giveBack(p Precaution) {
	if p.Release == nil {
		return
	}
	err := contained(operation{name: opCall, source: sourceExecutor}, func() error {
		p.Release()
		return nil
	})
	if err != nil {
		r.warn("give back the place of a call", err)
	}
}

// precheck runs the check that must pass before the call. What fails there fails the call, which is
// not made then; passed is false also when the run was cancelled meanwhile.
func (r *runner) precheck(ctx, timed context.Context, it *iteration) (f *failure, passed bool) {
	p := r.admission.precaution
	if p.Check == "" {
		return nil, true
	}
	name := text.Beginning(p.Check, maxName)
	if r.cfg.Checker == nil {
		r.warnOnce(
			"there is nobody to run check " + name +
				", which is to prevent a failure: the configuration has no Checker")
		return nil, true
	}
	op := operation{name: opCall, source: nameOf(r.provider())}
	began := r.cfg.Clock.Now()
	r.unseen = true
	checked, release := context.WithTimeoutCause(timed, r.cfg.Limits.Check, errCheckTime)
	defer release()
	left, err := attended(checked, op, func(ctx context.Context) error { return r.cfg.Checker.Check(ctx, p.Check) })
	if left {
		err = fmt.Errorf("check %s %s", name, leftBehind)
	}
	if err == nil {
		err = overtime(timed, name)
	}
	took := r.cfg.Clock.Now().Sub(began)
	r.emit(Event{Kind: Prevented, Code: text.Beginning(p.Code, maxName), Text: "check " + name, Took: took, Err: err})
	if err == nil {
		return nil, true
	}
	r.withdraw(retry.Result{Cancelled: true})
	if ctx.Err() != nil {
		it.cancelled = true
		return nil, false
	}
	it.calls++
	it.session = "" // no conversation has anything to do with it
	f = r.checkFailure(checked, it, op, err, took)
	r.decideFor(it, f, nil)
	r.recordAnswer(ctx, r.answered(it, Answer{}, f, took), began.Add(took))
	return f, false
}

// errCheckTime is why the context of a check ends when its time is over.
var errCheckTime = errors.New("the check's time is over")

// checkFailure is what a check has failed with.
func (r *runner) checkFailure(checked context.Context, it *iteration, op operation, err error,
	took time.Duration) *failure {
	if context.Cause(checked) != errCheckTime || r.ours(err) {
		return r.callFailure(checked, it, op, Answer{}, err, took)
	}
	ev := it.timedOut(op, Answer{}, err, took)
	ev.Attributes["timeout_ms"] = strconv.FormatInt(r.cfg.Limits.Check.Milliseconds(), 10)
	return r.classify(it, op, ev)
}

// overtime returns an error when a check has used the iteration's time up, so that there is none
// for the call.
func overtime(timed context.Context, name string) error {
	if timed.Err() == nil {
		return nil
	}
	return fmt.Errorf("check %s: %w", name, context.Cause(timed))
}

// warnOnce says of what is missing only once that it is.
func (r *runner) warnOnce(text string) {
	if r.warned[text] {
		return
	}
	if r.warned == nil {
		r.warned = map[string]bool{}
	}
	r.warned[text] = true
	r.warn(text, nil)
}
