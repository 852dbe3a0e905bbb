//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package output

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// dirLock is a lock of the directory itself, so that no file tells of it. The zero dirLock holds
// nothing.
type dirLock struct{ dir *os.File }

// lockDir locks a directory. Its error is errHeld if another process has it, and [fs.ErrNotExist]
// if the directory was removed meanwhile. On a file system that knows no locks nothing is held.
func lockDir(path string) (*dirLock, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, errors.Join(errHeld, dir.Close())
	case err != nil:
		return &dirLock{}, dir.Close()
	}
	if !sameDir(dir, path) {
		return nil, errors.Join(fs.ErrNotExist, dir.Close())
	}
	return &dirLock{dir}, nil
}

// sameDir reports whether a directory still stands at its path.
func sameDir(dir *os.File, path string) bool {
	locked, err := dir.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(path)
	return err == nil && os.SameFile(locked, there)
}

// held reports whether the lock keeps others out.
func (l *dirLock) held() bool { return l.dir != nil }

// release gives the lock up, having called last, which may remove the directory.
func (l *dirLock) release(last func()) {
	last()
	if l.dir != nil {
		_ = l.dir.Close()
	}
}
