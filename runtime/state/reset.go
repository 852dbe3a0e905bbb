package state

import "context"

// Reset has the task begin anew: it is pending, without times, and its next attempt is the first
// one of a new generation. Earlier attempts stay, and so does what they have cost. A task that is
// not known is left so.
func (s *Store) Reset(ctx context.Context, id string) error {
	return s.write(ctx, "reset a task", func(t *tx) error {
		_, err := t.exec(`
			UPDATE tasks SET status = ?, started_at = NULL, completed_at = NULL, generation = generation + 1
			WHERE task_id = ?`, string(TaskPending), id)
		return err
	})
}
