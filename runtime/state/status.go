package state

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"time"

	"github.com/errgen/errgen/runtime/executor"
)

// Status is a task as a list of all of them shows it.
type Status struct {
	Task
	// LastAt is when the last attempt of the generation ended; zero when there is none, and then
	// all that follows about it is empty.
	LastAt      time.Time
	LastSuccess bool
	// LastCode, LastCodeAsWritten and LastError are as of [Attempt].
	LastCode, LastCodeAsWritten, LastError string
	// Question is what a person was asked; empty unless the task is blocked by it.
	Question string
	// Spent is what the task has cost, all generations together. An attempt without a run is one
	// call if it says that there was one.
	Spent executor.Spending
}

// There are few runs that have not ended, and only they have calls that are open.
const statuses = `
	SELECT t.task_id, t.status, t.started_at, t.completed_at, t.generation,
		(SELECT count(*) FROM attempts a WHERE a.task_id = t.task_id AND a.generation = t.generation),
		l.timestamp, l.success, l.error, l.error_code, l.understood_code, l.action,
		iif(t.status = 'blocked', (SELECT json_extract(e.body, '$.ended.question') FROM runs r JOIN entries e
		ON e.run = r.run AND e.point = 'ended'
			WHERE r.run = l.run AND r.end_reason = 'blocked_signal' AND NOT EXISTS (SELECT 1 FROM runs n
				WHERE n.task_id = t.task_id AND n.rowid > r.rowid AND n.ended_at IS NOT NULL)
			ORDER BY e.seq DESC LIMIT 1), NULL),
		t.calls, t.input_tokens, t.output_tokens, t.cost_microusd, t.unknown_tokens, t.unknown_cost,
		(SELECT count(*) FROM runs r CROSS JOIN calls c INDEXED BY calls_open ON c.run = r.run
			WHERE c.ended_at IS NULL AND r.ended_at IS NULL AND r.task_id = t.task_id)
	FROM tasks t LEFT JOIN attempts l
		ON l.id = (SELECT max(id) FROM attempts a WHERE a.task_id = t.task_id AND a.generation = t.generation)
	ORDER BY t.rowid`

// Statuses yields all tasks as they stand at one moment, in the order in which they became known.
// It ends with the first error, which comes with the zero Status.
func (s *Store) Statuses(ctx context.Context) iter.Seq2[Status, error] {
	return stream(ctx, s, "read how tasks stand", statuses, nil, s.status)
}

// status reads a row of statuses.
func (s *Store) status(r row) (Status, error) {
	var (
		st                        Status
		started, completed, at    sql.Null[string]
		failure, code, understood sql.Null[string]
		action, question          sql.Null[string]
		success                   sql.Null[bool]
		calls                     int
		in, out, cost             int64
		noTokens, noCost, open    int
	)
	err := r.Scan(&st.ID, &st.Task.Status, &started, &completed, &st.Generation, &st.Attempts, &at, &success, &failure,
		&code,
		&understood, &action, &question, &calls, &in, &out, &cost, &noTokens, &noCost, &open)
	if err != nil {
		return Status{}, err
	}
	if err := st.times(started, completed); err != nil {
		return Status{}, fmt.Errorf("task %q: %w", textMask.Beginning(st.ID, 100), err)
	}
	if st.LastAt, err = parseOptionalStamp(at); err != nil {
		return Status{}, fmt.Errorf("the last attempt at task %q: %w", textMask.Beginning(st.ID, 100), err)
	}
	st.LastSuccess, st.LastCodeAsWritten, st.LastError = success.V, code.V, failure.V
	st.Question = textMask.Beginning(question.V, maxError)
	if success.Valid {
		st.LastCode = s.codeOf(&Attempt{Success: success.V, CodeAsWritten: code.V, Action: action.V}, understood.V)
	}
	st.Spent = spendingOf(calls, in, out, cost, noTokens+open, noCost+open)
	return st, nil
}
