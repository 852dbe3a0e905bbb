//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package output

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks the directory itself, so that the lock leaves no file. It is not ok if another
// process holds the lock. A file system without locks counts as locked.
func tryLock(dir string) (unlock func(), ok bool, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, false, err
	}
	unlock = func() { _ = f.Close() }
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		unlock()
		return nil, false, nil
	}
	return unlock, true, nil
}
