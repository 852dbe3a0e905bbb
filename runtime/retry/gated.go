package retry

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// through makes a call that the gate, if there is one, has let in.
func (l *loop) through(ctx context.Context, op func(ctx context.Context) error) error {
	if l.gate == nil {
		return op(ctx)
	}
	end := CallEnd{Cancelled: true} // what a panic says about the provider
	defer func() { l.gate.Leave(l.gateLane, l.gateCall, end) }()
	err := op(ctx)
	end = l.endOf(ctx, err)
	end.Took = l.clock.Now().Sub(l.inside)
	return err
}

// askGate asks for entry, under one name for all calls.
func (l *loop) askGate(ctx context.Context, now time.Time) (time.Time, error) {
	if l.gateCall == "" {
		l.gateCall = rand.Text()
	}
	l.inside = now
	if l.failFast {
		if gate, ok := l.gate.(TryGate); ok {
			return gate.TryEnter(ctx, l.gateLane, l.gateCall, now)
		}
	}
	return l.gate.Enter(ctx, l.gateLane, l.gateCall, now)
}

// keptOut returns an error when the gate says to wait for d, and that is not to be.
func (l *loop) keptOut(ctx context.Context, atGate bool, d time.Duration) error {
	switch {
	case !atGate:
		return nil
	case l.failFast:
		return l.stopped(StoppedGate, l.whyShut())
	case l.passesDeadline(ctx, d):
		e := l.stopped(StoppedDeadline, l.whyShut())
		e.ended = context.DeadlineExceeded
		return e
	}
	return nil
}

func (l *loop) whyShut() error {
	if gate, ok := l.gate.(Explainer); ok {
		if err := gate.Why(l.gateLane); err != nil {
			return err
		}
	}
	return fmt.Errorf("lane %q: %w", l.gateLane, ErrShut)
}

func (l *loop) endOf(ctx context.Context, err error) CallEnd {
	if err == nil {
		return CallEnd{}
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return CallEnd{Failed: true, TimedOut: true, Policy: l.policyForGate()}
	}
	if ctx.Err() != nil || errtree.Is(err, context.Canceled) {
		return CallEnd{Failed: true, Cancelled: true}
	}
	if !l.worth(err) {
		return CallEnd{Failed: true}
	}
	return CallEnd{Failed: true, Policy: l.policyForGate()}
}

func (l *loop) mayRetry() bool {
	return l.gate == nil || l.gate.Retry(l.gateLane, l.policyForGate())
}

// policyForGate is a copy, so that a loop whose calls succeed stays off the heap.
func (l *loop) policyForGate() *taxonomy.Policy {
	if l.shown == nil {
		p := l.policy
		l.shown = &p
	}
	return l.shown
}
