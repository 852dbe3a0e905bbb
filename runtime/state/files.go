package state

import (
	"errors"
	"io/fs"
	"os"
	"sync"
)

// files are which files a state is in while it is open: what is written to others is lost with
// them. They are asked for by name only; closing one that was opened for that would end all locks
// that this process has on it.
type files struct {
	path string

	mu       sync.Mutex
	database fs.FileInfo // nil before it is open
	log      fs.FileInfo // nil while no connection here keeps SQLite from removing it
	least    int64       // bytes that the database has
	moved    bool        // for good
}

// opened notes which files they are, now that a connection has opened them. The database has at
// least so many bytes once its log was written back.
func (f *files) opened(least int64) error {
	if err := f.found(least); err != nil {
		return err
	}
	log, err := os.Lstat(f.path + beside[0])
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the first transaction of an empty file makes it
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = log
	return err
}

// found notes which file the database is.
func (f *files) found(least int64) error {
	database, err := os.Lstat(f.path)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.moved = f.moved || f.database != nil && !os.SameFile(database, f.database)
	if f.moved {
		return errMoved
	}
	f.database, f.least = database, min(least, database.Size())
	return nil
}

// letGo says that the log may be removed: its connection is about to be closed.
func (f *files) letGo() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = nil
}

// check returns an error if the files are no longer those that were opened, or were not when it was
// asked before.
func (f *files) check() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.moved {
		same, err := f.same()
		if err != nil {
			return err
		}
		f.moved = !same
	}
	if f.moved {
		return errMoved
	}
	return nil
}

// same reports whether the files are there, as far as they are known.
func (f *files) same() (bool, error) {
	if f.database == nil {
		return true, nil
	}
	now, err := os.Lstat(f.path)
	if err != nil {
		return false, unlessGone(err)
	}
	if !os.SameFile(now, f.database) || now.Size() < f.least {
		return false, nil
	}
	if f.log == nil {
		return true, nil
	}
	now, err = os.Lstat(f.path + beside[0])
	if err != nil {
		return false, unlessGone(err)
	}
	return os.SameFile(now, f.log), nil
}

// unlessGone returns err, or nil if it is that there is no file.
func unlessGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
