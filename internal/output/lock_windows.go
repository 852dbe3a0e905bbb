package output

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
)

// The system removes the file of the lock when its handle is closed, however the process ends.
const (
	lockName           = ".errgen.lock"
	deleteAccess       = 0x00010000
	deleteOnClose      = 0x04000000
	errSharing         = syscall.Errno(32)
	errLockPathMissing = syscall.ERROR_PATH_NOT_FOUND
)

// dirLock is a file in the directory that nobody else can open. The zero dirLock holds nothing.
type dirLock struct{ file syscall.Handle }

// lockDir locks a directory. Its error is errHeld if another process has it, and [fs.ErrNotExist]
// if the directory was removed meanwhile.
func lockDir(path string) (*dirLock, error) {
	name := filepath.Join(path, lockName)
	text, err := syscall.UTF16PtrFromString(name)
	if err != nil {
		return nil, err
	}
	file, err := syscall.CreateFile(text, syscall.GENERIC_WRITE|deleteAccess, 0, nil, syscall.OPEN_ALWAYS,
		syscall.FILE_ATTRIBUTE_NORMAL|deleteOnClose, 0)
	switch {
	case err == nil:
		return &dirLock{file}, nil
	// Access is denied for as long as the file of the run before is being removed.
	case errors.Is(err, errSharing), errors.Is(err, syscall.ERROR_ACCESS_DENIED):
		return nil, errHeld
	case errors.Is(err, errLockPathMissing):
		return nil, fs.ErrNotExist
	}
	return nil, &fs.PathError{Op: "lock", Path: name, Err: err}
}

// held reports whether the lock keeps others out.
func (l *dirLock) held() bool { return l.file != 0 }

// release gives the lock up and then calls last, which may remove the directory: it is not empty
// before.
func (l *dirLock) release(last func()) {
	if l.file != 0 {
		_ = syscall.CloseHandle(l.file)
	}
	last()
}
