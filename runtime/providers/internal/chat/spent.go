package chat

import (
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/internal/wire"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Tokens are what a request used. Input is without what was read from a cache or written to one.
type Tokens struct{ Input, CacheWrite, CacheRead, Output int64 }

// maxTokens is more than any request uses. With it sums stay far from the greatest number.
const maxTokens = 1 << 40

// possible reports whether the numbers can be what a request used.
func (t Tokens) possible() bool {
	for _, n := range []int64{t.Input, t.CacheWrite, t.CacheRead, t.Output} {
		if n < 0 || n > maxTokens {
			return false
		}
	}
	return true
}

func (t Tokens) plus(u Tokens) Tokens {
	return Tokens{
		Input: t.Input + u.Input, CacheWrite: t.CacheWrite + u.CacheWrite, CacheRead: t.CacheRead + u.CacheRead,
		Output: t.Output + u.Output,
	}
}

// Spent adds up what the requests of a call used. The zero Spent is that of no request, which is
// nothing.
type Spent struct {
	sum Tokens
	// told reports that a request said what it used, vague that one did not and may have used
	// something.
	told, vague bool
}

// Add adds a request. What it used counts if the server told it in full, or if there was none, as
// with one that was refused.
func (s *Spent) Add(x *wire.Exchange, used taxonomy.Opt[Tokens]) {
	t, told := used.Get()
	switch {
	case told && t.possible():
		s.sum, s.told = s.sum.plus(t), true
	case told || !x.Unused():
		s.vague = true
	}
}

// Usage returns what the call used and cost. If it is not known of one request, it is not known of
// the call. Cost says what tokens cost, and is absent without prices; what used nothing costs
// nothing all the same.
func (s *Spent) Usage(cost func(Tokens) taxonomy.Opt[float64]) executor.Usage {
	switch {
	case s.vague:
		return executor.Usage{}
	case !s.told:
		return Nothing()
	}
	return executor.Usage{
		InputTokens:  taxonomy.Some(s.sum.Input + s.sum.CacheWrite + s.sum.CacheRead),
		OutputTokens: taxonomy.Some(s.sum.Output),
		CostUSD:      cost(s.sum),
	}
}

// Nothing is what a call without a request uses.
func Nothing() executor.Usage {
	return executor.Usage{InputTokens: taxonomy.Some[int64](0), OutputTokens: taxonomy.Some[int64](0),
		CostUSD: taxonomy.Some(0.0)}
}
