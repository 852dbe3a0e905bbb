package state

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// orderSink notes when attempts were made. Their IDs follow their times, whatever their tasks are,
// because the failures since the last success are counted by them.
type orderSink struct {
	ctx   context.Context
	times []int64 // in microseconds, in the order of the text
}

func (o *orderSink) begin(string) error        { return context.Cause(o.ctx) }
func (o *orderSink) end(string, oldTask) error { return nil }

func (o *orderSink) attempt(a oldAttempt) error {
	o.times = append(o.times, a.at.UnixMicro())
	return nil
}

// ids returns the IDs of the attempts, in the order of the text.
func (o *orderSink) ids() []int64 {
	byTime := make([]int, len(o.times))
	for i := range byTime {
		byTime[i] = i
	}
	slices.SortStableFunc(byTime, func(i, j int) int { return cmp.Compare(o.times[i], o.times[j]) })
	ids := make([]int64, len(byTime))
	for rank, i := range byTime {
		ids[i] = int64(rank) + 1
	}
	return ids
}

// convertSink writes what is read into a database. Attempts of the older form say neither who was
// called nor what it cost, and so no task has spent anything.
type convertSink struct {
	ctx  context.Context
	t    *tx
	s    *Store
	ids  []int64 // of the attempts that are to come
	task string
}

func (c *convertSink) begin(id string) error {
	if err := context.Cause(c.ctx); err != nil {
		return err
	}
	c.task = id
	result, err := c.t.exec("INSERT INTO tasks (task_id) VALUES (?) ON CONFLICT DO NOTHING", id)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err == nil && n == 0 {
		err = errTwice
	}
	return err
}

func (c *convertSink) end(id string, t oldTask) error {
	_, err := c.t.exec("UPDATE tasks SET status = ?, started_at = ?, completed_at = ? WHERE task_id = ?",
		textMask.Beginning(t.status, maxName), optionalStamp(t.started), optionalStamp(t.completed), id)
	return err
}

func (c *convertSink) attempt(old oldAttempt) error {
	if len(c.ids) == 0 {
		return errChanged
	}
	id := c.ids[0]
	c.ids = c.ids[1:]
	a := Attempt{
		Task: c.task, At: old.at, Success: old.success, Duration: inSeconds(old.seconds),
		Error: old.failure, CodeAsWritten: old.code, Output: old.text, Counted: taxonomy.Some(false),
	}.clean()
	if !a.Success {
		m := c.s.meaningOf(a.CodeAsWritten)
		a.Code, a.Category, a.Counted = m.code, m.category, taxonomy.Some(m.counts())
	}
	_, err := c.t.insertAttempt(sql.Null[int64]{V: id, Valid: true}, a)
	return err
}
