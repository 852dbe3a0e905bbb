package detection

import (
	"math"
	"slices"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/detect"
)

// subject is the part of evidence that a condition is on.
type subject struct {
	key  detect.Key
	name string
}

// span is where a condition's numbers lie, both ends included and infinite where there is no bound.
type span struct{ low, high float64 }

var everywhere = span{math.Inf(-1), math.Inf(1)}

// spanOf returns what the bounds of a condition allow, if it is one that lists no values: then it
// follows only from conditions that stay within its bounds.
func spanOf(c *detect.Condition) (span, bool) {
	if c.Presence == detect.Absent || len(c.Any)+len(c.AnyNumber) > 0 {
		return span{}, false
	}
	s := everywhere
	if c.Bounds&detect.HasMin != 0 {
		s.low = c.Min
	}
	if c.Bounds&detect.HasMax != 0 {
		s.high = c.Max
	}
	return s, true
}

// staysIn returns where the numbers lie that meet a condition. Where it lists what is no number,
// that is everywhere.
func staysIn(c *detect.Condition) span {
	if len(c.AnyNumber)+len(c.Any) == 0 {
		if c.Key == detect.Status || c.Key == detect.ExitCode {
			low, high := limits(c)
			return span{low, high}
		}
		s, _ := spanOf(c)
		return s
	}
	s := span{everywhere.high, everywhere.low} // nothing meets it
	for _, n := range c.AnyNumber {
		if numberMeets(c, n) {
			s = span{min(s.low, float64(n)), max(s.high, float64(n))}
		}
	}
	for _, text := range c.Any {
		n, ok := decimal(text)
		switch {
		case !textMeets(c, text):
		case !ok:
			return everywhere
		default:
			s = span{min(s.low, n), max(s.high, n)}
		}
	}
	return s
}

// ranges finds the rules whose range on one subject holds another range. All ranges are known from
// the beginning; rules come in one by one, each at a leaf of its own of a tree.
type ranges struct {
	lows    []float64 // of all ranges, ascending
	ranks   []int     // of the rule at each leaf
	taken   map[float64]int
	highest []float64 // the greatest upper end below each node; 1 is the root
	leaves  int
}

// newRanges makes room for ranges that begin at lows.
func newRanges(lows []float64) *ranges {
	slices.Sort(lows)
	r := &ranges{lows: lows, ranks: make([]int, len(lows)), taken: make(map[float64]int), leaves: 1}
	for r.leaves < len(lows) {
		r.leaves *= 2
	}
	r.highest = slices.Repeat([]float64{math.NaN()}, 2*r.leaves)
	return r
}

// rangesOf makes room for the ranges of all rules.
func rangesOf(rules []*model.Rule) map[subject]*ranges {
	lows := make(map[subject][]float64)
	for _, r := range rules {
		for i := range r.Conditions {
			c := &r.Conditions[i]
			if s, ok := spanOf(c); ok {
				lows[subject{c.Key, c.Name}] = append(lows[subject{c.Key, c.Name}], s.low)
			}
		}
	}
	out := make(map[subject]*ranges, len(lows))
	for on, l := range lows {
		out[on] = newRanges(l)
	}
	return out
}

// add makes a rule known.
func (r *ranges) add(rank int, s span) {
	at, _ := slices.BinarySearch(r.lows, s.low)
	at, r.taken[s.low] = at+r.taken[s.low], r.taken[s.low]+1
	r.ranks[at] = rank
	for node := r.leaves + at; node >= 1; node /= 2 {
		if !(r.highest[node] >= s.high) { // nothing is there yet, or lower
			r.highest[node] = s.high
		}
	}
}

// holding visits the rules that are known and whose range holds s.
func (r *ranges) holding(s span, visit func(rank int)) {
	if r == nil {
		return
	}
	end, _ := slices.BinarySearchFunc(r.lows, s.low, func(low, wanted float64) int {
		if low <= wanted {
			return -1
		}
		return 1
	})
	r.descend(1, 0, r.leaves, end, s.high, visit)
}

// descend visits the rules at the leaves from first on, of a node with so many leaves, that lie
// before end and reach high.
func (r *ranges) descend(node, first, leaves, end int, high float64, visit func(rank int)) {
	if first >= end || !(r.highest[node] >= high) {
		return
	}
	if leaves == 1 {
		visit(r.ranks[first])
		return
	}
	r.descend(2*node, first, leaves/2, end, high, visit)
	r.descend(2*node+1, first+leaves/2, leaves/2, end, high, visit)
}
