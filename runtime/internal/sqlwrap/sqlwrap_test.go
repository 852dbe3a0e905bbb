package sqlwrap_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/internal/sqlwrap"
)

// A wrapped driver receives the arguments that it receives without the wrapper, however it checks
// and converts them.
func TestArgumentsOfPreparedStatements(t *testing.T) {
	for _, tt := range []struct {
		name string
		conn func(*recorder) driver.Conn
		arg  any
		want any // what the driver receives
	}{
		{"a connection that checks", func(r *recorder) driver.Conn { return checkingConn{recordingConn{r, false}} },
			[]string{"a"}, []string{"a"}},
		{"a statement that converts columns", func(r *recorder) driver.Conn { return recordingConn{r, true} },
			"a", "column 0: a"},
		{"neither, with a count of parameters", func(r *recorder) driver.Conn { return recordingConn{r, false} },
			int32(7), int64(7)},
		{"neither, without a count", func(r *recorder) driver.Conn { r.params = -1; return recordingConn{r, false} },
			int32(7), int64(7)},
	} {
		for _, wrapped := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/wrapped %t", tt.name, wrapped), func(t *testing.T) {
				r := &recorder{params: 1}
				connector := driver.Connector(connectorOf{tt.conn(r)})
				if wrapped {
					connector = sqlwrap.Connector(connector, convert)
				}
				db := sql.OpenDB(connector)
				s, err := db.Prepare("INSERT")
				require.NoError(t, err)
				_, err = s.Exec(tt.arg)
				require.NoError(t, err)
				assert.Equal(t, tt.want, r.received)
			})
		}
	}
}

// Without Execer and Queryer, a driver receives arguments that only its statements accept, and each
// argument is checked once.
func TestArgumentsThatOnlyStatementsAccept(t *testing.T) {
	for _, wrapped := range []bool{false, true} {
		r := &recorder{params: 1}
		connector := driver.Connector(connectorOf{statementCheckingConn{recordingConn{r, false}}})
		if wrapped {
			connector = sqlwrap.Connector(connector, convert)
		}
		db := sql.OpenDB(connector)
		_, err := db.Exec("INSERT", []string{"a"})
		require.NoError(t, err, "wrapped %t", wrapped)
		assert.Equal(t, []string{"a"}, r.received)
		_, err = db.Query("SELECT", []string{"a"})
		require.ErrorIs(t, err, errors.ErrUnsupported, "wrapped %t", wrapped)
		assert.Equal(t, 2, r.checks, "wrapped %t", wrapped)
	}
}

// A driver without contexts, and without prepared statements, works as without the wrapper.
func TestOldDriver(t *testing.T) {
	r := &recorder{}
	db := sql.OpenDB(sqlwrap.Connector(connectorOf{oldConn{r}}, convert))
	_, err := db.Exec("INSERT", "a")
	require.NoError(t, err)
	assert.Equal(t, "a", r.received)
	_, err = db.Query("SELECT", "a")
	require.EqualError(t, err, "lost false: unsupported operation")
}

func TestRaw(t *testing.T) {
	r := &recorder{}
	for _, conn := range []driver.Conn{recordingConn{r, false}, oldConn{r}, &failingConn{}} {
		wrapped, err := sqlwrap.Connector(connectorOf{conn}, convert).Connect(t.Context())
		require.NoError(t, err)
		assert.Equal(t, conn, sqlwrap.Raw(wrapped))
		assert.Equal(t, conn, sqlwrap.Raw(conn))
	}
}

// convert returns an error with the arguments.
func convert(err error, lost bool) error { return fmt.Errorf("lost %t: %w", lost, err) }

// Every error of a driver is converted once, except those by which it controls database/sql.
func TestErrors(t *testing.T) {
	fault := errors.New("fault")
	ctx := t.Context()
	for name, use := range map[string]func(*sql.DB) error{
		"ping":  func(db *sql.DB) error { return db.Ping() },
		"begin": func(db *sql.DB) error { _, err := db.Begin(); return err },
		"exec":  func(db *sql.DB) error { _, err := db.Exec(""); return err },
		"next":  func(db *sql.DB) error { return db.QueryRow("rows").Scan(new(int)) },
		"commit": func(db *sql.DB) error {
			tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
			require.NoError(t, err)
			return tx.Commit()
		},
		"prepare": func(db *sql.DB) error { _, err := db.Prepare(""); return err },
		"statement": func(db *sql.DB) error {
			s, err := db.Prepare("valid")
			require.NoError(t, err)
			_, err = s.Query()
			return err
		},
		"rows affected": func(db *sql.DB) error {
			s, err := db.Prepare("valid")
			require.NoError(t, err)
			result, err := s.Exec()
			require.NoError(t, err)
			_, err = result.RowsAffected()
			return err
		},
		"last insert id": func(db *sql.DB) error {
			result, err := db.Exec("valid")
			require.NoError(t, err)
			_, err = result.LastInsertId()
			return err
		},
	} {
		for _, lost := range []bool{false, true} {
			db := sql.OpenDB(sqlwrap.Connector(connectorOf{&failingConn{fault, lost}}, convert))
			require.EqualError(t, use(db), fmt.Sprintf("lost %t: fault", lost), name)
		}
	}
	db := sql.OpenDB(sqlwrap.Connector(connectorOf{&failingConn{io.EOF, false}}, convert))
	require.ErrorIs(t, db.QueryRow("rows").Scan(new(int)), sql.ErrNoRows, "io.EOF ends rows")
	require.EqualError(t, sql.OpenDB(sqlwrap.Connector(connectorOf{}, convert)).Ping(), "lost false: refused")

	db = sql.OpenDB(sqlwrap.Connector(connectorOf{&failingConn{fault, false}}, convert))
	conn, err := db.Conn(ctx)
	require.NoError(t, err)
	require.NoError(t, conn.Close(), "it goes to the pool")
	require.EqualError(t, db.Close(), "lost false: fault")
}

// failingConn fails with an error.
type failingConn struct {
	fault error
	lost  bool
}

func (f *failingConn) IsValid() bool              { return !f.lost }
func (f *failingConn) Ping(context.Context) error { return f.fault }
func (f *failingConn) Begin() (driver.Tx, error)  { return nil, f.fault }
func (f *failingConn) Close() error               { return f.fault }
func (f *failingConn) Prepare(query string) (driver.Stmt, error) {
	if query == "valid" {
		return failingStmt{f}, nil
	}
	return nil, f.fault
}
func (f *failingConn) BeginTx(_ context.Context, opts driver.TxOptions) (driver.Tx, error) {
	if opts.ReadOnly {
		return failingTx{f}, nil
	}
	return nil, f.fault
}
func (f *failingConn) ExecContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Result, error) {
	if query == "valid" {
		return failingResult{f}, nil
	}
	return nil, f.fault
}
func (f *failingConn) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return failingRows{f}, nil
}

type failingResult struct{ *failingConn }

func (f failingResult) LastInsertId() (int64, error) { return 0, f.fault }
func (f failingResult) RowsAffected() (int64, error) { return 0, f.fault }

type failingStmt struct{ *failingConn }

func (failingStmt) NumInput() int                                { return 0 }
func (f failingStmt) Exec([]driver.Value) (driver.Result, error) { return failingResult(f), nil }
func (f failingStmt) Query([]driver.Value) (driver.Rows, error)  { return nil, f.fault }

type failingTx struct{ *failingConn }

func (f failingTx) Commit() error { return f.fault }
func (failingTx) Rollback() error { return nil }

type failingRows struct{ *failingConn }

func (failingRows) Columns() []string           { return []string{"n"} }
func (f failingRows) Next([]driver.Value) error { return f.fault }

// recorder is a statement that stores its argument.
type recorder struct {
	params   int
	received any
	checks   int // of arguments by its connection or statement
}

func (r *recorder) Close() error                              { return nil }
func (r *recorder) NumInput() int                             { return r.params }
func (r *recorder) Query([]driver.Value) (driver.Rows, error) { return nil, errors.ErrUnsupported }
func (r *recorder) Exec(args []driver.Value) (driver.Result, error) {
	r.received = args[0]
	return driver.RowsAffected(1), nil
}

// convertingRecorder converts its argument by column.
type convertingRecorder struct{ *recorder }

func (c convertingRecorder) ColumnConverter(column int) driver.ValueConverter { return prefix(column) }

type prefix int

func (p prefix) ConvertValue(v any) (driver.Value, error) {
	return fmt.Sprintf("column %d: %v", p, v), nil
}

type recordingConn struct {
	*recorder
	converts bool
}

func (c recordingConn) Prepare(string) (driver.Stmt, error) {
	if c.converts {
		return convertingRecorder{c.recorder}, nil
	}
	return c.recorder, nil
}
func (c recordingConn) Begin() (driver.Tx, error) { return nil, errors.ErrUnsupported }

// oldConn has the interfaces that database/sql replaced.
type oldConn struct{ *recorder }

func (oldConn) Prepare(string) (driver.Stmt, error) { return nil, errors.New("no statements") }
func (oldConn) Begin() (driver.Tx, error)           { return nil, errors.ErrUnsupported }
func (c oldConn) Exec(_ string, args []driver.Value) (driver.Result, error) {
	return c.recorder.Exec(args)
}
func (c oldConn) Query(_ string, args []driver.Value) (driver.Rows, error) {
	return c.recorder.Query(args)
}

// checkingConn accepts values of all types.
type checkingConn struct{ recordingConn }

func (checkingConn) CheckNamedValue(*driver.NamedValue) error { return nil }

// statementCheckingConn has statements that accept values of all types.
type statementCheckingConn struct{ recordingConn }

func (c statementCheckingConn) Prepare(string) (driver.Stmt, error) {
	return checkingRecorder{c.recorder}, nil
}

type checkingRecorder struct{ *recorder }

func (c checkingRecorder) CheckNamedValue(*driver.NamedValue) error {
	c.checks++
	return nil
}

type connectorOf struct{ conn driver.Conn }

func (c connectorOf) Connect(context.Context) (driver.Conn, error) {
	if c.conn == nil {
		return nil, errors.New("refused")
	}
	return c.conn, nil
}
func (c connectorOf) Driver() driver.Driver { return nil }
