package state_test

import (
	"context"
	"database/sql"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/state"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// deaf is a journal that cannot be written for a number of times once a run is begun.
type deaf struct {
	executor.Journal
	times int
}

func (d *deaf) Append(ctx context.Context, e executor.Entry) error {
	if e.Point == executor.PointBegun || d.times == 0 {
		return d.Journal.Append(ctx, e)
	}
	d.times--
	return failing("full")
}

// What cannot be written down would be unknown to all others, so that a limit which they share
// could not be kept.
func TestBudgetWhileTheJournalIsBehind(t *testing.T) {
	for _, tt := range []struct {
		name   string
		scope  string
		tokens int64
		times  int // that an entry cannot be written
		assume int64

		calls int
		typ   string
		text  string
	}{
		{"a task", state.ScopeTask, 10_000, 1000, -1, 1, "unknown_cost", "1 call of run r could not be written down"},
		{"one task", state.ScopeOfTask("t"), 10_000, 1000, -1, 1, "unknown_cost",
			"1 call of run r could not be written down"},
		{"all tasks", state.ScopeAll, 10_000, 1000, -1, 1, "unknown_cost", "1 call of run r could not be written down"},
		{"nothing can be assumed", state.ScopeAll, 10_000, 1000, 1, 1, "unknown_cost",
			"1 call of run r could not be written down"},
		{"what is known to be used up", state.ScopeAll, 100, 1000, -1, 1, "exceeded", "100 of 100 tokens are spent"},
		{"an attempt alone", state.ScopeAttempt, 10_000, 1000, -1, 10, "", ""},
		{"written later", state.ScopeAll, 10_000, 2, -1, 10, "", ""},
		{"another task's", state.ScopeOfTask("u"), 10_000, 1000, -1, 10, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := openPurse(t)
			if tt.assume >= 0 {
				p.o.Assume.Tokens = taxonomy.Some(tt.assume)
			}
			p.set(t, tt.scope, tt.tokens, -1)
			by := &payer{name: "payer", costs: []executor.Usage{costs(100, 0, 0)}}
			r := p.run(t, by, "r", "t", func(c *executor.Config) { c.Journal = &deaf{c.Journal, tt.times} })
			assert.Equal(t, tt.calls, by.calls)
			if tt.typ == "" {
				assert.Equal(t, executor.EndMaxIterations, r.EndReason)
				return
			}
			ev := refusal(t, r)
			assert.Equal(t, []string{tt.typ, tt.scope, "100"},
				[]string{ev.Type, ev.Attributes["scope"], ev.Attributes["spent"]})
			assert.Contains(t, ev.Text, tt.text)
		})
	}
}

// A bill and what is kept stop at the same number.
func TestBudgetStopsAtTheSameNumber(t *testing.T) {
	for _, usd := range []float64{1e300, 89_999_999, 1} {
		p := openPurse(t)
		p.set(t, state.ScopeAll, -1, 1e300)
		by := &payer{name: "payer", costs: []executor.Usage{costs(1<<62, 1<<62, usd)}}
		first := p.run(t, by, "r", "t", func(c *executor.Config) { c.Limits.Iterations = 2 })
		p.set(t, state.ScopeAll, -1, 0)
		b, own := p.Budget(p.o), executor.Bill{Run: "r", Task: "t", Total: first.Spending()}
		itself, another := b.Allow(t.Context(), own), b.Allow(t.Context(), executor.Bill{Run: "s", Task: "t"})
		require.Equal(t, "exceeded", typeOf(itself))
		assert.Equal(t, itself.(*taxonomy.Evidence).Attributes["spent"],
			another.(*taxonomy.Evidence).Attributes["spent"], "%g", usd)
		p.set(t, state.ScopeAll, 0, -1)
		itself, another = b.Allow(t.Context(), own), b.Allow(t.Context(), executor.Bill{Run: "s", Task: "t"})
		require.Equal(t, "exceeded", typeOf(itself))
		assert.Equal(t, itself.(*taxonomy.Evidence).Attributes["spent"],
			another.(*taxonomy.Evidence).Attributes["spent"])
		p.beside(t, func(db *sql.DB) {
			var most int64
			require.NoError(t, db.QueryRow("SELECT max(max(input_tokens), max(cost_microusd)) FROM tasks").Scan(&most))
			assert.LessOrEqual(t, most, int64(state.Most))
		})
	}
	p := openPurse(t)
	p.set(t, state.ScopeAll, -1, 1e300)
	by := &payer{name: "payer", costs: []executor.Usage{costs(1, 1, 1e300)}}
	assert.Equal(t, "90000000", refusal(t, p.run(t, by, "r", "t")).Attributes["spent"], "which is as much as any limit")
}
