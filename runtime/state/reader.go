package state

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"iter"
	"os"
)

// idleReaders is how many connections that read are kept for later. There can be more at a time:
// whoever goes through tasks may ask for the attempts of each, and would wait for ever for a
// connection that others who do the same have.
const idleReaders = 4

// errEnough ends a query or a view early, without an error.
var errEnough = errors.New("enough was read")

func openReader(path, mode string, p patience) (*sql.DB, error) {
	db, err := sql.Open("sqlite", dsn(path, mode, p.pragma(), "query_only(1)"))
	if err != nil {
		return nil, err
	}
	db.SetMaxIdleConns(idleReaders)
	return db, nil
}

// openReadOnly opens what is there for looking at it.
func (s *Store) openReadOnly(ctx context.Context) (err error) {
	if s.path, err = locate(s.path); err != nil {
		return err
	}
	none, err := missing(s.path)
	switch {
	case err != nil:
		return err
	case none:
		return s.notConverted()
	}
	s.files = &files{path: s.path}
	if err := s.files.found(1); err != nil {
		return err
	}
	mode := readOnly
	if s.asItIs() {
		mode = immutable
	}
	if err := s.probe(ctx, mode); err != nil {
		return err
	}
	s.reader, err = openReader(s.path, mode, s.patience)
	return err
}

// asItIs reports whether the file has to be read as it is, without the files that SQLite keeps
// beside a database also for reading: they cannot be made. Nobody writes it, or a log would be
// there.
func (s *Store) asItIs() bool {
	if writable(s.path) == nil {
		return false
	}
	_, err := os.Lstat(s.path + beside[0])
	return errors.Is(err, fs.ErrNotExist)
}

// row is a row of a query that can be read.
type row interface {
	Scan(columns ...any) error
}

// query runs f on each row of a query, outside of the transactions that write. It sees one moment
// of the state. That f returns [errEnough] ends it without an error. The error is evidence that
// says what was being done. F may ask for more.
func (s *Store) query(ctx context.Context, doing, query string, args []any, f func(row) error) error {
	return s.view(ctx, doing, func(v *view) error { return v.query(query, args, f) })
}

// view is one moment of the state, which what is written meanwhile does not change.
type view struct {
	ctx context.Context
	tx  *sql.Tx
}

// query runs f on each row of a query.
func (v *view) query(query string, args []any, f func(row) error) (err error) {
	rows, err := v.tx.QueryContext(v.ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// row reads one row into columns. That there is none is [sql.ErrNoRows].
func (v *view) row(query string, args []any, columns ...any) error {
	return v.tx.QueryRowContext(v.ctx, query, args...).Scan(columns...)
}

// view runs f on one moment of the state, for several queries that have to agree; as to f, see
// [Store.query]. The error is evidence.
func (s *Store) view(ctx context.Context, doing string, f func(*view) error) error {
	if err := s.files.check(); err != nil {
		return s.failed(doing, err)
	}
	tx, err := s.beginView(ctx)
	if err != nil {
		return s.failed(doing, s.whyUnread(ctx, err))
	}
	defer func() { _ = tx.Rollback() }() // it has only read
	err = f(&view{ctx: ctx, tx: tx})
	if err != nil && !errors.Is(err, errEnough) {
		return s.failed(doing, ended(ctx, err))
	}
	return nil
}

// beginView begins a transaction that has read something: from then on other processes cannot keep
// it waiting.
func (s *Store) beginView(ctx context.Context) (tx *sql.Tx, err error) {
	err = s.patience.try(ctx, s.closing, func() error {
		if tx, err = s.reader.BeginTx(ctx, nil); err != nil {
			return err
		}
		var tables int
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE rowid = 1").
			Scan(&tables); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		return nil
	})
	return tx, err
}

// whyUnread returns err, or what it comes of if that is something else.
func (s *Store) whyUnread(ctx context.Context, err error) error {
	select {
	case <-s.closing:
		return ErrClosed
	default:
	}
	if moved := s.files.check(); moved != nil {
		return moved
	}
	return ended(ctx, err)
}

// stream yields what read makes of each row of a query, as of one moment. It ends with the first
// error, which comes with a zero value.
func stream[T any](ctx context.Context, s *Store, doing, query string, args []any,
	read func(row) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		on := true
		err := s.query(ctx, doing, query, args, func(r row) error {
			v, err := read(r)
			if err != nil {
				return err
			}
			if on = yield(v, nil); !on {
				return errEnough
			}
			return nil
		})
		if err != nil && on {
			var none T
			yield(none, err)
		}
	}
}
