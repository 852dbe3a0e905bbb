package breaker

import (
	"math"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	defaultWindow = 10 * time.Second
	defaultProbe  = 5 * time.Second
)

// lane is the state that the callers of a provider with a credential share.
type lane struct {
	name     string
	used     time.Time
	policies []*policy
	calls    counter // in the default window, for policies that have not failed yet
	slow     slowStart

	release, releaseProbe func(retry.Result)
}

func (l *lane) isClosed() bool {
	for _, p := range l.policies {
		if p.current() != Closed {
			return false
		}
	}
	return true
}

// opensIn returns for how long all calls are refused, and the policy that refuses them. If no
// policy does, wait is 0.
func (l *lane) opensIn(now time.Time) (wait time.Duration, name string) {
	for _, p := range l.policies {
		if p.current() != Closed && p.nextProbe.Sub(now) > wait {
			wait, name = p.nextProbe.Sub(now), p.rule.name
		}
	}
	return wait, name
}

func (l *lane) longestProbe() (longest time.Duration) {
	for _, p := range l.policies {
		longest = max(longest, p.rule.breaker.Probe)
	}
	return longest
}

// policy returns the state of a policy in the lane. On its first failure, the policy is added with
// the calls of the lane so far, which are at least the failed one.
func (l *lane) policy(of *taxonomy.Policy, now time.Time) *policy {
	r := ruleOf(of)
	for _, p := range l.policies {
		if p.rule == r {
			return p
		}
	}
	p := &policy{rule: r, calls: newCounter(r.window), retries: newCounter(r.window)}
	p.calls.add(now, max(1, l.calls.sum(now)))
	if of.Budget.Breaker != nil {
		p.circuit = circuitbreaker.NewBuilder[any]().
			WithFailureThresholdRatio(uint(r.breaker.Failures), uint(r.breaker.Of)).
			WithSuccessThreshold(uint(r.breaker.Successes)).
			Build()
	}
	l.policies = append(l.policies, p)
	return p
}

// rule is the budget of a policy. Policies with the same name and different numbers are separate.
type rule struct {
	name    string
	retries float64
	reserve int
	window  time.Duration
	breaker taxonomy.Breaker
}

func ruleOf(p *taxonomy.Policy) rule {
	r := rule{name: p.Name, retries: p.Budget.Retries, reserve: p.Budget.Reserve, window: p.Budget.Window}
	if r.window <= 0 {
		r.window = defaultWindow
	}
	if p.Budget.Breaker != nil {
		r.breaker = *p.Budget.Breaker
		r.breaker.Failures = max(1, r.breaker.Failures)
		r.breaker.Of = max(r.breaker.Failures, r.breaker.Of)
		r.breaker.Successes = max(1, r.breaker.Successes)
		if r.breaker.Probe <= 0 {
			r.breaker.Probe = defaultProbe
		}
	}
	return r
}

// policy is the circuit breaker and the retry budget of a policy in a lane.
type policy struct {
	rule    rule
	circuit circuitbreaker.CircuitBreaker[any] // nil if the policy has none
	// nextProbe is when the next call is permitted while the circuit breaker is not closed. It is
	// not failsafe-go's delay, because that is not on our clock.
	nextProbe time.Time

	calls, retries counter
	refused        int
}

func (p *policy) current() State {
	if p.circuit == nil {
		return Closed
	}
	return State(p.circuit.State())
}

// beginProbe makes the call that begins now the probe, if the circuit breaker is not closed.
func (p *policy) beginProbe(now time.Time) {
	if p.current() == Closed {
		return
	}
	p.circuit.HalfOpen()
	p.nextProbe = now.Add(p.rule.breaker.Probe)
}

// retry takes a retry out of the budget. A retry does not earn further ones.
func (p *policy) retry(now time.Time) bool {
	retries := p.retries.sum(now)
	first := max(0, p.calls.sum(now)-retries)
	if float64(retries) >= float64(p.rule.reserve)+p.rule.retries*float64(first) {
		p.refused++
		return false
	}
	p.retries.add(now, 1)
	return true
}

// State is the state of a circuit breaker. The zero State is closed: calls are permitted.
type State uint8

// The states.
const (
	Closed   = State(circuitbreaker.ClosedState)
	Open     = State(circuitbreaker.OpenState)     // no calls are permitted
	HalfOpen = State(circuitbreaker.HalfOpenState) // one probe at a time is permitted
)

// String returns the state as a word.
func (s State) String() string { return circuitbreaker.State(s).String() }

// MarshalText returns the state as a word.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// parts is the number of parts of a counter's window.
const parts = 10

// counter counts events in the last window, to a tenth of it.
type counter struct {
	part time.Duration
	last int64 // the number of the part that is counted in
	n    [parts]int
}

func newCounter(window time.Duration) counter { return counter{part: max(window/parts, 1)} }

func (c *counter) add(now time.Time, n int) {
	c.advance(now)
	c.n[c.last%parts] += n
}

func (c *counter) sum(now time.Time) (sum int) {
	c.advance(now)
	for _, n := range c.n {
		sum += n
	}
	return sum
}

// advance empties the parts that have passed.
func (c *counter) advance(now time.Time) {
	current := now.UnixNano() / int64(c.part)
	for i := max(c.last, current-parts) + 1; i <= current; i++ {
		c.n[i%parts] = 0
	}
	c.last = max(c.last, current)
}

const (
	// doubling is the time after which the rate of a slow start doubles, and the time without
	// waiting callers after which the slow start ends.
	doubling = 10 * time.Second
	// catchUp is the time for which unused turns can still be taken.
	catchUp = 200 * time.Millisecond
)

// slowStart spaces the calls in a lane that opened again. Its rate doubles every ten seconds. It
// ends ten seconds after the last turn that a caller waited for. The zero slowStart permits all
// calls.
type slowStart struct {
	began    time.Time
	rate     float64   // in calls a second
	next     time.Time // the first free turn
	promised time.Time // the first turn that no refused caller was given
	busy     time.Time // the last turn that was given
}

// newSlowStart returns a slow start that begins at now. It lasts at least for the time of a probe,
// within which callers that were refused before call again.
func newSlowStart(now time.Time, probe time.Duration, rate float64) slowStart {
	return slowStart{began: now, rate: rate, next: now, promised: now, busy: now.Add(probe)}
}

// acquire takes a turn and returns 0, or returns the wait for the next free turn. It reserves that
// turn for the caller, unless the wait is longer than maxQueueWait.
func (s *slowStart) acquire(now time.Time, maxQueueWait time.Duration) time.Duration {
	if s.began.IsZero() {
		return 0
	}
	if now.Sub(s.busy) > doubling {
		*s = slowStart{}
		return 0
	}
	if !s.next.After(now) {
		s.next = later(s.next, now.Add(-catchUp)).Add(s.gap(now))
		return 0
	}
	turn := later(s.promised, s.next)
	wait := turn.Sub(now)
	if wait <= maxQueueWait {
		s.promised, s.busy = turn.Add(s.gap(turn)), turn
	}
	return wait
}

// gap returns the time between two turns.
func (s *slowStart) gap(at time.Time) time.Duration {
	doublings := int(max(0, at.Sub(s.began)) / doubling)
	return max(1, time.Duration(float64(time.Second)/math.Ldexp(s.rate, doublings)))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
