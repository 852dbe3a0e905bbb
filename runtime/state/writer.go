package state

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
)

// writer is the one connection that writes. It serves one transaction at a time.
type writer struct {
	patience patience
	turn     chan struct{} // holds the one permission to write
	closing  chan struct{}
	close    func() error
	db       *sql.DB
	conn     *sql.Conn // nil if what went wrong was such that another one is needed
	stmts    map[string]*sql.Stmt
	version  int // of the schema that is written to; 0 before there is one
	files    *files
}

func openWriter(ctx context.Context, path string, p patience) (*writer, error) {
	db, err := sql.Open(
		"sqlite", dsn(path, readWrite, p.pragma(), "foreign_keys(1)", "journal_mode(WAL)", "synchronous(FULL)",
			"journal_size_limit(4194304)"))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	w := &writer{files: &files{path: path}, patience: p, db: db, turn: make(chan struct{}, 1),
		closing: make(chan struct{})}
	w.close = sync.OnceValue(w.shut)
	w.turn <- struct{}{}
	if err := w.connect(ctx); err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// connecting asks for what has to be known of a file: also how many bytes it has at least, since
// the root of each table and index is a page of its own, whatever is cleaned up. Counting them
// opens the log.
const connecting = `SELECT journal_mode, (SELECT 1 + count(*) FROM sqlite_schema WHERE rootpage > 0) *
	(SELECT page_size FROM pragma_page_size)
	FROM pragma_journal_mode`

// connect opens the connection if there is none. Also having a log at all is something that others
// can keep it waiting for.
func (w *writer) connect(ctx context.Context) error {
	if w.conn != nil {
		return nil
	}
	if err := w.files.check(); err != nil { // what is there now is not ours
		return err
	}
	return w.patience.try(ctx, w.closing, func() error {
		conn, err := w.db.Conn(ctx)
		if err != nil {
			return ended(ctx, err)
		}
		var mode string
		var least int64
		err = conn.QueryRowContext(ctx, connecting).Scan(&mode, &least)
		if err == nil && mode != "wal" {
			err = fmt.Errorf("the file cannot have a write-ahead log, but has %q", mode)
		}
		if err == nil {
			err = w.files.opened(least)
		}
		if err != nil {
			return errors.Join(ended(ctx, err), discard(conn))
		}
		w.conn, w.stmts = conn, make(map[string]*sql.Stmt)
		return nil
	})
}

// disconnect gives up the connection, with whatever it has begun.
func (w *writer) disconnect() error {
	if w.conn == nil {
		return nil
	}
	w.files.letGo()
	var errs []error
	for _, s := range w.stmts {
		errs = append(errs, s.Close())
	}
	errs = append(errs, discard(w.conn))
	w.conn, w.stmts = nil, nil
	return errors.Join(errs...)
}

// discard closes a connection for good.
func discard(conn *sql.Conn) error {
	err := conn.Raw(func(any) error { return driver.ErrBadConn })
	if errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) {
		return nil
	}
	return err
}

// shut closes the writer when what it is doing is done. The turn is never given back.
func (w *writer) shut() error {
	close(w.closing)
	<-w.turn
	return errors.Join(w.disconnect(), w.db.Close())
}

// tx is a transaction that writes.
type tx struct {
	ctx context.Context
	w   *writer
	err error // after which nothing more can be done in it
}

// exec runs a statement, which is a constant, and is prepared once.
func (t *tx) exec(query string, args ...any) (sql.Result, error) {
	stmt, err := t.prepared(query)
	if err != nil {
		return nil, err
	}
	result, err := stmt.ExecContext(t.ctx, args...)
	if spoils(err) {
		t.err = err
	}
	return result, err
}

// row reads one row within the transaction, see [sql.Row]. It must be scanned.
func (t *tx) row(query string, args ...any) (*sql.Row, error) {
	stmt, err := t.prepared(query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryRowContext(t.ctx, args...), nil
}

func (t *tx) prepared(query string) (*sql.Stmt, error) {
	if t.err != nil {
		return nil, t.err
	}
	if s, ok := t.w.stmts[query]; ok {
		return s, nil
	}
	s, err := t.w.conn.PrepareContext(t.ctx, query)
	if err != nil {
		return nil, err
	}
	t.w.stmts[query] = s
	return s, nil
}

// write runs f in one transaction, which is durable when write returns nil. Otherwise nobody sees
// anything of it, but in two cases, so that what is tried again says which it is: the disk failed
// while it was being synced, and a crash of the machine may yet bring it to light; or the files
// were moved while it was under way, and it may be stored, or lost with them. Of files that were
// moved before, or in an earlier transaction, nothing is written any more. What is under way when
// ctx ends is finished. The error is evidence that says what was being done. F must not call write.
func (s *Store) write(ctx context.Context, doing string, f func(t *tx) error) error {
	if s.writer == nil {
		return s.failed(doing, ErrReadOnly)
	}
	if err := s.writer.transact(ctx, f); err != nil {
		return s.failed(doing, err)
	}
	return nil
}

// transact waits for the turn to write, and runs f in a transaction.
func (w *writer) transact(ctx context.Context, f func(t *tx) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case <-w.turn:
	case <-w.closing:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { w.turn <- struct{}{} }()
	select {
	case <-w.closing: // it may have been closed at the same time
		return ErrClosed
	default:
	}
	if err := w.connect(ctx); err != nil {
		return err
	}
	t := &tx{ctx: context.WithoutCancel(ctx), w: w}
	if err := w.patience.try(ctx, w.closing, t.begin); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	return t.run(f)
}

// begin takes the right to write at once: asked for later, it could be refused however long SQLite
// may wait.
func (t *tx) begin() error {
	if err := t.w.files.check(); err != nil {
		return err
	}
	_, err := t.exec("BEGIN IMMEDIATE")
	t.err = nil // nothing has begun
	return err
}

func (t *tx) run(f func(t *tx) error) error {
	done := false
	defer func() {
		if !done { // also when f panics
			t.rollBack()
		}
	}()
	if err := t.unchanged(); err != nil {
		return err
	}
	if err := f(t); err != nil {
		return err
	}
	if _, err := t.exec("COMMIT"); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	done = true
	return t.w.files.check()
}

// unchanged refuses a schema that a newer program has migrated since: what its tables are to hold
// is not known here.
func (t *tx) unchanged() error {
	if t.w.version == 0 {
		return nil
	}
	have := 0
	found, err := t.row("PRAGMA user_version")
	if err == nil {
		err = found.Scan(&have)
	}
	if err == nil && have != t.w.version {
		err = refuse("newer", "its schema had version %d when it was opened, and has %d now", t.w.version, have)
	}
	return err
}

// rollBack ends the transaction. If that fails, SQLite has rolled back by itself, or something is
// so wrong that only another connection helps.
func (t *tx) rollBack() {
	t.err = nil
	if _, err := t.exec("ROLLBACK"); err != nil {
		_ = t.w.disconnect() // there is nothing more that could be done
	}
}
