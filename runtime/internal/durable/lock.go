package durable

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"
)

// Lock is a lock on a file. It ends with [Lock.Release], or with the process that holds it, however
// that ends. The file stays: removing it would let two processes hold locks on two files of one
// name.
type Lock struct{ f *flock.Flock }

// TryLock takes the lock on the file at path, which is made if need be. It returns nil without an
// error when somebody else holds it.
func TryLock(path string) (*Lock, error) {
	l, err := prepare(path)
	if err != nil {
		return nil, err
	}
	taken, err := l.f.TryLock()
	return l.taken(taken, err)
}

// WaitLock takes the lock on the file at path, asking again every so often until ctx ends.
func WaitLock(ctx context.Context, path string, every time.Duration) (*Lock, error) {
	l, err := prepare(path)
	if err != nil {
		return nil, err
	}
	taken, err := l.f.TryLockContext(ctx, every)
	return l.taken(taken, err)
}

// prepare makes the file if it is not there, because what is there must not be a symbolic link to
// somewhere else.
func prepare(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = f.Close()
	} else if errors.Is(err, fs.ErrExist) {
		_, err = regular(path)
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
		if there, err = regular(l.f.Path()); err == nil && !os.SameFile(held, there) {
			err = &fs.PathError{Op: "lock", Path: l.f.Path(), Err: errReplaced}
		}
	}
	if err != nil {
		return nil, errors.Join(err, l.f.Unlock())
	}
	return l, nil
}

// Release lets go of the lock.
func (l *Lock) Release() error { return l.f.Unlock() }
