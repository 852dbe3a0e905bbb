package state

import (
	"context"
	"database/sql"
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
	ID   int64  `db:"id"`
	Task string `db:"task_id"`
	// Generation is that of the task when the attempt was recorded.
	Generation int `db:"generation"`
	// At is when it ended.
	At       time.Time      `db:"timestamp"`
	Duration time.Duration  `db:"duration_seconds"`
	Success  bool           `db:"success"`
	Outcome  AttemptOutcome `db:"outcome"`
	// Error is the message of its failure, or the question: masked, the first 4 KiB.
	Error string `db:"error"`
	// CodeAsWritten is the recorded code. Code is that code in the taxonomy; for an unknown or
	// missing code it is the fallback. Both are empty after a success, and may be empty if the
	// attempt was cancelled or ended with a question.
	Code          string
	CodeAsWritten string `db:"error_code"`
	// Output is the answer of the provider: masked, the last 8 KiB.
	Output string `db:"claude_output"`
	// Run and Iteration are empty for an attempt of [Store.RecordAttempt].
	Run       string `db:"run"`
	Iteration int    `db:"iteration"`
	// Category, Reaction and Action are those of the code.
	Category string `db:"category"`
	Reaction string `db:"reaction"`
	Action   string `db:"action"`
	// Counted reports whether the failure counted.
	Counted  taxonomy.Opt[bool] `db:"counted"`
	Provider string             `db:"provider"`
	Tier     taxonomy.Opt[int]  `db:"tier"`
	// Calls is the number of its calls, and Usage their cost. Absent numbers are unknown.
	Calls int            `db:"calls"`
	Usage executor.Usage `db:""`
	// Feedback is for the next attempt: masked, the first 8 KiB.
	Feedback string `db:"feedback"`
	// Changed are the paths that it changed, 1000 at most.
	Changed []string `db:"changed_files"`
	// TaskStatus is the new status of the task, for [Store.RecordAttempt] only.
	TaskStatus TaskStatus
}

// RecordAttempt records an attempt and the status of its task, in one transaction, and returns the
// attempt's ID. It adds an unknown task.
//
// ID, Generation, Run, Iteration and Calls are ignored. At defaults to now, and Category, Reaction,
// Action and Counted to those of the code. TaskStatus defaults to completed after a success, and to
// running after a failure, or failed or blocked if the code's reaction aborts or blocks. In a
// budget the attempt is one call if it has a Provider or a Usage.
func (s *Store) RecordAttempt(ctx context.Context, a Attempt) (id int64, err error) {
	doing := "record an attempt"
	if err := a.check(); err != nil {
		return 0, s.failed("state_write", doing, err)
	}
	a.Generation, a.Run, a.Iteration, a.Calls = 0, "", 0, 0
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
		a.Calls = 1
	}
	a.Error, a.Output = mask.Beginning(a.Error, maxError), mask.Ending(a.Output, maxOutput)
	a.Feedback = mask.Beginning(a.Feedback, maxOutput)
	for _, text := range []*string{&a.CodeAsWritten, &a.Category, &a.Reaction, &a.Action, &a.Provider} {
		*text = name(*text)
	}
	a.Changed = slices.Clone(a.Changed[:min(len(a.Changed), maxPaths)])
	for i, path := range a.Changed {
		a.Changed[i] = mask.Beginning(path, maxError)
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
		status = m.statusAfter()
		if a.Category == "" && (a.CodeAsWritten != "" || a.Outcome == Failed) {
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

var putAttempt = insertOf("attempts", &Attempt{})

// insertAttempt writes the row of an attempt with its defaults. Its task must exist.
func (t *tx) insertAttempt(a Attempt) (id int64, err error) {
	if a.Generation == 0 {
		err = t.scan("SELECT generation FROM tasks WHERE task_id = ?", []any{a.Task}, &a.Generation)
	}
	if err == nil {
		args := valuesOf(&a)
		args[0] = nil // a new ID
		var result sql.Result
		if result, err = t.exec(putAttempt, args...); err == nil {
			return result.LastInsertId()
		}
	}
	return 0, fmt.Errorf("write the attempt: %w", err)
}

// latestAttempts selects at most so many attempts of a task's generation, the newest first.
const latestAttempts = `SELECT * FROM attempts WHERE task_id = ?1
	AND generation = (SELECT generation FROM tasks WHERE task_id = ?1) ORDER BY id DESC LIMIT ?2`

// Attempts returns the last n attempts of the task's current generation, the newest last.
func (s *Store) Attempts(ctx context.Context, task string, n int) ([]Attempt, error) {
	all, err := list[Attempt](ctx, s, "read attempts", latestAttempts, task, max(0, n))
	slices.Reverse(all)
	return s.coded(all), err
}

// AllAttempts returns the attempts at a task in all generations, the newest last.
func (s *Store) AllAttempts(ctx context.Context, task string) ([]Attempt, error) {
	all, err := list[Attempt](ctx, s, "read attempts", "SELECT * FROM attempts WHERE task_id = ? ORDER BY id", task)
	return s.coded(all), err
}

// coded sets the codes of attempts.
func (s *Store) coded(all []Attempt) []Attempt {
	for i := range all {
		all[i].Code = s.codeOf(&all[i])
	}
	return all
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
	return list[executor.ErrorRecord](ctx, s, "read errors",
		"SELECT record FROM errors WHERE run = ? AND iteration = ? ORDER BY seq", run, iteration)
}
