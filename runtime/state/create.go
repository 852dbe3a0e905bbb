package state

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/errgen/errgen/runtime/internal/durable"
)

// lockPoll is how often somebody is asked who makes the same file.
const lockPoll = 5 * time.Millisecond

// create makes the database, unless another process has made it meanwhile, from a state of the older form if there is one.
func (s *Store) create(ctx context.Context) error {
	return s.making(ctx, func() error {
		none, err := missing(s.path)
		if err != nil || !none {
			return err
		}
		converted, err := s.convertLegacy(ctx)
		if err != nil || converted {
			return err
		}
		return s.build(ctx, nil)
	})
}

// making runs f while no other process makes files.
func (s *Store) making(ctx context.Context, f func() error) (err error) {
	locks := s.path + locksSuffix
	if err := durable.MakeDir(locks); err != nil {
		return err
	}
	// No run can have this name.
	lock, err := durable.WaitLock(ctx, filepath.Join(locks, ".create.lock"), lockPoll)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	return f()
}

// build makes a whole database beside, with what fill writes into it, and puts it at the path, where none is: at any time there
// is all of it or nothing. Whoever calls it has the lock.
func (s *Store) build(ctx context.Context, fill func(*tx) error) error {
	temp := s.path + durable.TempSuffix
	if err := removeDatabase(temp); err != nil { // what a killed one left
		return err
	}
	if err := s.buildAt(ctx, temp, fill); err != nil {
		return errors.Join(err, removeDatabase(temp))
	}
	// A log whose database is gone would be taken for that of the new one.
	if err := removeDatabase(s.path); err != nil {
		return err
	}
	if err := os.Rename(temp, s.path); err != nil {
		return err
	}
	return durable.SyncDir(filepath.Dir(s.path))
}

func (s *Store) buildAt(ctx context.Context, temp string, fill func(*tx) error) error {
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	w, err := openWriter(ctx, temp, s.patience)
	if err != nil {
		return err
	}
	err = w.migrate(ctx, s.steps)
	if err == nil && fill != nil {
		err = w.transact(ctx, fill)
	}
	// Closing writes the log back and syncs.
	return errors.Join(err, w.close())
}

// removeDatabase removes an empty or unfinished database and what is beside it.
func removeDatabase(path string) error {
	for _, suffix := range append([]string{""}, beside[:]...) {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
