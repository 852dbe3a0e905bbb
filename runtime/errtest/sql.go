package errtest

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
)

// Connector returns a database whose statements get the answers of the script, for [sql.OpenDB]. A
// statement that succeeds has no rows. Commits get the answers of commits; if it is nil, they succeed.
//
//	db := sql.OpenDB(dberr.Connector(s.Connector(nil), errs.Table, errs.SourcePostgres))
//
// [sql.OpenDB]: https://pkg.go.dev/database/sql#OpenDB
func (s *Script) Connector(commits *Script) driver.Connector { return &database{s, commits} }

// database is a connector, its driver, its connections, their transactions and their statements.
type database struct{ statements, commits *Script }

var errUnsupported = errors.New("errtest: not supported")

func (d *database) Connect(context.Context) (driver.Conn, error) { return d, nil }
func (d *database) Driver() driver.Driver                        { return d }
func (d *database) Open(string) (driver.Conn, error)             { return d, nil }
func (d *database) Close() error                                 { return nil }
func (d *database) Begin() (driver.Tx, error)                    { return d, nil }
func (d *database) Rollback() error                              { return nil }
func (d *database) Prepare(string) (driver.Stmt, error)          { return nil, errUnsupported }

func (d *database) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) { return d, nil }

func (d *database) Commit() error {
	if d.commits == nil {
		return nil
	}
	return d.commits.Err(context.Background())
}

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
