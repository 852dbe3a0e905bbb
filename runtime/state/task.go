package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// TaskStatus is how a task stands. A file may hold others than those named here; they are returned
// as they are.
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

var errStatus = errors.New("a task cannot be given this status")

// known reports whether a task can be given the status.
func (s TaskStatus) known() bool {
	switch s {
	case TaskPending, TaskRunning, TaskCompleted, TaskFailed, TaskBlocked, TaskCancelled, TaskSkipped:
		return true
	}
	return false
}

// over reports whether the work on a task of this status has come to an end.
func (s TaskStatus) over() bool { return s != TaskPending && s != TaskRunning }

// Task is a task as it stands.
type Task struct {
	ID     string
	Status TaskStatus
	// StartedAt is when work on it began, CompletedAt when it came to its end, however it did; zero
	// before that.
	StartedAt, CompletedAt time.Time
	// Generation counts from 1 and rises with each [Store.Reset].
	Generation int
	// Attempts counts those of the generation.
	Attempts int
}

// Task returns the task; one that nobody has begun is pending, and has no attempts.
func (s *Store) Task(ctx context.Context, id string) (Task, error) {
	task := Task{ID: id, Status: TaskPending, Generation: 1}
	err := s.query(ctx, "read a task", `
		SELECT t.status, t.started_at, t.completed_at, t.generation,
			(SELECT count(*) FROM attempts a WHERE a.task_id = t.task_id AND a.generation = t.generation)
		FROM tasks t WHERE t.task_id = ?`, []any{id}, func(r row) error {
		var started, completed sql.Null[string]
		err := r.Scan(&task.Status, &started, &completed, &task.Generation, &task.Attempts)
		return errors.Join(err, task.times(started, completed))
	})
	if err != nil {
		return Task{}, err
	}
	return task, nil
}

func (t *Task) times(started, completed sql.Null[string]) (err error) {
	if t.StartedAt, err = parseOptionalStamp(started); err != nil {
		return fmt.Errorf("started_at: %w", err)
	}
	if t.CompletedAt, err = parseOptionalStamp(completed); err != nil {
		return fmt.Errorf("completed_at: %w", err)
	}
	return nil
}

// MarkRunning notes that work on the task begins now: it is running, and what it may have come to
// before is cleared. A task that is not known is made.
func (s *Store) MarkRunning(ctx context.Context, id string) error {
	return s.setStatus(ctx, "mark a task as running", id, TaskRunning)
}

// SetStatus gives the task one of the named statuses. Running is as [Store.MarkRunning] says; a
// status that ends the work sets the time of completion, the others clear it. A task that is not
// known is made.
func (s *Store) SetStatus(ctx context.Context, id string, status TaskStatus) error {
	return s.setStatus(ctx, "set a task's status", id, status)
}

func (s *Store) setStatus(ctx context.Context, doing, id string, status TaskStatus) error {
	err := checkTask(id)
	if err == nil && !status.known() {
		err = fmt.Errorf("%q: %w", textMask.Beginning(string(status), 40), errStatus)
	}
	if err != nil {
		return s.failed(doing, err)
	}
	now := stamp(s.clock.Now())
	started, completed := column(""), column("")
	if status == TaskRunning {
		started = column(now)
	}
	if status.over() {
		completed = column(now)
	}
	return s.write(ctx, doing, func(t *tx) error {
		_, err := t.exec(`
			INSERT INTO tasks (task_id, status, started_at, completed_at) VALUES (?, ?, ?, ?)
			ON CONFLICT (task_id) DO UPDATE SET status = excluded.status,
				started_at = coalesce(excluded.started_at, started_at), completed_at = excluded.completed_at`,
			id, string(status), started, completed)
		return err
	})
}
