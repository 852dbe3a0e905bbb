package state

import (
	"context"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// BudgetOptions are how a budget is kept.
type BudgetOptions struct {
	// Assume is what a call is taken to have cost of which it is not known, or not yet. What is
	// absent, or less than nothing, is not assumed: such a call under a limit is evidence, because
	// it may have cost more than is left.
	Assume Amount
}

// Budget returns a budget that asks, before each call, whether what was spent is below the limits
// that [Store.SetBudget] has set and another process may have changed since. Of several limits that
// are reached the narrowest scope is told, tokens before dollars, and one that is reached before
// one of which it is not known.
//
// The run that asks is known from its bill, so that a state that cannot be written hides no cost;
// all others, and attempts that were recorded by hand or converted, are known from the tables. A
// call that a living process has under way costs what is assumed, and nothing as long as nothing
// is: runs beside each other may pass a limit by the calls that they have under way. Of a call
// whose process is dead the cost is unknown. If the state cannot be read, so is all cost.
//
// Sums stop at 90 million million tokens, or 90 million dollars, and so does a limit that is
// greater: who has spent that much has reached every limit, in the bill of a run as in the tables.
//
// A limit that tasks share is kept only if others come to know of the run's calls. While some of
// them are not written down, because the disk is full or because the run has no [Store.Journal] of
// this state, no further call is allowed under a limit other than that of an attempt, whatever is
// assumed.
//
// Exceeded limits are evidence of source and op "budget" with the attributes scope, limit, spent
// and unit ("tokens" or "usd"), of type "exceeded", or "unknown_cost" with the number of those
// calls in the attribute unknown; the text says what can be done.
func (s *Store) Budget(o BudgetOptions) executor.Budget {
	return &budget{store: s, assumed: assumed(o.Assume)}
}

// budget is safe for concurrent use.
type budget struct {
	store   *Store
	assumed assumption
}

// assumption is what a call is taken to cost of which it is not known; negative is that nothing is
// assumed.
type assumption struct{ tokens, cost int64 }

func assumed(a Amount) assumption {
	out := assumption{tokens: -1, cost: -1}
	if tokens := a.Tokens.Or(-1); tokens >= 0 {
		out.tokens = tokens
	}
	if cost := microUSD(a.CostUSD); cost.Valid {
		out.cost = cost.V
	}
	return out
}

// Allow implements [executor.Budget].
func (b *budget) Allow(ctx context.Context, bill executor.Bill) error {
	k, err := b.store.books(ctx, &bill)
	if err != nil {
		return unknowable(err)
	}
	unwritten := int64(bill.Total.Calls) - k.calls
	var behind, unknown *taxonomy.Evidence
	for _, l := range k.limits {
		own, others := bill.Total, k.ofTask
		switch l.scope {
		case ScopeAttempt:
			own, others = bill.Attempt, spent{}
		case ScopeAll:
			others = k.ofAll
		}
		for _, a := range b.accounts(l, spentOf(own), others) {
			if a.spent >= a.limit {
				return a.exceeded()
			}
			if unwritten > 0 && l.scope != ScopeAttempt && behind == nil {
				behind = a.behind(bill.Run, unwritten)
			}
			if a.unknown > 0 && unknown == nil {
				unknown = a.unknownCost()
			}
		}
	}
	switch {
	case behind != nil:
		return behind
	case unknown != nil:
		return unknown
	}
	return nil
}

// accounts returns what is to be compared with a limit.
func (b *budget) accounts(l limit, own, others spent) []account {
	total := own.plus(others)
	var all []account
	if l.tokens >= 0 {
		a := account{scope: l.scope, unit: unitTokens, limit: l.tokens, spent: total.tokens,
			unknown: total.unknownTokens}
		all = append(all, a.assuming(b.assumed.tokens, total.underWay))
	}
	if l.cost >= 0 {
		a := account{scope: l.scope, unit: unitUSD, limit: l.cost, spent: total.cost, unknown: total.unknownCost}
		all = append(all, a.assuming(b.assumed.cost, total.underWay))
	}
	return all
}

// spent is what calls have cost. Sums stop at [most].
type spent struct {
	tokens, cost               int64
	unknownTokens, unknownCost int64
	underWay                   int64 // calls of living processes
}

// spentOf returns what a bill says.
func spentOf(s executor.Spending) spent {
	return spent{
		tokens:        added(s.Usage.InputTokens.Or(0), s.Usage.OutputTokens.Or(0)),
		cost:          microUSD(s.Usage.CostUSD).V,
		unknownTokens: int64(s.UnknownTokens), unknownCost: int64(s.UnknownCost),
	}
}

func (s spent) plus(t spent) spent {
	return spent{
		tokens: added(s.tokens, t.tokens), cost: added(s.cost, t.cost),
		unknownTokens: added(s.unknownTokens, t.unknownTokens), unknownCost: added(s.unknownCost, t.unknownCost),
		underWay: added(s.underWay, t.underWay),
	}
}

// minus returns what is left without a part.
func (s spent) minus(part spent) spent {
	return spent{
		tokens: max(0, s.tokens-part.tokens), cost: max(0, s.cost-part.cost),
		unknownTokens: max(0, s.unknownTokens-part.unknownTokens), unknownCost: max(0, s.unknownCost-part.unknownCost),
		underWay: max(0, s.underWay-part.underWay),
	}
}

// added returns the sum of two numbers that are not negative; at most [most].
func added(a, b int64) int64 { return min(min(a, most)+min(b, most), most) }

// times returns the product of two numbers that are not negative; at most [most].
func times(a, b int64) int64 {
	if a != 0 && b > most/a {
		return most
	}
	return a * b
}
