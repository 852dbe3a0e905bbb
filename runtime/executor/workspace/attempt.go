package workspace

import (
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
// changes, restores the files, and returns the error. An attempt that a killed process began is saved
// and restored first. If ctx ends, the restore still happens.
func (s *Space) Attempt(ctx context.Context, a Attempt) (done AttemptResult, err error) {
	if killed := s.state.Attempt; killed != nil {
		if _, err := s.undoAttempt(ctx, killed.Name, killed.Base); err != nil {
			return done, err
		}
	}
	base, err := s.Snapshot(ctx)
	if err != nil {
		return done, err
	}
	if err := s.recordAttempt(&attemptNote{a.Name, base}); err != nil {
		return done, err
	}
	for _, step := range []func(context.Context) error{a.Fix, a.Check} {
		if step == nil || err != nil {
			continue
		}
		if err = s.BeforeCall(ctx); err == nil {
			err = step(ctx)
		}
		var bad error
		done.Changes, bad = s.judgeAttempt(context.WithoutCancel(ctx), a, base)
		err = errors.Join(err, bad)
	}
	if err != nil {
		var left error
		if done.Saved, left = s.undoAttempt(context.WithoutCancel(ctx), a.Name, base); left != nil {
			return done, errors.Join(err, left)
		}
	}
	return done, errors.Join(err, s.recordAttempt(nil))
}

// judgeAttempt returns the changes since base, and an error if one is not allowed.
func (s *Space) judgeAttempt(ctx context.Context, a Attempt, base executor.Tree) ([]executor.Change, error) {
	now, err := s.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	changes, err := s.Diff(ctx, base, now)
	if err == nil && a.Judge != nil {
		err = a.Judge(changes)
	}
	return changes, err
}

// undoAttempt saves what differs from base and restores it.
func (s *Space) undoAttempt(ctx context.Context, name string, base executor.Tree) (saved string, err error) {
	for range 3 { // a restored .gitignore can reveal files
		now, err := s.Snapshot(ctx)
		if err != nil {
			return saved, err
		}
		changes, err := s.Diff(ctx, base, now)
		if err != nil || len(changes) == 0 {
			return saved, err
		}
		ref, err := s.Save(ctx, name, base, now)
		if err != nil {
			return saved, err
		}
		if saved == "" {
			saved = ref
		}
		var paths []string
		for _, c := range changes {
			paths = append(paths, c.Path)
		}
		if _, err := s.Restore(ctx, base, paths); err != nil {
			return saved, err
		}
	}
	return saved, nil
}

func (s *Space) recordAttempt(note *attemptNote) error {
	return s.operate(opSave, func() error {
		s.state.Attempt = note
		return s.saveState()
	})
}
