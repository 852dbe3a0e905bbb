package state

import (
	"cmp"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// projection writes the state of a run and the rows that follow from it.
type projection struct {
	*tx
	st      *executor.RunState
	run, at string
}

const (
	addTask = "INSERT INTO tasks (task_id) VALUES (?) ON CONFLICT DO NOTHING"
	putRun  = `INSERT INTO runs (run, task_id, generation, begun_at, updated_at, ended_at, end_reason, question, phase,
		iteration, tier, failures, counted, not_before, deadline, dir, calls, input_tokens, output_tokens,
		cost_microusd, unknown_tokens, unknown_cost, saves, state)
		VALUES (?, ?2, (SELECT generation FROM tasks WHERE task_id = ?2), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
		?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (run) DO UPDATE SET updated_at = excluded.updated_at, ended_at = excluded.ended_at,
		end_reason = excluded.end_reason, question = excluded.question, phase = excluded.phase,
		iteration = excluded.iteration, tier = excluded.tier, failures = excluded.failures, counted = excluded.counted,
		not_before = excluded.not_before, deadline = excluded.deadline, dir = excluded.dir,
		calls = excluded.calls, input_tokens = excluded.input_tokens,
		output_tokens = excluded.output_tokens, cost_microusd = excluded.cost_microusd,
		unknown_tokens = excluded.unknown_tokens, unknown_cost = excluded.unknown_cost,
		saves = excluded.saves, state = excluded.state
		WHERE runs.saves < excluded.saves AND runs.task_id = excluded.task_id`
	// putStatus sets the status of the task, unless it was reset since the run began.
	putStatus = `UPDATE tasks SET status = ?1, completed_at = ?2,
		started_at = iif(?1 = 'running' AND status <> 'running', ?3, started_at)
		WHERE (task_id, generation) = (SELECT task_id, generation FROM runs WHERE run = ?4)
		AND (status <> ?1 OR completed_at IS NOT ?2)`
)

func (p *projection) save(body string) error {
	st := p.st
	if _, err := p.exec(addTask, st.Task.ID); err != nil {
		return err
	}
	var ended, reason sql.Null[string]
	status, completed := TaskRunning, sql.Null[string]{}
	if st.Step == executor.StepOver {
		ended, reason = optionalStamp(cmp.Or(st.Ended, st.Now)), column(string(st.End))
		status, completed = TaskStatus(st.End.Status()), ended
		if st.End == executor.EndCancelled || st.End == executor.EndDryRun {
			status, completed = TaskPending, sql.Null[string]{}
		}
	}
	before, err := p.spent()
	if err != nil {
		return err
	}
	u := st.Spent.Usage
	saved, err := p.changed(putRun, p.run, st.Task.ID, stamp(st.Began), p.at, ended, reason,
		head(st.Question, maxError), string(st.Step), st.Iter.Number, st.Tier, st.Failures, st.Counted,
		optionalStamp(st.NotBefore), optionalStamp(st.Deadline), head(st.Dir, maxError),
		st.Spent.Calls, u.InputTokens.Or(0), u.OutputTokens.Or(0), microUSD(u.CostUSD).V, st.Spent.UnknownTokens,
		st.Spent.UnknownCost, st.Saves, body)
	if err != nil {
		return err
	}
	if !saved {
		return errors.New("the stored state is newer, or of another task")
	}
	if st.Step == executor.StepOver || st.Iter.Open && st.Iter.Calls > 0 {
		if _, err := p.exec(putStatus, string(status), completed, p.at, p.run); err != nil {
			return err
		}
	}
	if st.Iter.Open {
		return p.call(&before)
	}
	if err := p.attempt(); err != nil {
		return err
	}
	return p.lists()
}

// spent returns what the run had spent at its last save.
func (p *projection) spent() (executor.Spending, error) {
	var paid sums
	err := p.scan(`SELECT calls, input_tokens, output_tokens, cost_microusd, unknown_tokens, unknown_cost FROM runs
		WHERE run = ?`, []any{p.run}, paid.columns()...)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return paid.spending(), err
}

const (
	putCall = `INSERT OR IGNORE INTO calls (run, iteration, call, started_at, provider, tier, retry_of, policy, attempt,
		wait_seconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	endCall = `UPDATE calls SET ended_at = ?, input_tokens = ?, output_tokens = ?, cost_microusd = ?, code = ?, lane = ?
		WHERE run = ? AND iteration = ? AND call = ? AND ended_at IS NULL`
)

// call writes the row of the open iteration's last call. The save before the call inserts the row,
// and the first save after it adds the result. The call cost the difference in spending.
func (p *projection) call(before *executor.Spending) error {
	st, it := p.st, &p.st.Iter
	if st.Step == executor.StepCall {
		var retryOf, policy sql.Null[string]
		var attempt sql.Null[int]
		var wait sql.Null[float64]
		if f := st.Retried; f != nil {
			retryOf = name(cmp.Or(f.Code, executor.Uncategorized))
			attempt = sql.Null[int]{V: f.Decision.Attempt + 1, Valid: true}
			wait = sql.Null[float64]{V: f.Decision.Wait.Seconds(), Valid: true}
			if f.Decision.Reaction.Policy != nil {
				policy = name(f.Decision.Reaction.Policy.Name)
			}
		}
		_, err := p.exec(putCall, p.run, it.Number, it.Calls, p.at, name(it.Provider), st.Tier, retryOf, policy,
			attempt, wait)
		return err
	}
	if it.Calls == 0 || it.Interrupted {
		return nil
	}
	var in, out, cost sql.Null[int64]
	if st.Spent.UnknownTokens < before.UnknownTokens {
		in = sql.Null[int64]{V: st.Spent.Usage.InputTokens.Or(0) - before.Usage.InputTokens.Or(0), Valid: true}
		out = sql.Null[int64]{V: st.Spent.Usage.OutputTokens.Or(0) - before.Usage.OutputTokens.Or(0), Valid: true}
	}
	if st.Spent.UnknownCost < before.UnknownCost {
		cost = sql.Null[int64]{V: max(0, microUSD(st.Spent.Usage.CostUSD).V-microUSD(before.Usage.CostUSD).V),
			Valid: true}
	}
	var code, lane sql.Null[string]
	for i := range it.Failures {
		if f := &it.Failures[i]; f.Op == executor.OpCall && !it.Answered {
			code, lane = name(cmp.Or(f.Code, executor.Uncategorized)), name(f.Credential)
		}
	}
	_, err := p.exec(endCall, p.at, in, out, cost, code, lane, p.run, it.Number, it.Calls)
	return err
}

// attempt writes the row of the last closed iteration, and its errors. It does not change a row
// that exists.
func (p *projection) attempt() error {
	st, n := p.st, p.st.Iter.Number
	var exists int
	err := p.scan("SELECT count(*) FROM attempts WHERE run = ? AND iteration = ?", []any{p.run, n}, &exists)
	if err != nil || n == 0 || exists > 0 {
		return err
	}
	it := &st.Iter
	a := Attempt{Task: st.Task.ID, Run: p.run, Iteration: n, At: st.Now, Duration: max(0, st.Now.Sub(it.Began)),
		Outcome: Failed, Provider: it.Provider, Changed: it.Changed, calls: it.Calls, Counted: taxonomy.Some(false)}
	if it.Spent.UnknownTokens == 0 {
		a.Usage.InputTokens, a.Usage.OutputTokens = it.Spent.Usage.InputTokens, it.Spent.Usage.OutputTokens
	}
	if it.Spent.UnknownCost == 0 {
		a.Usage.CostUSD = it.Spent.Usage.CostUSD
	}
	var answered bool
	var tier sql.Null[int]
	err = p.scan(`SELECT coalesce(max(ended_at IS NOT NULL AND code IS NULL), 0), max(tier),
		(SELECT generation FROM runs WHERE run = ?1) FROM calls WHERE run = ?1 AND iteration = ?2`, []any{p.run, n},
		&answered, &tier, &a.Generation)
	if err != nil {
		return err
	}
	a.Tier = opt(tier)
	if answered {
		a.Output = st.Text
	}
	p.describe(&a)
	for _, f := range st.Feedback {
		if f.Iteration == n {
			a.Feedback = strings.TrimSpace(a.Feedback + "\n\n" + f.Text)
		}
	}
	if _, err := p.insertAttempt(p.s.withDefaults(a)); err != nil {
		return err
	}
	return p.errors(n)
}

// describe sets the outcome of an attempt, and its error: the last one that was not retried.
func (p *projection) describe(a *Attempt) {
	st := p.st
	var last *executor.ErrorRecord
	for i := range st.Errors {
		rec := &st.Errors[i]
		if rec.Iteration != a.Iteration {
			continue
		}
		if rec.Counted {
			a.Counted = taxonomy.Some(true)
		}
		if !rec.Retried {
			last = rec
		}
	}
	if st.LastError != nil && st.LastError.Iteration == a.Iteration {
		last = st.LastError
	}
	switch {
	case st.Iter.Cancelled:
		a.Outcome, a.Action, last = Cancelled, "cancelled", nil
	case st.End == executor.EndBlockedSignal:
		a.Outcome, a.Error, last = Question, st.Question, nil
	case st.Iter.Clean:
		a.Success, last = true, nil
	case st.Iter.Interrupted:
		a.Outcome = Interrupted
	}
	if last != nil {
		a.Error, a.CodeAsWritten, a.Category = last.Message, last.Code, last.Category
		a.Reaction, a.Action = last.Reaction, last.Action
	}
}

// errors writes the errors of an iteration, and those of setups.
func (p *projection) errors(iteration int) error {
	_, err := p.exec("DELETE FROM errors WHERE run = ? AND iteration IN (0, ?)", p.run, iteration)
	for i := range p.st.Errors {
		rec := &p.st.Errors[i]
		if err != nil || rec.Iteration != 0 && rec.Iteration != iteration {
			continue
		}
		details := sql.Null[string]{}
		if b, err := maskJSON(rec.Details); err == nil && len(b) > 0 {
			details = column(string(b))
		}
		_, err = p.exec(`INSERT INTO errors (run, iteration, seq, tier, op, source, code, category, message, rule,
			reaction, action, counted, retried, fingerprint, details)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			p.run, rec.Iteration, i, rec.Tier, name(rec.Op).V, name(rec.Source).V, name(rec.Code), name(rec.Category),
			head(rec.Message, maxError).V, name(rec.Why), name(rec.Reaction), name(rec.Action), rec.Counted,
			rec.Retried, name(rec.Fingerprint), details)
	}
	return err
}

// lists writes the commits, waits and refs that have no rows yet. Their number is bounded, because
// the state bounds its lists.
func (p *projection) lists() error {
	st := p.st
	var commits, waits, refs int
	err := p.scan(`SELECT (SELECT count(*) FROM commits WHERE run = ?1), (SELECT count(*) FROM waits WHERE run = ?1),
		(SELECT count(*) FROM refs WHERE run = ?1)`, []any{p.run}, &commits, &waits, &refs)
	if err != nil {
		return err
	}
	for _, c := range st.Commits[min(commits, len(st.Commits)):] {
		list, err := paths(c.Paths)
		if err == nil {
			_, err = p.exec("INSERT OR IGNORE INTO commits (run, id, iteration, paths) VALUES (?, ?, ?, ?)",
				p.run, c.ID, st.Iter.Number, cmp.Or(list.V, "[]"))
		}
		if err != nil {
			return err
		}
	}
	for i := waits; i < len(st.Waits); i++ {
		w := st.Waits[i]
		_, err := p.exec("INSERT INTO waits (run, seq, iteration, reason, seconds) VALUES (?, ?, ?, ?, ?)", p.run, i,
			w.Iteration, name(w.For).V, time.Duration(w.Took).Seconds())
		if err != nil {
			return err
		}
	}
	for _, ref := range st.Refs[min(refs, len(st.Refs)):] {
		if _, err := p.exec("INSERT OR IGNORE INTO refs (run, ref) VALUES (?, ?)", p.run, ref); err != nil {
			return err
		}
	}
	return nil
}
