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

// Take takes the lock on a name in dir, which must exist. The name must pass [CheckName]. If a live
// process holds the lock, the error is evidence of source "executor", op "lock", with the
// attributes path, pid, host and since. The text names the resource by what, such as "run r", and
// contains the run in the holder's note. Take waits up to patience for a lock whose holder is dead.
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

// Taken reports whether the lock on name in dir is held, and returns its holder. It takes a free
// lock for a moment.
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

// Noted returns the holder in the note beside the lock, and false if the note is missing or the
// holder is dead. The note can be outdated, because Noted does not check the lock; [Taken] does.
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
func (n *Named) Release() error {
	err := os.Remove(n.note)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, n.lock.Release())
}

// Evidence returns the evidence that another process holds the lock, and false for any other error.
func Evidence(err error) (*taxonomy.Evidence, bool) { return errors.AsType[*taxonomy.Evidence](err) }

// NameExpected describes the names that [CheckName] accepts.
const NameExpected = "1 to 100 letters, digits, '-', '_' and '.', the first is not '.'"

var errName = errors.New("a run cannot have this name")

// CheckName returns an error if a run cannot have the name, for example because the path of its
// file would be outside its directory.
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
