// Package dbtest is a database for tests, whose statements get the answers of a script.
//
//	s := script.New(errs.Examples())
//	s.Fail(errs.CodeStoreConflict)
//	db := sql.OpenDB(dberr.Connector(dbtest.Connector(s, nil), errs.Table, errs.SourcePostgres))
package dbtest

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"

	"github.com/errgen/errgen/runtime/errtest/script"
)

// Connector returns a database for [sql.OpenDB]. A statement that succeeds has no rows. Commits get
// the answers of commits; if it is nil, they succeed. Statements cannot be prepared.
//
// [sql.OpenDB]: https://pkg.go.dev/database/sql#OpenDB
func Connector(statements, commits *script.Script) driver.Connector {
	return &database{statements, commits}
}

// database is a connector, its driver, its connections and their statements.
type database struct{ statements, commits *script.Script }

var errUnsupported = errors.New("dbtest: not supported")

func (d *database) Connect(context.Context) (driver.Conn, error) { return d, nil }
func (d *database) Driver() driver.Driver                        { return d }
func (d *database) Open(string) (driver.Conn, error)             { return d, nil }
func (d *database) Close() error                                 { return nil }
func (d *database) Begin() (driver.Tx, error)                    { return nil, errUnsupported }
func (d *database) Prepare(string) (driver.Stmt, error)          { return nil, errUnsupported }

func (d *database) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	return &tx{ctx, d.commits}, nil
}

type tx struct {
	ctx     context.Context // of BeginTx, because Commit has none
	commits *script.Script
}

func (t *tx) Commit() error {
	if t.commits == nil {
		return nil
	}
	return t.commits.Err(t.ctx)
}

func (t *tx) Rollback() error { return nil }

func (d *database) ExecContext(ctx context.Context, _ string, _ []driver.NamedValue) (driver.Result, error) {
	if err := d.statements.Err(ctx); err != nil {
		return nil, err
	}
	return driver.RowsAffected(1), nil
}

func (d *database) QueryContext(ctx context.Context, _ string, _ []driver.NamedValue) (driver.Rows, error) {
	if err := d.statements.Err(ctx); err != nil {
		return nil, err
	}
	return noRows{}, nil
}

type noRows struct{}

func (noRows) Columns() []string         { return nil }
func (noRows) Close() error              { return nil }
func (noRows) Next([]driver.Value) error { return io.EOF }
