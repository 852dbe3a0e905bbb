package state

import (
	"database/sql"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// most is what everything stops at that is counted in tokens or in millionths of a dollar: a call,
// the sums of runs and of tasks, bills, and limits. As many as a journal has entries sum up to no
// more than an integer holds.
const most = 90_000_000_000_000

// callBegins adds a call. One that the run had begun before, and of which nobody saw the end, is
// over.
func (p *projection) callBegins(s *executor.Started) error {
	if err := p.callsLostBut(s.Call); err != nil {
		return err
	}
	n, err := p.changed(`INSERT INTO calls (run, iteration, call, provider, tier, started_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`, p.run, p.entry.Iteration, s.Call, textMask(s.Provider), s.Tier, p.at)
	if err != nil || n == 0 {
		return err
	}
	return p.spend(sums{calls: 1})
}

// answered adds what a call has cost. The first that is said of it holds.
func (p *projection) answered(a *executor.Answered) error {
	in, out, cost := countable(a.Usage.InputTokens), countable(a.Usage.OutputTokens), microUSD(a.Usage.CostUSD)
	n, err := p.changed(`UPDATE calls SET ended_at = ?, input_tokens = ?, output_tokens = ?, cost_microusd = ?
		WHERE run = ? AND iteration = ? AND call = ? AND ended_at IS NULL`, p.at, in, out, cost, p.run,
		p.entry.Iteration, a.Call)
	if err != nil || n == 0 {
		return err
	}
	return p.spend(costOf(in, out, cost))
}

// callsLost has the calls of the run be over of which nobody saw the end, and be of unknown cost.
// It is known that they are when the run goes on.
func (p *projection) callsLost() error { return p.callsLostBut(0) }

// callsLostBut is [projection.callsLost], but for one call of the iteration; calls count from 1.
func (p *projection) callsLostBut(call int) error {
	n, err := p.changed(
		"UPDATE calls SET ended_at = ? WHERE run = ? AND ended_at IS NULL AND NOT (iteration = ? AND call = ?)",
		p.at, p.run, p.entry.Iteration, call)
	if err != nil || n == 0 {
		return err
	}
	return p.spend(sums{unknownTokens: n, unknownCost: n})
}

// countable returns a number of tokens as a column; less than none is not known.
func countable(tokens taxonomy.Opt[int64]) sql.Null[int64] {
	n, ok := tokens.Get()
	if !ok || n < 0 {
		return sql.Null[int64]{}
	}
	return sql.Null[int64]{V: min(n, most), Valid: true}
}
