// Package filelock locks files. A lock ends with its process. [Try] and [Wait] lock a file. [Take]
// locks a name, such as a run's, and writes a note beside the lock that describes the holder.
package filelock

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
)

// Lock is a lock on a file. It ends with [Lock.Release] or with the process that holds it. The file
// stays, because removing it would let two processes hold locks on two files of one name.
type Lock struct{ file *flock.Flock }

// Try takes the lock on the file at path, and makes the file if it is missing. If the lock is held,
// it returns nil and no error.
func Try(path string) (*Lock, error) {
	return take(path, (*flock.Flock).TryLock)
}

// Wait takes the lock on the file at path. It tries again after each interval until ctx ends.
func Wait(ctx context.Context, path string, interval time.Duration) (*Lock, error) {
	return take(path, func(f *flock.Flock) (bool, error) { return f.TryLockContext(ctx, interval) })
}

// take opens the file at path and locks it with the given function. It rejects a path that is not a
// regular file.
func take(path string, lock func(*flock.Flock) (bool, error)) (*Lock, error) {
	if _, err := atomicfile.Regular(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f := flock.New(path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	taken, err := lock(f)
	if err != nil || !taken {
		return nil, errors.Join(err, f.Close())
	}
	return &Lock{f}, nil
}

// Release releases the lock.
func (l *Lock) Release() error { return l.file.Unlock() }
