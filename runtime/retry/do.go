package retry

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Do calls op until it succeeds, and returns nil then. It stops when the table or the policy
// specifies no further call, when the error is marked [Permanent], when ctx ends, and before a wait
// that would pass ctx's deadline. Then it returns an [*Error]. A panic of op is not recovered.
// Without [ByTable] and [ByPolicy] it makes one call.
func Do(ctx context.Context, op func(ctx context.Context) error, opts ...Option) error {
	direct := ctx.Err() == nil
	for i := range opts {
		direct = direct && !opts[i].early
	}
	if !direct {
		return repeat(ctx, op, opts, nil)
	}
	if err := op(ctx); err != nil {
		return repeat(ctx, op, opts, err)
	}
	return nil
}

// repeat makes the calls of a Do. If err is not nil, the first call was made and failed with err.
// repeat is separate from Do, so that a first call that succeeds does not pay for the loop.
func repeat(ctx context.Context, op func(ctx context.Context) error, opts []Option, err error) error {
	l := loop{settings: settingsOf(opts), effect: taxonomy.EffectNone}
	if err != nil {
		if stop := l.failed(ctx, l.classified(ctx, err)); stop != nil {
			return stop
		}
	}
	return l.run(ctx, op)
}

// Value is [Do] for an operation with a value. With an error it returns the value of the last call.
func Value[T any](ctx context.Context, op func(ctx context.Context) (T, error), opts ...Option) (T, error) {
	var value T
	err := Do(ctx, func(ctx context.Context) error {
		var err error
		value, err = op(ctx)
		return err
	}, opts...)
	return value, err
}

// loop is the state of a Do between two calls.
type loop struct {
	settings
	calls  int
	waited time.Duration
	last   error
	raw    error              // the error of the last call before it was classified; nil if it was not
	effect taxonomy.Effect    // of all calls together
	wait   time.Duration      // before the next call, as decided after the last one
	began  time.Time          // when the last call began, if a breaker, an observer or a learner is set
	states states             // without a table
	codes  map[string]*states // with a table

	notBefore time.Time    // when the next call may begin, apart from the shared wait
	release   func(Result) // of the current call

	failedCode, usedPolicy string    // for learning
	ended                  time.Time // when the last call ended, for learning
}

// run makes calls until one succeeds or a failure stops the loop.
func (l *loop) run(ctx context.Context, op func(ctx context.Context) error) error {
	for {
		if err := l.begin(ctx); err != nil {
			return err
		}
		err := l.call(ctx, op)
		if err == nil {
			l.calls++
			l.observe(nil, Next{}, true)
			return nil
		}
		if err := l.failed(ctx, err); err != nil {
			return err
		}
	}
}

// begin waits until the shared wait and the breaker permit the next call.
func (l *loop) begin(ctx context.Context) error {
	for {
		if ctx.Err() != nil {
			return l.contextEnded(ctx)
		}
		if l.shared != nil {
			at, err := l.shared.Until(ctx, l.sharedLane)
			if err != nil {
				return l.notCalled(ctx, StoppedWait, err)
			}
			if at.Before(l.notBefore) {
				at = l.notBefore
			}
			if wait := at.Sub(l.clock.Now()); wait > 0 {
				if err := l.sleep(ctx, wait, nil); err != nil {
					return err
				}
				continue
			}
		}
		if l.breaker == nil {
			return nil
		}
		release, err := l.breaker.Acquire(ctx, l.lane)
		if err == nil {
			l.release = release
			return nil
		}
		wait, refused := RefusedFor(err)
		switch {
		case !refused && ctx.Err() != nil:
			return l.contextEnded(ctx)
		case !refused:
			return l.notCalled(ctx, StoppedWait, err)
		case l.failFast:
			return l.notCalled(ctx, StoppedRefused, err)
		}
		if err := l.sleep(ctx, wait, err); err != nil {
			return err
		}
	}
}

// call makes one call, and reports it to the breaker and the learner.
func (l *loop) call(ctx context.Context, op func(ctx context.Context) error) error {
	if l.breaker == nil && l.notify == nil && l.adaptive == nil {
		return l.classified(ctx, op(ctx))
	}
	l.began = l.clock.Now()
	result := Result{Cancelled: true} // if op panics
	if l.breaker != nil {
		defer func() { l.release(result) }()
	}
	err := l.classified(ctx, op(ctx))
	if l.breaker != nil {
		result = l.result(ctx, err)
	}
	if l.adaptive != nil {
		l.learn(ctx, err)
	}
	return err
}

func (l *loop) classified(ctx context.Context, err error) error {
	l.raw = nil
	if err == nil || l.classify == nil || isCancelled(ctx) {
		return err
	}
	l.raw = err
	return l.classify(err)
}

// result returns the result of a call for the breaker.
func (l *loop) result(ctx context.Context, err error) Result {
	switch {
	case err == nil:
		return Result{}
	case isCancelled(ctx) || ctx.Err() == nil && errtree.Is(err, context.Canceled):
		return Result{Failed: true, Cancelled: true}
	}
	return Result{Failed: true, Policy: l.budgetPolicy(err)}
}

// isCancelled reports whether ctx was cancelled before its deadline.
func isCancelled(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }

func (l *loop) learn(ctx context.Context, err error) {
	o := Outcome{At: l.clock.Now(), Lane: l.lane, Attempt: l.calls + 1}
	o.Took = o.At.Sub(l.began)
	if o.Attempt > 1 {
		o.After, o.Policy, o.Wait = l.failedCode, l.usedPolicy, l.began.Sub(l.ended)
	}
	l.ended = o.At
	if err != nil {
		if ctx.Err() != nil || errtree.Is(err, context.Canceled) {
			return
		}
		o.Code = learnedCode(err)
	}
	l.adaptive.Learn(o)
}

// Uncategorized takes the place of the code for errors without one.
const Uncategorized = "uncategorized"

func learnedCode(err error) string { return cmp.Or(taxonomy.CodeOf(err), Uncategorized) }

// failed counts a failure and waits. It returns nil if the loop continues with begin, or else the
// result of Do. With a shared wait, begin waits instead.
func (l *loop) failed(ctx context.Context, err error) error {
	l.calls++
	l.last, l.effect = err, l.effect.And(observed(err, l.raw))
	if ctx.Err() != nil {
		l.observe(err, Next{}, true)
		return l.contextEnded(ctx)
	}
	next, stop, reaction := l.decide(ctx, err)
	l.observe(err, next, stop != StoppedNot)
	if stop != StoppedNot {
		e := l.stopped(stop, nil)
		e.Reaction = *reaction
		return e
	}
	l.wait = next.Wait
	l.waited += next.Wait
	if l.shared == nil {
		if next.Wait == 0 {
			return nil
		}
		return l.sleep(ctx, next.Wait, nil)
	}
	l.notBefore = l.clock.Now().Add(next.Wait)
	if next.Wait > 0 && reaction.Shared == taxonomy.SharedCredential && (next.Hinted || l.table.Taxonomy != nil) {
		if err := l.shared.Pause(ctx, l.sharedLane, l.notBefore); err != nil {
			return l.notCalled(ctx, StoppedWait, err)
		}
	}
	return nil
}

// observe reports the last call to the functions of WithNotify.
func (l *loop) observe(err error, next Next, last bool) {
	for _, notify := range l.notify {
		notify(Attempt{Number: l.calls, Began: l.began, Delay: l.wait, Err: err, Wait: next.Wait,
			Hinted: next.Hinted, Last: last})
	}
}

// sleep waits for d because of a refusal, which may be nil.
func (l *loop) sleep(ctx context.Context, d time.Duration, refusal error) error {
	if l.passesDeadline(ctx, d) {
		return l.notCalled(ctx, StoppedDeadline, refusal)
	}
	if err := l.clock.Sleep(ctx, d); err != nil {
		return l.contextEnded(ctx)
	}
	return nil
}

// passesDeadline reports whether a wait would end at or after the deadline of ctx.
func (l *loop) passesDeadline(ctx context.Context, d time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return ok && d > 0 && deadline.Sub(l.clock.Now()) <= d
}

// contextEnded is the result after the context's end. A deadline ends the retries like the limit of
// a policy. A cancellation is no failure, so it has no reaction.
func (l *loop) contextEnded(ctx context.Context) *Error {
	e := l.stopped(StoppedCancelled, context.Cause(ctx))
	e.hidden = ctx.Err()
	if isCancelled(ctx) {
		return e
	}
	if e.Err == nil {
		cause := e.Cause
		e = l.notCalled(ctx, StoppedDeadline, cause) // with the reaction of a timeout
		e.Cause, e.hidden = cause, ctx.Err()         // the caller's deadline is no failure of a call
		return e
	}
	e.Why = StoppedDeadline
	if l.table.Taxonomy != nil {
		e.Reaction = *l.exhausted(e)
	}
	return e
}

// notCalled is the result if the next call is not permitted or comes too late. The reaction is that
// of the error's code, and not the one after it, because no call was made. cause may be nil.
func (l *loop) notCalled(ctx context.Context, why Stop, cause error) *Error {
	e := l.stopped(why, l.classified(ctx, cause))
	e.hidden = cause
	switch {
	case l.table.Taxonomy == nil:
	case e.Unwrap() == nil: // the shared wait is longer than the deadline
		e.Reaction = again
	default:
		e.Reaction = l.table.Reaction(e)
	}
	return e
}

func (l *loop) stopped(why Stop, cause error) *Error {
	return &Error{Err: l.last, Cause: cause, Why: why, Calls: l.calls, Waited: l.waited, Effect: l.effect}
}
