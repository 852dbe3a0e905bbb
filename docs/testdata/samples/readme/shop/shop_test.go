package shop

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// database has one order, and fails as often as down says.
type database struct{ down, calls int }

func (d *database) Connect(context.Context) (driver.Conn, error) { return d, nil }
func (d *database) Driver() driver.Driver                        { return nil }
func (d *database) Prepare(string) (driver.Stmt, error)          { return nil, errors.New("not used") }
func (d *database) Begin() (driver.Tx, error)                    { return nil, errors.New("not used") }
func (d *database) Close() error                                 { return nil }

func (d *database) QueryContext(_ context.Context, _ string, args []driver.NamedValue) (driver.Rows, error) {
	if d.calls++; d.calls <= d.down {
		return nil, errors.New("password=hunter2-x refused")
	}
	return &rows{done: args[0].Value != "o-1"}, nil
}

type rows struct{ done bool }

func (r *rows) Columns() []string { return []string{"item"} }
func (r *rows) Close() error      { return nil }

func (r *rows) Next(row []driver.Value) error {
	if r.done {
		return io.EOF
	}
	row[0], r.done = "tea", true
	return nil
}

func TestItem(t *testing.T) {
	notFound, err := os.ReadFile("not_found.json") // the document of README.md
	require.NoError(t, err)
	for _, tt := range []struct {
		name, path  string
		down, calls int
		status      int
		want        string
	}{
		{"item", "/orders/o-1", 2, 3, http.StatusOK, `"tea"`},
		{"no order", "/orders/o-7", 0, 1, http.StatusNotFound, string(notFound)},
		{"outage", "/orders/o-1", 3, 3, http.StatusInternalServerError,
			`{"type":"https://shop.example.com/errors/INTERNAL","title":"The service failed","status":500,
			"detail":"internal error","instance":"/orders/o-1","code":"INTERNAL","retryable":false,"context":{}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &database{down: tt.down}
				db := sql.OpenDB(d)
				defer db.Close()
				w := httptest.NewRecorder()
				(&shop{db}).handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, tt.path, nil))
				assert.Equal(t, []int{tt.status, tt.calls}, []int{w.Code, d.calls})
				assert.JSONEq(t, tt.want, strings.TrimSpace(w.Body.String()))
			})
		})
	}
}
