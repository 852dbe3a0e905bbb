package state

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// TaskStatus is the status of a task. A file may contain undeclared statuses.
type TaskStatus string

// The statuses. Pending and running tasks have no time of completion, all others have one.
const (
	TaskPending   TaskStatus = "pending"
	TaskRunning   TaskStatus = "running"
	TaskCompleted TaskStatus = "completed"
	TaskFailed    TaskStatus = "failed"
	TaskBlocked   TaskStatus = "blocked"
	TaskCancelled TaskStatus = "cancelled"
	TaskSkipped   TaskStatus = "skipped"
)

func (s TaskStatus) known() bool {
	switch s {
	case TaskPending, TaskRunning, TaskCompleted, TaskFailed, TaskBlocked, TaskCancelled, TaskSkipped:
		return true
	}
	return false
}

// over reports whether the work on a task of this status has ended.
func (s TaskStatus) over() bool { return s != TaskPending && s != TaskRunning }

// Task is a task.
type Task struct {
	ID     string     `json:"id"`
	Status TaskStatus `json:"status"`
	// StartedAt is when the work began, CompletedAt when it ended, successfully or not; both may be
	// zero.
	StartedAt   time.Time `json:"started_at,omitzero"`
	CompletedAt time.Time `json:"completed_at,omitzero"`
	// Generation counts from 1. Each [Store.Reset] adds 1.
	Generation int `json:"generation"`
	// Attempts counts those of the generation.
	Attempts int `json:"attempts"`
}

// task has the members of a [Task] for json_object.
const task = `'id', t.task_id, 'status', status, 'started_at', started_at, 'completed_at', completed_at,
	'generation', generation, 'attempts',
	(SELECT count(*) FROM attempts a WHERE a.task_id = t.task_id AND a.generation = t.generation)`

// Task returns a task. An unknown task is pending and has no attempts.
func (s *Store) Task(ctx context.Context, id string) (Task, error) {
	found, err := list[Task](ctx, s, "read a task", "SELECT json_object("+task+") FROM tasks t WHERE task_id = ?", id)
	if len(found) == 0 {
		return Task{ID: id, Status: TaskPending, Generation: 1}, err
	}
	return found[0], nil
}

// MarkRunning records that the work on a task begins, and clears its completion. It adds an unknown
// task.
func (s *Store) MarkRunning(ctx context.Context, id string) error {
	return s.SetStatus(ctx, id, TaskRunning)
}

// SetStatus sets one of the declared statuses. Running sets the start, unless the task is already
// running. A status that ends the work sets the completion, and the others clear it. It adds an
// unknown task.
func (s *Store) SetStatus(ctx context.Context, id string, status TaskStatus) error {
	doing := "set the status of a task"
	err := checkTask(id)
	if err == nil && !status.known() {
		err = fmt.Errorf("status %q is not supported", mask.Beginning(string(status), 40))
	}
	if err != nil {
		return s.failed("state_write", doing, err)
	}
	return s.write(ctx, doing, func(t *tx) error { return t.setStatus(id, status, s.clock.Now()) })
}

const (
	// assignStatus sets the status ?1 with its completion ?2. The work begins at ?3 if the task
	// becomes running.
	assignStatus = `SET status = ?1, completed_at = ?2,
		started_at = iif(?1 = 'running' AND status <> 'running', ?3, started_at)`
	putTask = `INSERT INTO tasks (status, completed_at, started_at, task_id)
		VALUES (?1, ?2, iif(?1 = 'running', ?3, NULL), ?4) ON CONFLICT (task_id) DO UPDATE ` + assignStatus
)

func (t *tx) setStatus(id string, status TaskStatus, at time.Time) error {
	var completed time.Time
	if status.over() {
		completed = at
	}
	_, err := t.exec(putTask, status, completed, at, id)
	return err
}

// Reset makes a task pending, in a new generation without attempts. The attempts of earlier
// generations and their costs stay on record. An unknown task stays unknown.
func (s *Store) Reset(ctx context.Context, id string) error {
	return s.write(ctx, "reset a task", func(t *tx) error {
		_, err := t.exec(`UPDATE tasks SET status = 'pending', started_at = NULL, completed_at = NULL,
			generation = generation + 1 WHERE task_id = ?`, id)
		return err
	})
}

// Counters are the numbers on which a decision to stop depends.
type Counters struct {
	// ConsecutiveFailures is the number of counted failures since the last success, of all tasks.
	// Attempts of earlier generations are excluded.
	ConsecutiveFailures int
	// Completed and Failed are the numbers of tasks with these statuses.
	Completed, Failed int
}

// Counters returns the counters at one moment.
func (s *Store) Counters(ctx context.Context) (c Counters, err error) {
	err = s.view(ctx, "count failures", func(v *tx) error {
		return v.scan(`SELECT
			(SELECT count(*) FROM attempts a JOIN tasks t ON t.task_id = a.task_id AND t.generation = a.generation
				WHERE a.counted = 1 AND a.success = 0
				AND a.id > coalesce((SELECT max(id) FROM attempts WHERE success = 1), 0)),
			(SELECT count(*) FROM tasks WHERE status = 'completed'),
			(SELECT count(*) FROM tasks WHERE status = 'failed')`, nil, &c.ConsecutiveFailures, &c.Completed, &c.Failed)
	})
	return c, err
}

// ShouldStop reports whether at least limit counted failures happened in a row. It reports false
// for a limit of 0 or less.
func (s *Store) ShouldStop(ctx context.Context, limit int) (stop bool, err error) {
	if limit <= 0 {
		return false, nil
	}
	c, err := s.Counters(ctx)
	return c.ConsecutiveFailures >= limit, err
}

// Status is a task with its last attempt and its cost.
type Status struct {
	Task
	// Last is the last attempt of the generation, without its Output, Feedback and Changed; its ID
	// is 0 before the first attempt.
	Last Attempt `json:"last,omitzero"`
	// Question is the question that blocks the task, or empty.
	Question string `json:"question,omitzero"`
	// Spent is the cost of all runs and attempts, of all generations.
	Spent executor.Spending `json:"spent"`
}

// Statuses returns all tasks, in the order in which they were added.
func (s *Store) Statuses(ctx context.Context) ([]Status, error) {
	all, err := list[Status](ctx, s, "list the tasks", "SELECT json_object("+task+`,
			'last', json((SELECT json_remove(json_set(record, '$.id', id, '$.generation', generation, '$.error', error),
				'$.changed') FROM attempts a WHERE a.task_id = t.task_id AND a.generation = t.generation
				ORDER BY id DESC LIMIT 1)),
			'question', iif(status = 'blocked', (SELECT question FROM runs r WHERE r.task_id = t.task_id
				ORDER BY begun_at DESC, run DESC LIMIT 1), NULL),
			'spent', `+spending+`) FROM tasks t LEFT JOIN (`+paidByTask+`) s ON s.task_id = t.task_id
		ORDER BY t.rowid`)
	for i := range all {
		all[i].Last.Code = s.codeOf(&all[i].Last)
	}
	return all, err
}

// errUncategorized is a failure without a category.
var errUncategorized = errors.New("uncategorized")

// meaning is the taxonomy's declaration of a code.
type meaning struct {
	code, category string
	declared       *taxonomy.Code // nil if the taxonomy has neither the code nor a fallback
	reactions      []*taxonomy.Reaction
}

// meaningOf returns the meaning of a stored code. An unknown code has the meaning of the fallback.
// Without a fallback it has the reaction to an uncategorized error. Without a taxonomy the meaning
// has only the code.
func (s *Store) meaningOf(written string) meaning {
	table := s.options.Table
	if table.Taxonomy == nil {
		return meaning{code: written}
	}
	m := meaning{code: table.Taxonomy.Fallback}
	if code, ok := table.Code(written); ok {
		m.code = code.Value
	}
	row, ok := table.Taxonomy.Find(m.code)
	if !ok {
		r := table.Reaction(errUncategorized)
		m.reactions = []*taxonomy.Reaction{&r}
		return m
	}
	m.declared, _ = table.Code(m.code)
	m.category = table.Taxonomy.Categories[row.Category()].Name
	for branch := range len(m.declared.When) + 1 {
		m.reactions = append(m.reactions, table.Row(row.When(uint8(branch))).Reaction)
	}
	return m
}

// counts reports whether a failure counts. Without a taxonomy each failure counts.
func (m *meaning) counts() bool { return len(m.reactions) == 0 || m.reactions[0].CountFailure }

// statusAfter returns the status of a task after a failure with this meaning.
func (m *meaning) statusAfter() TaskStatus {
	switch {
	case len(m.reactions) == 0:
	case m.reactions[0].Action == taxonomy.Abort:
		return TaskFailed
	case m.reactions[0].Action == taxonomy.Block:
		return TaskBlocked
	}
	return TaskRunning
}

// feedsBack reports whether the next attempt gets the details of a failure with the named reaction.
// The reaction may follow another one, for example after the last retry. Then the details are also
// fed back if the first reaction does so, because the task may begin again.
func (m *meaning) feedsBack(reaction string) bool {
	if len(m.reactions) == 0 {
		return true
	}
	for _, first := range m.reactions {
		for r := range first.Chain() {
			if r.Name == reaction {
				return first.Agent.FeedBack || r.Agent.FeedBack
			}
		}
	}
	return m.reactions[0].Agent.FeedBack
}
