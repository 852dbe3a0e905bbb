package filelock

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	lockSuffix = ".lock"
	noteSuffix = ".holder"
	maxName    = 100 // bytes
)

// DefaultPatience is how long Take waits for a lock whose holder is dead. A process that is killed
// while it starts a child leaves the lock to the child for a moment.
const DefaultPatience = 3 * time.Second

const poll = 20 * time.Millisecond

// Named is a lock on a name. It ends with [Named.Release] or with the process.
type Named struct {
	lock *Lock
	note string
}

// Take locks a name, which [CheckName] accepts, in dir, which must exist. If a live process holds
// it, the error is evidence of source "executor", op "lock", with the attributes path, pid, host
// and since. Its text calls the name what (such as "run r"), and names the run for which the other
// process took it, if that gave one. Take waits for a lock that a dead process has left, for
// patience at most.
func Take(ctx context.Context, dir, name, what, run string, patience time.Duration) (*Named, error) {
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
	return &Named{lock: lock, note: beside}, nil
}

// Path returns the path of the lock on name in dir.
func Path(dir, name string) string { return filepath.Join(dir, name+lockSuffix) }

// Taken returns the holder of the lock on name in dir, and whether the lock is held. It takes
// a free lock for a moment.
func Taken(dir, name string) (h Holder, taken bool, err error) {
	path := filepath.Join(dir, name+lockSuffix)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return Holder{}, false, nil
	}
	lock, err := Try(path)
	switch {
	case err != nil:
		return Holder{}, false, err
	case lock == nil:
		h, _ = read(filepath.Join(dir, name+noteSuffix))
		return h, true, nil
	}
	return Holder{}, false, lock.Release()
}

// Noted returns the holder in the note beside the lock, and false if it is missing or dead. It does
// not check the lock, so it can be outdated; [Taken] is exact.
func Noted(dir, name string) (h Holder, ok bool) {
	h, ok = read(filepath.Join(dir, name+noteSuffix))
	if !ok || h.Dead() {
		return Holder{}, false
	}
	return h, true
}

// try tries to take the lock until it succeeds, a live holder is noted, or patience or ctx ends.
func try(ctx context.Context, path, beside string, patience time.Duration) (*Lock, error) {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	again := time.NewTicker(poll)
	defer again.Stop()
	for {
		lock, err := Try(path)
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

// Release releases the lock.
func (h *Named) Release() error {
	err := os.Remove(h.note)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, h.lock.Release())
}

// Evidence returns the evidence that another process holds the lock, and false for any other error.
func Evidence(err error) (*taxonomy.Evidence, bool) { return errors.AsType[*taxonomy.Evidence](err) }

// NameExpected describes the names that [CheckName] accepts.
const NameExpected = "1 to 100 letters, digits, '-', '_' and '.', the first is not '.'"

var errName = errors.New("a run cannot have this name")

// CheckName returns an error if a run cannot have the name, such as one that leaves its directory.
func CheckName(run string) error {
	named := run != "" && len(run) <= maxName && run[0] != '.' && isPlain(run)
	if !named || !filepath.IsLocal(run+lockSuffix) { // the name of a device is not local
		return errName
	}
	return nil
}

func isPlain(run string) bool {
	return strings.IndexFunc(run, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		return !letter && !('0' <= r && r <= '9') && r != '-' && r != '_' && r != '.'
	}) < 0
}
