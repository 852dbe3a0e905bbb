package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"modernc.org/sqlite"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var (
	// ErrClosed is in the chain of the error of whatever is asked of a [Store] after [Store.Close].
	ErrClosed = errors.New("the state is closed")
	// ErrReadOnly is in the chain of the error of writing to a [Store] that was opened with
	// [Options.ReadOnly].
	ErrReadOnly = errors.New("the state was opened for reading only")
)

var (
	errTime  = errors.New("is none in RFC 3339")
	errMoved = errors.New("the file of the state, or its log, was removed, replaced or cut off while it was open")
)

// refused is that a state cannot be gone on with, as it is. It was not touched.
type refused struct {
	reason string // newer, older, foreign, corrupt, tracked
	err    error
}

func (r *refused) Error() string { return r.err.Error() }
func (r *refused) Unwrap() error { return r.err }

func refuse(reason, format string, args ...any) error {
	return &refused{reason: reason, err: fmt.Errorf(format, args...)}
}

// unopened returns evidence that the state at path could not be opened.
func unopened(path string, err error) *taxonomy.Evidence {
	ev := evidence("executor", "prepare", path, fmt.Errorf("open the state: %w", err))
	if ev.Type == "refused" {
		ev.Op = "resume"
	}
	return ev
}

// failed returns evidence that something could not be read or written. What is evidence already is
// returned as it is.
func (s *Store) failed(doing string, err error) *taxonomy.Evidence {
	if ev, ok := errors.AsType[*taxonomy.Evidence](err); ok && ev.Source != "" {
		return ev
	}
	return evidence("state", "state_write", s.path, fmt.Errorf("%s: %w", doing, err))
}

func evidence(source, op, path string, err error) *taxonomy.Evidence {
	ev := detect.Of(err)
	ev.Source, ev.Op = source, op
	ev.Attributes = maps.Clone(ev.Attributes)
	if ev.Attributes == nil {
		ev.Attributes = make(map[string]string)
	}
	ev.Attributes["path"] = path
	switch {
	case errors.Is(err, ErrClosed):
		ev.Type = "closed"
	case errors.Is(err, ErrReadOnly):
		ev.Type = "read_only"
	case errors.Is(err, errMoved):
		ev.Type = "moved"
	case errors.Is(err, errBusy):
		ev.Type = "busy"
	}
	ofSQLite(&ev, path, err)
	if r, ok := errors.AsType[*refused](err); ok {
		ev.Type = "refused"
		ev.Attributes["reason"] = r.reason
	}
	return &ev
}

// What SQLite says went wrong: the lowest byte is what, those above are how exactly.
const (
	primary = 0xff

	sqliteError      = 1
	sqlitePerm       = 3
	sqliteBusy       = 5
	sqliteLocked     = 6
	sqliteNoMem      = 7
	sqliteReadOnly   = 8
	sqliteInterrupt  = 9
	sqliteIOErr      = 10
	sqliteCorrupt    = 11
	sqliteFull       = 13
	sqliteCantOpen   = 14
	sqliteProtocol   = 15
	sqliteTooBig     = 18
	sqliteConstraint = 19
	sqliteAuth       = 23
	sqliteNotADB     = 26

	sqliteReadOnlyRecovery = sqliteReadOnly | 1<<8
	sqliteIOErrShmSize     = sqliteIOErr | 19<<8
)

// ofSQLite fills in what an error of SQLite means in the words that evidence has for it.
func ofSQLite(ev *taxonomy.Evidence, path string, err error) {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return
	}
	switch e.Code() & primary {
	case sqliteFull:
		ev.Errno = "ENOSPC"
	case sqliteIOErr:
		ev.Errno = "EIO"
		if e.Code() == sqliteIOErrShmSize { // the index of the log could not grow, which takes nothing but room
			ev.Errno = "ENOSPC"
		}
	case sqliteNoMem:
		ev.Errno = "ENOMEM"
	case sqlitePerm, sqliteAuth:
		ev.Errno = "EACCES"
	case sqliteReadOnly, sqliteCantOpen:
		ev.Errno = whyNotWritable(path)
	case sqliteCorrupt, sqliteNotADB:
		ev.Type = "corrupt"
	case sqliteTooBig:
		ev.Type = "too_large"
	case sqliteConstraint:
		ev.Type = "constraint"
	}
}

// whyNotWritable asks the system what SQLite does not say.
func whyNotWritable(path string) string {
	if err := writable(path); err != nil {
		return detect.Of(err).Errno
	}
	return ""
}

// unusable returns err, or that the file is no database that SQLite can read.
func unusable(err error) error {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	switch e.Code() & primary {
	case sqliteCorrupt, sqliteNotADB, sqliteError: // what was asked is right, so that the file is wrong
		return &refused{reason: "corrupt", err: err}
	}
	return err
}

// spoils reports whether after err nothing more can be done in a transaction: SQLite may have
// rolled it back by itself, and what came after would be written alone.
func spoils(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	switch e.Code() & primary {
	case sqliteConstraint, sqliteTooBig:
		return false
	}
	return true
}

// ended returns err, or why ctx has ended if that is what err comes of.
func ended(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	e, ok := errors.AsType[*sqlite.Error](err)
	if ok && e.Code()&primary == sqliteInterrupt || errors.Is(err, ctx.Err()) {
		return context.Cause(ctx)
	}
	return err
}

// notThere returns that there is no file at path.
func notThere(path string) error { return &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist} }
