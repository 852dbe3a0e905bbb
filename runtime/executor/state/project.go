package state

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// projection writes the state of a run and the rows that are derived from it.
type projection struct {
	*tx
	st  *executor.RunState
	run string
}

const (
	addTask = "INSERT INTO tasks (task_id) VALUES (?) ON CONFLICT DO NOTHING"
	addRun  = `INSERT INTO runs (run, updated_at, ended_at, phase, saves, spent, state, task_id, begun_at, generation)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?8, ?, (SELECT generation FROM tasks WHERE task_id = ?8))`
	updateRun = `UPDATE runs SET updated_at = ?2, ended_at = ?3, phase = ?4, saves = ?5, spent = ?6, state = ?7
		WHERE run = ?1 AND saves < ?5 AND task_id = ?8`
	// putStatus sets the status of the task, unless it was reset since the run began.
	putStatus = "UPDATE tasks " + assignStatus + `
		WHERE (task_id, generation) = (SELECT task_id, generation FROM runs WHERE run = ?4)
		AND (status <> ?1 OR completed_at IS NOT ?2)`
)

func (p *projection) save(body string) error {
	st := p.st
	var ended, completed time.Time
	status := TaskRunning
	if st.Step == loop.StepOver {
		ended = cmp.Or(st.Ended, st.Now)
		status, completed = TaskStatus(st.End.Status()), ended
		if st.End == executor.EndCancelled || st.End == executor.EndDryRun {
			status, completed = TaskPending, time.Time{}
		}
	}
	before, err := query[executor.Spending](p.tx, "SELECT spent FROM runs WHERE run = ?", p.run)
	if err != nil {
		return err
	}
	spent, err := json.Marshal(st.Spent)
	if err != nil {
		return err
	}
	row := []any{p.run, st.Now.UTC().Format(stampLayout), ended, st.Step, st.Saves, string(spent), body, st.Task.ID}
	put := updateRun
	if len(before) == 0 {
		put, row = addRun, append(row, st.Began.UTC().Format(stampLayout))
		if _, err := p.exec(addTask, st.Task.ID); err != nil {
			return err
		}
	}
	saved, err := p.exec(put, row...)
	if err != nil {
		return err
	}
	if n, err := saved.RowsAffected(); err != nil || n == 0 {
		return errors.Join(err, errors.New("the stored state is newer, or of another task"))
	}
	if st.Step == loop.StepOver || st.Iter.Open && st.Iter.Calls > 0 {
		if _, err := p.exec(putStatus, status, completed, st.Now, p.run); err != nil {
			return err
		}
	}
	if st.Iter.Open {
		return p.call(append(before, executor.Spending{})[0])
	}
	return p.attempt()
}

const (
	putCall = "INSERT OR IGNORE INTO calls (run, iteration, call, record) VALUES (?, ?, ?, ?)"
	endCall = `UPDATE calls SET record = json_patch(record, ?4)
		WHERE run = ?1 AND iteration = ?2 AND call = ?3 AND ended_at IS NULL`
)

// call writes the row of the open iteration's last call. The save before the call inserts the row,
// and the first save after it adds the result. The cost is the increase in spending.
func (p *projection) call(before executor.Spending) error {
	st, it := p.st, &p.st.Iter
	put := func(statement string, c call) error {
		record, err := json.Marshal(c)
		if err == nil {
			_, err = p.exec(statement, p.run, it.Number, it.Calls, string(record))
		}
		return err
	}
	if st.Step == loop.StepCall {
		c := call{Started: st.Now.UTC(), Provider: name(it.Provider), Tier: taxonomy.Some(st.Tier)}
		if f := st.Retried; f != nil {
			c.RetryOf = name(cmp.Or(f.Code, retry.Uncategorized))
			c.Attempt, c.Wait = f.Decision.Attempt+1, f.Decision.Wait
			if f.Decision.Reaction.Policy != nil {
				c.Policy = name(f.Decision.Reaction.Policy.Name)
			}
		}
		return put(putCall, c)
	}
	if it.Calls == 0 || it.Interrupted {
		return nil
	}
	var cost executor.Usage
	now, then := st.Spent.Usage, before.Usage
	if st.Spent.UnknownTokens < before.UnknownTokens {
		cost.InputTokens = taxonomy.Some(now.InputTokens.Or(0) - then.InputTokens.Or(0))
		cost.OutputTokens = taxonomy.Some(now.OutputTokens.Or(0) - then.OutputTokens.Or(0))
	}
	if st.Spent.UnknownCost < before.UnknownCost {
		cost.CostUSD = taxonomy.Some(max(0, now.CostUSD.Or(0)-then.CostUSD.Or(0)))
	}
	c := call{Ended: st.Now.UTC(), Usage: cost}
	for i := range it.Failures {
		if f := &it.Failures[i]; f.Op == loop.OpCall && !it.Answered {
			c.Code, c.Lane = name(cmp.Or(f.Code, retry.Uncategorized)), name(f.Credential)
		}
	}
	return put(endCall, c)
}

// attempt writes the row of the last closed iteration. It does not change an existing row.
func (p *projection) attempt() error {
	st, it := p.st, &p.st.Iter
	var exists int
	err := p.scan("SELECT count(*) FROM attempts WHERE run = ? AND iteration = ?", []any{p.run, it.Number}, &exists)
	if err != nil || it.Number == 0 || exists > 0 {
		return err
	}
	a := Attempt{Task: st.Task.ID, Run: p.run, Iteration: it.Number, At: st.Now,
		Duration: max(0, st.Now.Sub(it.Began)), Outcome: Failed, Provider: it.Provider, Calls: it.Calls,
		Counted: taxonomy.Some(false)}
	for _, path := range it.Changed {
		a.Changed = append(a.Changed, string(path))
	}
	if it.Spent.UnknownTokens == 0 {
		a.Usage.InputTokens, a.Usage.OutputTokens = it.Spent.Usage.InputTokens, it.Spent.Usage.OutputTokens
	}
	if it.Spent.UnknownCost == 0 {
		a.Usage.CostUSD = it.Spent.Usage.CostUSD
	}
	called, err := query[struct {
		Answered, Generation int
		Tier                 taxonomy.Opt[int]
	}](p.tx, `SELECT json_object('Answered', max(ended_at IS NOT NULL AND code IS NULL), 'Tier', max(tier),
		'Generation', (SELECT generation FROM runs WHERE run = ?1)) FROM calls WHERE run = ?1 AND iteration = ?2`,
		p.run, it.Number)
	if err != nil {
		return err
	}
	a.Tier, a.Generation = called[0].Tier, called[0].Generation
	if called[0].Answered > 0 {
		a.Output = st.Text
	}
	p.describe(&a)
	for _, f := range st.Feedback {
		if f.Iteration == it.Number {
			a.Feedback = strings.TrimSpace(a.Feedback + "\n\n" + f.Text)
		}
	}
	_, err = p.insertAttempt(p.s.withDefaults(a))
	return err
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
