package executor

import (
	"math"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// sound returns the usage without what nothing can cost: less than nothing, or no number. It
// reports whether all of it was sound.
func (u Usage) sound() (Usage, bool) {
	was := u
	if u.InputTokens.Or(0) < 0 {
		u.InputTokens = taxonomy.Opt[int64]{}
	}
	if u.OutputTokens.Or(0) < 0 {
		u.OutputTokens = taxonomy.Opt[int64]{}
	}
	if c := u.CostUSD.Or(0); c < 0 || math.IsNaN(c) || math.IsInf(c, 0) {
		u.CostUSD = taxonomy.Opt[float64]{}
	}
	return u, u == was
}

// believed returns what a provider says that a call cost, without what cannot be.
func (r *runner) believed(u Usage) Usage {
	u, ok := u.sound()
	if !ok {
		r.warn("the provider says that a call cost less than nothing, or no number; it is taken as unknown", nil)
	}
	return u
}

// plus returns the sum of what is known; of what neither knows nothing is known. A sum that is too
// large is left as it was, and ok is false.
func (u Usage) plus(v Usage) (total Usage, ok bool) {
	in, ok1 := sum(u.InputTokens, v.InputTokens)
	out, ok2 := sum(u.OutputTokens, v.OutputTokens)
	cost, ok3 := sum(u.CostUSD, v.CostUSD)
	return Usage{InputTokens: in, OutputTokens: out, CostUSD: cost}, ok1 && ok2 && ok3
}

func sum[T int64 | float64](a, b taxonomy.Opt[T]) (taxonomy.Opt[T], bool) {
	switch {
	case a.IsZero():
		return b, true
	case b.IsZero():
		return a, true
	}
	s := a.Or(0) + b.Or(0)
	if s < a.Or(0) || math.IsInf(float64(s), 0) {
		return a, false
	}
	return taxonomy.Some(s), true
}
