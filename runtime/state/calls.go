package state

import (
	"database/sql"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// most is the most that one call is taken to cost, in tokens or millionths of a dollar, so that sums are no more than an
// integer holds.
const most = 1_000_000_000_000

// callBegins adds a call. One that the run had begun before, and of which nobody saw the end, is over.
func (p *projection) callBegins(s *executor.Started) error {
	if err := p.callsLostBut(s.Call); err != nil {
		return err
	}
	n, err := p.changed(`INSERT INTO calls (run, iteration, call, provider, tier, started_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`, p.run, p.entry.Iteration, s.Call, masked(s.Provider), s.Tier, p.at)
	if err != nil || n == 0 {
		return err
	}
	_, err = p.exec("UPDATE runs SET calls = calls + 1 WHERE run = ?", p.run)
	return err
}

// answered adds what a call has cost. The first that is said of it holds.
func (p *projection) answered(a *executor.Answered) error {
	in, out, cost := countable(a.Usage.InputTokens), countable(a.Usage.OutputTokens), microUSD(a.Usage.CostUSD)
	cost.V = min(cost.V, most)
	n, err := p.changed(`UPDATE calls SET ended_at = ?, input_tokens = ?, output_tokens = ?, cost_microusd = ?
		WHERE run = ? AND iteration = ? AND call = ? AND ended_at IS NULL`, p.at, in, out, cost, p.run, p.entry.Iteration, a.Call)
	if err != nil || n == 0 {
		return err
	}
	_, err = p.exec(`UPDATE runs SET input_tokens = input_tokens + ?, output_tokens = output_tokens + ?, cost_microusd = cost_microusd + ?,
		unknown_tokens = unknown_tokens + ?, unknown_cost = unknown_cost + ? WHERE run = ?`,
		in.V, out.V, cost.V, !in.Valid || !out.Valid, !cost.Valid, p.run)
	return err
}

// callsLost has the calls of the run be over of which nobody saw the end, and be of unknown cost. It is known that they are
// when the run goes on.
func (p *projection) callsLost() error { return p.callsLostBut(0) }

// callsLostBut is [projection.callsLost], but for one call of the iteration; calls count from 1.
func (p *projection) callsLostBut(call int) error {
	n, err := p.changed("UPDATE calls SET ended_at = ? WHERE run = ? AND ended_at IS NULL AND NOT (iteration = ? AND call = ?)",
		p.at, p.run, p.entry.Iteration, call)
	if err != nil || n == 0 {
		return err
	}
	_, err = p.exec("UPDATE runs SET unknown_tokens = unknown_tokens + ?1, unknown_cost = unknown_cost + ?1 WHERE run = ?2", n, p.run)
	return err
}

// countable returns a number of tokens as a column; less than none is not known.
func countable(tokens taxonomy.Opt[int64]) sql.Null[int64] {
	n, ok := tokens.Get()
	if !ok || n < 0 {
		return sql.Null[int64]{}
	}
	return sql.Null[int64]{V: min(n, most), Valid: true}
}
