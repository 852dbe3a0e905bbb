package retry

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// worthwhile is the success rate below which a call is not worth making.
	worthwhile = 0.1
	// moveAfter is the number of operations saved by a retry after which the delay can change.
	moveAfter = 10
	// Of each exploreEvery blocks of exploreBlock failures of a code, the last makes all calls.
	exploreBlock, exploreEvery = 16, 8

	maxCounted    = 32   // the last call number with a rate of its own
	maxLearned    = 1024 // codes, and pairs of a policy and a code
	defaultWindow = 50
	defaultTarget = 0.8
)

// Outcome is the result of one call, for learners.
type Outcome struct {
	// At is when the call ended.
	At time.Time
	// Took is how long it took; 0 if unknown.
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
// For each call number it keeps a success rate, weighted towards the last `window` outcomes. A
// policy makes calls up to the last one that succeeds at least once in ten times; a call beyond the
// policy's own number must have proved that. In an eighth of the time it makes all calls that the
// bounds permit, because a call that is not made teaches nothing. The delay is doubled when of ten
// operations that a retry saved more than 1 - `target` needed a later retry than the first, and
// halved when fewer did. Retries that waited for a hint do not count.
//
// The numbers follow from the policies and the outcomes alone. An Adaptive marshals to JSON and is
// safe for concurrent use. A nil *Adaptive changes nothing.
type Adaptive struct {
	mu       sync.Mutex
	policies map[string]taxonomy.Policy
	failures map[string]*heard
	pairs    map[pair]*learned
	outcomes int
}

type pair struct{ policy, code string }

// heard counts the failures of a code; last is the outcome that was counted last.
type heard struct{ failures, last int }

// learned is the knowledge about a policy after failures of a code.
type learned struct {
	Policy string `json:"policy"`
	Code   string `json:"code"`
	Calls  []rate `json:"calls"` // of the second call, the third and so on
	// Doublings is how often the delay was doubled, less how often it was halved.
	Doublings int `json:"doublings"`
	// First and Later count the operations that the first and a later retry saved since then.
	First int `json:"first"`
	Later int `json:"later"`

	last int
}

// rate is a success rate in which older outcomes weigh less.
type rate struct {
	Made      float64 `json:"made"`
	Succeeded float64 `json:"succeeded"`
}

// NewAdaptive returns an Adaptive without knowledge. The policies are those of the taxonomy
// (Table.Taxonomy.Policies). The delay of any other policy adapts only after its first use.
func NewAdaptive(policies ...*taxonomy.Policy) *Adaptive {
	a := &Adaptive{}
	a.reset()
	for _, p := range policies {
		if p != nil && p.Adapt != nil {
			a.policies[p.Name] = *p
		}
	}
	return a
}

func (a *Adaptive) reset() {
	if a.policies == nil {
		a.policies = make(map[string]taxonomy.Policy)
	}
	a.failures, a.pairs = make(map[string]*heard), make(map[pair]*learned)
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
	if least, most := max(1, p.Adapt.MinAttempts), p.Adapt.MaxAttempts; p.Adapt.MinAttempts > 0 || most > 0 {
		most = max(least, most)
		own := min(max(maxCalls(p), least), most)
		out.MaxAttempts = l.attempts(least, own, most)
		if h := a.failures[code]; h != nil && h.failures/exploreBlock%exploreEvery == exploreEvery-1 {
			out.MaxAttempts = most
		}
	}
	if p.Adapt.MinDelay > 0 || p.Adapt.MaxDelay > 0 {
		out.InitialDelay = l.delay(p)
	}
	return out
}

// attempts returns the last call that is worth making.
func (l *learned) attempts(least, own, most int) int {
	for n := most; n > least; n-- {
		var r rate
		if i := min(n, maxCounted) - 2; i < len(l.Calls) {
			r = l.Calls[i]
		}
		if n <= own {
			r.Succeeded++ // the benefit of the doubt
		}
		if r.Succeeded/(r.Made+1) >= worthwhile {
			return n
		}
	}
	return least
}

func (l *learned) delay(p *taxonomy.Policy) time.Duration {
	least := max(0, p.Adapt.MinDelay)
	most := max(least, min(p.Adapt.MaxDelay, longestDelay(p)))
	d := max(p.InitialDelay, least)
	if d == 0 && l.Doublings > 0 {
		d = time.Millisecond
	}
	return max(least, limited(math.Ldexp(float64(d), l.Doublings), most))
}

// Learn takes an outcome into account: of a retry its success, of any failure its code.
func (a *Adaptive) Learn(o Outcome) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.outcomes++
	if o.Code != "" {
		h := entry(a.failures, o.Code, func(h *heard) int { return h.last })
		h.failures++
		h.last = a.outcomes
	}
	if o.After == "" || o.Policy == "" || o.Attempt < 2 {
		return
	}
	l := entry(a.pairs, pair{o.Policy, o.After}, func(l *learned) int { return l.last })
	l.Policy, l.Code, l.last = o.Policy, o.After, a.outcomes
	p, known := a.policies[o.Policy]
	l.count(o, &p)
	if known && p.Adapt != nil {
		l.moveDelay(o, &p)
	}
}

// entry returns the entry of a key, new if there is none. It drops the oldest of too many.
func entry[K comparable, V any](m map[K]*V, key K, last func(*V) int) *V {
	v := m[key]
	if v != nil {
		return v
	}
	if len(m) >= maxLearned {
		var oldest K
		least := math.MaxInt
		for k, v := range m {
			if at := last(v); at < least {
				oldest, least = k, at
			}
		}
		delete(m, oldest)
	}
	v = new(V)
	m[key] = v
	return v
}

func (l *learned) count(o Outcome, p *taxonomy.Policy) {
	window := defaultWindow
	if p.Adapt != nil && p.Adapt.Window > 0 {
		window = p.Adapt.Window
	}
	i := min(o.Attempt, maxCounted) - 2
	for len(l.Calls) <= i {
		l.Calls = append(l.Calls, rate{})
	}
	r, keep := &l.Calls[i], 1-1/float64(window)
	r.Made, r.Succeeded = r.Made*keep+1, r.Succeeded*keep
	if o.Code == "" {
		r.Succeeded++
	}
}

// moveDelay moves the delay by an outcome under a policy whose bounds are known.
func (l *learned) moveDelay(o Outcome, p *taxonomy.Policy) {
	delay := l.delay(p)
	if o.Wait < delay/8 || o.Attempt == 2 && o.Wait > 4*delay {
		return // it waited for something else
	}
	single := maxCalls(p) <= 2 && p.Adapt.MaxAttempts <= 2
	target := p.Adapt.Target
	if target <= 0 {
		target = defaultTarget
	}
	switch {
	case o.Code == "" && o.Attempt == 2:
		l.First++
	case o.Code == "", single:
		l.Later++
	default:
		return
	}
	const inexact = 1e-9
	late, before := moveAfter*(1-target), l.Doublings
	switch {
	case float64(l.Later) > late+inexact:
		l.Doublings++
	case l.First+l.Later < moveAfter:
		return
	case float64(l.Later) < late-inexact:
		l.Doublings--
	}
	l.First, l.Later = 0, 0
	if l.delay(p) == delay {
		l.Doublings = before // at a bound
	}
}

const snapshotVersion = 2

type snapshot struct {
	Version  int            `json:"errgen_adaptive"`
	Failures map[string]int `json:"failures"`
	Policies []learned      `json:"policies"` // the one without outcomes for longest first
}

// MarshalJSON returns the knowledge.
func (a *Adaptive) MarshalJSON() ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := snapshot{Version: snapshotVersion, Failures: make(map[string]int), Policies: []learned{}}
	for code, h := range a.failures {
		s.Failures[code] = h.failures
	}
	for _, l := range a.pairs {
		s.Policies = append(s.Policies, *l)
	}
	slices.SortFunc(s.Policies, func(x, y learned) int { return cmp.Compare(x.last, y.last) })
	return json.Marshal(s)
}

// UnmarshalJSON replaces the knowledge; the policies remain. With an error it changes nothing.
func (a *Adaptive) UnmarshalJSON(b []byte) error {
	var s snapshot
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("read adaptive policies: %w", err)
	}
	if s.Version != snapshotVersion {
		return fmt.Errorf("read adaptive policies: version %d is not supported (%d is)", s.Version, snapshotVersion)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reset()
	for code, n := range s.Failures {
		a.failures[code] = &heard{failures: n}
	}
	for _, l := range s.Policies {
		a.outcomes++
		l.last = a.outcomes
		a.pairs[pair{l.Policy, l.Code}] = &l
	}
	return nil
}
