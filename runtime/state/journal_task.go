package state

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/internal/filelock"
)

// A task has one run at a time, whatever that is called: two would do its work twice, and pay for
// it twice.

// tasks returns the directory of the locks on tasks.
func (s *Store) tasks() string { return filepath.Join(s.locks(), "tasks") }

// lockOfTask returns what the lock on a task is called, whose ID may be any text.
func lockOfTask(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:])
}

// holdTask takes a task for a run.
func (s *Store) holdTask(ctx context.Context, id, run string) (*filelock.Named, error) {
	return take(ctx, s.tasks(), lockOfTask(id), "task "+textMask.Beginning(id, 256), run)
}

// takeTaskOf takes the task of the run with these entries. It returns nil when there is nothing to
// be done: the run has not begun, or has ended, and is asked what it came to.
func (s *Store) takeTaskOf(ctx context.Context, run string, entries []executor.Entry) (*filelock.Named, error) {
	var begun *executor.Begun
	for i := range entries {
		if begun == nil {
			begun = entries[i].Begun
		}
		if entries[i].Ended != nil {
			return nil, nil
		}
	}
	if begun == nil {
		return nil, nil
	}
	return s.holdTask(ctx, begun.Task, run)
}

// takeTask takes the task of a run that begins with the entry, unless the run has it. LetGo undoes
// that, for a run that does not begin after all. A task that there cannot be is left to be refused.
func (j *journal) takeTask(ctx context.Context, e *executor.Entry) (letGo func(), err error) {
	letGo = func() {}
	if e.Begun == nil || j.task != nil || checkTask(e.Begun.Task) != nil {
		return letGo, nil
	}
	held, err := j.store.holdTask(ctx, e.Begun.Task, j.run)
	if err != nil {
		return nil, err
	}
	j.task = held
	return func() {
		_ = held.Release() // why the run does not begin counts
		j.task = nil
	}, nil
}
