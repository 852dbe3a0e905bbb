package state_test

import (
	"database/sql"
	"errors"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/state"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestBudgetBeforeEachCall(t *testing.T) {
	paid, unpriced := costs(60, 40, 0.25),
		executor.Usage{InputTokens: taxonomy.Some(int64(60)), OutputTokens: taxonomy.Some(int64(40))}
	for _, tt := range []struct {
		name   string
		scope  string
		tokens int64
		usd    float64
		cost   executor.Usage
		assume state.Amount
		fails  string // how each call fails

		calls int // that are made
		typ   string
		spent string
		unit  string
	}{
		{name: "no limit", scope: state.ScopeTask, tokens: -1, usd: -1, cost: paid, calls: 10},
		{name: "tokens in and out", scope: state.ScopeTask, tokens: 250, usd: -1, cost: paid, calls: 3, typ: "exceeded",
			spent: "300", unit: "tokens"},
		{name: "what is reached is used up", scope: state.ScopeTask, tokens: 200, usd: -1, cost: paid, calls: 2,
			typ: "exceeded", spent: "200", unit: "tokens"},
		{name: "dollars", scope: state.ScopeAll, tokens: -1, usd: 0.6, cost: paid, calls: 3, typ: "exceeded",
			spent: "0.75", unit: "usd"},
		{name: "tokens are told before dollars", scope: state.ScopeAll, tokens: 100, usd: 0.25, cost: paid, calls: 1,
			typ: "exceeded", spent: "100", unit: "tokens"},
		{name: "nothing may be spent", scope: state.ScopeTask, tokens: -1, usd: 0, cost: paid, calls: 0,
			typ: "exceeded", spent: "0", unit: "usd"},
		{name: "one task's own", scope: state.ScopeOfTask("t"), tokens: 0, usd: -1, cost: paid, calls: 0,
			typ: "exceeded", spent: "0", unit: "tokens"},
		{name: "another task's own", scope: state.ScopeOfTask("u"), tokens: 0, usd: -1, cost: paid, calls: 10},
		{name: "an attempt begins anew", scope: state.ScopeAttempt, tokens: 100, usd: -1, cost: paid, calls: 10},
		{name: "calls within an attempt", scope: state.ScopeAttempt, tokens: 250, usd: -1, cost: paid, fails: "repeat",
			calls: 3, typ: "exceeded", spent: "300", unit: "tokens"},
		{name: "calls within an attempt under the task's", scope: state.ScopeTask, tokens: 250, usd: -1, cost: paid,
			fails: "repeat", calls: 3, typ: "exceeded", spent: "300", unit: "tokens"},
		{name: "iterations that fail", scope: state.ScopeTask, tokens: -1, usd: 0.5, cost: paid, fails: "again",
			calls: 2, typ: "exceeded", spent: "0.5", unit: "usd"},
		{name: "a cost that is not known", scope: state.ScopeTask, tokens: -1, usd: 100, cost: unpriced, calls: 1,
			typ: "unknown_cost", spent: "0", unit: "usd"},
		{name: "tokens that are not known", scope: state.ScopeTask, tokens: 1000, usd: -1,
			cost: executor.Usage{InputTokens: taxonomy.Some(int64(7))}, calls: 1, typ: "unknown_cost", spent: "7",
			unit: "tokens"},
		{name: "an unknown cost without a limit of it", scope: state.ScopeTask, tokens: 250, usd: -1, cost: unpriced,
			calls: 3, typ: "exceeded", spent: "300", unit: "tokens"},
		{name: "what is assumed", scope: state.ScopeTask, tokens: -1, usd: 0.3, cost: unpriced,
			assume: state.Amount{CostUSD: taxonomy.Some(0.1)}, calls: 3, typ: "exceeded", spent: "0.3", unit: "usd"},
		{name: "assumed to be free", scope: state.ScopeTask, tokens: -1, usd: 0.3, cost: unpriced,
			assume: state.Amount{CostUSD: taxonomy.Some(0.0)}, calls: 10},
		{name: "nonsense is not assumed", scope: state.ScopeTask, tokens: -1, usd: 0.3, cost: unpriced,
			assume: state.Amount{CostUSD: taxonomy.Some(math.NaN())}, calls: 1, typ: "unknown_cost", spent: "0",
			unit: "usd"},
		{name: "small costs add up", scope: state.ScopeTask, tokens: -1, usd: 0.000002, cost: costs(1, 1, 0.0000009),
			calls: 2, typ: "exceeded", spent: "0.000002", unit: "usd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := openPurse(t)
			p.o.Assume = tt.assume
			p.set(t, tt.scope, tt.tokens, tt.usd)
			by := &payer{name: "payer", costs: []executor.Usage{tt.cost}}
			if tt.fails != "" {
				by.ends = func(int) error { return failing(tt.fails) }
			}
			r := p.run(t, by, "r", "t")
			assert.Equal(t, tt.calls, by.calls)
			assert.Equal(t, tt.calls, r.Calls)
			if tt.typ == "" {
				assert.Equal(t, executor.EndMaxIterations, r.EndReason)
				return
			}
			ev := refusal(t, r)
			assert.Equal(t, tt.typ, ev.Type)
			assert.Equal(t, tt.spent, ev.Attributes["spent"])
			assert.Equal(t, tt.unit, ev.Attributes["unit"])
			assert.Equal(t, tt.scope, ev.Attributes["scope"])
			assert.Equal(t, tt.typ == "unknown_cost", ev.Attributes["unknown"] == "1")
			if tt.typ == "unknown_cost" {
				assert.Contains(t, ev.Text, "1 call ")
				assert.Contains(t, ev.Text, "BudgetOptions.Assume")
				assert.Contains(t, ev.Text, "lift the limit")
			}
		})
	}
}

func TestBudgetOfEveryTier(t *testing.T) {
	p := openPurse(t)
	p.set(t, state.ScopeTask, 150, -1)
	low := &payer{name: "low", costs: []executor.Usage{costs(50, 50, 1)},
		ends: func(int) error { return failing("up") }}
	high := &payer{name: "high", costs: []executor.Usage{costs(50, 50, 1)}}
	r := p.run(t, low, "r", "t", func(c *executor.Config) { c.Tiers = map[string]executor.Provider{"high": high} })
	assert.Equal(t, "200", refusal(t, r).Attributes["spent"])
	assert.Equal(t, []int{1, 1}, []int{low.calls, high.calls})
}

func TestBudgetOfOneTaskOutweighs(t *testing.T) {
	p := openPurse(t)
	p.set(t, state.ScopeTask, 0, -1)
	p.set(t, state.ScopeOfTask("t"), 150, -1)
	by := &payer{name: "payer", costs: []executor.Usage{costs(100, 0, 0)}}
	assert.Equal(t, "task:t", refusal(t, p.run(t, by, "r", "t")).Attributes["scope"])
	assert.Equal(t, 2, by.calls)
	require.NoError(t, p.SetBudget(t.Context(), state.ScopeOfTask("t"), state.Limit{}))
	assert.Equal(t, "task", refusal(t, p.run(t, by, "s", "t")).Attributes["scope"], "lifted, the common one holds")
}

// Other runs of the task count with it, of other tasks with all.
func TestBudgetCountsOthers(t *testing.T) {
	p := openPurse(t)
	by := &payer{name: "payer", costs: []executor.Usage{costs(10, 0, 1)}}
	p.run(t, by, "first", "t")
	p.run(t, by, "other", "u")
	p.set(t, state.ScopeTask, 120, -1)
	p.set(t, state.ScopeAll, 210, -1)
	assert.Equal(t, "all", refusal(t, p.run(t, by, "second", "t")).Attributes["scope"])
	assert.Equal(t, 21, by.calls, "210 tokens of 210")
	p.set(t, state.ScopeAll, -1, -1)
	ev := refusal(t, p.run(t, by, "third", "t"))
	assert.Equal(t, []string{"task", "120"}, []string{ev.Attributes["scope"], ev.Attributes["spent"]})
	require.NoError(t, p.Reset(t.Context(), "t"))
	ev = refusal(t, p.run(t, by, "fourth", "t"))
	assert.Equal(t, "120", ev.Attributes["spent"], "what was spent stays spent")
}

func TestBudgetCountsAttemptsByHand(t *testing.T) {
	p := openPurse(t)
	at := instant{}.Now()
	record := func(a state.Attempt) {
		t.Helper()
		a.Task, a.At, a.Success = "t", at, true
		_, err := p.RecordAttempt(t.Context(), a)
		require.NoError(t, err)
	}
	p.set(t, state.ScopeTask, 100, -1)
	b := p.Budget(state.BudgetOptions{})
	record(state.Attempt{Usage: costs(40, 20, 0)})
	assert.NoError(t, b.Allow(t.Context(), executor.Bill{Run: "r", Task: "t"}))
	record(state.Attempt{})
	assert.NoError(t, b.Allow(t.Context(), executor.Bill{Run: "r", Task: "t"}), "it says of nobody who was called")
	record(state.Attempt{Provider: "payer"})
	assert.Equal(t, "unknown_cost", typeOf(b.Allow(t.Context(), executor.Bill{Run: "r", Task: "t"})))
	assert.NoError(t, b.Allow(t.Context(), executor.Bill{Run: "r", Task: "u"}))
	record(state.Attempt{Usage: costs(40, 0, 0)})
	assert.Equal(t, "exceeded", typeOf(b.Allow(t.Context(), executor.Bill{Run: "r", Task: "t"})),
		"which is known in spite of what is not")
}

func typeOf(err error) string {
	var ev *taxonomy.Evidence
	if !errors.As(err, &ev) {
		return ""
	}
	return ev.Type
}

// Raising a limit is a row of its own, and the next call is allowed.
func TestBudgetIsRaised(t *testing.T) {
	p := openPurse(t)
	by := &payer{name: "payer", costs: []executor.Usage{costs(100, 0, 0)}}
	p.set(t, state.ScopeTask, 200, -1)
	assert.Equal(t, "200", refusal(t, p.run(t, by, "r", "t")).Attributes["limit"])
	require.NoError(t, p.SetBudget(t.Context(), state.ScopeTask, state.Limit{
		Tokens: taxonomy.Some(int64(400)), CostUSD: taxonomy.Some(0.57),
		Note: "it is worth it; token=ghp_abcdefghijABCDEFGHIJ0123456789abcdef",
	}))
	by.during = func(call int) { // while it runs
		if call == 4 {
			p.set(t, state.ScopeTask, 600, -1)
		}
	}
	assert.Equal(t, "600", refusal(t, p.run(t, by, "s", "t")).Attributes["limit"])
	assert.Equal(t, 6, by.calls)
	p.beside(t, func(db *sql.DB) {
		rows, note := 0, ""
		require.NoError(t, db.QueryRow("SELECT count(*), max(note) FROM budgets").Scan(&rows, &note))
		assert.Equal(t, 3, rows)
		assert.Equal(t, "it is worth it; token=[REDACTED]", note)
	})
}

func TestBudgets(t *testing.T) {
	p := openPurse(t)
	before := time.Now().Add(-time.Second)
	p.set(t, state.ScopeAll, 1, 2)
	p.set(t, state.ScopeTask, 5, -1)
	p.set(t, state.ScopeOfTask("a b"), -1, 0)
	p.set(t, state.ScopeTask, -1, -1)
	p.set(t, state.ScopeAll, 3, 0.57)
	all, err := p.Budgets(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 2)
	for i := range all {
		assert.WithinRange(t, all[i].At, before, time.Now().Add(time.Second))
		all[i].At = time.Time{}
	}
	assert.Equal(t, []state.SetLimit{
		{Scope: "task:a b", Limit: state.Limit{CostUSD: taxonomy.Some(0.0)}},
		{Scope: "all", Limit: state.Limit{Tokens: taxonomy.Some(int64(3)), CostUSD: taxonomy.Some(0.57)}},
	}, all)
}

func TestSetBudgetRefuses(t *testing.T) {
	p := openPurse(t)
	usd := func(v float64) state.Limit { return state.Limit{CostUSD: taxonomy.Some(v)} }
	for _, tt := range []struct {
		scope string
		limit state.Limit
	}{
		{"", state.Limit{}}, {"everything", state.Limit{}}, {"task:", state.Limit{}}, {"task:a\x00b", state.Limit{}},
		{"all", state.Limit{Tokens: taxonomy.Some(int64(-1))}}, {"all", usd(-0.01)}, {"all", usd(math.NaN())},
		{"all", usd(math.Inf(1))}, {"all", usd(math.Inf(-1))},
	} {
		assert.Error(t, p.SetBudget(t.Context(), tt.scope, tt.limit), "%q %v", tt.scope, tt.limit)
	}
	all, err := p.Budgets(t.Context())
	require.NoError(t, err)
	assert.Empty(t, all)
	require.NoError(t, p.SetBudget(t.Context(), "all", usd(math.MaxFloat64)),
		"more than can be counted is as much as can be")
}

// A call that a process died in is of unknown cost: when its run goes on, and to other runs.
func TestBudgetOfADeadCall(t *testing.T) {
	p := openPurse(t)
	p.set(t, state.ScopeTask, -1, 10)
	by := &payer{name: "payer", costs: []executor.Usage{costs(1, 1, 1)}, during: func(call int) {
		if call == 2 {
			runtime.Goexit()
		}
	}}
	p.run(t, by, "r", "t")
	ev := refusal(t, p.run(t, by, "s", "t"))
	assert.Equal(t, []string{"unknown_cost", "1"}, []string{ev.Type, ev.Attributes["spent"]}, "to another run")
	again := p.run(t, by, "r", "t", func(c *executor.Config) { c.Classify = againAfterDeath(c.Classify) })
	ev = refusal(t, again)
	assert.Equal(
		t, []string{"unknown_cost", "1", "1"}, []string{ev.Type, ev.Attributes["spent"], ev.Attributes["unknown"]},
		"to itself")
	assert.Equal(t, executor.Spending{Calls: 2, Usage: costs(1, 1, 1), UnknownTokens: 1, UnknownCost: 1},
		again.Spending())
	assert.Equal(t, 2, by.calls)
	p.o.Assume.CostUSD = taxonomy.Some(4.5)
	assert.Equal(t, "10.5", refusal(t, p.run(t, by, "u", "t")).Attributes["spent"],
		"1 and 4.5 of the first run, 5 of its own")
}

func againAfterDeath(next executor.Classifier) executor.Classifier {
	//lint:ignore ST1008 it is a Classifier
	return func(err error, source, op string) (error, string) {
		if op == "resume" {
			err = failing("again")
		}
		return next(err, source, op)
	}
}

// What another living run has under way is counted as it is assumed.
func TestBudgetOfACallUnderWay(t *testing.T) {
	p := openPurse(t)
	p.set(t, state.ScopeAll, -1, 3)
	under, over := make(chan struct{}), make(chan struct{})
	slow := &payer{name: "slow", costs: []executor.Usage{costs(1, 1, 1)}, during: func(call int) {
		if call == 1 {
			close(under)
			<-over
			return
		}
		runtime.Goexit()
	}}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.run(t, slow, "slow", "u")
	}()
	<-under
	allow := func(o state.BudgetOptions) error {
		return p.Budget(o).Allow(t.Context(), executor.Bill{Run: "r", Task: "t"})
	}
	assert.NoError(t, allow(state.BudgetOptions{}))
	assert.NoError(t, allow(state.BudgetOptions{Assume: state.Amount{CostUSD: taxonomy.Some(2.9)}}))
	assert.Equal(t, "exceeded", typeOf(allow(state.BudgetOptions{Assume: state.Amount{CostUSD: taxonomy.Some(3.0)}})))
	close(over)
	<-ended
	assert.Equal(t, "unknown_cost", typeOf(allow(state.BudgetOptions{})), "once its process is dead")
}

func TestBudgetOfAStateThatCannotBeRead(t *testing.T) {
	p := openPurse(t)
	b := p.Budget(state.BudgetOptions{})
	p.beside(t, func(db *sql.DB) {
		_, err := db.Exec("ALTER TABLE budgets RENAME TO gone")
		require.NoError(t, err)
	})
	err := b.Allow(t.Context(), executor.Bill{Run: "r", Task: "t"})
	assert.Equal(t, "unknown_cost", typeOf(err))
	assert.Equal(t, "budget", err.(*taxonomy.Evidence).Source)
	assert.Equal(t, p.Path(), err.(*taxonomy.Evidence).Attributes["path"])
}

// Sums stop at the greatest number, and never become small again.
func TestBudgetOfHugeSums(t *testing.T) {
	p := openPurse(t)
	p.run(t, &payer{name: "payer", costs: []executor.Usage{costs(1, 1, 1)}}, "r", "t")
	p.run(t, &payer{name: "payer", costs: []executor.Usage{costs(1, 1, 1)}}, "s", "u")
	p.set(t, state.ScopeAll, math.MaxInt64, math.MaxFloat64)
	b := p.Budget(
		state.BudgetOptions{Assume: state.Amount{Tokens: taxonomy.Some(int64(math.MaxInt64)),
			CostUSD: taxonomy.Some(math.MaxFloat64)}})
	allow := func(s executor.Spending) error {
		return b.Allow(t.Context(), executor.Bill{Run: "x", Task: "t", Total: s, Attempt: s})
	}
	assert.NoError(t, allow(executor.Spending{}))
	huge := executor.Spending{Calls: 1, Usage: costs(math.MaxInt64, math.MaxInt64, math.MaxFloat64)}
	assert.Equal(t, "exceeded", typeOf(allow(huge)))
	assert.Equal(t, "exceeded", typeOf(allow(executor.Spending{Calls: 9, UnknownCost: 9})), "9 times as much as can be")
	p.beside(t, func(db *sql.DB) {
		_, err := db.Exec(
			"UPDATE tasks SET input_tokens = 9223372036854775807, output_tokens = 9223372036854775807, " +
				"cost_microusd = 9223372036854775807")
		require.NoError(t, err)
	})
	assert.Equal(t, "exceeded", typeOf(allow(executor.Spending{})))
}
