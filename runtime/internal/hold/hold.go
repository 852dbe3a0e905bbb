package hold

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/errgen/errgen/runtime/internal/durable"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	lockSuffix = ".lock"
	noteSuffix = ".holder"
)

// DefaultPatience is how long a lock is waited for whose holder is dead: a process that is killed
// while it starts another one leaves the lock to that for a moment.
const DefaultPatience = 3 * time.Second

const poll = 20 * time.Millisecond

// Hold is something that this process has. It ends with [Hold.Release] or with the process.
type Hold struct {
	lock *durable.Lock
	note string
}

// Take takes what is called name in dir, which must be there; the name is one that [CheckName]
// accepts. Somebody alive who has it is evidence of source "executor", op "lock", whose text says
// of what (such as "run r") it is, with the attributes path, pid, host and since. What a dead
// process has left is waited for, for patience at most.
func Take(ctx context.Context, dir, name, what string, patience time.Duration) (*Hold, error) {
	return TakeFor(ctx, dir, name, what, "", patience)
}

// TakeFor is [Take] for a run, which the text of the evidence names that others get.
func TakeFor(ctx context.Context, dir, name, what, run string, patience time.Duration) (*Hold, error) {
	path, beside := filepath.Join(dir, name+lockSuffix), filepath.Join(dir, name+noteSuffix)
	lock, err := try(ctx, path, beside, patience)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", what, err)
	}
	if lock == nil {
		h, known := read(beside)
		return nil, h.evidence(what, path, known)
	}
	note(beside, run)
	return &Hold{lock: lock, note: beside}, nil
}

// Path returns the path of the lock on name in dir.
func Path(dir, name string) string { return filepath.Join(dir, name+lockSuffix) }

// Taken returns who has what is called name in dir, and whether anybody has. It takes the lock for
// a moment.
func Taken(dir, name string) (h Holder, taken bool, err error) {
	path := filepath.Join(dir, name+lockSuffix)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return Holder{}, false, nil
	}
	lock, err := durable.TryLock(path)
	switch {
	case err != nil:
		return Holder{}, false, err
	case lock == nil:
		h, _ = read(filepath.Join(dir, name+noteSuffix))
		return h, true, nil
	}
	return Holder{}, false, lock.Release()
}

// Noted returns who is noted as having what is called name in dir, and false if nobody is or he is
// dead. It touches no lock, so that it may be wrong: [Taken] knows.
func Noted(dir, name string) (h Holder, ok bool) {
	h, ok = read(filepath.Join(dir, name+noteSuffix))
	if !ok || h.Dead() {
		return Holder{}, false
	}
	return h, true
}

// try takes the lock, and again as long as nobody alive says that it is his.
func try(ctx context.Context, path, beside string, patience time.Duration) (*durable.Lock, error) {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	again := time.NewTicker(poll)
	defer again.Stop()
	for {
		lock, err := durable.TryLock(path)
		if lock != nil || err != nil {
			return lock, err
		}
		if h, ok := read(beside); ok && !h.Dead() {
			return nil, nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-limit.C:
			return nil, nil
		case <-again.C:
		}
	}
}

// Release lets go.
func (h *Hold) Release() error {
	err := os.Remove(h.note)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, h.lock.Release())
}

// Evidence returns err as it is if it says that somebody else has it, and false for any other
// error.
func Evidence(err error) (*taxonomy.Evidence, bool) { return errors.AsType[*taxonomy.Evidence](err) }
