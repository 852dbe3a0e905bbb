package dbtest_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/dberr"
	"github.com/errgen/errgen/runtime/dberr/dbtest"
	"github.com/errgen/errgen/runtime/errtest/script"
	"github.com/errgen/errgen/runtime/internal/booking"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// A conflict aborts the first transaction, and the second one succeeds.
func Example() {
	s := script.New(booking.Examples())
	s.Fail(booking.CodeStoreConflict)
	s.Then(200, "")
	db := sql.OpenDB(dberr.Connector(dbtest.Connector(s, nil), booking.Table, booking.SourcePostgres))
	defer db.Close()
	ctx := context.Background()
	err := dberr.Tx(ctx, db, booking.Table, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE rooms SET taken = true")
		return err
	})
	fmt.Println(err, len(s.Calls()))
	// Output: <nil> 2
}

// A transaction whose commit has no answer is not repeated.
func TestCommit(t *testing.T) {
	statements, commits := script.New(booking.Examples()), script.New(booking.Examples())
	commits.Cut()
	db := sql.OpenDB(dberr.Connector(dbtest.Connector(statements, commits), booking.Table, booking.SourcePostgres))
	defer db.Close()
	rows := 0
	pay := func(tx *sql.Tx) error {
		found, err := tx.QueryContext(t.Context(), "SELECT 1")
		if err != nil {
			return err
		}
		for found.Next() {
			rows++
		}
		return errors.Join(found.Close(), found.Err())
	}
	err := dberr.Tx(t.Context(), db, booking.Table, pay)
	require.ErrorIs(t, err, booking.CodeStoreDown)
	assert.Equal(t, taxonomy.EffectUnknown, retry.EffectOf(err))
	assert.Equal(t, []int{1, 1, 0}, []int{len(statements.Calls()), len(commits.Calls()), rows})

	statements.Fail(booking.CodeStoreConflict)
	statements.Then(500, "")
	require.NoError(t, script.New(booking.Examples()).Err(t.Context()))
	require.ErrorIs(t, dberr.Tx(t.Context(), db, booking.Table, pay), booking.CodeStoreFailed)
	assert.Len(t, statements.Calls(), 3, "the conflict was repeated")
	_, err = db.PrepareContext(t.Context(), "SELECT 1")
	require.Error(t, err)
}
