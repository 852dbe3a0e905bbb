// Package retry repeats failed operations. It decides how long to wait before the next call and
// when to stop, and makes callers that share a provider wait together.
//
//	err := retry.Do(ctx, call, retry.ByTable(errs.Table))
//
// [Do] and [Value] repeat an operation as the taxonomy's reactions specify ([ByTable]), or under
// one policy ([ByPolicy]). They and the executor decide by the pure function [State.Next]. A
// [SharedWait] makes all users of a credential wait, a [Breaker] limits their calls and retries,
// and [Adaptive] adapts policies to the results of earlier retries.
package retry

import (
	"math"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Unlimited as a policy's MaxAttempts permits any number of calls.
const Unlimited = math.MaxInt

const (
	// decorrelatedGrowth is the largest factor between two delays with decorrelated jitter.
	decorrelatedGrowth = 3
	// maxHintJitter is the largest share of a hint that jitter adds.
	maxHintJitter = 0.1
)

// State is the history of one operation and code: its consecutive failures. It marshals to JSON.
type State struct {
	// Calls counts the calls that failed.
	Calls int `json:"calls"`
	// Waited is the sum of the waits between them.
	Waited time.Duration `json:"waited"`
	// Last is the last computed delay, from which decorrelated jitter grows.
	Last time.Duration `json:"last,omitempty"`
}

// Random returns a number in [0, 1).
type Random func() float64

// HintOf returns the wait in an error's hints, or nothing. ResetAt takes precedence over
// RetryAfter. A ResetAt that is not in the future and a RetryAfter of 0 or less are ignored, because
// they would disable the policy's backoff.
func HintOf(h taxonomy.Hints, now time.Time) taxonomy.Opt[time.Duration] {
	if at, ok := h.ResetAt.Get(); ok && at.After(now) {
		return taxonomy.Some(at.Sub(now))
	}
	if h.RetryAfter.Or(0) > 0 {
		return h.RetryAfter
	}
	return taxonomy.Opt[time.Duration]{}
}

// Next is the decision after a failure.
type Next struct {
	// Wait is the wait before the next call.
	Wait time.Duration
	// Stop is the limit of the policy that permits no next call, or [StoppedNot].
	Stop Stop
	// Hinted reports that Wait comes from a hint.
	Hinted bool
	// State includes the failure, and the wait if there is one.
	State State
}

// Next counts a failure and decides about the next call. Hint is the wait in the failure's hints;
// see [HintOf]. Next is pure apart from r, and does not allocate.
//
// A hint replaces the policy's delay and is a floor: jitter adds at most a tenth, and never exceeds
// MaxRetryAfter. A hint above MaxRetryAfter exhausts the policy. The delay before call n+1 is
// InitialDelay, n times that, or InitialDelay·Multiplier^(n-1), limited to MaxDelay before and
// after jitter. If r is nil, there is no jitter. A wait that would exceed MaxElapsed exhausts the
// policy.
//
// Zero values have these defaults: MaxDelay 30 s, or InitialDelay if that is longer; MaxRetryAfter
// MaxDelay; Multiplier 2. A policy with neither MaxAttempts nor MaxElapsed makes one call. A nil
// policy has no limits and no delay except the hint.
func (s State) Next(p *taxonomy.Policy, hint taxonomy.Opt[time.Duration], r Random) Next {
	s.Calls++
	floor, hinted := hint.Get()
	if p == nil {
		return s.next(floor, hinted)
	}
	if s.Calls >= maxCalls(p) {
		return Next{Stop: StoppedAttempts, State: s}
	}
	wait := floor
	if hinted {
		if floor > longestHint(p) {
			return Next{Stop: StoppedRetryAfter, State: s}
		}
		wait = hintedWait(p, floor, r)
	} else {
		wait = s.delay(p, r)
		s.Last = wait
	}
	if left := p.MaxElapsed - s.Waited; p.MaxElapsed > 0 && wait > left {
		if !hinted || floor > left {
			return Next{Stop: StoppedElapsed, State: s}
		}
		wait = left
	}
	return s.next(wait, hinted)
}

func (s State) next(wait time.Duration, hinted bool) Next {
	s.Waited = min(s.Waited, math.MaxInt64-wait) + wait
	return Next{Wait: wait, Hinted: hinted, State: s}
}

func maxCalls(p *taxonomy.Policy) int {
	switch {
	case p.MaxAttempts > 0:
		return p.MaxAttempts
	case p.MaxElapsed > 0 || p.MaxAttempts < 0:
		return Unlimited
	}
	return 1
}

func longestHint(p *taxonomy.Policy) time.Duration {
	if p.MaxRetryAfter > 0 {
		return p.MaxRetryAfter
	}
	return longestDelay(p)
}

func longestDelay(p *taxonomy.Policy) time.Duration {
	if p.MaxDelay > 0 {
		return p.MaxDelay
	}
	return max(defaultPolicy.MaxDelay, p.InitialDelay)
}

func hintedWait(p *taxonomy.Policy, floor time.Duration, r Random) time.Duration {
	share := maxHintJitter
	switch {
	case r == nil || p.JitterKind == taxonomy.JitterNone:
		return floor
	case p.JitterKind == taxonomy.JitterProportional:
		share = min(p.Jitter, maxHintJitter)
	}
	return max(floor, clamp(float64(floor)*(1+share*r()), longestHint(p)))
}

// delay returns the wait that the policy computes after the last failure.
func (s State) delay(p *taxonomy.Policy, r Random) time.Duration {
	longest := longestDelay(p)
	initial := float64(p.InitialDelay)
	d := float64(clamp(initial*s.growth(p), longest))
	if r == nil {
		return clamp(d, longest)
	}
	switch p.JitterKind {
	case taxonomy.JitterProportional:
		d *= 1 + p.Jitter*(2*r()-1)
	case taxonomy.JitterFull:
		d *= r()
	case taxonomy.JitterDecorrelated:
		last := max(initial, float64(s.Last))
		d = initial + (last*decorrelatedGrowth-initial)*r()
	}
	return clamp(d, longest)
}

// growth returns the factor by which the initial delay is multiplied.
func (s State) growth(p *taxonomy.Policy) float64 {
	switch p.Backoff {
	case taxonomy.Constant:
		return 1
	case taxonomy.Linear:
		return float64(s.Calls)
	}
	multiplier := p.Multiplier
	if multiplier == 0 {
		multiplier = defaultPolicy.Multiplier
	}
	return math.Pow(multiplier, float64(s.Calls-1))
}

// clamp returns d between 0 and longest.
func clamp(d float64, longest time.Duration) time.Duration {
	switch {
	case !(d > 0): // 0·∞ is not a number
		return 0
	case d >= float64(longest):
		return longest
	}
	return time.Duration(d)
}
