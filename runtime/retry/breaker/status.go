package breaker

import (
	"cmp"
	"slices"
	"time"
)

// Status is how a lane is bounded because of one policy.
type Status struct {
	Lane   string `json:"lane"`
	Policy string `json:"policy"`
	// State is that of the breaker, closed where the policy has none, and Since when it has been so.
	State State     `json:"state"`
	Since time.Time `json:"since"`
	// Next is when the next probe may be made, if the breaker is not closed; it may be over.
	Next time.Time `json:"next,omitzero"`
	// Entering reports that callers enter the lane one after the other, since it has opened again.
	Entering bool `json:"entering,omitempty"`
	// Calls, Failures are those that the breaker counts: of the last Of calls when it is closed.
	Calls    int `json:"calls"`
	Failures int `json:"failures"`
	// Retries are those that the budget gave in its window, Refused those that it has refused in all.
	Retries int `json:"retries"`
	Refused int `json:"refused"`
}

// Status returns how all lanes are bounded whose calls have failed under a policy with a budget, by lane and policy.
func (g *Gates) Status() []Status {
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	out := []Status{}
	for name, l := range g.lanes {
		for _, b := range l.bounds {
			s := b.status(now)
			s.Lane, s.Entering = name, l.entry.on
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(x, y Status) int {
		return cmp.Or(cmp.Compare(x.Lane, y.Lane), cmp.Compare(x.Policy, y.Policy), x.Since.Compare(y.Since))
	})
	return out
}

func (b *bound) status(now time.Time) Status {
	s := Status{Policy: b.rule.policy, Since: b.calls.begun, Retries: b.retries.sum(now), Refused: b.refused}
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
