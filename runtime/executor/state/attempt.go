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
	ID   int64  `json:"id,omitzero"`
	Task string `json:"task"`
	// Generation is that of the task when the attempt was recorded.
	Generation int `json:"generation,omitzero"`
	// At is when it ended.
	At       time.Time      `json:"at"`
	Duration time.Duration  `json:"duration"`
	Success  bool           `json:"success"`
	Outcome  AttemptOutcome `json:"outcome"`
	// Error is the message of its failure, or the question. It is masked and has at most 4 KiB.
	Error string `json:"error,omitzero"`
	// CodeAsWritten is the recorded code. Code is that code in the taxonomy; for an unknown or
	// missing code it is the fallback. Both are empty after a success, and may be empty if the
	// attempt was cancelled or ended with a question.
	Code          string `json:"code,omitzero"`
	CodeAsWritten string `json:"code_as_written,omitzero"`
	// Output is the end of the provider's answer. It is masked and has at most 8 KiB.
	Output string `json:"output,omitzero"`
	// Run and Iteration are empty for an attempt of [Store.RecordAttempt].
	Run       string `json:"run,omitzero"`
	Iteration int    `json:"iteration,omitzero"`
	// Category, Reaction and Action are those of the code.
	Category string `json:"category,omitzero"`
	Reaction string `json:"reaction,omitzero"`
	Action   string `json:"action,omitzero"`
	// Counted reports whether the failure counted.
	Counted  taxonomy.Opt[bool] `json:"counted,omitzero"`
	Provider string             `json:"provider,omitzero"`
	Tier     taxonomy.Opt[int]  `json:"tier,omitzero"`
	// Calls is the number of its calls, and Usage their cost. Absent numbers are unknown.
	Calls int            `json:"calls"`
	Usage executor.Usage `json:"usage,omitzero"`
	// Feedback is for the next attempt. It is masked and has at most 8 KiB.
	Feedback string `json:"feedback,omitzero"`
	// Changed are the paths that it changed, 1000 at most.
	Changed []string `json:"changed,omitempty"`
	// TaskStatus is the new status of the task, for [Store.RecordAttempt] only.
	TaskStatus TaskStatus `json:"task_status,omitzero"`
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
	a.At = a.At.UTC()
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

const (
	putAttempt = `INSERT INTO attempts (task_id, timestamp, success, duration_seconds, error, error_code,
		claude_output, run, iteration, feedback, record, generation) VALUES (?1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
		coalesce(nullif(?, 0), (SELECT generation FROM tasks WHERE task_id = ?1)))`
	// attempt is the JSON form of an attempt.
	attempt = `json_set(record, '$.id', id, '$.generation', generation, '$.error', error, '$.output', claude_output,
		'$.feedback', feedback)`
	// latestAttempts selects the last attempts of a task's generation, the newest first.
	latestAttempts = "SELECT " + attempt + ` FROM attempts WHERE task_id = ?1
		AND generation = (SELECT generation FROM tasks WHERE task_id = ?1) ORDER BY id DESC LIMIT ?2`
)

// insertAttempt writes the row of an attempt with its defaults. Its task must exist.
func (t *tx) insertAttempt(a Attempt) (id int64, err error) {
	rest := a
	rest.Error, rest.Output, rest.Feedback, rest.Code, rest.TaskStatus = "", "", "", "", ""
	record, err := json.Marshal(rest)
	if err == nil {
		var iteration any
		if a.Run != "" {
			iteration = a.Iteration
		}
		var result sql.Result
		if result, err = t.exec(putAttempt, a.Task, a.At, a.Success, a.Duration.Seconds(), a.Error, a.CodeAsWritten,
			a.Output, a.Run, iteration, a.Feedback, string(record), a.Generation); err == nil {
			return result.LastInsertId()
		}
	}
	return 0, fmt.Errorf("write the attempt: %w", err)
}

// Attempts returns the last n attempts of the task's current generation, the newest last.
func (s *Store) Attempts(ctx context.Context, task string, n int) ([]Attempt, error) {
	all, err := list[Attempt](ctx, s, "read attempts", latestAttempts, task, max(0, n))
	slices.Reverse(all)
	return s.coded(all), err
}

// AllAttempts returns the attempts at a task in all generations, the newest last.
func (s *Store) AllAttempts(ctx context.Context, task string) ([]Attempt, error) {
	all, err := list[Attempt](ctx, s, "read attempts",
		"SELECT "+attempt+" FROM attempts WHERE task_id = ? ORDER BY id", task)
	return s.coded(all), err
}

// coded sets the codes of attempts.
func (s *Store) coded(all []Attempt) []Attempt {
	for i := range all {
		all[i].Code = s.codeOf(&all[i])
	}
	return all
}

// codeOf returns the code of an attempt in the taxonomy, which can be the fallback.
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
