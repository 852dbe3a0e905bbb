package retry

import (
	"context"
	"errors"

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
	return err
}

func (l *loop) endOf(ctx context.Context, err error) CallEnd {
	if err == nil {
		return CallEnd{}
	}
	if ctx.Err() != nil || errors.Is(err, context.Canceled) {
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
