package state

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// AttemptOutcome is how an attempt ended.
type AttemptOutcome string

// The outcomes.
const (
	Clean       AttemptOutcome = "clean"
	Failed      AttemptOutcome = "failed"
	Cancelled   AttemptOutcome = "cancelled"   // a person stopped it
	Interrupted AttemptOutcome = "interrupted" // its process died
	Question    AttemptOutcome = "question"    // its run ended with a question to a person
)

// Attempt is one attempt at a task: an iteration of a run, or the argument of
// [Store.RecordAttempt].
type Attempt struct {
	ID   int64
	Task string
	// Generation is that of the task when the attempt was recorded.
	Generation int
	// At is when it ended.
	At       time.Time
	Duration time.Duration
	Success  bool
	Outcome  AttemptOutcome
	// Error is the message of its failure, or the question: masked, the first 4 KiB.
	Error string
	// CodeAsWritten is the recorded code. Code is that code in the taxonomy; for an unknown or
	// missing code it is the fallback. Both are empty after a success, and may be empty if the
	// attempt was cancelled or ended with a question.
	Code, CodeAsWritten string
	// Output is the answer of the provider: masked, the last 8 KiB.
	Output string
	// Run and Iteration are empty for an attempt of [Store.RecordAttempt].
	Run       string
	Iteration int
	// Category, Reaction and Action are those of the code.
	Category, Reaction, Action string
	// Counted reports whether the failure counted.
	Counted  taxonomy.Opt[bool]
	Provider string
	Tier     taxonomy.Opt[int]
	// Usage is the cost of its calls. Absent numbers are unknown.
	Usage executor.Usage
	// Feedback is for the next attempt: masked, the first 8 KiB.
	Feedback string
	// Changed are the paths that it changed, 1000 at most.
	Changed []string
	// TaskStatus is the new status of the task, for [Store.RecordAttempt] only.
	TaskStatus TaskStatus

	calls int
}

// RecordAttempt records an attempt and the status of its task, in one transaction, and returns the
// attempt's ID. It adds an unknown task.
//
// ID, Generation, Run and Iteration are ignored. At defaults to now, and Category, Reaction, Action
// and Counted to those of the code. TaskStatus defaults to completed after a success, and to
// running after a failure, or failed or blocked if the code's reaction aborts or blocks. In a
// budget the attempt is one call if it has a Provider or a Usage.
func (s *Store) RecordAttempt(ctx context.Context, a Attempt) (id int64, err error) {
	doing := "record an attempt"
	if err := a.check(); err != nil {
		return 0, s.failed("state_write", doing, err)
	}
	a.Generation, a.Run, a.Iteration = 0, "", 0
	a = s.withDefaults(a)
	err = s.write(ctx, doing, func(t *tx) (err error) {
		if err := t.setStatus(a.Task, a.TaskStatus, a.At); err != nil {
			return err
		}
		id, err = t.insertAttempt(a)
		return err
	})
	if err != nil {
		return 0, err
	}
	return id, nil
}

// check returns an error for an attempt that contradicts itself.
func (a *Attempt) check() error {
	switch {
	case a.Success && (a.Error != "" || a.Code != "" || a.CodeAsWritten != "" || a.Counted.Or(false)):
		return errors.New("a success has no error, no code, and does not count as a failure")
	case a.Usage.InputTokens.Or(0) < 0 || a.Usage.OutputTokens.Or(0) < 0:
		return errors.New("a number of tokens is negative")
	case !(a.Usage.CostUSD.Or(0) >= 0) || math.IsInf(a.Usage.CostUSD.Or(0), 0):
		return fmt.Errorf("the cost (%g) is negative or not a number", a.Usage.CostUSD.Or(0))
	case a.TaskStatus != "" && !a.TaskStatus.known():
		return fmt.Errorf("status %q is not supported", mask.Beginning(string(a.TaskStatus), 40))
	}
	return checkTask(a.Task)
}

// withDefaults returns the attempt with its defaults. Its texts are masked and bounded.
func (s *Store) withDefaults(a Attempt) Attempt {
	if a.At.IsZero() {
		a.At = s.clock.Now()
	}
	if a.CodeAsWritten == "" {
		a.CodeAsWritten = a.Code
	}
	if a.Run == "" && (a.Provider != "" || a.Usage != executor.Usage{}) {
		a.calls = 1
	}
	a.Error, a.Output = mask.Beginning(a.Error, maxError), mask.Ending(a.Output, maxOutput)
	a.Feedback = mask.Beginning(a.Feedback, maxOutput)
	for _, text := range []*string{&a.CodeAsWritten, &a.Category, &a.Reaction, &a.Action, &a.Provider} {
		*text = mask.Beginning(*text, maxName)
	}
	status := TaskCompleted
	switch {
	case a.Success:
		a.Outcome, a.Counted = Clean, taxonomy.Some(false)
	case a.Outcome == "":
		a.Outcome = Failed
	}
	if !a.Success {
		m := s.meaningOf(a.CodeAsWritten)
		status = m.leaves()
		if a.Category == "" {
			a.Category = m.category
		}
		if a.Reaction == "" && a.Action == "" && len(m.reactions) > 0 {
			a.Reaction, a.Action = m.reactions[0].Name, m.reactions[0].Action.String()
		}
		if a.Counted.IsZero() {
			a.Counted = taxonomy.Some(m.counts())
		}
	}
	if a.TaskStatus == "" {
		a.TaskStatus = status
	}
	return a
}

const putAttempt = `INSERT INTO attempts (task_id, generation, timestamp, success, duration_seconds, error,
	error_code, claude_output, run, iteration, outcome, category, reaction, action, counted, provider, tier, calls,
	input_tokens, output_tokens, cost_microusd, feedback, changed_files)
	VALUES (?1, coalesce(nullif(?, 0), (SELECT generation FROM tasks WHERE task_id = ?1)), ?, ?, ?, ?, ?, ?, ?, ?, ?,
	?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// insertAttempt writes the row of an attempt with its defaults. Its task must exist.
func (t *tx) insertAttempt(a Attempt) (int64, error) {
	changed, err := paths(a.Changed)
	if err != nil {
		return 0, err
	}
	var run sql.Null[string]
	var iteration sql.Null[int]
	if a.Run != "" {
		run, iteration = column(a.Run), sql.Null[int]{V: a.Iteration, Valid: true}
	}
	result, err := t.exec(putAttempt, a.Task, a.Generation, stamp(a.At), a.Success, a.Duration.Seconds(),
		column(a.Error), column(a.CodeAsWritten), column(a.Output), run, iteration, string(a.Outcome),
		column(a.Category), column(a.Reaction), column(a.Action), a.Counted.Or(false), column(a.Provider),
		optional(a.Tier), a.calls, optional(a.Usage.InputTokens), optional(a.Usage.OutputTokens),
		microUSD(a.Usage.CostUSD), column(a.Feedback), changed)
	if err != nil {
		return 0, fmt.Errorf("write the attempt: %w", err)
	}
	return result.LastInsertId()
}

const selectAttempts = `
	SELECT id, task_id, generation, timestamp, success, duration_seconds, error, error_code, claude_output, run,
		iteration, outcome, category, reaction, action, counted, provider, tier, calls, input_tokens, output_tokens,
		cost_microusd, feedback, changed_files
	FROM attempts `

// latestAttempts selects at most so many attempts of a task's generation, the newest first.
const latestAttempts = selectAttempts + `WHERE task_id = ?1
	AND generation = (SELECT generation FROM tasks WHERE task_id = ?1) ORDER BY id DESC LIMIT ?2`

// Attempts returns the last n attempts of the task's current generation, the newest last.
func (s *Store) Attempts(ctx context.Context, task string, n int) ([]Attempt, error) {
	all, err := list(ctx, s, "read attempts", latestAttempts, []any{task, max(0, n)}, s.attempt)
	slices.Reverse(all)
	return all, err
}

// AllAttempts returns the attempts at a task in all generations, the newest last.
func (s *Store) AllAttempts(ctx context.Context, task string) ([]Attempt, error) {
	return list(ctx, s, "read attempts", selectAttempts+"WHERE task_id = ? ORDER BY id", []any{task}, s.attempt)
}

// attempt reads a row of selectAttempts.
func (s *Store) attempt(r row) (a Attempt, err error) {
	var at string
	var seconds float64
	var failure, code, output, run, category, reaction, action, provider, feedback, changed sql.Null[string]
	var iteration, tier sql.Null[int]
	var in, out, cost sql.Null[int64]
	var counted bool
	if err := r.Scan(&a.ID, &a.Task, &a.Generation, &at, &a.Success, &seconds, &failure, &code, &output, &run,
		&iteration, &a.Outcome, &category, &reaction, &action, &counted, &provider, &tier, &a.calls, &in, &out, &cost,
		&feedback, &changed); err != nil {
		return a, err
	}
	a.Duration, a.Error, a.CodeAsWritten, a.Output = duration(seconds), failure.V, code.V, output.V
	a.Run, a.Iteration, a.Category, a.Reaction = run.V, iteration.V, category.V, reaction.V
	a.Action, a.Counted, a.Provider, a.Tier = action.V, taxonomy.Some(counted), provider.V, opt(tier)
	a.Usage, a.Feedback, a.Code = usage(in, out, cost), feedback.V, s.codeOf(&a)
	if changed.Valid {
		if err := json.Unmarshal([]byte(changed.V), &a.Changed); err != nil {
			return a, fmt.Errorf("attempt %d: changed files: %w", a.ID, err)
		}
	}
	return a, times(map[*time.Time]sql.Null[string]{&a.At: {V: at, Valid: true}})
}

// codeOf returns the code of an attempt as the taxonomy understands it.
func (s *Store) codeOf(a *Attempt) string {
	if a.Success || a.CodeAsWritten == "" && a.Outcome != Failed {
		return ""
	}
	return s.meaningOf(a.CodeAsWritten).code
}

// Errors returns the errors of an iteration of a run, in the order in which they occurred.
func (s *Store) Errors(ctx context.Context, run string, iteration int) ([]executor.ErrorRecord, error) {
	return list(ctx, s, "read errors", `SELECT iteration, tier, op, source, coalesce(code, ''), coalesce(category, ''),
		message, coalesce(rule, ''), coalesce(reaction, ''), coalesce(action, ''), counted, retried,
		coalesce(fingerprint, ''), coalesce(details, '') FROM errors WHERE run = ? AND iteration = ? ORDER BY seq`,
		[]any{run, iteration}, func(r row) (rec executor.ErrorRecord, err error) {
			var details string
			err = r.Scan(&rec.Iteration, &rec.Tier, &rec.Op, &rec.Source, &rec.Code, &rec.Category, &rec.Message,
				&rec.Why, &rec.Reaction, &rec.Action, &rec.Counted, &rec.Retried, &rec.Fingerprint, &details)
			rec.Details = json.RawMessage(details)
			return rec, err
		})
}
