package dberr_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/dberr"
	"github.com/errgen/errgen/runtime/internal/booking"
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
					connector = dberr.Connector(connector, booking.Table, booking.SourcePostgres)
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

// A driver without contexts, and without prepared statements, works as without the wrapper.
func TestOldDriver(t *testing.T) {
	r := &recorder{}
	db := sql.OpenDB(dberr.Connector(connectorOf{oldConn{r}}, booking.Table, booking.SourcePostgres))
	_, err := db.Exec("INSERT", "a")
	require.NoError(t, err)
	assert.Equal(t, "a", r.received)
	_, err = db.Query("SELECT", "a")
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorIs(t, err, booking.CodeStoreFailed)
}

func TestCancellationIsUnchanged(t *testing.T) {
	cancelled := fmt.Errorf("query: %w", context.Canceled)
	for _, lost := range []bool{false, true} {
		assert.Same(t, cancelled, dberr.Classify(booking.Table, booking.SourcePostgres, cancelled, lost))
	}
}

// recorder is a statement that stores its argument.
type recorder struct {
	params   int
	received any
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

type connectorOf struct{ conn driver.Conn }

func (c connectorOf) Connect(context.Context) (driver.Conn, error) { return c.conn, nil }
func (c connectorOf) Driver() driver.Driver                        { return nil }
