package retry

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Do calls op until it succeeds, and returns nil then. It waits between calls as the policy and the
// error's own hints say ([Series.Next]), and gives up when the policy is used up, when the error is
// not worth another call ([Retryable], [Permanent]), when ctx ends, or when the next wait would
// pass ctx's deadline; such a wait is not begun.
//
// Then it returns an [*Error] that wraps op's last error, and context.Cause(ctx) if ctx has ended.
// An op that panics is not caught. MaxAttempts counts calls in total. The zero policy calls without
// end, and without a pause but for those that errors ask for, up to 30 s each; it gives up when one
// asks for a longer one. A Do that succeeds at once allocates nothing.
func Do(ctx context.Context, policy taxonomy.Policy, op func(ctx context.Context) error, opts ...Option) error {
	if len(opts) > 0 || ctx.Err() != nil {
		l := newLoop(policy, opts)
		return l.do(ctx, op)
	}
	err := op(ctx)
	if err == nil {
		return nil
	}
	return doAgain(ctx, &policy, op, err)
}

// doAgain is apart from Do so that a call that succeeds pays nothing for it.
func doAgain(ctx context.Context, policy *taxonomy.Policy, op func(ctx context.Context) error, err error) error {
	l := newLoop(*policy, nil)
	if err := l.failed(ctx, err); err != nil {
		return err
	}
	return l.do(ctx, op)
}

func (l *loop) do(ctx context.Context, op func(ctx context.Context) error) error {
	for {
		if err := l.begin(ctx); err != nil {
			return err
		}
		err := l.call(ctx, op)
		if err == nil {
			return nil
		}
		if err := l.failed(ctx, err); err != nil {
			return err
		}
	}
}

// call makes one call, and notes it.
func (l *loop) call(ctx context.Context, op func(ctx context.Context) error) error {
	if l.log == nil && !l.adapts() {
		return l.through(ctx, op)
	}
	at := l.clock.Now()
	err := l.through(ctx, op)
	l.log.note(l.operation, l.series.Calls+1, at, l.waited, err)
	l.learn(ctx, at, err)
	return err
}

// Value is [Do] for an op that returns a value. With an error it returns the value of the last
// call.
func Value[T any](
	ctx context.Context, policy taxonomy.Policy, op func(ctx context.Context) (T, error), opts ...Option,
) (T, error) {
	var value T
	err := Do(ctx, policy, func(ctx context.Context) error {
		var err error
		value, err = op(ctx)
		return err
	}, opts...)
	return value, err
}

// loop is what Do knows between two calls.
type loop struct {
	settings
	policy taxonomy.Policy
	series Series
	last   error

	caller    string           // in the lane
	notBefore time.Time        // of the next call, beside the lane
	waited    time.Duration    // before the next call, as decided after the last
	shown     *taxonomy.Policy // the policy as the gate sees it; nil until it has to
	inside    time.Time        // when the gate let the last call in

	code    string    // of the last failure, as it is learned
	lastEnd time.Time // of a call, if that is learned
}

func newLoop(policy taxonomy.Policy, opts []Option) loop {
	s := defaults()
	for _, set := range opts {
		s = set(s)
	}
	return loop{settings: s, policy: policy}
}

// begin returns an error when there must be no call, and waits for the lane and the gate. A call
// must follow when it returns nil, since the gate has let it in.
func (l *loop) begin(ctx context.Context) error {
	if ctx.Err() != nil {
		return l.ended(ctx)
	}
	if l.lanes == nil && l.gate == nil {
		return nil
	}
	return l.enter(ctx)
}

func (l *loop) enter(ctx context.Context) error {
	for {
		now := l.clock.Now()
		at, atGate, err := l.opens(ctx, now)
		if err != nil {
			return l.stopped(StoppedLane, err)
		}
		if !at.After(now) {
			return nil
		}
		if err := l.keptOut(ctx, atGate, at.Sub(now)); err != nil {
			return err
		}
		if err := l.sleep(ctx, at.Sub(now)); err != nil {
			return err
		}
	}
}

// opens returns when to call, or when to ask again, and whether that is what the gate says. The
// gate is asked last: whom it lets in, it counts.
func (l *loop) opens(ctx context.Context, now time.Time) (at time.Time, atGate bool, err error) {
	if l.lanes != nil {
		if l.caller == "" {
			l.caller = rand.Text()
		}
		at, err := l.lanes.Opens(ctx, l.lane, l.caller, now)
		if err != nil {
			return at, false, err
		}
		if at.Before(l.notBefore) {
			at = l.notBefore
		}
		if at.After(now) {
			return at, false, nil
		}
	}
	if l.gate == nil {
		return now, false, nil
	}
	at, err = l.askGate(ctx, now)
	return at, true, err
}

// failed counts a failure. It returns nil when it is time for the next call, but for the lane.
func (l *loop) failed(ctx context.Context, err error) error {
	l.last = err
	next, stop := l.decide(ctx, err)
	l.series.Calls, l.waited = next.Series.Calls, next.Wait
	if l.notify != nil {
		l.notify(Attempt{
			Number: next.Series.Calls, Err: err, Wait: next.Wait, Hinted: next.Hinted, Last: stop != StoppedNot,
		})
	}
	switch stop {
	case StoppedNot:
		return l.wait(ctx, next)
	case StoppedContext:
		return l.ended(ctx)
	}
	return l.stopped(stop, nil)
}

// decide returns what comes next, or why nothing does.
func (l *loop) decide(ctx context.Context, err error) (Next, Stop) {
	none := Next{Series: l.series.counted()}
	if ctx.Err() != nil {
		return none, StoppedContext
	}
	if !l.worth(err) {
		return none, StoppedPermanent
	}
	policy := l.policy
	if l.adapts() {
		policy = l.adaptive.Policy(&l.policy, l.code)
	}
	next := l.series.Next(&policy, l.hint(err), l.random)
	if next.UsedUp {
		return none, stopOf[next.Bound]
	}
	if l.passesDeadline(ctx, next.Wait) {
		return none, StoppedDeadline
	}
	if !l.mayRetry() {
		return none, StoppedBudget
	}
	return next, StoppedNot
}

// worth reports whether another call may help.
func (l *loop) worth(err error) bool { return !isPermanent(err) && l.retryable(err) }

func (l *loop) hint(err error) Hint {
	h := l.hints(err)
	hint := HintOf(h, time.Time{})
	if !h.ResetAt.IsZero() {
		hint.Now = l.clock.Now()
	}
	return hint
}

// wait waits, or leaves it to the lane, where the caller's place must be asked for before.
func (l *loop) wait(ctx context.Context, next Next) error {
	if next.Wait > 0 {
		if err := l.pass(ctx, next); err != nil {
			return err
		}
	}
	l.series = next.Series
	return nil
}

func (l *loop) pass(ctx context.Context, next Next) error {
	if l.lanes == nil {
		return l.sleep(ctx, next.Wait)
	}
	l.notBefore = l.clock.Now().Add(next.Wait)
	if !next.Hinted {
		return nil
	}
	if err := l.lanes.Pause(ctx, l.lane, l.notBefore); err != nil {
		return l.stopped(StoppedLane, err)
	}
	return nil
}

func (l *loop) sleep(ctx context.Context, d time.Duration) error {
	if l.passesDeadline(ctx, d) {
		return l.stopped(StoppedDeadline, nil)
	}
	if err := l.clock.Sleep(ctx, d); err != nil {
		return l.ended(ctx)
	}
	return nil
}

// passesDeadline reports that a wait would end after ctx does. No wait never would.
func (l *loop) passesDeadline(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return false
	}
	deadline, ok := ctx.Deadline()
	return ok && deadline.Sub(l.clock.Now()) <= d
}

func (l *loop) ended(ctx context.Context) error {
	e := l.stopped(StoppedContext, context.Cause(ctx))
	e.ended = ctx.Err()
	return e
}

func (l *loop) stopped(why Stop, cause error) *Error {
	return &Error{Err: l.last, Cause: cause, Why: why, Calls: l.series.Calls, Waited: l.series.Waited}
}
