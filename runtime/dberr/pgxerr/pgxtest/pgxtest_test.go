package pgxtest_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
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
