package breaker

import (
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	defaultProbe = 5 * time.Second
	// maxCounted bounds the calls that a breaker remembers.
	maxCounted = 10_000
	// maxProbe is for how many times Probe a probe keeps everybody else waiting.
	maxProbe = 10
)

// circuit is a breaker and the turn of its probe.
type circuit struct {
	breaker circuitbreaker.CircuitBreaker[any]
	probe   time.Duration
	shown   State     // as it was last told
	since   time.Time // when it changed to that

	// failsafe-go takes a permit back only when an end is recorded. A probe without one leaves its
	// permit here.
	permit bool
	probes bool      // somebody makes a probe
	prober string    // who does
	begun  time.Time // when the last probe was
	// givenUp is how many probes in a row ended without saying anything.
	givenUp int
}

func newCircuit(rule taxonomy.Breaker, now time.Time) *circuit {
	return &circuit{
		breaker: circuitbreaker.NewBuilder[any]().
			WithFailureThresholdRatio(uint(rule.Failures), uint(rule.Of)).
			WithSuccessThreshold(uint(rule.Successes)).
			WithDelay(rule.Probe).
			Build(),
		probe: rule.Probe,
		since: now,
	}
}

// sound returns the rule with what is missing or cannot be put right.
func sound(rule taxonomy.Breaker) taxonomy.Breaker {
	rule.Failures = min(max(1, rule.Failures), maxCounted)
	rule.Of = min(max(rule.Failures, rule.Of), maxCounted)
	rule.Successes = min(max(1, rule.Successes), maxCounted)
	if rule.Probe <= 0 {
		rule.Probe = defaultProbe
	}
	return rule
}

func (c *circuit) isClosed() bool { return c.breaker.IsClosed() }

// opens returns when the caller may call, or when to ask again.
func (c *circuit) opens(now time.Time) time.Time {
	switch {
	case c.isClosed():
		return now
	case c.probes && now.Before(c.begun.Add(maxProbe*c.probe)):
		if next := c.begun.Add(c.probe); next.After(now) {
			return next
		}
		return now.Add(c.probe)
	}
	at := now
	if !c.permit {
		at = now.Add(c.breaker.RemainingDelay())
	}
	if next := c.begun.Add(c.probe); !c.begun.IsZero() && next.After(at) {
		return next
	}
	return at
}

// begin has the caller make the probe, if there is to be one. It is called when the circuit opens
// now.
func (c *circuit) begin(caller string, now time.Time) {
	if c.isClosed() {
		return
	}
	c.permit = c.permit || c.breaker.TryAcquirePermit()
	c.probes, c.prober, c.begun = true, caller, now
}

// end counts what became of a call. Own says that it failed under the policy that the circuit is
// of. While the breaker is not closed only the probe counts: what was begun before tells of the
// past.
func (c *circuit) end(caller string, end retry.CallEnd, own bool) {
	if !c.isClosed() {
		if !c.probes || c.prober != caller {
			return
		}
		c.probes, c.prober = false, ""
		c.givenUp++
	}
	switch {
	case end.Cancelled:
		return
	case !end.Failed:
		c.permit = false
		c.breaker.RecordSuccess()
	case own:
		c.permit = false
		c.breaker.RecordFailure()
	}
	c.givenUp = 0
	if c.isClosed() {
		c.begun = time.Time{}
	}
}

// changed returns what the state was and is, and whether it has changed since this was last asked.
func (c *circuit) changed(now time.Time) (from, to State, yes bool) {
	from, to = c.shown, stateOf(c.breaker.State())
	if from == to {
		return from, to, false
	}
	c.shown, c.since = to, now
	return from, to, true
}
