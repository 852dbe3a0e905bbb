package retry

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Option changes how [Do] and [Value] go about it.
type Option func(settings) settings

// settings is passed by value, so that a call that succeeds allocates nothing.
type settings struct {
	clock     Clock
	random    Random
	hints     func(error) taxonomy.Hints
	retryable func(error) bool
	notify    func(Attempt)
	lanes     Lanes
	lane      string
	gate      Gate
	gateLane  string
	gateCall  string // the caller's name at the gate
	failFast  bool
	adaptive  *Adaptive
	codeOf    func(error) string
	log       *Log
	operation string // in the log
}

// Attempt is a call that failed, and what comes after it.
type Attempt struct {
	// Number counts the calls from 1.
	Number int
	// Err is why it failed.
	Err error
	// Wait is how long is waited before the next call; a wait in a lane may come on top of it.
	Wait time.Duration
	// Hinted reports that the error asked for that wait.
	Hinted bool
	// Last reports that there is no next call.
	Last bool
}

// WithClock sets where time comes from; [System] unless set. The deadline of the context is read on
// this clock.
func WithClock(c Clock) Option {
	return func(s settings) settings {
		if c != nil {
			s.clock = c
		}
		return s
	}
}

// WithRandom sets where jitter comes from; nil is no jitter. Unless set it is math/rand/v2.
func WithRandom(r Random) Option {
	return func(s settings) settings {
		s.random = r
		return s
	}
}

// WithHints sets how an error is asked for how long to wait; [taxonomy.HintsOf] unless set.
func WithHints(of func(error) taxonomy.Hints) Option {
	return func(s settings) settings {
		if of != nil {
			s.hints = of
		}
		return s
	}
}

// WithRetryable sets which errors are worth another call; [Retryable] unless set. What is marked
// [Permanent] never is.
func WithRetryable(is func(error) bool) Option {
	return func(s settings) settings {
		if is != nil {
			s.retryable = is
		}
		return s
	}
}

// WithNotify has f called after each call that failed, before the wait.
func WithNotify(f func(Attempt)) Option {
	return func(s settings) settings {
		s.notify = f
		return s
	}
}

// WithLane shares waits with everybody in the lane: no call is made while it is closed, and a hint
// that is waited for closes it. That time is bounded by the context only.
func WithLane(lanes Lanes, lane string) Option {
	return func(s settings) settings {
		s.lanes, s.lane = lanes, lane
		return s
	}
}

// WithGate has each call ask the gate for the lane: it enters before the call, waiting as long as
// the gate says and ctx allows, and leaves right after it, also when op panics. A further try is
// only begun if the gate's budget allows it. Caller is any text that nobody else in the lane uses
// at the time; when it is empty, each Do makes one up.
//
// A call that ctx's end or [context.Canceled] gave up, or a panic, is told to the gate as
// cancelled; one that ctx's deadline has ended is told as timed out, which is a failure under the
// policy if calls usually take no longer. A failure that is not worth another call is told without
// the policy, since it says nothing about how the provider is.
func WithGate(gate Gate, lane, caller string) Option {
	return func(s settings) settings {
		s.gate, s.gateLane, s.gateCall = gate, lane, caller
		return s
	}
}

// FailFast has a call that the gate does not let in at once fail instead of wait: with
// [StoppedGate], and an error that wraps [ErrShut]. Waits between tries, and for a lane, are still
// made. A gate that is a [TryGate] does not expect the caller again.
func FailFast() Option {
	return func(s settings) settings {
		s.failFast = true
		return s
	}
}

// WithAdaptive has the policy's numbers moved by what came of earlier tries, and teaches a what
// comes of these. The policy after a failure is that of a for its code, as codeOf says; nil is
// [taxonomy.CodeOf]. Errors without a code are learned from together. A call that ctx's end gave
// up, or a panic, teaches nothing. A nil a, and a policy without `adapt`, change nothing.
func WithAdaptive(a *Adaptive, codeOf func(error) string) Option {
	if codeOf == nil {
		codeOf = taxonomy.CodeOf
	}
	return func(s settings) settings {
		s.adaptive, s.codeOf = a, codeOf
		return s
	}
}

// WithLog notes each call in the log under the operation's name. A nil log notes nothing.
func WithLog(log *Log, operation string) Option {
	return func(s settings) settings {
		s.log, s.operation = log, operation
		return s
	}
}

func defaults() settings {
	return settings{clock: System, random: rand.Float64, hints: taxonomy.HintsOf, retryable: Retryable}
}

// Retryable reports whether err is worth another call: an error of a taxonomy as its row says, any
// other unless it is marked [Permanent] or is [context.Canceled].
func Retryable(err error) bool {
	if _, ok := taxonomy.First(err, nil); ok {
		return taxonomy.IsRetryable(err)
	}
	return !errtree.Is(err, context.Canceled)
}

// Permanent marks err as not worth another call, whatever it is; nil stays nil. The mark stays on
// what [Do] returns, so that a Do around it stops too.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanent{err: err}
}

type permanent struct{ err error }

func (p *permanent) Error() string { return p.err.Error() }

func (p *permanent) Unwrap() error { return p.err }

func isPermanent(err error) bool {
	_, ok := errtree.As[*permanent](err)
	return ok
}
