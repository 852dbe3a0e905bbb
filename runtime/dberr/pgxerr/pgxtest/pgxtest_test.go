package pgxtest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/dberr/pgxerr"
	"github.com/errgen/errgen/runtime/dberr/pgxerr/pgxtest"
	"github.com/errgen/errgen/runtime/errtest"
	"github.com/errgen/errgen/runtime/errtest/script"
	"github.com/errgen/errgen/runtime/internal/booking"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestEach(t *testing.T) {
	errtest.Each(t, booking.Table, booking.Examples(), booking.SourcePostgres,
		func(t *testing.T, f *errtest.Fault) error {
			db := pgxerr.Wrap(pgxtest.Pool(t, f.Script, nil), booking.Table, booking.SourcePostgres)
			return pgxerr.Tx(t.Context(), db, booking.Table, func(tx pgx.Tx) error {
				_, err := tx.Exec(t.Context(), "UPDATE rooms SET taken = true WHERE id = $1 AND nights = $2", "r-1", 3)
				return err
			})
		})
}

// A statement without an answer ends with its context.
func TestHang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script.New(nil)
		s.Hang()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err := pgxtest.Pool(t, s, nil).Exec(ctx, "UPDATE rooms SET taken = true")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		synctest.Wait()
		calls := s.Calls()
		require.Len(t, calls, 1)
		assert.Equal(t, 10*time.Second, calls[0].Ended.Sub(calls[0].Began))
	})
}

// As in PostgreSQL, an error rejects the rest of the transaction.
func TestRejectedTransaction(t *testing.T) {
	statements, commits := script.New(booking.Examples()), script.New(nil)
	statements.Fail(booking.CodeStoreFailed)
	statements.Then(200, "")
	pool := pgxtest.Pool(t, statements, commits)
	tx, err := pool.Begin(t.Context())
	require.NoError(t, err)
	nested, err := tx.Begin(t.Context())
	require.NoError(t, err)
	for _, state := range []string{"42P01", "25P02"} {
		_, err := tx.Exec(t.Context(), "UPDATE rooms SET taken = true")
		answer, ok := errors.AsType[*pgconn.PgError](err)
		require.True(t, ok, "%v", err)
		assert.Equal(t, state, answer.Code)
	}
	require.NoError(t, nested.Rollback(t.Context()))
	_, err = tx.Exec(t.Context(), "UPDATE rooms SET taken = true")
	require.NoError(t, err, "after the rollback to the savepoint")
	assert.Len(t, statements.Calls(), 2, "only updates that the server executes get answers")
	require.NoError(t, tx.Commit(t.Context()))
	assert.Len(t, commits.Calls(), 1)

	statements.Fail(booking.CodeStoreFailed)
	tx, err = pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "UPDATE rooms SET taken = true")
	require.Error(t, err)
	require.ErrorIs(t, tx.Commit(t.Context()), pgx.ErrTxCommitRollback)
	assert.Len(t, commits.Calls(), 1)
}

func TestCancelledBeforeCommit(t *testing.T) {
	commits := script.New(nil)
	db := pgxerr.Wrap(pgxtest.Pool(t, script.New(nil), commits), booking.Table, booking.SourcePostgres)
	ctx, cancel := context.WithCancel(t.Context())
	err := pgxerr.Tx(ctx, db, booking.Table, func(pgx.Tx) error {
		cancel()
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, taxonomy.EffectNone, retry.EffectOf(err))
	assert.Empty(t, commits.Calls())
}

// A commit without an answer is not repeated. A commit that the server rejects is.
func TestCommit(t *testing.T) {
	statements := script.New(booking.Examples())
	commits := script.New(booking.Examples())
	db := pgxerr.Wrap(pgxtest.Pool(t, statements, commits), booking.Table, booking.SourcePostgres)
	pay := func() error {
		return pgxerr.Tx(t.Context(), db, booking.Table, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), "UPDATE rooms SET taken = true")
			return err
		})
	}
	commits.Fail(booking.CodeStoreConflict)
	commits.Then(200, "")
	require.NoError(t, pay())
	assert.Len(t, commits.Calls(), 2)
	commits.Cut()
	err := pay()
	require.ErrorIs(t, err, booking.CodeStoreDown)
	assert.Equal(t, taxonomy.EffectUnknown, retry.EffectOf(err))
	assert.Equal(t, []int{3, 3}, []int{len(statements.Calls()), len(commits.Calls())})
	require.ErrorIs(t, db.QueryRow(t.Context(), "").Scan(), pgx.ErrNoRows)
}

// Each statement of a batch gets an answer, and an error ends the batch.
func TestBatch(t *testing.T) {
	statements := script.New(booking.Examples())
	statements.Then(200, "")
	statements.Fail(booking.CodeStoreConflict)
	db := pgxerr.Wrap(pgxtest.Pool(t, statements, nil), booking.Table, booking.SourcePostgres)
	batch := &pgx.Batch{}
	for range 3 {
		batch.Queue("UPDATE rooms SET name = $1", `it's; "quoted`)
	}
	results := db.SendBatch(t.Context(), batch)
	tag, err := results.Exec()
	require.NoError(t, err)
	assert.Equal(t, "UPDATE", tag.String())
	_, err = results.Exec()
	require.ErrorIs(t, err, booking.CodeStoreConflict)
	require.Error(t, results.Close())
	assert.Len(t, statements.Calls(), 2, "the third statement is not executed")

	for range 3 {
		statements.Then(200, "")
	}
	results = db.SendBatch(t.Context(), batch)
	for range 3 {
		_, err := results.Exec()
		require.NoError(t, err)
	}
	require.NoError(t, results.Close())
	assert.Len(t, statements.Calls(), 5)
}
