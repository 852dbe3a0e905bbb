package sqlwrap

import (
	"database/sql/driver"
	"io"
	"reflect"
)

// rows is the result of a query. If the driver does not describe the type of a column, rows returns
// the default of database/sql.
type rows struct {
	driver.Rows
	conn *conn
}

// rows returns the result of a query.
func (c *conn) rows(r driver.Rows, err error) (driver.Rows, error) {
	if err != nil {
		return nil, c.of(err)
	}
	return &rows{r, c}, nil
}

func (r *rows) Next(dest []driver.Value) error { return r.conn.of(r.Rows.Next(dest)) }

func (r *rows) Close() error { return r.conn.of(r.Rows.Close()) }

func (r *rows) HasNextResultSet() bool {
	n, ok := r.Rows.(driver.RowsNextResultSet)
	return ok && n.HasNextResultSet()
}

func (r *rows) NextResultSet() error {
	if n, ok := r.Rows.(driver.RowsNextResultSet); ok {
		return r.conn.of(n.NextResultSet())
	}
	return io.EOF
}

func (r *rows) ColumnTypeScanType(index int) reflect.Type {
	if c, ok := r.Rows.(driver.RowsColumnTypeScanType); ok {
		return c.ColumnTypeScanType(index)
	}
	return reflect.TypeFor[any]()
}

func (r *rows) ColumnTypeDatabaseTypeName(index int) string {
	if c, ok := r.Rows.(driver.RowsColumnTypeDatabaseTypeName); ok {
		return c.ColumnTypeDatabaseTypeName(index)
	}
	return ""
}

func (r *rows) ColumnTypeLength(index int) (length int64, ok bool) {
	if c, ok := r.Rows.(driver.RowsColumnTypeLength); ok {
		return c.ColumnTypeLength(index)
	}
	return 0, false
}

func (r *rows) ColumnTypeNullable(index int) (nullable, ok bool) {
	if c, ok := r.Rows.(driver.RowsColumnTypeNullable); ok {
		return c.ColumnTypeNullable(index)
	}
	return false, false
}

func (r *rows) ColumnTypePrecisionScale(index int) (precision, scale int64, ok bool) {
	if c, ok := r.Rows.(driver.RowsColumnTypePrecisionScale); ok {
		return c.ColumnTypePrecisionScale(index)
	}
	return 0, 0, false
}
