// Package edges has functions that call databases, services and queues through the edges of the
// runtime.
package edges

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net/http"
	"os"

	"github.com/errgen/errgen/runtime/dberr"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/httpcall"
	"github.com/errgen/errgen/runtime/queue"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"

	"github.com/errgen/errgen/vet/internal/infer/testdata/errs"
)

// Open opens the database of the package. The errors of all its calls are classified.
func Open(c driver.Connector) *sql.DB {
	return sql.OpenDB(dberr.Connector(c, errs.Table, errs.SourceDB))
}

// want: DB_DOWN DB_FAILED (context) foreign(sql.DB.ExecContext)
func Exec(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, "DELETE FROM orders")
	return err
}

// want: NOT_FOUND DB_DOWN DB_FAILED (context) foreign(sql.Row.Scan)
func Scan(ctx context.Context, db *sql.DB) error {
	var id string
	err := db.QueryRowContext(ctx, "SELECT id FROM orders").Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return errs.NewNotFound(id)
	}
	return err
}

// want: DB_FAILED (context) foreign(sql.DB.PingContext)
func NotDown(ctx context.Context, db *sql.DB) error {
	err := db.PingContext(ctx)
	if errors.Is(err, errs.CodeDBDown) {
		return nil
	}
	return err
}

type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

var db *sql.DB

// want: DB_DOWN DB_FAILED (context) foreign(sql.DB.ExecContext)
func ByInterface(ctx context.Context) error { return execute(ctx, db) }

// want: DB_DOWN DB_FAILED (context) foreign(sql.DB.ExecContext)
func execute(ctx context.Context, q querier) error {
	_, err := q.ExecContext(ctx, "DELETE FROM orders")
	return err
}

// want: CLOSED DB_DOWN DB_FAILED UNEXPECTED (context)
func Tx(ctx context.Context, db *sql.DB) error {
	return dberr.Tx(ctx, db, errs.Table, func(*sql.Tx) error { return errs.NewClosed() })
}

// want: DB_DOWN DB_FAILED (context) $classified_f() $t.Classify()
func TxOf(ctx context.Context, db *sql.DB, t taxonomy.Table, f func(*sql.Tx) error) error {
	return dberr.Tx(ctx, db, t, f)
}

// want: EXISTS DB_DOWN DB_FAILED UNEXPECTED (context)
func TxByHelper(ctx context.Context, db *sql.DB) error {
	return TxOf(ctx, db, errs.Table, func(*sql.Tx) error { return errs.NewExists() })
}

// want: EXISTS UNEXPECTED (context)
func Repeat(ctx context.Context) error {
	return dberr.Repeat(ctx, errs.Table, func(context.Context) (bool, error) {
		if _, err := os.Open("x"); err != nil {
			return false, err
		}
		return true, errs.NewExists()
	}, retry.Idempotent())
}

// want: DB_DOWN DB_FAILED (context) foreign(dberr.Classify)
func Classify() error {
	_, err := os.Open("x")
	return dberr.Classify(errs.Table, errs.SourceDB, err, false)
}

type gateway struct{ client *httpcall.Client }

func newGateway() *gateway { return &gateway{httpcall.New(errs.Table, errs.SourceGw)} }

// want: GW_DOWN UNEXPECTED (context)
func (g *gateway) ping(req *http.Request) error {
	_, err := g.client.Do(req)
	return err
}

// want: GW_DOWN UNEXPECTED (context)
func Ping(req *http.Request) error { return newGateway().ping(req) }

// want: GW_DOWN UNEXPECTED (context) foreign(json.Marshal) foreign(http.NewRequestWithContext)
func (g *gateway) pay(ctx context.Context) (int, error) {
	return httpcall.JSON[int](ctx, g.client, http.MethodPost, "http://gateway/pay", nil)
}

// The services behind this client have the same table, so their codes arrive.
//
// want: NOT_FOUND EXISTS CLOSED DECLINED EXPIRED INTERNAL DB_DOWN DB_FAILED (context)
func Orders(req *http.Request) error {
	client := httpcall.New(errs.Table, errs.SourceDB, httpcall.Servers(errs.Table))
	_, err := client.Do(req)
	return err
}

// want: CLOSED foreign(taxonomy.Evidence)
func Called() error { return queue.Call(func() error { return errs.NewClosed() }) }

// want: DB_DOWN CLOSED (context)
func Decided(ctx context.Context, db *sql.DB) error {
	err := errs.Classify(db.Ping(), detect.WithSource(errs.SourceDB))
	if !errors.Is(err, errs.CodeDBDown) {
		err = errs.NewClosed()
	}
	return queue.Decide(ctx, errs.Table, err, queue.History{}).Err
}
