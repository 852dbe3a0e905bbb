package state

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"time"

	"github.com/errgen/errgen/runtime/executor"
)

// Status is a task as a list of all of them shows it.
type Status struct {
	Task
	// LastAt is when the last attempt of the generation ended; zero when there is none, and then all that follows about it is empty.
	LastAt      time.Time
	LastSuccess bool
	// LastCode, LastCodeAsWritten and LastError are as of [Attempt].
	LastCode, LastCodeAsWritten, LastError string
	// Spent is what the task has cost, all generations together. An attempt without a run is one call.
	Spent executor.Spending
}

// Runs that have ended and attempts without a run are summed from indexes alone; attempts of which nothing is known need not even
// be summed. There are few runs that have not ended, and only they have calls that are open.
const statuses = `
	SELECT t.task_id, t.status, t.started_at, t.completed_at, t.generation,
		(SELECT count(*) FROM attempts a WHERE a.task_id = t.task_id AND a.generation = t.generation),
		l.timestamp, l.success, l.error, l.error_code, l.understood_code,
		(SELECT iif(count(*) = 0, NULL, json_array(total(calls), total(input_tokens), total(output_tokens), total(cost_microusd),
				total(unknown_tokens), total(unknown_cost)))
			FROM runs r WHERE r.ended_at IS NOT NULL AND r.task_id = t.task_id),
		(SELECT iif(count(*) = 0, NULL, json_array(total(calls), total(input_tokens), total(output_tokens), total(cost_microusd),
				total(unknown_tokens + open), total(unknown_cost + open)))
			FROM (SELECT *, (SELECT count(*) FROM calls c WHERE c.run = r.run AND c.ended_at IS NULL) AS open
				FROM runs r WHERE r.ended_at IS NULL AND r.task_id = t.task_id)),
		(SELECT iif(count(*) = 0, NULL, json_array(0, total(input_tokens), total(output_tokens), total(cost_microusd),
				-count(input_tokens + output_tokens), -count(cost_microusd)))
			FROM attempts a WHERE a.run IS NULL AND coalesce(a.input_tokens, a.output_tokens, a.cost_microusd) IS NOT NULL
				AND a.task_id = t.task_id),
		(SELECT count(*) FROM attempts a WHERE a.run IS NULL AND a.task_id = t.task_id)
	FROM tasks t LEFT JOIN attempts l
		ON l.id = (SELECT max(id) FROM attempts a WHERE a.task_id = t.task_id AND a.generation = t.generation)
	ORDER BY t.rowid`

// Statuses yields all tasks as they stand at one moment, in the order in which they became known. It ends with the first error,
// which comes with the zero Status.
func (s *Store) Statuses(ctx context.Context) iter.Seq2[Status, error] {
	return stream(ctx, s, "read how tasks stand", statuses, nil, s.status)
}

// status reads a row of statuses.
func (s *Store) status(r row) (Status, error) {
	var (
		st                        Status
		started, completed, at    sql.Null[string]
		failure, code, understood sql.Null[string]
		success                   sql.Null[bool]
		ofEnded, ofOpen, byHand   sql.Null[string]
		alone                     int
	)
	err := r.Scan(&st.ID, &st.Task.Status, &started, &completed, &st.Generation, &st.Attempts, &at, &success, &failure, &code,
		&understood, &ofEnded, &ofOpen, &byHand, &alone)
	if err != nil {
		return Status{}, err
	}
	if err := st.times(started, completed); err != nil {
		return Status{}, fmt.Errorf("task %q: %w", cut(st.ID, 100), err)
	}
	if st.LastAt, err = parseOptionalStamp(at); err != nil {
		return Status{}, fmt.Errorf("the last attempt at task %q: %w", cut(st.ID, 100), err)
	}
	st.LastSuccess, st.LastCodeAsWritten, st.LastError = success.V, code.V, failure.V
	if success.Valid && !success.V {
		st.LastCode = s.understood(code.V, understood.V)
	}
	st.Spent, err = sumOf(alone, ofEnded, ofOpen, byHand)
	return st, err
}

// sumOf adds up what the JSON arrays of statuses say, and so many calls of which nothing is known but what these say. They are sums
// of floating point, which cannot overflow.
func sumOf(calls int, arrays ...sql.Null[string]) (executor.Spending, error) {
	total := [6]float64{0: float64(calls), 4: float64(calls), 5: float64(calls)}
	for _, array := range arrays {
		if !array.Valid {
			continue
		}
		var n [6]float64
		if err := json.Unmarshal([]byte(array.V), &n); err != nil {
			return executor.Spending{}, fmt.Errorf("read what was spent: %w", err)
		}
		for i := range n {
			total[i] += n[i]
		}
	}
	var sums [6]int64
	for i := range total {
		sums[i] = integer(total[i])
	}
	return spendingOf(int(sums[0]), sums[1], sums[2], sums[3], int(sums[4]), int(sums[5])), nil
}

// integer returns a sum as an integer; one that is too large is the largest.
func integer(sum float64) int64 {
	if sum >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(sum)
}
