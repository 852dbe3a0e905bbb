// Package dberr gives the errors of a database the codes of a taxonomy, and repeats transactions as
// the taxonomy specifies.
//
//	db := sql.OpenDB(dberr.Connector(connector, errs.Table, errs.SourcePostgres))
//	err := dberr.Tx(ctx, db, errs.Table, func(tx *sql.Tx) error { … })
//
// Package pgxerr, a separate module, does the same for pgx.
package dberr

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/internal/edge"
	"github.com/errgen/errgen/runtime/internal/sqlwrap"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Source is a source that the taxonomy declares, such as errs.SourcePostgres.
type Source = taxonomy.Declared[taxonomy.SourceName]

// Connector returns a connector whose connections classify each error of c, with the source:
// errors of statements, of rows, of transactions and of connecting. [driver.ErrBadConn] becomes a
// network failure that still wraps it, because database/sql then takes another connection.
// [io.EOF], [sql.ErrNoRows] and a cancellation are unchanged.
func Connector(c driver.Connector, t taxonomy.Table, source Source) driver.Connector {
	return sqlwrap.Connector(c, func(err error, lost bool) error { return Classify(t, source, err, lost) })
}

// Raw returns the connection of the driver, for the function of [sql.Conn.Raw].
func Raw(driverConn any) any { return sqlwrap.Raw(driverConn) }

// Classify returns the error of the table for an error of a database. The errors that [Connector]
// keeps are unchanged. lost reports that the connection is lost, which makes an error without a code
// a network failure.
func Classify(t taxonomy.Table, source Source, err error, lost bool) error {
	switch {
	case err == nil, err == io.EOF, errors.Is(err, sql.ErrNoRows), errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, driver.ErrBadConn):
		err = &taxonomy.Evidence{Source: source.String(), Type: "network", Effect: taxonomy.EffectNone, Err: err}
	}
	retrySafe, _ := errors.AsType[interface {
		error
		SafeToRetry() bool // of pgx
	}](err)
	if lost || retrySafe != nil && retrySafe.SafeToRetry() ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) {
		if ev := detect.Of(err); ev.Code == "" && ev.Type == "" {
			// pgx reports SafeToRetry even if the connection closed after the request was sent, so
			// the effect is unknown.
			ev.Type, ev.Effect = "network", taxonomy.EffectUnknown
			err = &ev
		}
	}
	return edge.Classify(t, source.String(), err)
}

// Beginner begins transactions: a *[sql.DB] or a *[sql.Conn].
type Beginner interface {
	BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error)
}

// WithOptions returns a beginner whose transactions have the options.
func WithOptions(db Beginner, opts *sql.TxOptions) Beginner { return withOptions{db, opts} }

type withOptions struct {
	Beginner
	opts *sql.TxOptions
}

func (w withOptions) BeginTx(ctx context.Context, _ *sql.TxOptions) (*sql.Tx, error) {
	return w.Beginner.BeginTx(ctx, w.opts)
}

// Tx runs f in a transaction and commits it. A transaction that fails is rolled back, and repeated
// as the reaction of the error specifies; see [Repeat] for a failed commit. If f panics, the
// transaction is rolled back. Effects of f outside of the database are repeated with it.
func Tx(ctx context.Context, db Beginner, t taxonomy.Table, f func(tx *sql.Tx) error, opts ...retry.Option) error {
	return Repeat(ctx, t, func(ctx context.Context) (committing bool, err error) {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			return false, err
		}
		defer tx.Rollback()                              //nolint:errcheck // without effect after the commit
		if err := cmp.Or(f(tx), ctx.Err()); err != nil { // database/sql sends no commit after ctx ended
			return false, err
		}
		return true, tx.Commit()
	}, opts...)
}

// Repeat repeats a transaction by the table. attempt reports whether its error is that of the
// commit. Before the commit nothing was applied, so the policy decides. After a commit without an
// answer the transaction may have been applied. It is repeated only with [retry.Idempotent], and the
// effect of the error is [taxonomy.EffectUnknown].
func Repeat(ctx context.Context, t taxonomy.Table, attempt func(ctx context.Context) (committing bool, err error),
	opts ...retry.Option) error {
	opts = append([]retry.Option{retry.ByTable(t), retry.NotIdempotent()}, opts...)
	return retry.Do(ctx, func(ctx context.Context) error {
		committing, err := attempt(ctx)
		if err == nil {
			return nil
		}
		if committing && !isRejected(err) {
			return &failedTx{err, taxonomy.EffectUnknown}
		}
		return &failedTx{err, taxonomy.EffectNone}
	}, opts...)
}

// isRejected reports whether the server answered a commit with an error that leaves nothing
// applied.
func isRejected(err error) bool {
	answer, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err)
	if !ok {
		return false
	}
	const statementCompletionUnknown = "40003"
	state := answer.SQLState()
	if len(state) != len(statementCompletionUnknown) || state == statementCompletionUnknown {
		return false
	}
	switch class := state[:2]; class {
	case "08", "57", "58", "XX": // the connection or the server ended
		return false
	}
	return true
}

// failedTx is the error of a transaction with its effect.
type failedTx struct {
	error
	effect taxonomy.Effect
}

func (f *failedTx) Unwrap() error { return f.error }

// CallEffect returns the effect of the transaction.
func (f *failedTx) CallEffect() (taxonomy.Effect, bool) { return f.effect, false }
