package state

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Attempt is one attempt at a task: an iteration of a run, or what [Store.RecordAttempt] was told.
type Attempt struct {
	ID   int64
	Task string
	// Generation is the task's when the attempt was recorded.
	Generation int
	// At is when it ended.
	At      time.Time
	Success bool
	// Duration is how long it took.
	Duration time.Duration
	// Error is what went wrong, masked, at most 4 KiB of its beginning.
	Error string
	// Code is what the attempt failed with as [Options.Table] understands it, CodeAsWritten as it
	// was recorded, which may be a code that nobody knows, or none. A failure without a code has
	// that of the fallback. Of a success Code is empty, and of an attempt that was cancelled, which
	// is no failure of the agent: its Action is "cancelled".
	Code, CodeAsWritten string
	// Output is what the provider answered, masked, at most 16 KiB of its end.
	Output string
	// Run and Iteration are what it was a part of; empty and 0 when it was recorded by hand or
	// converted.
	Run       string
	Iteration int
	// Category is that of the code, Rule what gave the attempt the code, Reaction and Action what
	// was done about it.
	Category, Rule, Reaction, Action string
	// Counted is whether the failure counts.
	Counted taxonomy.Opt[bool]
	// NotBefore is when the next attempt could begin; zero when it could at once.
	NotBefore time.Time
	Provider  string
	Tier      taxonomy.Opt[int]
	// Usage is what its calls cost. What is absent is not known, which is not nothing.
	Usage executor.Usage
	// Fingerprint is that of the evidence.
	Fingerprint string
	// Feedback is what the next attempt is told, masked, at most 16 KiB of its beginning.
	Feedback string
	// Changed are paths that the attempt has changed; of very many the first 1000.
	Changed []string
	// TaskStatus is how the task is to stand after the attempt, for [Store.RecordAttempt] only.
	TaskStatus TaskStatus
}

// RecordAttempt records an attempt and how its task stands after it, in one transaction, and
// returns the attempt's ID. Texts are masked and bounded. A task that is not known is made.
//
// For budgets it is one call if it names a Provider or something of its Usage is known; what is not
// known of that call is of unknown cost. Otherwise nobody was called, and no limit is concerned.
//
// ID and Generation are given to the attempt. What it leaves empty is filled in: At is now;
// Category, Reaction and Action are those of the code, and so is whether it counted (without a
// taxonomy every failure does). The task's status is completed after a success; after a failure it
// is failed or blocked if the code's reaction aborts or blocks, and otherwise running.
//
// Refused are a task without a name, a duration, usage or tier below 0, a cost that is no number, a
// success with a code or an error or that counts as a failure, a status that is none of the named
// ones, and an attempt of a run, which the run's journal records.
func (s *Store) RecordAttempt(ctx context.Context, a Attempt) (int64, error) {
	const doing = "record an attempt"
	if err := a.check(); err != nil {
		return 0, s.failed(doing, err)
	}
	a = s.completed(a)
	var id int64
	err := s.write(ctx, doing, func(t *tx) (err error) {
		id, err = t.recordAttempt(a)
		return err
	})
	if err != nil {
		return 0, err
	}
	return id, nil
}

// completed returns the attempt as it is kept, with what its author left open.
func (s *Store) completed(a Attempt) Attempt {
	if a.At.IsZero() {
		a.At = s.clock.Now()
	}
	if a.CodeAsWritten == "" {
		a.CodeAsWritten = a.Code
	}
	a = a.clean()
	if a.Success {
		a.Code, a.Counted = "", taxonomy.Some(false)
		if a.TaskStatus == "" {
			a.TaskStatus = TaskCompleted
		}
		return a
	}
	m := s.meaningOf(a.CodeAsWritten)
	a.Code = m.code
	if a.Category == "" {
		a.Category = m.category
	}
	if a.Reaction == "" && a.Action == "" && m.known {
		a.Reaction, a.Action = m.reaction.Name, m.reaction.Action.String()
	}
	if a.Counted.IsZero() {
		a.Counted = taxonomy.Some(m.counts())
	}
	if a.TaskStatus == "" {
		a.TaskStatus = m.leaves()
	}
	return a
}

// recordAttempt writes an attempt that is completed and what its task is after it.
func (t *tx) recordAttempt(a Attempt) (int64, error) {
	if err := t.attempted(a); err != nil {
		return 0, fmt.Errorf("write the task: %w", err)
	}
	return t.insertAttempt(sql.Null[int64]{}, a)
}

// insertAttempt writes the row of an attempt without a run, with an ID of its own or the next one.
// Its task must be there; what the attempt has cost is to be added to it.
func (t *tx) insertAttempt(id sql.Null[int64], a Attempt) (int64, error) {
	changed, err := pathList(a.Changed)
	if err != nil {
		return 0, err
	}
	result, err := t.exec(`
		INSERT INTO attempts (id, task_id, generation, timestamp, success, duration_seconds, error, error_code,
		claude_output, category,
			understood_code, rule, reaction, action, counted, not_before, provider, tier, input_tokens,
			output_tokens, cost_microusd,
			fingerprint, feedback, changed_files)
		VALUES (?, ?2, (SELECT generation FROM tasks WHERE task_id = ?2), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
		?, ?, ?, ?, ?, ?, ?, ?)`,
		id, a.Task, stamp(a.At), a.Success, a.Duration.Seconds(), column(a.Error), column(a.CodeAsWritten),
		column(a.Output),
		column(a.Category), column(meaning{code: a.Code}.other(a.CodeAsWritten)), column(a.Rule), column(a.Reaction),
		column(a.Action),
		a.Counted.Or(false), optionalStamp(a.NotBefore), column(a.Provider), optional(a.Tier),
		optional(a.Usage.InputTokens),
		optional(a.Usage.OutputTokens), microUSD(a.Usage.CostUSD), column(a.Fingerprint), column(a.Feedback), changed)
	if err != nil {
		return 0, fmt.Errorf("write the attempt: %w", err)
	}
	return result.LastInsertId()
}

// pathList returns paths as a column.
func pathList(paths []string) (sql.Null[string], error) {
	if len(paths) == 0 {
		return sql.Null[string]{}, nil
	}
	b, err := json.Marshal(paths)
	if err != nil {
		return sql.Null[string]{}, fmt.Errorf("write changed files: %w", err)
	}
	return column(string(b)), nil
}
