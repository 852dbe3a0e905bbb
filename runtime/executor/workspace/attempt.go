package workspace

import (
	"cmp"
	"context"
	"errors"

	"github.com/errgen/errgen/runtime/executor"
)

// Attempt is a fix that is kept only if it works. See [Space.Attempt].
type Attempt struct {
	// Name is the name under which a failed attempt is saved.
	Name string
	// Fix changes files of the clone.
	Fix func(ctx context.Context) error
	// Judge, unless nil, returns an error if a change is not allowed.
	Judge func(changes []executor.Change) error
	// Check, unless nil, returns an error if the fix does not work. Its changes are part of the
	// attempt.
	Check func(ctx context.Context) error
}

// AttemptResult is the result of an attempt.
type AttemptResult struct {
	// Changes are the changes of the attempt.
	Changes []executor.Change
	// Saved is the reference of a failed attempt's files; empty if it changed nothing.
	Saved string
}

// attemptNote describes an attempt that is under way.
type attemptNote struct {
	Name string
	Base executor.Tree
}

// Attempt runs a fix and checks it. If the fix, the judgement or the check fails, Attempt saves the
// changes, restores the files, and returns the error. An attempt that a killed process began is
// saved and restored first. If ctx ends, the restore still happens.
func (s *Space) Attempt(ctx context.Context, a Attempt) (done AttemptResult, err error) {
	after := context.WithoutCancel(ctx)
	base, err := operate(s, opSave, func() executor.Tree {
		s.undoAttempt(ctx)
		s.state.Attempt = &attemptNote{a.Name, s.snapshot(ctx)}
		s.saveState()
		return s.state.Attempt.Base
	})
	if err != nil {
		return done, err
	}
	for _, step := range []func(context.Context) error{a.Fix, a.Check} {
		if step == nil || err != nil {
			continue
		}
		if err = s.BeforeCall(ctx); err == nil {
			err = step(ctx)
		}
		changes, bad := operate(s, opDetect, func() []executor.Change {
			return s.describe(after, string(base), string(s.snapshot(after)))
		})
		if done.Changes = changes; bad == nil && a.Judge != nil {
			bad = a.Judge(changes)
		}
		err = errors.Join(err, bad)
	}
	left := s.operate(opSave, func() {
		if err != nil {
			done.Saved = s.undoAttempt(after)
		}
		if s.err == nil {
			s.state.Attempt = nil
			s.saveState()
		}
	})
	return done, errors.Join(err, left)
}

// undoAttempt saves what differs since the beginning of an attempt, and restores it.
func (s *Space) undoAttempt(ctx context.Context) (saved string) {
	note := s.state.Attempt
	for i := 0; note != nil && i < 3; i++ { // a restored .gitignore can reveal files
		now := s.snapshot(ctx)
		changes := s.diff(ctx, string(note.Base), string(now))
		if len(changes) == 0 {
			break
		}
		saved = cmp.Or(saved, s.save(ctx, note.Name, note.Base, now))
		s.restore(ctx, string(note.Base), pathsOf(changes))
	}
	return saved
}
