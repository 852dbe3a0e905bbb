package workspace

import (
	"cmp"
	"context"
	"errors"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
)

// attemptRef names the tree with which the attempt that is under way began.
const attemptRef = "refs/errgen/attempt"

// Attempt runs the steps of a fix; the last step checks it. After each step, judge returns an error if
// a change is not allowed. If a step or judge fails, Attempt saves the changes under the
// name, restores the files, and returns the saved reference and the error. An attempt that a killed
// process began is saved and restored first. If ctx ends, the restore still happens.
func (s *Space) Attempt(ctx context.Context, name string, judge func([]executor.Change) error,
	steps ...func(context.Context) error) (changes []executor.Change, saved string, err error) {
	after := context.WithoutCancel(ctx)
	base, err := operate(s, loop.OpSave, func() string {
		s.undoAttempt(ctx, name)
		base := string(s.snapshot(ctx))
		s.own(ctx, "update-ref", attemptRef, base)
		return base
	})
	if err != nil {
		return nil, "", err
	}
	for _, step := range steps {
		if err == nil {
			err = s.BeforeCall(ctx)
		}
		if err != nil {
			break
		}
		failed := step(ctx)
		changes, err = operate(s, loop.OpDetect, func() []executor.Change {
			return s.describe(after, base, string(s.snapshot(after)))
		})
		if err == nil {
			err = judge(changes)
		}
		err = errors.Join(failed, err)
	}
	left := s.operate(loop.OpSave, func() {
		if err != nil {
			saved = s.undoAttempt(after, name)
		}
		s.own(after, "update-ref", "-d", attemptRef)
	})
	return changes, saved, errors.Join(err, left)
}

// undoAttempt saves what differs since the beginning of an attempt, and restores it.
func (s *Space) undoAttempt(ctx context.Context, name string) (saved string) {
	base := s.find(ctx, inRun, attemptRef)
	for i := 0; base != "" && i < 3; i++ { // a restored .gitignore can reveal files
		now := string(s.snapshot(ctx))
		changes := s.diff(ctx, base, now)
		if len(changes) == 0 {
			break
		}
		saved = cmp.Or(saved, s.save(ctx, name, base, now))
		s.restore(ctx, base, pathsOf(changes))
	}
	return saved
}
