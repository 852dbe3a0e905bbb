package retry

import (
	"math"
	"math/bits"

	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// maxCounted is the last call number that has outcomes of its own; those beyond are counted
	// with it.
	maxCounted = 32
	// maxWindow bounds the outcomes that are kept of each call number.
	maxWindow = 1000
	// worth is how many successes one further call must promise at least.
	worth = 0.1
	// quantile is that of the normal distribution for an interval of 90 % that is open at one end.
	quantile = 1.2815515655446004
)

// attemptBounds are what a policy says about its attempts.
type attemptBounds struct{ least, own, most, window int }

// limit is the number of attempts that follows from outcomes and bounds; the zero limit is to be
// worked out.
type limit struct {
	bounds   attemptBounds
	attempts int
}

// attemptsOf returns false when the attempts are not to be moved.
func attemptsOf(p *taxonomy.Policy) (attemptBounds, bool) {
	least, most := p.Adapt.MinAttempts, p.Adapt.MaxAttempts
	if least <= 0 && most <= 0 {
		return attemptBounds{}, false
	}
	least = max(1, least)
	most = max(least, most)
	own := p.MaxAttempts
	if own <= 0 { // no bound of its own
		own = most
	}
	return attemptBounds{least: least, own: min(max(own, least), most), most: most, window: windowOf(p.Adapt)}, true
}

func windowOf(a *taxonomy.Adapt) int {
	const unsaid = 50
	if a.Window <= 0 {
		return unsaid
	}
	return min(a.Window, maxWindow)
}

// attempts is the smallest number of calls after which going on is not worth it.
func (l *learned) attempts(b attemptBounds) int {
	if l.limit.bounds != b {
		l.limit = limit{bounds: b, attempts: l.workOut(b)}
	}
	return l.limit.attempts
}

// workOut looks at each number of calls up to maxCounted. From there on all calls that the policy
// makes of itself have the same chance, and so have all beyond, so that one of each is enough.
func (l *learned) workOut(b attemptBounds) int {
	n := b.least
	for ; n < min(b.most, maxCounted); n++ {
		if !l.worthGoingOn(n, b) {
			return n
		}
	}
	for _, end := range [...]int{b.own, b.most} {
		if n < end && !l.worthGoingOn(n, b) {
			return n
		}
		n = max(n, end)
	}
	return n
}

// worthGoingOn reports whether, after n calls, there is a number of further ones that is worth it.
// Each must be looked at: a second call may come too early whatever is done, and the fourth be
// worth all.
func (l *learned) worthGoingOn(n int, b attemptBounds) bool {
	fails, calls := 1.0, 0.0
	for m := n + 1; m <= min(b.most, n+maxCounted); m++ {
		calls += fails
		fails *= 1 - l.chance(m, b)
		if 1-fails >= worth*calls {
			return true
		}
	}
	return false
}

// chance is how likely call number n succeeds, where n-1 have failed.
func (l *learned) chance(n int, b attemptBounds) float64 {
	var made, succeeded int
	if i := min(n, maxCounted) - 2; i < len(l.calls) {
		made, succeeded = l.calls[i].count(b.window)
	}
	low, high := wilson(succeeded, made)
	if n <= b.own {
		return high
	}
	return low
}

// wilson returns the ends of Wilson's score interval for a share; 0 and 1 of nothing.
func wilson(succeeded, made int) (low, high float64) {
	if made == 0 {
		return 0, 1
	}
	n, z2 := float64(made), quantile*quantile
	share := float64(succeeded) / n
	middle := share + z2/(2*n)
	reach := quantile * math.Sqrt(share*(1-share)/n+z2/(4*n*n))
	scale := 1 + z2/n
	return unit((middle - reach) / scale), unit((middle + reach) / scale)
}

// window is the last outcomes of calls with one number; a bit that is set is a success, the lowest
// of the first word the last outcome.
type window struct {
	words [(maxWindow + 63) / 64]uint64
	made  int
}

func (w *window) add(succeeded bool) {
	var carry uint64
	if succeeded {
		carry = 1
	}
	for i, word := range w.words {
		w.words[i] = word<<1 | carry
		carry = word >> 63
	}
	w.made = min(w.made+1, maxWindow)
}

// count returns how many of the last n calls there were, and how many of those succeeded.
func (w *window) count(n int) (made, succeeded int) {
	made = min(n, w.made)
	left := made
	for _, word := range w.words {
		if left <= 0 {
			break
		}
		if left < 64 {
			word &= 1<<left - 1
		}
		succeeded += bits.OnesCount64(word)
		left -= 64
	}
	return made, succeeded
}
