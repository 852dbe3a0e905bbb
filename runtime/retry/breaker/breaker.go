// Package breaker keeps callers from a provider that is down, and limits their retries. It
// implements [retry.Breaker] with the limits under `budget` in the policies of failures:
//
//	breakers := breaker.New(breaker.Options{})
//	err := retry.Do(ctx, call, retry.ByTable(errs.Table), retry.WithBreaker(breakers, "github/"))
//
// Each lane, which is a provider and a credential, has a circuit breaker and a retry budget for
// each policy that its calls failed under. The circuit breaker is failsafe-go's: it opens when
// `failures` of the last `of` calls failed under the policy. While it is open, one call is
// permitted in each `probe`; when `successes` of these in a row succeed, it closes. Cancelled calls
// and failures under other policies do not count. Afterwards the lane has a slow start.
package breaker

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	defaultRate = 5
	maxLanes    = 4096
)

// Options configure breakers. The zero Options are good defaults.
type Options struct {
	// Clock is the source of time; nil is [retry.System].
	Clock retry.Clock
	// Rate is the number of calls a second at the beginning of a slow start; 0 is 5. It doubles
	// every ten seconds.
	Rate float64
}

// Breakers are the breakers of all lanes of a process. They are safe for concurrent use. They store
// 4096 lanes. To make room they drop the least recently used closed lane, or else the least
// recently used one.
type Breakers struct {
	options Options

	mu    sync.Mutex
	lanes map[string]*lane
}

var _ retry.Breaker = (*Breakers)(nil)

// New returns breakers that are closed.
func New(o Options) *Breakers {
	if o.Clock == nil {
		o.Clock = retry.System
	}
	if o.Rate <= 0 {
		o.Rate = defaultRate
	}
	return &Breakers{options: o, lanes: make(map[string]*lane)}
}

// Acquire requests a call; see [retry.Breaker]. A refusal has the source "breaker", the op "call",
// and the type "open" or "slow_start". During a slow start, each refused caller gets the next free
// turn as its RetryAfter. If its deadline is earlier, the turn stays free. If ctx has ended,
// Acquire returns its cause.
func (b *Breakers) Acquire(ctx context.Context, name string) (release func(retry.Result), err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	now := b.options.Clock.Now()
	maxQueueWait := time.Duration(math.MaxInt64)
	if deadline, ok := ctx.Deadline(); ok {
		maxQueueWait = deadline.Sub(now)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.lane(name, now)
	if wait, policy := l.opensIn(now); wait > 0 {
		return nil, refusal("open", name, policy, wait)
	}
	release = l.release
	if !l.isClosed() {
		release = l.releaseProbe
	} else if wait := l.slow.acquire(now, maxQueueWait); wait > 0 {
		return nil, refusal("slow_start", name, "", wait)
	}
	l.calls.add(now, 1)
	for _, p := range l.policies {
		p.calls.add(now, 1)
		p.beginProbe(now)
	}
	return release, nil
}

func refusal(typ, lane, policy string, wait time.Duration) error {
	ev := &taxonomy.Evidence{
		Source: "breaker", Op: "call", Type: typ, RetryAfter: taxonomy.Some(wait), Err: retry.ErrRefused,
		Effect:     taxonomy.EffectNone,
		Text:       fmt.Sprintf("calls to %q are limited after an outage", lane),
		Attributes: map[string]string{"lane": lane},
	}
	if policy != "" {
		ev.Text = fmt.Sprintf("the circuit breaker of %q for policy %q is open", lane, policy)
		ev.Attributes["policy"] = policy
	}
	return ev
}

// done counts the result of a call. While a circuit breaker is not closed, only probes count,
// because other calls began before it opened.
func (b *Breakers) done(l *lane, r retry.Result, isProbe bool) {
	now := b.options.Clock.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	wasClosed := l.isClosed()
	var failed *policy
	if r.Failed && !r.Cancelled && r.Policy != nil && r.Policy.Budget != nil {
		failed = l.policy(r.Policy, now)
	}
	for _, p := range l.policies {
		if p.circuit == nil || r.Cancelled || !isProbe && !p.circuit.IsClosed() {
			continue
		}
		if !r.Failed {
			p.circuit.RecordSuccess()
		} else if p == failed {
			p.circuit.RecordFailure()
			p.nextProbe = now.Add(p.rule.breaker.Probe)
		}
	}
	if isClosed := l.isClosed(); isClosed != wasClosed {
		l.slow = slowStart{}
		if isClosed {
			l.slow = newSlowStart(now, l.longestProbe(), b.options.Rate)
		}
	}
}

// Retry takes a retry out of the policy's budget; see [retry.Breaker].
func (b *Breakers) Retry(name string, p *taxonomy.Policy) bool {
	if p == nil || p.Budget == nil || p.Budget.Retries < 0 {
		return true
	}
	now := b.options.Clock.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lane(name, now).policy(p, now).retry(now)
}

// Status is the state of a lane for one policy.
type Status struct {
	Lane   string `json:"lane"`
	Policy string `json:"policy"`
	State  State  `json:"state"`
	// Next is when the next probe is permitted; zero if the circuit breaker is closed.
	Next time.Time `json:"next,omitzero"`
	// Retries counts the retries in the budget's window, Refused all refused retries.
	Retries int `json:"retries"`
	Refused int `json:"refused"`
}

// Status returns the state of each lane whose calls failed under a policy with a budget, by lane
// and policy.
func (b *Breakers) Status() []Status {
	now := b.options.Clock.Now()
	b.mu.Lock()
	defer b.mu.Unlock()
	out := []Status{}
	for _, l := range b.lanes {
		for _, p := range l.policies {
			s := Status{Lane: l.name, Policy: p.rule.name, State: p.current(), Refused: p.refused}
			s.Retries = p.retries.sum(now)
			if s.State != Closed {
				s.Next = p.nextProbe
			}
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(x, y Status) int {
		return cmp.Or(cmp.Compare(x.Lane, y.Lane), cmp.Compare(x.Policy, y.Policy), x.Next.Compare(y.Next))
	})
	return out
}

// lane returns the named lane. It adds the lane on its first use.
func (b *Breakers) lane(name string, now time.Time) *lane {
	l := b.lanes[name]
	if l == nil {
		if len(b.lanes) >= maxLanes {
			b.drop()
		}
		l = &lane{name: name, calls: newCounter(defaultWindow)}
		l.release = func(r retry.Result) { b.done(l, r, false) }
		l.releaseProbe = func(r retry.Result) { b.done(l, r, true) }
		b.lanes[name] = l
	}
	l.used = now
	return l
}

// drop removes the least recently used closed lane, or else the least recently used one.
func (b *Breakers) drop() {
	var oldest *lane
	for _, l := range b.lanes {
		if oldest == nil || l.isClosed() != oldest.isClosed() && l.isClosed() ||
			l.isClosed() == oldest.isClosed() && l.used.Before(oldest.used) {
			oldest = l
		}
	}
	delete(b.lanes, oldest.name)
}
