// Package sqlwrap wraps a driver of database/sql, so that a function can replace its errors. Except
// for them, a wrapped driver behaves as without the wrapper.
package sqlwrap

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
)

// Convert returns the error in place of an error of a driver. lost reports that the driver
// considers the connection lost.
type Convert func(err error, lost bool) error

// Connector returns a connector that replaces the errors of c, of its connections, and of their
// statements, results, rows and transactions. It keeps the errors by which a driver controls database/sql,
// except [driver.ErrBadConn]: database/sql also finds that in an error that wraps it.
func Connector(c driver.Connector, convert Convert) driver.Connector {
	return &connector{c, convert}
}

type connector struct {
	driver.Connector
	convert Convert
}

func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, c.convert(err, false)
	}
	return withDirect(&conn{opened, c.convert}), nil
}

// Close closes the underlying connector, as [sql.DB.Close] requires.
//
// [sql.DB.Close]: https://pkg.go.dev/database/sql#DB.Close
func (c *connector) Close() error {
	if closer, ok := c.Connector.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}

// Raw returns the driver's connection, if driverConn is one of [Connector], or else driverConn.
func Raw(driverConn any) any {
	if c, ok := driverConn.(interface{ raw() driver.Conn }); ok {
		return c.raw()
	}
	return driverConn
}

// conn is a connection. If the driver's connection lacks an optional interface, conn behaves like
// database/sql without that interface.
type conn struct {
	driver.Conn
	convert Convert
}

func (c *conn) raw() driver.Conn { return c.Conn }

// of converts an error of the connection. It returns nil, and the errors that control database/sql,
// unchanged.
func (c *conn) of(err error) error {
	switch err {
	case nil, io.EOF, driver.ErrSkip, driver.ErrRemoveArgument: // database/sql compares them by ==
		return err
	}
	v, ok := c.Conn.(driver.Validator)
	return c.convert(err, ok && !v.IsValid())
}

func (c *conn) Ping(ctx context.Context) error {
	if p, ok := c.Conn.(driver.Pinger); ok {
		return c.of(p.Ping(ctx))
	}
	return nil
}

func (c *conn) Close() error { return c.of(c.Conn.Close()) }

func (c *conn) ResetSession(ctx context.Context) error {
	if r, ok := c.Conn.(driver.SessionResetter); ok {
		return c.of(r.ResetSession(ctx))
	}
	return nil
}

func (c *conn) IsValid() bool {
	v, ok := c.Conn.(driver.Validator)
	return !ok || v.IsValid()
}

func (c *conn) CheckNamedValue(value *driver.NamedValue) error {
	if checker, ok := c.Conn.(driver.NamedValueChecker); ok {
		return c.of(checker.CheckNamedValue(value))
	}
	return driver.ErrSkip
}

func (c *conn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

func (c *conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	var prepared driver.Stmt
	var err error
	if p, ok := c.Conn.(driver.ConnPrepareContext); ok {
		prepared, err = p.PrepareContext(ctx, query)
	} else if prepared, err = c.Conn.Prepare(query); err == nil && ctx.Err() != nil {
		_ = prepared.Close()
		err = ctx.Err()
	}
	if err != nil {
		return nil, c.of(err)
	}
	s := &stmt{prepared, c}
	//lint:ignore SA1019 old drivers have only this interface
	if converter, ok := prepared.(driver.ColumnConverter); ok {
		return &convertingStmt{s, converter}, nil
	}
	return s, nil
}

func (c *conn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

func (c *conn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	begun, err := c.begin(ctx, opts)
	if err != nil {
		return nil, c.of(err)
	}
	return &tx{begun, c}, nil
}

func (c *conn) begin(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if b, ok := c.Conn.(driver.ConnBeginTx); ok {
		return b.BeginTx(ctx, opts)
	}
	if opts != (driver.TxOptions{}) {
		return nil, errors.New("the driver has no options of transactions")
	}
	//lint:ignore SA1019 old drivers have only this method
	begun, err := c.Conn.Begin()
	if err == nil && ctx.Err() != nil {
		_ = begun.Rollback()
		return nil, ctx.Err()
	}
	return begun, err
}

// withDirect returns the connection with the methods of the driver that execute a query without a
// prepared statement. If the driver has none, database/sql must not find one, because it would
// check the arguments by the connection, and reject those that only the statement accepts.
func withDirect(c *conn) driver.Conn {
	_, exec := c.Conn.(driver.ExecerContext)
	_, query := c.Conn.(driver.QueryerContext)
	//lint:ignore SA1019 old drivers have only these interfaces
	_, oldExec := c.Conn.(driver.Execer)
	//lint:ignore SA1019 old drivers have only these interfaces
	_, oldQuery := c.Conn.(driver.Queryer)
	exec, query = exec || oldExec, query || oldQuery
	switch {
	case exec && query:
		return struct {
			*conn
			execer
			queryer
		}{c, execer{c}, queryer{c}}
	case exec:
		return struct {
			*conn
			execer
		}{c, execer{c}}
	case query:
		return struct {
			*conn
			queryer
		}{c, queryer{c}}
	}
	return c
}

// execer executes statements that are not prepared.
type execer struct{ on *conn }

func (e execer) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if x, ok := e.on.Conn.(driver.ExecerContext); ok {
		return e.on.result(x.ExecContext(ctx, query, args))
	}
	values, err := plain(ctx, args)
	if err != nil {
		return nil, err
	}
	//lint:ignore SA1019 old drivers have only this interface
	return e.on.result(e.on.Conn.(driver.Execer).Exec(query, values))
}

// queryer executes queries that are not prepared.
type queryer struct{ on *conn }

func (q queryer) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if x, ok := q.on.Conn.(driver.QueryerContext); ok {
		return q.on.rows(x.QueryContext(ctx, query, args))
	}
	values, err := plain(ctx, args)
	if err != nil {
		return nil, err
	}
	//lint:ignore SA1019 old drivers have only this interface
	return q.on.rows(q.on.Conn.(driver.Queryer).Query(query, values))
}

// result is the result of a statement that returns no rows.
type result struct {
	driver.Result
	conn *conn
}

// result returns the result of a statement that returns no rows.
func (c *conn) result(r driver.Result, err error) (driver.Result, error) {
	if err != nil {
		return nil, c.of(err)
	}
	return result{r, c}, nil
}

func (r result) LastInsertId() (int64, error) {
	n, err := r.Result.LastInsertId()
	return n, r.conn.of(err)
}

func (r result) RowsAffected() (int64, error) {
	n, err := r.Result.RowsAffected()
	return n, r.conn.of(err)
}

type tx struct {
	driver.Tx
	conn *conn
}

func (t *tx) Commit() error { return t.conn.of(t.Tx.Commit()) }

func (t *tx) Rollback() error { return t.conn.of(t.Tx.Rollback()) }

// stmt is a prepared statement.
type stmt struct {
	driver.Stmt
	conn *conn
}

// convertingStmt is a statement of a driver that converts arguments by column. For any other
// driver, database/sql must not find the method, because it then skips its own conversion.
type convertingStmt struct {
	*stmt
	//lint:ignore SA1019 old drivers have only this interface
	converter driver.ColumnConverter
}

func (s *convertingStmt) ColumnConverter(column int) driver.ValueConverter {
	return s.converter.ColumnConverter(column)
}

func (s *stmt) Close() error { return s.conn.of(s.Stmt.Close()) }

func (s *stmt) CheckNamedValue(value *driver.NamedValue) error {
	if checker, ok := s.Stmt.(driver.NamedValueChecker); ok {
		return s.conn.of(checker.CheckNamedValue(value))
	}
	return s.conn.CheckNamedValue(value)
}

func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	if e, ok := s.Stmt.(driver.StmtExecContext); ok {
		return s.conn.result(e.ExecContext(ctx, args))
	}
	values, err := plain(ctx, args)
	if err != nil {
		return nil, err
	}
	//lint:ignore SA1019 old drivers have only this method
	return s.conn.result(s.Stmt.Exec(values))
}

func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	if q, ok := s.Stmt.(driver.StmtQueryContext); ok {
		return s.conn.rows(q.QueryContext(ctx, args))
	}
	values, err := plain(ctx, args)
	if err != nil {
		return nil, err
	}
	//lint:ignore SA1019 old drivers have only this method
	return s.conn.rows(s.Stmt.Query(values))
}

// plain returns the arguments for a driver without contexts and names.
func plain(ctx context.Context, args []driver.NamedValue) ([]driver.Value, error) {
	values := make([]driver.Value, len(args))
	for i, a := range args {
		if a.Name != "" {
			return nil, errors.New("the driver has no named parameters")
		}
		values[i] = a.Value
	}
	return values, ctx.Err()
}
