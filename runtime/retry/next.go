package retry

import (
	"math"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// defaultMaxDelay bounds the waits of a policy that has no greatest, those that hints ask for
	// included.
	defaultMaxDelay = 30 * time.Second
	// defaultMultiplier is the factor of a policy that has none.
	defaultMultiplier = 2
	// decorrelatedGrowth is how far beyond the last delay decorrelated jitter reaches.
	decorrelatedGrowth = 3
	// maxHintJitter is the share of a hint that jitter adds at most.
	maxHintJitter = 0.1
)

// Next decides what comes after a failure of the series: it counts the failure and returns whether
// there is a next try, and how long to wait before it. It is pure but for r, allocates nothing, and
// takes any policy:
//
//   - A hint replaces the policy's delay. It is a floor: jitter only adds to it, a tenth at most.
//     One that is over is no wait, and a RetryAfter below 0 no hint. One above MaxRetryAfter uses
//     the policy up at once. A MaxRetryAfter of 0 is MaxDelay, and where that is 0 too, 30 s, or
//     InitialDelay if that is longer.
//   - The delay before call n+1 is InitialDelay, n times that, or InitialDelay times Multiplier to
//     the n-1, and never above MaxDelay, before and after jitter. A MaxDelay of 0 with an
//     InitialDelay is 30 s, or InitialDelay if that is longer; a Multiplier of 0 is 2.
//   - Proportional jitter adds or takes away up to its share; full picks from 0 to the delay;
//     decorrelated picks from InitialDelay to three times the last delay, whatever the backoff.
//     Without r there is no jitter.
//   - MaxAttempts counts calls in total; 0 or less is no bound. A wait by which MaxElapsed would be
//     exceeded is not begun.
//
// Without a policy there is no delay but the hint's, and no bound.
func (s Series) Next(p *taxonomy.Policy, hint Hint, r Random) Next {
	s = s.counted()
	floor, hinted := hint.wait()
	if p == nil {
		return Next{Wait: floor, Hinted: hinted, Series: s.after(floor)}
	}
	if p.MaxAttempts > 0 && s.Calls >= p.MaxAttempts {
		return s.usedUp(BoundAttempts)
	}
	wait := floor
	if hinted {
		if floor > longestHint(p) {
			return s.usedUp(BoundRetryAfter)
		}
		wait = hintedWait(p, floor, r)
	} else {
		wait = s.delay(p, r)
		s.Last = wait
	}
	if left, limited := s.timeLeft(p); limited && wait > left {
		if !hinted || floor > left {
			return s.usedUp(BoundElapsed)
		}
		wait = left
	}
	return Next{Wait: wait, Hinted: hinted, Series: s.after(wait)}
}

// counted is the series with one more failure. What cannot be, as from a broken file, is taken as
// 0.
func (s Series) counted() Series {
	s.Calls = max(0, s.Calls)
	if s.Calls < math.MaxInt {
		s.Calls++
	}
	s.Waited, s.Last = max(0, s.Waited), max(0, s.Last)
	return s
}

func (s Series) after(wait time.Duration) Series {
	if s.Waited > math.MaxInt64-wait {
		s.Waited = math.MaxInt64
		return s
	}
	s.Waited += wait
	return s
}

func (s Series) usedUp(by Bound) Next { return Next{UsedUp: true, Bound: by, Series: s} }

func (s Series) timeLeft(p *taxonomy.Policy) (left time.Duration, limited bool) {
	return max(0, p.MaxElapsed-s.Waited), p.MaxElapsed > 0
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
	return max(defaultMaxDelay, p.InitialDelay)
}

func hintedWait(p *taxonomy.Policy, floor time.Duration, r Random) time.Duration {
	share := maxHintJitter
	switch p.JitterKind {
	case taxonomy.JitterNone:
		return floor
	case taxonomy.JitterProportional:
		share = min(unit(p.Jitter), maxHintJitter)
	}
	wait := bounded(float64(floor)*(1+share*r.roll(0)), longestHint(p))
	return max(floor, wait)
}

// delay is the wait that the policy computes after the last failure of the series.
func (s Series) delay(p *taxonomy.Policy, r Random) time.Duration {
	most := longestDelay(p)
	initial := float64(max(0, p.InitialDelay))
	grown := float64(bounded(initial*s.growth(p), most))
	if r == nil {
		return bounded(grown, most)
	}
	switch p.JitterKind {
	case taxonomy.JitterProportional:
		grown *= 1 + unit(p.Jitter)*(2*r.roll(0)-1)
	case taxonomy.JitterFull:
		grown *= r.roll(0)
	case taxonomy.JitterDecorrelated:
		last := max(initial, float64(s.Last))
		grown = initial + (last*decorrelatedGrowth-initial)*r.roll(0)
	}
	return bounded(grown, most)
}

// growth is the factor of the first delay.
func (s Series) growth(p *taxonomy.Policy) float64 {
	switch p.Backoff {
	case taxonomy.Constant:
		return 1
	case taxonomy.Linear:
		return float64(s.Calls)
	}
	multiplier := p.Multiplier
	switch {
	case multiplier == 0:
		multiplier = defaultMultiplier
	case !(multiplier >= 1): // NaN too
		multiplier = 1
	}
	return math.Pow(multiplier, float64(s.Calls-1))
}

// bounded returns d between 0 and most; a d that is no number, as 0 times infinity, is 0.
func bounded(d float64, most time.Duration) time.Duration {
	switch {
	case !(d > 0):
		return 0
	case d >= float64(most):
		return most
	}
	return time.Duration(d)
}

// unit returns f between 0 and 1; what is no number is 0.
func unit(f float64) float64 {
	if !(f > 0) {
		return 0
	}
	return min(f, 1)
}
