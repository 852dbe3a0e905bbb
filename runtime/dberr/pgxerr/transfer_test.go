package pgxerr_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/dberr"
	"github.com/errgen/errgen/runtime/dberr/pgxerr"
	"github.com/errgen/errgen/runtime/internal/booking"
	"github.com/errgen/errgen/runtime/internal/pgtest"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const accounts = 16

// cutter is a proxy that cuts connections: at random, and before and after commits.
type cutter struct {
	to   string
	addr string
	cuts atomic.Int64
	off  atomic.Bool
}

func newCutter(t *testing.T, url string) (*cutter, string) {
	t.Helper()
	from := strings.SplitN(strings.SplitN(url, "@", 2)[1], "/", 2)[0]
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	c := &cutter{to: from, addr: l.Addr().String()}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", c.to)
			if err != nil {
				_ = client.Close()
				continue
			}
			go c.pipe(client, server)
			go func() { _, _ = io.Copy(client, server); _ = client.Close() }()
		}
	}()
	return c, strings.Replace(url, from, c.addr, 1)
}

// pipe copies what the client sends.
func (c *cutter) pipe(client, server net.Conn) {
	defer client.Close()
	defer server.Close()
	b := make([]byte, 16<<10)
	for {
		n, err := client.Read(b)
		if err != nil {
			return
		}
		commit := bytes.Contains(bytes.ToLower(b[:n]), []byte("commit"))
		p := rand.Float64()
		switch {
		case c.off.Load():
		case p < 0.005, commit && p < 0.03: // the server does not see it
			c.cuts.Add(1)
			return
		case commit && p < 0.08: // the client does not see the answer
			_ = client.Close()
			c.cuts.Add(1)
		}
		if _, err := server.Write(b[:n]); err != nil {
			return
		}
	}
}

// transfer is one transfer with its statements.
type transfer struct {
	id, from, to, cents int
	serializable        bool
}

var statements = []string{
	"UPDATE accounts SET cents = cents - $2 WHERE id = $1",
	"UPDATE accounts SET cents = cents + $2 WHERE id = $1",
	"INSERT INTO ledger (id, source, target, cents) VALUES ($1, $2, $3, $4)",
}

func (x transfer) run(exec func(query string, args ...any) error) error {
	for i, args := range [][]any{{x.from, x.cents}, {x.to, x.cents}, {x.id, x.from, x.to, x.cents}} {
		if err := exec(statements[i], args...); err != nil {
			return err
		}
	}
	return nil
}

// Concurrent transfers conflict, deadlock and lose their connections, also during commits. Each
// transfer that is reported as done is applied once, and each other one at most once.
func TestTransfers(t *testing.T) {
	const transfers = 1000
	url := pgtest.Start(t, "deadlock_timeout=5ms", "max_connections=60")
	direct, err := pgxpool.New(t.Context(), url)
	require.NoError(t, err)
	t.Cleanup(direct.Close)
	proxy, proxied := newCutter(t, url)
	config, err := pgxpool.ParseConfig(proxied)
	require.NoError(t, err)
	config.MaxConns = 20
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(pool.Close)
	wrapped := pgxerr.Wrap(pool, booking.Table, booking.SourcePostgres)
	std := sql.OpenDB(dberr.Connector(stdlib.GetConnector(*config.ConnConfig), booking.Table, booking.SourcePostgres))
	std.SetMaxOpenConns(20)
	t.Cleanup(func() { assert.NoError(t, std.Close()) })

	byPgx := func(ctx context.Context, x transfer, count retry.Option) error {
		db := pgxerr.Beginner(wrapped)
		if x.serializable {
			db = wrapped.WithOptions(pgx.TxOptions{IsoLevel: pgx.Serializable})
		}
		return pgxerr.Tx(ctx, db, booking.Table, func(tx pgx.Tx) error {
			return x.run(func(query string, args ...any) error {
				_, err := tx.Exec(ctx, query, args...)
				return err
			})
		}, count)
	}
	bySQL := func(ctx context.Context, x transfer, count retry.Option) error {
		db := dberr.Beginner(std)
		if x.serializable {
			db = dberr.WithOptions(std, &sql.TxOptions{Isolation: sql.LevelSerializable})
		}
		return dberr.Tx(ctx, db, booking.Table, func(tx *sql.Tx) error {
			return x.run(func(query string, args ...any) error {
				_, err := tx.ExecContext(ctx, query, args...)
				return err
			})
		}, count)
	}
	for name, run := range map[string]func(context.Context, transfer, retry.Option) error{
		"pgx": byPgx, "database/sql": bySQL,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := direct.Exec(t.Context(), fmt.Sprintf(`DROP TABLE IF EXISTS accounts, ledger;
				CREATE TABLE accounts (id int PRIMARY KEY, cents bigint NOT NULL);
				CREATE TABLE ledger (id int, source int, target int, cents bigint);
				INSERT INTO accounts SELECT i, 1000 FROM generate_series(0, %d) AS i`, accounts-1))
			require.NoError(t, err)
			proxy.off.Store(false)
			proxy.cuts.Store(0)
			var mu sync.Mutex
			var work sync.WaitGroup
			codes, ends := map[string]int{}, map[int]error{}
			count := retry.WithNotify(func(a retry.Attempt) {
				mu.Lock()
				defer mu.Unlock()
				if a.Err != nil {
					codes[stateOf(a.Err)]++
				}
			})
			r := rand.New(rand.NewPCG(1, 2))
			for id := range transfers {
				few := accounts // few accounts without serializable transactions: deadlocks
				if id%2 == 1 {
					few = 4
				}
				x := transfer{id, r.IntN(few), r.IntN(few), 1 + r.IntN(9), id%2 == 0}
				work.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					err := run(ctx, x, count)
					mu.Lock()
					defer mu.Unlock()
					ends[id] = err
				})
			}
			work.Wait()
			proxy.off.Store(true)
			checkLedger(t, direct, ends)
			t.Log("cuts:", proxy.cuts.Load(), "failures:", codes)
			assert.NotZero(t, codes["40001"])
			assert.NotZero(t, codes["40P01"])
			assert.NotZero(t, proxy.cuts.Load())
		})
	}
}

// stateOf returns the SQLSTATE of an error, or its code.
func stateOf(err error) string {
	if x, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err); ok {
		return x.SQLState()
	}
	return taxonomy.CodeOf(err)
}

// checkLedger compares the ends of transfers with the applied transfers.
func checkLedger(t *testing.T, db *pgxpool.Pool, ends map[int]error) {
	rows, err := db.Query(t.Context(), "SELECT id, count(*) FROM ledger GROUP BY id")
	require.NoError(t, err)
	applied := map[int]int{}
	var id, n int
	_, err = pgx.ForEachRow(rows, []any{&id, &n}, func() error { applied[id] = n; return nil })
	require.NoError(t, err)
	done, unknown := 0, 0
	for id, end := range ends {
		switch e, _ := errors.AsType[*retry.Error](end); {
		case end == nil:
			done++
			assert.Equal(t, 1, applied[id], "transfer %d is done", id)
		case taxonomy.EffectOf(e, nil) == taxonomy.EffectUnknown:
			unknown++
			assert.LessOrEqual(t, applied[id], 1, "transfer %d", id)
			assert.ErrorIs(t, end, booking.CodeStoreDown)
		default:
			assert.Zero(t, applied[id], "transfer %d failed: %v", id, end)
			assert.Equal(t, retry.StoppedAttempts.String(), e.Why.String(), "%v", end)
		}
	}
	var wrong int
	require.NoError(t, db.QueryRow(t.Context(), `SELECT count(*) FROM accounts a WHERE cents <> 1000
		+ (SELECT coalesce(sum(l.cents), 0) FROM ledger l WHERE l.target = a.id)
		- (SELECT coalesce(sum(l.cents), 0) FROM ledger l WHERE l.source = a.id)`).Scan(&wrong))
	assert.Zero(t, wrong, "accounts whose sum is wrong")
	t.Logf("%d done, %d with an unknown commit, %d failed", done, unknown, len(ends)-done-unknown)
	assert.Greater(t, done, len(ends)*8/10)
}
