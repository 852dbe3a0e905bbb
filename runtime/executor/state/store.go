// Package state stores the runs of an executor in one SQLite file. The file contains tasks and
// their attempts, the states of runs, the costs of calls, budgets, and the waits that processes
// share.
//
//	store, err := state.Open(ctx, "spec/.executor-state.db", state.Options{Table: errs.Table})
//
// Errors are a *taxonomy.Evidence: of source "executor" if a file cannot be opened, and otherwise
// of source "state" and op "state_read" or "state_write". Texts from outside are bounded and their
// secrets are masked before they are written. Methods are safe for concurrent use, also by several
// processes.
package state

import (
	"cmp"
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	_ "modernc.org/sqlite" // registers the driver "sqlite"

	"github.com/errgen/errgen/runtime/executor/internal/filelock"
	"github.com/errgen/errgen/runtime/internal/atomicfile"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// DefaultPath is the path of the state of a program that runs the tasks of a specification.
const DefaultPath = "spec/.executor-state.db"

// PrefixedPath is [DefaultPath] for one of several states in a directory:
// "spec/.executor-PREFIXstate.db".
func PrefixedPath(prefix string) string { return "spec/.executor-" + prefix + "state.db" }

// LegacyPath returns the path of the JSON file that older runners used instead of the state at
// path: the same path with ".json" in place of ".db". It is empty unless the file is named like
// [DefaultPath] or [PrefixedPath].
func LegacyPath(path string) string {
	name := filepath.Base(path)
	if !strings.HasPrefix(name, ".executor-") || !strings.HasSuffix(name, "state.db") {
		return ""
	}
	return strings.TrimSuffix(path, ".db") + ".json"
}

// Options configure a [Store].
type Options struct {
	// Table has the meanings of stored codes. Without it, a code has no meaning, and each failure
	// counts.
	Table taxonomy.Table
	// Clock is the source of times; nil is [retry.System].
	Clock retry.Clock
	// Random is the source of jitter for shared waits; nil is math/rand/v2.
	Random retry.Random
	// ReadOnly opens an existing file for reading. The file is not created.
	ReadOnly bool
	// Legacy is the JSON file of an older runner, which is imported into a new state. The
	// default is [LegacyPath].
	Legacy string
}

// Store is a state in a file.
type Store struct {
	path    string
	options Options
	clock   retry.Clock
	file    fs.FileInfo
	reader  *sql.DB
	writer  *sql.DB              // nil if the store is read only
	hot     map[string]*sql.Stmt // prepared statements of the writer
}

// Open opens the state at path, and creates it if the file is missing or empty. A new state imports
// the JSON file of an older runner in the same transaction, and renames it to .json.bak.
//
// A file that cannot be opened or created is evidence of op "prepare". A file that must not be
// changed is evidence of op "resume", type "refused", with the attribute reason: corrupt, foreign
// (of another program), newer (of a newer version) or older (of an unreleased version).
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, openError(path, err)
	}
	s := &Store{path: abs, options: o, clock: cmp.Or[retry.Clock](o.Clock, retry.System)}
	if err := s.open(ctx); err != nil {
		return nil, openError(s.path, errors.Join(err, s.Close()))
	}
	return s, nil
}

func (s *Store) open(ctx context.Context) (err error) {
	if target, err := filepath.EvalSymlinks(s.path); err == nil {
		s.path = target // two names of a database would have two write-ahead logs
	}
	if err := checkLog(s.path); err != nil {
		return err
	}
	s.options.Legacy = cmp.Or(s.options.Legacy, LegacyPath(s.path))
	if !s.options.ReadOnly {
		if err := s.create(ctx); err != nil {
			return err
		}
	}
	if s.file, err = os.Stat(s.path); err != nil {
		return err
	}
	if s.reader, err = sql.Open("sqlite", dsn(s.path, "ro")); err != nil {
		return err
	}
	s.reader.SetMaxOpenConns(max(2, runtime.NumCPU()))
	if have, err := inspect(ctx, s.reader); err != nil || have != version {
		return cmp.Or(err,
			refuse("corrupt", "it has no tables, or those of an older runner, and was opened for reading"))
	}
	if s.options.ReadOnly {
		return nil
	}
	s.hot = map[string]*sql.Stmt{}
	for _, query := range []string{putTask, putAttempt, addTask, addRun, updateRun, putStatus, putCall, endCall} {
		if s.hot[query], err = s.writer.PrepareContext(ctx, query); err != nil {
			return err
		}
	}
	return nil
}

// create makes the file and brings its schema up to date. Only one process at a time does so.
func (s *Store) create(ctx context.Context) (err error) {
	if err := atomicfile.MakeDir(filepath.Dir(s.path)); err != nil {
		return fmt.Errorf("make the directory of the state: %w", err)
	}
	if err := atomicfile.MakeDir(s.locks()); err != nil {
		return err
	}
	lock, err := filelock.Wait(ctx, filepath.Join(s.locks(), ".create.lock"), 5*time.Millisecond)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	f, err := os.OpenFile(s.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := atomicfile.Regular(s.path); err != nil {
		return err
	}
	if s.writer, err = sql.Open("sqlite", dsn(s.path, "rw")); err != nil {
		return err
	}
	s.writer.SetMaxOpenConns(1)
	have, err := inspect(ctx, s.writer)
	if err == nil { // before this check, the file must not be changed
		_, err = s.writer.ExecContext(ctx, "PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = 4194304")
	}
	if err == nil && have != version {
		err = s.transact(ctx, func(t *tx) error { return t.migrate(have) })
	}
	if err != nil {
		return err
	}
	return s.retireLegacy(ctx)
}

//go:embed schema.sql
var schema string

// version is that of the schema. Files of earlier versions are refused.
const version = 4

// unversioned is the version of a file with the tables of an older runner.
const unversioned = -1

// inspect returns the version of a file, 0 if it is empty, and refuses a file that is not a state.
func inspect(ctx context.Context, db *sql.DB) (v int, err error) {
	var application, tables, columns int
	err = db.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_schema),
		(SELECT count(*) FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.name || '.' || c.name IN (
			'tasks.task_id', 'tasks.status', 'tasks.started_at', 'tasks.completed_at', 'attempts.id',
			'attempts.task_id', 'attempts.timestamp', 'attempts.success', 'attempts.duration_seconds',
			'attempts.error', 'attempts.error_code', 'attempts.claude_output'))`).
		Scan(&application, &v, &tables, &columns)
	switch {
	case err != nil:
		return 0, inspectError(err)
	case application == 0 && v == 0 && tables == 0:
		return 0, nil
	case application == 0 && v == 0 && columns == 12:
		return unversioned, nil
	case application != applicationID:
		return 0, refuse("foreign", "it is a database of another program")
	case v > version:
		return 0, refuse("newer", "its schema has version %d, and this program supports %d", v, version)
	case v < version:
		return 0, refuse("older", "its schema has version %d, which was never released; move the file away, and a "+
			"new one is created", v)
	case tables == 0:
		return 0, refuse("corrupt", "it has no tables: restore a copy of the file, or move it away to begin a new one")
	}
	return v, nil
}

// migrate makes the tables, and imports what an older runner left in the file or beside it.
func (t *tx) migrate(have int) error {
	var content []byte
	if have == unversioned {
		var err error
		if content, err = t.takeTables(); err != nil {
			return err
		}
	}
	if _, err := t.exec(schema); err != nil {
		return err
	}
	// If an older runner was killed while it converted its JSON file, the tables are empty.
	if have == unversioned && string(content) != `{"tasks":{}}` {
		return t.importTasks(content)
	}
	return t.s.importLegacy(t)
}

// applicationID marks a file as a state: "errg".
const applicationID = 0x65727267

// Path returns the absolute path of the file, with symbolic links resolved.
func (s *Store) Path() string { return s.path }

// Close closes the file, after the writes in progress. Close the stores of runs first.
func (s *Store) Close() error {
	var errs []error
	for _, db := range []*sql.DB{s.reader, s.writer} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	if err := errors.Join(errs...); err != nil {
		return s.failed("state_write", "close", err)
	}
	return nil
}

// locks returns the directory of the locks on runs and claims.
func (s *Store) locks() string { return s.path + ".locks" }

// dsn returns the data source name of a database, with the settings of each connection. The modes
// are ro and rw. Writers wait for each other for up to 30 seconds, and begin each transaction with
// BEGIN IMMEDIATE.
func dsn(path, mode string) string {
	q := url.Values{"mode": {mode}, "_error_rc": {"1"}, "_dqs": {"0"}, "_defensive": {"1"}}
	if mode == "rw" {
		q.Set("_txlock", "immediate")
	}
	for _, p := range []string{"busy_timeout(30000)", "trusted_schema(0)", "foreign_keys(1)", "synchronous(FULL)"} {
		q.Add("_pragma", p)
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/state.db
	}
	return "file://" + (&url.URL{Path: path}).EscapedPath() + "?" + q.Encode()
}

// tx is a transaction.
type tx struct {
	ctx context.Context
	s   *Store
	tx  *sql.Tx
}

// write runs f in a transaction of the writer.
func (s *Store) write(ctx context.Context, doing string, f func(*tx) error) error {
	if err := s.transact(ctx, f); err != nil {
		return s.failed("state_write", doing, err)
	}
	return nil
}

func (s *Store) transact(ctx context.Context, f func(*tx) error) error {
	if s.writer == nil {
		return ErrReadOnly
	}
	if now, err := os.Stat(s.path); err != nil || s.file != nil && !os.SameFile(s.file, now) {
		return errMoved
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	ctx = context.WithoutCancel(ctx) // watching a context would cost more than the statements
	t, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(&tx{ctx, s, t}); err != nil {
		return errors.Join(err, t.Rollback())
	}
	return t.Commit()
}

// exec runs a statement. Its arguments are converted by bind.
func (t *tx) exec(query string, args ...any) (sql.Result, error) {
	for i := range args {
		args[i] = bind(args[i])
	}
	if stmt := t.s.hot[query]; stmt != nil {
		return t.tx.StmtContext(t.ctx, stmt).ExecContext(t.ctx, args...)
	}
	return t.tx.ExecContext(t.ctx, query, args...)
}

// scan reads the columns of one row.
func (t *tx) scan(query string, args []any, into ...any) error {
	return t.tx.QueryRowContext(t.ctx, query, args...).Scan(into...)
}

// query returns the values of the rows of a query, whose only column is the JSON form of a value.
func query[T any](t *tx, query string, args ...any) (all []T, err error) {
	rows, err := t.tx.QueryContext(t.ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for err == nil && rows.Next() {
		var form sql.RawBytes
		var item T
		if err = rows.Scan(&form); err == nil {
			err = json.Unmarshal(form, &item)
		}
		all = append(all, item)
	}
	return all, errors.Join(err, rows.Err())
}

// view runs f in a transaction of the reader, so that all of its queries see the same state.
func (s *Store) view(ctx context.Context, doing string, f func(*tx) error) error {
	t, err := s.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err == nil {
		err = errors.Join(f(&tx{ctx, s, t}), t.Rollback())
	}
	if err != nil {
		return s.failed("state_read", doing, err)
	}
	return nil
}

// list returns the rows of a query in a view.
func list[T any](ctx context.Context, s *Store, doing, sql string, args ...any) (all []T, err error) {
	err = s.view(ctx, doing, func(v *tx) (err error) {
		all, err = query[T](v, sql, args...)
		return err
	})
	return all, err
}
