package state

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/internal/filelock"
)

// lockPoll is how often somebody is asked who makes the same file.
const lockPoll = 5 * time.Millisecond

var (
	errLogged  = errors.New("a part of it has stayed in the log")
	errUnsound = errors.New("it is not what was written")
)

// create makes the database, unless another process has made it meanwhile, from a state of the
// older form if there is one.
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
	if err := atomicfile.MakeDir(locks); err != nil {
		return err
	}
	// No run can have this name.
	lock, err := filelock.Wait(ctx, filepath.Join(locks, ".create.lock"), lockPoll)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	return f()
}

// build makes a whole database beside, with what fill writes into it, and puts it at the path,
// where none is: at any time there is all of it or nothing. Nothing is left of what failed. Whoever
// calls it has the lock.
func (s *Store) build(ctx context.Context, fill func(*tx) error) (err error) {
	temp := s.path + atomicfile.TempSuffix
	if err := removeDatabase(temp); err != nil { // what a killed one left
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removeDatabase(temp))
		}
	}()
	if err := s.buildAt(ctx, temp, fill); err != nil {
		return err
	}
	if err := s.whole(ctx, temp); err != nil {
		return fmt.Errorf("check what was written: %w", err)
	}
	// A log whose database is gone would be taken for that of the new one.
	if err := removeDatabase(s.path); err != nil {
		return err
	}
	if err := os.Rename(temp, s.path); err != nil {
		return err
	}
	return atomicfile.SyncDir(filepath.Dir(s.path))
}

func (s *Store) buildAt(ctx context.Context, temp string, fill func(*tx) error) error {
	if err := makeFile(temp); err != nil {
		return err
	}
	w, err := openWriter(ctx, temp, s.patience)
	if err != nil {
		return whyUnopened(temp, err)
	}
	err = w.migrate(ctx, s.steps)
	if err == nil && fill != nil {
		err = w.transact(ctx, fill)
	}
	if err == nil {
		err = w.writeBack(ctx)
	}
	return errors.Join(err, w.close())
}

// whyUnopened returns why a file that belongs beside the database cannot be made, if that is what
// err comes of: SQLite does not say, so that the system is asked. What is made here is removed with
// the rest.
func whyUnopened(path string, err error) error {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok || e.Code()&primary != sqliteCantOpen {
		return err
	}
	for _, suffix := range beside {
		if why := makeFile(path + suffix); why != nil && !errors.Is(why, fs.ErrExist) {
			return fmt.Errorf("%w (%v)", why, err)
		}
	}
	return err
}

// makeFile makes an empty file where none is.
func makeFile(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// writeBack moves all that is in the log to the database. Closing the connection would do so too,
// but say nothing of it if it fails, and leave the database without what the log has.
func (w *writer) writeBack(ctx context.Context) error {
	var blocked bool
	var frames, written int
	err := w.conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&blocked, &frames, &written)
	if err == nil && (blocked || frames != written) {
		err = errLogged
	}
	if err != nil {
		return fmt.Errorf("write the log back: %w", ended(ctx, err))
	}
	return nil
}

// whole returns an error unless the file at path, without a log, is a sound database that survives
// a crash.
func (s *Store) whole(ctx context.Context, path string) (err error) {
	if err := removeBeside(path); err != nil {
		return err
	}
	if err := s.readBack(ctx, path); err != nil {
		return ended(ctx, err)
	}
	// No connection to it is open any more, whose locks closing this would end.
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// readBack reads all of the file at path as it is.
func (s *Store) readBack(ctx context.Context, path string) (err error) {
	db, err := sql.Open("sqlite", dsn(path, immutable))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var f found
	if err := db.QueryRowContext(ctx, probing).Scan(&f.application, &f.version, &f.tables, &f.triggers); err != nil {
		return err
	}
	if err := f.check(s.steps); err != nil {
		return fmt.Errorf("%w: %v", errUnsound, err) // it is not what was there that is refused
	}
	var said string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&said); err != nil {
		return err
	}
	if said != "ok" {
		return fmt.Errorf("%w: %s", errUnsound, said)
	}
	return nil
}

// removeDatabase removes an empty or unfinished database and what is beside it.
func removeDatabase(path string) error {
	return errors.Join(removeFile(path), removeBeside(path))
}

// removeBeside removes what SQLite keeps beside a database.
func removeBeside(path string) error {
	var errs []error
	for _, suffix := range beside {
		errs = append(errs, removeFile(path+suffix))
	}
	return errors.Join(errs...)
}

// removeFile removes a file if it is there.
func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
