package main

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/state"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// fund has the state hold the budgets that configuration and command line name. One that is already
// so is not set again, so that what the state keeps of them is what people have changed, and when.
func (s *setup) fund(ctx context.Context) error {
	set, err := s.store.Budgets(ctx)
	if err != nil {
		return broke("%w", err)
	}
	holds := make(map[string]state.Limit, len(set))
	for _, l := range set {
		holds[l.Scope] = l.Limit
	}
	wanted := s.wanted(holds[state.ScopeAll])
	for _, scope := range slices.Sorted(maps.Keys(wanted)) {
		if same(holds[scope], wanted[scope]) {
			continue
		}
		if err := s.store.SetBudget(ctx, scope, wanted[scope]); err != nil {
			return broke("%w", err)
		}
	}
	return nil
}

// wanted returns the budgets that are named, by scope. What the command line does not name stays as
// all has it.
func (s *setup) wanted(all state.Limit) map[string]state.Limit {
	b, out := s.settings.Budget, map[string]state.Limit{}
	const note = "configuration"
	for scope, spend := range map[string]*spendSettings{
		state.ScopeAttempt: b.Attempt, state.ScopeTask: b.Task, state.ScopeAll: b.All,
	} {
		if spend != nil {
			a := spend.amount()
			out[scope] = state.Limit{Tokens: a.Tokens, CostUSD: a.CostUSD, Note: note}
		}
	}
	for id, spend := range b.Tasks {
		a := spend.amount()
		out[state.ScopeOfTask(id)] = state.Limit{Tokens: a.Tokens, CostUSD: a.CostUSD, Note: note}
	}
	if !s.usd.set && !s.tokens.set {
		return out
	}
	if l, ok := out[state.ScopeAll]; ok {
		all = l
	}
	if s.usd.set {
		all.CostUSD = s.usd.amount
	}
	if s.tokens.set {
		all.Tokens = whole(s.tokens.amount)
	}
	all.Note = "command line"
	out[state.ScopeAll] = all
	return out
}

func (s *spendSettings) amount() (a state.Amount) {
	if s.Tokens != nil {
		a.Tokens = taxonomy.Some(*s.Tokens)
	}
	if s.USD != nil {
		a.CostUSD = taxonomy.Some(*s.USD)
	}
	return a
}

func whole(n taxonomy.Opt[float64]) taxonomy.Opt[int64] {
	v, ok := n.Get()
	if !ok {
		return taxonomy.Opt[int64]{}
	}
	return taxonomy.Some(int64(v))
}

// same reports whether limits are the same, to the millionth of a dollar with which they are kept.
func same(a, b state.Limit) bool {
	if a.Tokens != b.Tokens || a.CostUSD.IsZero() != b.CostUSD.IsZero() {
		return false
	}
	return math.Abs(a.CostUSD.Or(0)-b.CostUSD.Or(0)) < 1e-6
}

// budget asks the state before each call whether it may be paid.
func (s *setup) budget() executor.Budget {
	var o state.BudgetOptions
	if assume := s.settings.Budget.Assume; assume != nil {
		o.Assume = assume.amount()
	}
	return s.store.Budget(o)
}

// prompt tells an attempt of those before it.
func (s *setup) prompt() func(executor.PromptInput) string {
	return s.store.Prompt(state.PromptOptions{
		MaxAttempts: maxAttempts(s.table), Limit: cmp.Or(s.settings.Limits.Context, defaultContext),
	})
}

// defaultContext is how many bytes of history a prompt has at most.
const defaultContext = 16 << 10
