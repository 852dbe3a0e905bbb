package retry

import (
	"math"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// worthwhile is the success rate below which a call is not worth making.
	worthwhile = 0.1
	// moveAfter is the number of operations saved by a retry after which the delay can change.
	moveAfter = 10

	maxCounted    = 32   // the last call number with a separate rate
	maxLearned    = 1024 // pairs of a policy and a code
	defaultWindow = 50
	defaultTarget = 0.8
)

// Outcome is the result of one call, as learners receive it.
type Outcome struct {
	// At is when the call ended.
	At time.Time
	// Took is the duration of the call; 0 if unknown.
	Took time.Duration
	// Provider names the called provider, Lane the lane of its waits. Both may be empty.
	Provider, Lane string
	// Code is the code of the call's error; empty after success.
	Code string
	// After is the code of the failure that this call retries, Policy the policy that spaced it.
	// Both are empty for a first call.
	After, Policy string
	// Attempt counts the calls of the operation from 1; Wait is the wait before this one.
	Attempt int
	Wait    time.Duration
}

// Learner learns from the outcomes of calls. Implementations are safe for concurrent use and return
// quickly.
type Learner interface {
	Learn(o Outcome)
}

// Adaptive adapts the numbers of policies within the bounds of their `adapt`, separately for each
// code that the retried call failed with.
//
// For each call number, an Adaptive keeps a success rate, weighted towards the last `window`
// outcomes. The adapted policy permits calls up to the last one with a rate of at least one in ten.
// A call beyond the policy's max_attempts is tried once the call before it has reached that rate.
// The rate of a call that is no longer made fades, so that the call is tried again after some
// failures. The delay depends on the operations that a retry saved. It is doubled if, of ten of
// them, a share of more than 1 - `target` needed more than one retry, and halved if a smaller share
// did. Retries that waited for a hint do not count.
//
// The numbers depend only on the policies and the outcomes. An Adaptive learns about at most 1024
// pairs of a policy and a code. It is safe for concurrent use. A nil *Adaptive changes nothing.
type Adaptive struct {
	mu       sync.Mutex
	policies map[string]taxonomy.Policy
	pairs    map[pair]*learned
}

type pair struct{ policy, code string }

// learned holds the statistics of the retries under a policy after failures of one code.
type learned struct {
	rates     []rate // of the second call, the third and so on
	doublings int    // of the delay, less its halvings
	// first and later count the operations that the first retry and a later one saved since the
	// delay was last checked.
	first, later int
}

// rate is a success rate in which older outcomes weigh less.
type rate struct{ calls, successes float64 }

// NewAdaptive returns an Adaptive that has learned nothing. The policies are those of the taxonomy
// (Table.Taxonomy.Policies). The delay of any other policy adapts only after its first use.
func NewAdaptive(policies ...*taxonomy.Policy) *Adaptive {
	a := &Adaptive{policies: make(map[string]taxonomy.Policy), pairs: make(map[pair]*learned)}
	for _, p := range policies {
		if p != nil && p.Adapt != nil {
			a.policies[p.Name] = *p
		}
	}
	return a
}

// Policy returns p adapted for a failure of the code.
func (a *Adaptive) Policy(p *taxonomy.Policy, code string) taxonomy.Policy {
	if a == nil || p.Adapt == nil {
		return *p
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.policies[p.Name]; !ok {
		a.policies[p.Name] = *p
	}
	l := a.pairs[pair{p.Name, code}]
	if l == nil {
		l = &learned{}
	}
	out := *p
	if p.Adapt.MinAttempts > 0 || p.Adapt.MaxAttempts > 0 {
		out.MaxAttempts = l.attempts(p)
	}
	if p.Adapt.MinDelay > 0 || p.Adapt.MaxDelay > 0 {
		out.InitialDelay = l.delay(p)
	}
	return out
}

// attempts returns the number of the last call that is worth making. A call within the policy's
// limit, or after a useful one, is credited with one success, so that it is tried before its rate
// is known.
func (l *learned) attempts(p *taxonomy.Policy) int {
	least := max(1, p.Adapt.MinAttempts)
	last, isUseful := least, false
	for n := least + 1; n <= p.Adapt.MaxAttempts; n++ {
		var r rate
		if i := min(n, maxCounted) - 2; i < len(l.rates) {
			r = l.rates[i]
		}
		credit := 0.0
		if isUseful || n <= maxCalls(p) {
			credit = 1
		}
		isUseful = r.successes/(r.calls+1) >= worthwhile
		if (r.successes+credit)/(r.calls+1) >= worthwhile {
			last = n
		}
	}
	return last
}

// delay returns the adapted initial delay.
func (l *learned) delay(p *taxonomy.Policy) time.Duration {
	least := max(0, p.Adapt.MinDelay)
	most := max(least, min(p.Adapt.MaxDelay, longestDelay(p)))
	d := max(p.InitialDelay, least)
	if d == 0 && l.doublings > 0 {
		d = time.Millisecond
	}
	return max(least, clamp(math.Ldexp(float64(d), l.doublings), most))
}

// Learn updates the statistics with an outcome.
func (a *Adaptive) Learn(o Outcome) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if o.Code != "" {
		for at, l := range a.pairs {
			p := a.policies[at.policy]
			if at.code == o.Code && p.Adapt != nil && o.Attempt >= l.attempts(&p) {
				l.fade(o.Attempt, &p)
			}
		}
	}
	if o.After == "" || o.Policy == "" || o.Attempt < 2 {
		return
	}
	at := pair{o.Policy, o.After}
	l := a.pairs[at]
	if l == nil {
		if len(a.pairs) >= maxLearned {
			return
		}
		l = &learned{}
		a.pairs[at] = l
	}
	p := a.policies[o.Policy]
	l.count(o, &p)
	if p.Adapt != nil {
		l.moveDelay(o, &p)
	}
}

// weight returns the factor by which a new outcome reduces the weight of older ones.
func weight(p *taxonomy.Policy) float64 {
	if p.Adapt != nil && p.Adapt.Window > 0 {
		return 1 - 1/float64(p.Adapt.Window)
	}
	return 1 - 1.0/defaultWindow
}

// fade reduces the weight of the calls after the last one that was made.
func (l *learned) fade(last int, p *taxonomy.Policy) {
	for i := last - 1; i < len(l.rates); i++ {
		l.rates[i].calls *= weight(p)
		l.rates[i].successes *= weight(p)
	}
}

// count adds an outcome to the rate of its call number.
func (l *learned) count(o Outcome, p *taxonomy.Policy) {
	i := min(o.Attempt, maxCounted) - 2
	for len(l.rates) <= i {
		l.rates = append(l.rates, rate{})
	}
	r := &l.rates[i]
	r.calls, r.successes = r.calls*weight(p)+1, r.successes*weight(p)
	if o.Code == "" {
		r.successes++
	}
}

// moveDelay counts an outcome, and after enough of them doubles or halves the delay.
func (l *learned) moveDelay(o Outcome, p *taxonomy.Policy) {
	delay := l.delay(p)
	if o.Wait < delay/8 || o.Attempt == 2 && o.Wait > 4*delay {
		return // it waited for something else
	}
	onlyRetry := maxCalls(p) <= 2 && p.Adapt.MaxAttempts <= 2
	target := p.Adapt.Target
	if target <= 0 {
		target = defaultTarget
	}
	switch {
	case o.Code == "" && o.Attempt == 2:
		l.first++
	case o.Code == "", onlyRetry:
		l.later++
	default:
		return
	}
	const inexact = 1e-9
	late, before := moveAfter*(1-target), l.doublings
	switch {
	case float64(l.later) > late+inexact:
		l.doublings++
	case l.first+l.later < moveAfter:
		return
	case float64(l.later) < late-inexact:
		l.doublings--
	}
	l.first, l.later = 0, 0
	if l.delay(p) == delay {
		l.doublings = before // at a bound
	}
}
