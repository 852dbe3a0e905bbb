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

var errReplaced = errors.New("was replaced while it was locked")

// Lock is a lock on a file. It ends with [Lock.Release] or with the process that holds it. The file
// stays, because removing it would let two processes hold locks on two files of one name.
type Lock struct{ f *flock.Flock }

// Try takes the lock on the file at path, and makes the file if it is missing. It returns nil
// without an error if the lock is held.
func Try(path string) (*Lock, error) {
	l, err := prepare(path)
	if err != nil {
		return nil, err
	}
	taken, err := l.f.TryLock()
	return l.taken(taken, err)
}

// Wait takes the lock on the file at path. It tries every so often until ctx ends.
func Wait(ctx context.Context, path string, every time.Duration) (*Lock, error) {
	l, err := prepare(path)
	if err != nil {
		return nil, err
	}
	taken, err := l.f.TryLockContext(ctx, every)
	return l.taken(taken, err)
}

// prepare creates the file if it does not exist, and rejects a symbolic link or a directory.
func prepare(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = f.Close()
	} else if errors.Is(err, fs.ErrExist) {
		_, err = atomicfile.Regular(path)
	}
	if err != nil {
		return nil, err
	}
	return &Lock{f: flock.New(path, flock.SetFlag(os.O_RDWR))}, nil
}

// taken returns l if it was taken and the file is still the one at its path.
func (l *Lock) taken(taken bool, err error) (*Lock, error) {
	if err != nil || !taken {
		return nil, errors.Join(err, l.f.Close())
	}
	held, err := l.f.Stat()
	if err == nil {
		var there fs.FileInfo
		if there, err = atomicfile.Regular(l.f.Path()); err == nil && !os.SameFile(held, there) {
			err = &fs.PathError{Op: "lock", Path: l.f.Path(), Err: errReplaced}
		}
	}
	if err != nil {
		return nil, errors.Join(err, l.f.Unlock())
	}
	return l, nil
}

// Release releases the lock.
func (l *Lock) Release() error { return l.f.Unlock() }
