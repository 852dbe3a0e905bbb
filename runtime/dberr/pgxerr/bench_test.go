package pgxerr_test

import (
	"database/sql"
	"database/sql/driver"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/dberr"
	"github.com/errgen/errgen/runtime/dberr/pgxerr"
	"github.com/errgen/errgen/runtime/internal/booking"
	"github.com/errgen/errgen/runtime/internal/pgtest"
	"github.com/errgen/errgen/runtime/internal/turns"
)

const benchQuery = "SELECT n FROM generate_series(1, $1) AS n"

// BenchmarkPgx is the cost of pgxerr for a query of 10 rows on a server of this machine.
func BenchmarkPgx(b *testing.B) {
	pool, err := pgxpool.New(b.Context(), pgtest.Start(b))
	require.NoError(b, err)
	defer pool.Close()
	query := func(db pgxerr.Querier) func() error {
		return func() error {
			rows, err := db.Query(b.Context(), benchQuery, 10)
			if err != nil {
				return err
			}
			_, err = pgx.CollectRows(rows, pgx.RowTo[int])
			return err
		}
	}
	turns.Compare(b, query(pool), query(pgxerr.Wrap(pool, booking.Table, booking.SourcePostgres)))
}

// BenchmarkSQL is the cost of dberr for the same through database/sql.
func BenchmarkSQL(b *testing.B) {
	config, err := pgx.ParseConfig(pgtest.Start(b))
	require.NoError(b, err)
	bare := stdlib.GetConnector(*config)
	query := func(c driver.Connector) func() error {
		db := sql.OpenDB(c)
		b.Cleanup(func() { _ = db.Close() })
		return func() error {
			rows, err := db.QueryContext(b.Context(), benchQuery, 10)
			if err != nil {
				return err
			}
			for n := 0; rows.Next(); {
				if err := rows.Scan(&n); err != nil {
					return err
				}
			}
			return rows.Err()
		}
	}
	turns.Compare(b, query(bare), query(dberr.Connector(bare, booking.Table, booking.SourcePostgres)))
}
