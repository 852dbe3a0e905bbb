package state

import (
	"database/sql"

	"github.com/errgen/errgen/runtime/executor"
)

// sums are what calls have cost, as it is kept for each run and for each task: of what is known the
// sums, and how many calls there are of which nobody knows. Those of a task are over all its runs,
// and over its attempts without a run for which somebody was called. None of them is more than
// [most].
type sums struct {
	calls, in, out, cost, unknownTokens, unknownCost int64
}

// costOf returns what one call has cost that was counted before.
func costOf(in, out, cost sql.Null[int64]) sums {
	s := sums{in: in.V, out: out.V, cost: cost.V}
	if !in.Valid || !out.Valid {
		s.unknownTokens = 1
	}
	if !cost.Valid {
		s.unknownCost = 1
	}
	return s
}

// called reports whether an attempt without a run says that somebody was called: who it was, or
// what it cost. One that was converted, or that says nothing of the kind, does not: a call of
// unknown cost would hold every limit for ever.
func (a Attempt) called() bool { return a.Provider != "" || a.Usage != executor.Usage{} }

// spent returns what an attempt without a run adds to its task: one call, if there was one.
func (a Attempt) spent() sums {
	if !a.called() {
		return sums{}
	}
	s := costOf(optional(a.Usage.InputTokens), optional(a.Usage.OutputTokens), microUSD(a.Usage.CostUSD))
	s.calls = 1
	return s
}

// addSums adds sums, which are the first parameters, to a row of runs or of tasks. They stop at
// [most], which is written out here.
const addSums = `calls = calls + ?1, input_tokens = min(input_tokens + ?2, 90000000000000),
	output_tokens = min(output_tokens + ?3, 90000000000000), cost_microusd = min(cost_microusd + ?4, 90000000000000),
	unknown_tokens = unknown_tokens + ?5, unknown_cost = unknown_cost + ?6`

// and returns the parameters of addSums, and others behind them.
func (s sums) and(others ...any) []any {
	return append([]any{s.calls, s.in, s.out, s.cost, s.unknownTokens, s.unknownCost}, others...)
}

// spend adds to what the run has cost, and its task with it. Nothing else changes what a run has
// cost.
func (p *projection) spend(s sums) error {
	if _, err := p.exec("UPDATE runs SET "+addSums+" WHERE run = ?7", s.and(p.run)...); err != nil {
		return err
	}
	_, err := p.exec("UPDATE tasks SET "+addSums+" WHERE task_id = (SELECT task_id FROM runs WHERE run = ?7)",
		s.and(p.run)...)
	return err
}

// attempted has a task stand as it does after an attempt without a run, and adds what that has
// cost. A task that is not known is made.
func (t *tx) attempted(a Attempt) error {
	var completed sql.Null[string]
	if a.TaskStatus.over() {
		completed = column(stamp(a.At))
	}
	_, err := t.exec(`
		INSERT INTO tasks (task_id, status, started_at, completed_at,
			calls, input_tokens, output_tokens, cost_microusd, unknown_tokens, unknown_cost)
		VALUES (?7, ?8, ?9, ?10, ?1, ?2, ?3, ?4, ?5, ?6)
		ON CONFLICT (task_id) DO UPDATE SET status = excluded.status,
			started_at = coalesce(started_at, excluded.started_at), completed_at = excluded.completed_at, `+addSums,
		a.spent().and(a.Task, string(a.TaskStatus), stamp(a.At.Add(-a.Duration)), completed)...)
	return err
}
