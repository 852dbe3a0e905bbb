package pgxerr_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/dberr"
	"github.com/errgen/errgen/runtime/dberr/pgxerr"
	"github.com/errgen/errgen/runtime/internal/booking"
	"github.com/errgen/errgen/runtime/internal/pgtest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// dbtx is the interface that sqlc generates.
type dbtx interface {
	Exec(context.Context, string, ...any) (pgconn.CommandTag, error)
	Query(context.Context, string, ...any) (pgx.Rows, error)
	QueryRow(context.Context, string, ...any) pgx.Row
	CopyFrom(context.Context, pgx.Identifier, []string, pgx.CopyFromSource) (int64, error)
	SendBatch(context.Context, *pgx.Batch) pgx.BatchResults
}

var _ dbtx = (*pgxerr.DB)(nil)

// fails ends a query after its first row.
const fails = "SELECT 1 / (2 - i) FROM generate_series(1, 2) AS i"

func TestErrorsOfPgx(t *testing.T) {
	pool, err := pgxpool.New(t.Context(), pgtest.Start(t))
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	db := pgxerr.Wrap(pool, booking.Table, booking.SourcePostgres)
	ctx := t.Context()
	tx, err := db.Begin(ctx)
	require.NoError(t, err)
	for name, q := range map[string]pgxerr.Querier{"pool": db, "transaction": tx} {
		inSavepoint := func(f func(q pgxerr.Querier) error) error {
			if name == "pool" {
				return f(q)
			}
			nested, err := q.Begin(ctx)
			require.NoError(t, err)
			defer func() { require.NoError(t, nested.Rollback(ctx)) }()
			return f(nested)
		}
		for call, f := range map[string]func(q pgxerr.Querier) error{
			"exec":  func(q pgxerr.Querier) error { _, err := q.Exec(ctx, "SELECT nothing"); return err },
			"query": func(q pgxerr.Querier) error { _, err := q.Query(ctx, "SELECT nothing"); return err },
			"row":   func(q pgxerr.Querier) error { var n int; return q.QueryRow(ctx, "SELECT 1/0").Scan(&n) },
			"rows": func(q pgxerr.Querier) error {
				rows, err := q.Query(ctx, fails)
				require.NoError(t, err)
				n := 0
				for rows.Next() {
					n++
				}
				assert.Equal(t, 1, n)
				return rows.Err()
			},
			"collect": func(q pgxerr.Querier) error {
				rows, _ := q.Query(ctx, fails)
				_, err := pgx.CollectRows(rows, pgx.RowTo[int])
				return err
			},
			"copy": func(q pgxerr.Querier) error {
				_, err := q.CopyFrom(ctx, pgx.Identifier{"nothing"}, []string{"a"}, pgx.CopyFromRows(nil))
				return err
			},
			"batch": func(q pgxerr.Querier) error {
				b := &pgx.Batch{}
				b.Queue("SELECT nothing")
				b.Queue("SELECT nothing")
				results := q.SendBatch(ctx, b)
				_, err := results.Exec()
				assert.ErrorIs(t, results.Close(), booking.CodeStoreFailed)
				return err
			},
		} {
			assert.ErrorIs(t, inSavepoint(f), booking.CodeStoreFailed, "%s: %s", name, call)
		}
		var n int
		assert.ErrorIs(t, q.QueryRow(ctx, "SELECT 1 WHERE false").Scan(&n), pgx.ErrNoRows)
		assert.Empty(t, taxonomy.CodeOf(q.QueryRow(ctx, "SELECT 1 WHERE false").Scan(&n)))
	}
	require.NoError(t, tx.Commit(ctx))
	assert.Equal(t, pgx.ErrTxClosed, tx.Commit(ctx))
	stopped, stop := context.WithCancel(ctx)
	stop()
	_, err = db.Exec(stopped, "SELECT 1")
	assert.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, taxonomy.CodeOf(err))

	nobody, err := pgxpool.New(ctx, "postgres://test@127.0.0.1:1/none?sslmode=disable")
	require.NoError(t, err)
	t.Cleanup(nobody.Close)
	_, err = pgxerr.Wrap(nobody, booking.Table, booking.SourcePostgres).Exec(ctx, "SELECT 1")
	assert.ErrorIs(t, err, booking.CodeStoreDown)
}

// bare is a driver that has no optional interface.
type bare struct{ driver.Connector }

func (b bare) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := b.Connector.Connect(ctx)
	return struct{ driver.Conn }{c}, err
}

func TestErrorsOfDatabaseSQL(t *testing.T) {
	config, err := pgx.ParseConfig(pgtest.Start(t))
	require.NoError(t, err)
	ctx := t.Context()
	for name, c := range map[string]driver.Connector{
		"pgx": stdlib.GetConnector(*config), "bare": bare{stdlib.GetConnector(*config)},
	} {
		db := sql.OpenDB(dberr.Connector(c, booking.Table, booking.SourcePostgres))
		t.Cleanup(func() { assert.NoError(t, db.Close()) })
		require.NoError(t, db.PingContext(ctx))
		prepared, err := db.PrepareContext(ctx, "SELECT 1 / $1::int")
		require.NoError(t, err)
		for call, f := range map[string]func() error{
			"exec":    func() error { _, err := db.ExecContext(ctx, "SELECT nothing"); return err },
			"query":   func() error { _, err := db.QueryContext(ctx, "SELECT nothing"); return err },
			"prepare": func() error { _, err := db.PrepareContext(ctx, "SELECT nothing"); return err },
			"stmt":    func() error { _, err := prepared.ExecContext(ctx, 0); return err },
			"row":     func() error { var n int; return prepared.QueryRowContext(ctx, 0).Scan(&n) },
			"rows": func() error {
				rows, err := db.QueryContext(ctx, fails)
				require.NoError(t, err)
				for rows.Next() {
				}
				return rows.Err()
			},
		} {
			err := f()
			assert.ErrorIs(t, err, booking.CodeStoreFailed, "%s: %s", name, call)
			_, ok := errors.AsType[*pgconn.PgError](err)
			assert.True(t, ok)
		}
		var n int
		assert.Equal(t, sql.ErrNoRows, db.QueryRowContext(ctx, "SELECT 1 WHERE false").Scan(&n))
		require.NoError(t, prepared.QueryRowContext(ctx, 1).Scan(&n))

		rows, err := db.QueryContext(ctx, "SELECT 'x'::varchar(7) AS v")
		require.NoError(t, err)
		types, err := rows.ColumnTypes()
		require.NoError(t, err)
		assert.Equal(t, "VARCHAR", types[0].DatabaseTypeName())
		length, _ := types[0].Length()
		assert.Equal(t, int64(7), length)
		require.NoError(t, rows.Close())

		conn, err := db.Conn(ctx)
		require.NoError(t, err)
		require.NoError(t, conn.Raw(func(driverConn any) error {
			_, ok := dberr.Raw(driverConn).(*stdlib.Conn)
			assert.Equal(t, name == "pgx", ok)
			return nil
		}))
		require.NoError(t, conn.Close())
		require.NoError(t, dberr.Tx(ctx, db, booking.Table, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, "SELECT 1")
			return err
		}))
	}
}

// A transaction that fails otherwise is rolled back, and its error is returned.
func TestTxEnds(t *testing.T) {
	pool, err := pgxpool.New(t.Context(), pgtest.Start(t))
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	db, ctx := pgxerr.Wrap(pool, booking.Table, booking.SourcePostgres), t.Context()
	_, err = db.Exec(ctx, "CREATE TABLE t (a int PRIMARY KEY DEFERRABLE INITIALLY DEFERRED)")
	require.NoError(t, err)
	calls := 0
	insert := func(tx pgx.Tx) error {
		calls++
		_, err := tx.Exec(ctx, "INSERT INTO t VALUES (1)")
		return err
	}
	err = pgxerr.Tx(ctx, db, booking.Table, func(tx pgx.Tx) error {
		return errors.Join(insert(tx), booking.NewRoomTaken())
	})
	assert.ErrorIs(t, err, booking.CodeRoomTaken)
	assert.PanicsWithValue(t, "lost", func() {
		_ = pgxerr.Tx(ctx, db, booking.Table, func(tx pgx.Tx) error { _ = insert(tx); panic("lost") })
	})
	require.NoError(t, pgxerr.Tx(ctx, db, booking.Table, insert))
	calls = 0
	err = pgxerr.Tx(ctx, db, booking.Table, insert)
	assert.ErrorIs(t, err, booking.CodeStoreFailed, "the constraint is deferred to the commit")
	assert.Equal(t, taxonomy.EffectNone, taxonomy.EffectOf(err, nil))
	assert.Equal(t, 1, calls)
	err = pgxerr.Tx(ctx, db, booking.Table, func(tx pgx.Tx) error { _, _ = tx.Exec(ctx, "SELECT nothing"); return nil })
	assert.ErrorIs(t, err, pgx.ErrTxCommitRollback)
	var n int
	require.NoError(t, db.QueryRow(ctx, "SELECT count(*) FROM t").Scan(&n))
	assert.Equal(t, 1, n)
	_, err = pgxerr.Wrap(nil, booking.Table, booking.SourcePostgres).WithOptions(pgx.TxOptions{}).Begin(ctx)
	assert.Error(t, err)
}

// A transfer that conflicts with others is repeated.
func ExampleTx() {
	transfer := func(ctx context.Context, pool *pgxpool.Pool) error {
		db := pgxerr.Wrap(pool, booking.Table, booking.SourcePostgres)
		return pgxerr.Tx(ctx, db, booking.Table, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "UPDATE accounts SET cents = cents - 5 WHERE id = 1"); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, "UPDATE accounts SET cents = cents + 5 WHERE id = 2")
			return err
		})
	}
	pool, _ := pgxpool.New(context.Background(), "postgres://test@127.0.0.1:1/none?connect_timeout=1")
	defer pool.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	fmt.Println(taxonomy.CodeOf(transfer(ctx, pool)))
	// Output: STORE_DOWN
}

func BenchmarkExec(b *testing.B) {
	url := pgtest.Start(b)
	pool, err := pgxpool.New(b.Context(), url)
	require.NoError(b, err)
	defer pool.Close()
	config, err := pgx.ParseConfig(url)
	require.NoError(b, err)
	bare := stdlib.GetConnector(*config)
	wrapped := dberr.Connector(stdlib.GetConnector(*config), booking.Table, booking.SourcePostgres)
	for name, db := range map[string]pgxerr.Querier{
		"pgx bare": pool, "pgx": pgxerr.Wrap(pool, booking.Table, booking.SourcePostgres),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _ = db.Exec(b.Context(), "SELECT 1")
			}
		})
	}
	for name, c := range map[string]driver.Connector{"sql bare": bare, "sql": wrapped} {
		db := sql.OpenDB(c)
		defer db.Close()
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _ = db.ExecContext(b.Context(), "SELECT 1")
			}
		})
	}
}
