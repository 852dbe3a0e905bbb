// Package pgxerr gives the errors of pgx the codes of a taxonomy, and repeats transactions as the
// taxonomy specifies.
//
//	db := pgxerr.Wrap(pool, errs.Table, errs.SourcePostgres)
//	err := pgxerr.Tx(ctx, db, errs.Table, func(tx pgx.Tx) error { … })
//
// A [DB] has the methods of the interface DBTX that sqlc generates.
package pgxerr

import (
	"cmp"
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/errgen/errgen/runtime/dberr"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Querier has the methods that a *pgxpool.Pool, a *pgx.Conn and a [pgx.Tx] have.
type Querier interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
	CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, source pgx.CopyFromSource) (int64, error)
	Begin(ctx context.Context) (pgx.Tx, error)
}

// DB classifies the errors of a [Querier]. [pgx.ErrNoRows], [pgx.ErrTxClosed] and a cancellation are
// unchanged.
type DB struct {
	db Querier
	classifier
}

// Wrap returns a DB that classifies by the table, with the source.
func Wrap(db Querier, t taxonomy.Table, source dberr.Source) *DB {
	return &DB{db, classifier{table: t, source: source}}
}

type classifier struct {
	table  taxonomy.Table
	source dberr.Source
	conn   *pgx.Conn // of a transaction
}

func (c classifier) of(err error) error {
	if err == nil || errors.Is(err, pgx.ErrTxClosed) {
		return err
	}
	return dberr.Classify(c.table, c.source, err, c.conn != nil && c.conn.IsClosed())
}

// ended classifies the error of a commit or a rollback. The pool may have given the connection to
// another transaction by then, so only the error shows whether the connection is lost: pgx closes it
// unless the server answered.
func (c classifier) ended(err error) error {
	if err == nil || errors.Is(err, pgx.ErrTxClosed) {
		return err
	}
	return dberr.Classify(c.table, c.source, err, !errors.Is(err, pgx.ErrTxCommitRollback))
}

// Exec executes a statement.
func (d *DB) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	tag, err := d.db.Exec(ctx, sql, args...)
	return tag, d.of(err)
}

// Query returns the rows of a statement. If it fails, the rows have the error, too.
func (d *DB) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return d.rows(d.db.Query(ctx, sql, args...))
}

// QueryRow returns the first row of a statement.
func (d *DB) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return row{d.db.QueryRow(ctx, sql, args...), d.classifier}
}

// SendBatch sends statements together.
func (d *DB) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return batch{d.db.SendBatch(ctx, b), d.classifier}
}

// CopyFrom copies rows into a table.
func (d *DB) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string,
	source pgx.CopyFromSource) (int64, error) {
	n, err := d.db.CopyFrom(ctx, table, columns, source)
	return n, d.of(err)
}

// Begin begins a transaction whose errors are classified, too.
func (d *DB) Begin(ctx context.Context) (pgx.Tx, error) { return d.begun(d.db.Begin(ctx)) }

// Beginner begins transactions. A *[DB] is one.
type Beginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

// WithOptions returns a beginner whose transactions have the options. It needs a DB that wraps a
// *pgxpool.Pool or a *pgx.Conn.
func (d *DB) WithOptions(options pgx.TxOptions) Beginner { return withOptions{d, options} }

type withOptions struct {
	*DB
	options pgx.TxOptions
}

func (w withOptions) Begin(ctx context.Context) (pgx.Tx, error) {
	db, ok := w.db.(interface {
		BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
	})
	if !ok {
		return nil, errors.New("begin: a nested transaction has no options")
	}
	return w.begun(db.BeginTx(ctx, w.options))
}

// Tx runs f in a transaction and commits it, and repeats the transaction as [dberr.Tx] does.
func Tx(ctx context.Context, db Beginner, t taxonomy.Table, f func(tx pgx.Tx) error, opts ...retry.Option) error {
	return dberr.Repeat(ctx, t, func(ctx context.Context) (committing bool, err error) {
		tx, err := db.Begin(ctx)
		if err != nil {
			return false, err
		}
		defer tx.Rollback(context.WithoutCancel(ctx))    //nolint:errcheck // without effect after the commit
		if err := cmp.Or(f(tx), ctx.Err()); err != nil { // pgx sends no commit after ctx ended
			return false, err
		}
		err = tx.Commit(ctx)
		return !errors.Is(err, pgx.ErrTxCommitRollback), err
	}, opts...)
}

func (c classifier) begun(t pgx.Tx, err error) (pgx.Tx, error) {
	if err != nil {
		return nil, c.of(err)
	}
	c.conn = t.Conn()
	return &tx{&DB{t, c}, rest{t}}, nil
}

// tx is a transaction whose errors are classified.
type tx struct {
	*DB
	rest
}

// rest has the methods that DB does not have. It embeds the transaction deeper than DB, so that the
// methods of DB are those of tx.
type rest struct{ pgx.Tx }

func (t *tx) Commit(ctx context.Context) error { return t.ended(t.Tx.Commit(ctx)) }

func (t *tx) Rollback(ctx context.Context) error { return t.ended(t.Tx.Rollback(ctx)) }

func (t *tx) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	description, err := t.Tx.Prepare(ctx, name, sql)
	return description, t.of(err)
}

func (c classifier) rows(r pgx.Rows, err error) (pgx.Rows, error) {
	if r == nil {
		return nil, c.of(err)
	}
	return rows{r, c}, c.of(err)
}

type rows struct {
	pgx.Rows
	c classifier
}

func (r rows) Err() error { return r.c.of(r.Rows.Err()) }

func (r rows) Scan(dest ...any) error { return r.c.of(r.Rows.Scan(dest...)) }

func (r rows) Values() ([]any, error) {
	values, err := r.Rows.Values()
	return values, r.c.of(err)
}

type row struct {
	pgx.Row
	c classifier
}

func (r row) Scan(dest ...any) error { return r.c.of(r.Row.Scan(dest...)) }

type batch struct {
	pgx.BatchResults
	c classifier
}

func (b batch) Exec() (pgconn.CommandTag, error) {
	tag, err := b.BatchResults.Exec()
	return tag, b.c.of(err)
}

func (b batch) Query() (pgx.Rows, error) { return b.c.rows(b.BatchResults.Query()) }

func (b batch) QueryRow() pgx.Row { return row{b.BatchResults.QueryRow(), b.c} }

func (b batch) Close() error { return b.c.of(b.BatchResults.Close()) }

func (b batch) Tx() pgx.Tx {
	t := b.BatchResults.Tx()
	if t == nil {
		return nil
	}
	wrapped, _ := b.c.begun(t, nil)
	return wrapped
}
