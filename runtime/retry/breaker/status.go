package breaker

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/retry"
)

// Status is how a lane is bounded because of one policy.
type Status struct {
	Lane   string `json:"lane"`
	Policy string `json:"policy"`
	// State is that of the breaker, closed where the policy has none, and Since when it has been
	// so.
	State State     `json:"state"`
	Since time.Time `json:"since"`
	// Next is when the next probe may be made, if the breaker is not closed; it may be over.
	Next time.Time `json:"next,omitzero"`
	// Entering reports that callers enter the lane one after the other, since it has opened again.
	Entering bool `json:"entering,omitempty"`
	// Calls, Failures are those that the breaker counts: of the last Of calls when it is closed.
	Calls    int `json:"calls"`
	Failures int `json:"failures"`
	// Retries are those that the budget gave in its window, Refused those that it has refused in
	// all.
	Retries int `json:"retries"`
	Refused int `json:"refused"`
}

// Status returns how all lanes are bounded whose calls have failed under a policy with a budget, by
// lane and policy.
func (g *Gates) Status() []Status {
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	out := []Status{}
	for name, l := range g.lanes {
		entering := l.entry.queues(now)
		for _, b := range l.bounds {
			s := b.status(now)
			s.Lane, s.Entering = name, entering
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(x, y Status) int {
		return cmp.Or(cmp.Compare(x.Lane, y.Lane), cmp.Compare(x.Policy, y.Policy), x.Since.Compare(y.Since))
	})
	return out
}

func (b *bound) status(now time.Time) Status {
	s := Status{Policy: b.rule.policy, Since: b.made, Retries: b.retries.sum(now), Refused: b.refused}
	c := b.circuit
	if c == nil {
		return s
	}
	metrics := c.breaker.Metrics()
	s.State, s.Since = stateOf(c.breaker.State()), c.since
	s.Calls, s.Failures = int(metrics.Executions()), int(metrics.Failures())
	if s.State != Closed {
		s.Next = c.opens(now)
	}
	return s
}

// State returns the state of the lane's breakers: open if one is, else half-open if one is, else
// closed. A lane that nobody has used is closed. To ask changes nothing.
func (g *Gates) State(name string) State {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.shutBy(name)
	if c == nil {
		return Closed
	}
	return stateOf(c.circuit.breaker.State())
}

// Why returns an error that wraps [retry.ErrShut] and says why callers of the lane have to wait:
// because of a breaker, or because they enter one after the other since it has closed again. It is
// nil when they need not. To ask changes nothing.
func (g *Gates) Why(name string) error {
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	if b := g.shutBy(name); b != nil {
		return fmt.Errorf("lane %q: %w: the breaker of policy %q is %s", name, retry.ErrShut, b.rule.policy,
			stateOf(b.circuit.breaker.State()))
	}
	if l := g.lanes[name]; l != nil && (l.entry.queues(now) || l.entry.isTaken()) {
		return fmt.Errorf("lane %q: %w: callers enter one after the other, since it has opened again", name,
			retry.ErrShut)
	}
	return nil
}

// shutBy returns whose breaker shuts the lane, an open one if there is one; nil when none does.
func (g *Gates) shutBy(name string) *bound {
	l := g.lanes[name]
	if l == nil {
		return nil
	}
	var by *bound
	for _, b := range l.bounds {
		if !b.isClosed() && (by == nil || !by.circuit.breaker.IsOpen()) {
			by = b
		}
	}
	return by
}
