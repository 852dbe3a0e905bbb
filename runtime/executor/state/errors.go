package state

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"

	"github.com/errgen/errgen/runtime/executor/internal/evidence"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var (
	// ErrReadOnly means that a [Store] was opened with [Options.ReadOnly]. Errors of writes wrap
	// it.
	ErrReadOnly = errors.New("the state was opened for reading")

	errMoved = errors.New("the file was removed or replaced while it was open")
)

// refuse returns evidence that a file must not be changed. The reason is newer, older, foreign or
// corrupt.
func refuse(reason, format string, args ...any) error {
	return &taxonomy.Evidence{Source: "executor", Op: "resume", Type: "refused",
		Err: fmt.Errorf("open the state: "+format, args...), Attributes: map[string]string{"reason": reason}}
}

// openError returns evidence that the state at path could not be opened.
func openError(path string, err error) *taxonomy.Evidence {
	if ev, ok := errors.AsType[*taxonomy.Evidence](err); ok && ev.Source == "executor" {
		ev.SetAttribute("path", path)
		return ev
	}
	return fileEvidence("executor", "prepare", path, fmt.Errorf("open the state: %w", err))
}

// failed returns evidence that a read or write failed.
func (s *Store) failed(op, doing string, err error) *taxonomy.Evidence {
	if ev, ok := errors.AsType[*taxonomy.Evidence](err); ok && ev.Source != "" {
		return ev
	}
	return fileEvidence("state", op, s.path, fmt.Errorf("%s: %w", doing, err))
}

// sqliteCauses are evidence for the primary result codes of SQLite.
var sqliteCauses = map[int]struct{ typ, errno string }{
	3: {errno: "EACCES"}, 5: {typ: "busy"}, 6: {typ: "busy"}, 7: {errno: "ENOMEM"}, 8: {errno: "EACCES"},
	10: {errno: "EIO"}, 11: {typ: "corrupt"}, 13: {errno: "ENOSPC"}, 14: {errno: "EACCES"}, 15: {typ: "busy"},
	23: {errno: "EACCES"}, 26: {typ: "corrupt"},
}

// sqliteShmSize is the extended code for an index of the write-ahead log that cannot grow.
const sqliteShmSize = 10 | 19<<8

// fileEvidence returns an error of an operation on the file of the state as evidence.
func fileEvidence(source, op, path string, err error) *taxonomy.Evidence {
	ev := evidence.OfFile(source, op, path, err)
	switch {
	case errors.Is(err, ErrReadOnly):
		ev.Type = "read_only"
	case errors.Is(err, errMoved):
		ev.Type = "moved"
	}
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		cause := sqliteCauses[e.Code()&0xff]
		if e.Code() == sqliteShmSize {
			cause.errno = "ENOSPC"
		}
		ev.Type, ev.Errno = cause.typ, cause.errno
	}
	return ev
}

// inspectError returns err, or a refusal if the file is corrupt for SQLite.
func inspectError(err error) error {
	if e, ok := errors.AsType[*sqlite.Error](err); ok && sqliteCauses[e.Code()&0xff].typ == "corrupt" {
		return refuse("corrupt", "%w: restore a copy of the file, or move it away to begin a new one", err)
	}
	return err
}
