package loop

import (
	"cmp"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Usage is the cost of calls. An unknown value is absent, which differs from zero.
type Usage struct {
	InputTokens  taxonomy.Opt[int64]   `json:"inputTokens,omitzero"`
	OutputTokens taxonomy.Opt[int64]   `json:"outputTokens,omitzero"`
	CostUSD      taxonomy.Opt[float64] `json:"costUSD,omitzero"`
}

// Spending is the cost of several calls: the sum of the known values, and the number of calls with
// unknown values. The zero Spending is that of no calls.
type Spending struct {
	// Calls counts the calls that were begun.
	Calls int `json:"calls"`
	// Usage is the sum of the known values.
	Usage Usage `json:"usage,omitzero"`
	// UnknownTokens counts the calls without input or output tokens, UnknownCost the calls without
	// a cost. Both include running and interrupted calls.
	UnknownTokens int `json:"unknownTokens,omitempty"`
	UnknownCost   int `json:"unknownCost,omitempty"`
}

// begin adds a call with unknown values.
func (s *Spending) begin() {
	s.Calls++
	s.UnknownTokens++
	s.UnknownCost++
}

// end adds the usage of a call that was begun.
func (s *Spending) end(u Usage) {
	if !u.InputTokens.IsZero() && !u.OutputTokens.IsZero() {
		s.UnknownTokens--
	}
	if !u.CostUSD.IsZero() {
		s.UnknownCost--
	}
	s.Usage.InputTokens = sum(s.Usage.InputTokens, u.InputTokens)
	s.Usage.OutputTokens = sum(s.Usage.OutputTokens, u.OutputTokens)
	s.Usage.CostUSD = sum(s.Usage.CostUSD, u.CostUSD)
}

// sum adds values that may be unknown.
func sum[T int64 | float64](a, b taxonomy.Opt[T]) taxonomy.Opt[T] {
	if a.IsZero() || b.IsZero() {
		return cmp.Or(a, b)
	}
	return taxonomy.Some(a.Or(0) + b.Or(0))
}
