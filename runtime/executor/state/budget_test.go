package state

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func dollars(usd float64) Amount { return Amount{CostUSD: taxonomy.Some(usd)} }
func tokens(n int64) Amount      { return Amount{Tokens: taxonomy.Some(n)} }

// cost is a call of as many tokens, and so many dollars; negative is unknown.
func cost(n int64, usd float64) executor.Usage {
	u := executor.Usage{InputTokens: taxonomy.Some(n), OutputTokens: taxonomy.Some[int64](0)}
	if usd >= 0 {
		u.CostUSD = taxonomy.Some(usd)
	}
	return u
}

// The task T has spent 100 tokens and $1 in recorded attempts, the task U the same.
func TestBudget(t *testing.T) {
	for _, c := range []struct {
		name    string
		limits  map[string]Amount
		assume  Amount
		unknown bool // another attempt of T has an unknown cost
		own     executor.Usage
		want    string // type, scope, spent
	}{
		{name: "no limit"},
		{name: "below", limits: map[string]Amount{ScopeTask: dollars(1.01), ScopeAll: dollars(2.01)}},
		{name: "task", limits: map[string]Amount{ScopeTask: dollars(1)}, want: "exceeded task 1"},
		{name: "task in tokens", limits: map[string]Amount{ScopeTask: tokens(100)}, want: "exceeded task 100"},
		{name: "all", limits: map[string]Amount{ScopeAll: dollars(2)}, want: "exceeded all 2"},
		{name: "narrowest first", limits: map[string]Amount{ScopeAll: dollars(1), ScopeTask: dollars(0.5)},
			want: "exceeded task 1"},
		{name: "one task replaces all tasks", limits: map[string]Amount{ScopeTask: dollars(0), "task:T": dollars(1.5)}},
		{name: "one task", limits: map[string]Amount{"task:T": dollars(1)}, want: "exceeded task:T 1"},
		{name: "another task", limits: map[string]Amount{"task:U": dollars(0)}},
		{name: "own attempt", limits: map[string]Amount{ScopeAttempt: dollars(0.5)}, own: cost(1, 0.5),
			want: "exceeded attempt 0.5"},
		{name: "own and others", limits: map[string]Amount{ScopeTask: dollars(1.25)}, own: cost(1, 0.25),
			want: "exceeded task 1.25"},
		{name: "nothing allowed", limits: map[string]Amount{ScopeAttempt: tokens(0)}, want: "exceeded attempt 0"},
		{name: "unknown", limits: map[string]Amount{ScopeTask: dollars(9)}, unknown: true, want: "unknown_cost task 1"},
		{name: "unknown, but tokens are known", limits: map[string]Amount{ScopeTask: tokens(900)}, unknown: true},
		{name: "assumed", limits: map[string]Amount{ScopeTask: dollars(9)}, unknown: true, assume: dollars(2)},
		{name: "assumed too much", limits: map[string]Amount{ScopeTask: dollars(9)}, unknown: true, assume: dollars(8),
			want: "exceeded task 9"},
		{name: "exceeded before unknown", limits: map[string]Amount{ScopeTask: dollars(1)}, unknown: true,
			want: "exceeded task 1"},
		{name: "smallest unit", limits: map[string]Amount{ScopeTask: dollars(1.000001)}, own: cost(0, 1e-9),
			want: "exceeded task 1.000001"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, ctx := newStore(t), t.Context()
			for _, task := range []string{"T", "U"} {
				_, err := s.RecordAttempt(ctx, Attempt{Task: task, Success: true, Usage: cost(100, 1)})
				require.NoError(t, err)
				_, err = s.RecordAttempt(ctx, Attempt{Task: task, Success: true}) // without a call
				require.NoError(t, err)
			}
			require.NoError(t, s.Reset(ctx, "T")) // which does not change the spending
			if c.unknown {
				_, err := s.RecordAttempt(ctx, Attempt{Task: "T", Success: true, Usage: cost(100, -1)})
				require.NoError(t, err)
			}
			for scope, amount := range c.limits {
				require.NoError(t, s.SetBudget(ctx, scope, Limit{Amount: dollars(0)}), "replaced by the next")
				require.NoError(t, s.SetBudget(ctx, scope, Limit{Amount: amount}))
			}
			own := executor.Spending{Usage: c.own}
			err := s.Budget(BudgetOptions{Assume: c.assume}).Allow(ctx, executor.Call{Run: "r", Task: "T",
				Attempt: own, Total: own})
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			ev, what := evidenceOf(t, err)
			assert.Equal(t, "budget budget "+ev.Type+" ", what)
			assert.Equal(t, c.want, ev.Type+" "+ev.Attributes["scope"]+" "+ev.Attributes["spent"])
		})
	}
}

// Calls of a run that could not be saved are unknown to other runs.
func TestBudgetOfUnsavedCalls(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	two := executor.Call{Run: "r", Task: "T", Total: executor.Spending{Calls: 2, Usage: cost(1, 0.1)}}
	require.NoError(t, s.SetBudget(ctx, ScopeAttempt, Limit{Amount: dollars(9)}))
	require.NoError(t, s.Budget(BudgetOptions{}).Allow(ctx, two))
	require.NoError(t, s.SetBudget(ctx, ScopeAll, Limit{Amount: dollars(9)}))
	ev, _ := evidenceOf(t, s.Budget(BudgetOptions{Assume: dollars(0)}).Allow(ctx, two))
	assert.Equal(t, "unknown_cost", ev.Type)
}

func TestSetBudget(t *testing.T) {
	s, ctx := newStore(t), t.Context()
	require.NoError(t, s.SetBudget(ctx, ScopeAll, Limit{Amount: dollars(5), Note: "agreed"}))
	require.NoError(t, s.SetBudget(ctx, ScopeOfTask("T"), Limit{Amount: tokens(7)}))
	require.NoError(t, s.SetBudget(ctx, ScopeTask, Limit{Amount: tokens(7)}))
	require.NoError(t, s.SetBudget(ctx, ScopeTask, Limit{}))
	got, err := s.Budgets(ctx)
	require.NoError(t, err)
	require.Len(t, got, 2)
	assert.Equal(t, []any{ScopeAll, dollars(5), "agreed"}, []any{got[0].Scope, got[0].Amount, got[0].Note})
	assert.Equal(t, []any{"task:T", tokens(7)}, []any{got[1].Scope, got[1].Amount})
	for name, c := range map[string]struct {
		scope string
		Amount
	}{
		"scope":    {"everything", dollars(1)},
		"no task":  {oneTask, dollars(1)},
		"negative": {ScopeAll, dollars(-1)},
		"NaN":      {ScopeAll, dollars(math.NaN())},
		"tokens":   {ScopeAll, tokens(-1)},
	} {
		assert.Error(t, s.SetBudget(ctx, c.scope, Limit{Amount: c.Amount}), name)
	}
}

// A budget that cannot be read allows nothing.
func TestUnreadableBudget(t *testing.T) {
	s := newStore(t)
	require.NoError(t, s.reader.Close())
	ev, _ := evidenceOf(t, s.Budget(BudgetOptions{}).Allow(t.Context(), executor.Call{Run: "r", Task: "T"}))
	assert.Equal(t, "unknown_cost", ev.Type)
}
