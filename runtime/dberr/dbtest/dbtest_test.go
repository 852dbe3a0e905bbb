package dbtest_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

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
	require.ErrorIs(t, dberr.Tx(t.Context(), db, booking.Table, pay), booking.CodeStoreFailed)
	assert.Len(t, statements.Calls(), 3, "the conflict was repeated")
	_, err = db.PrepareContext(t.Context(), "SELECT 1")
	require.Error(t, err)
}

// commit runs a transaction whose commit gets the answers.
func commit(ctx context.Context, commits *script.Script, f func()) error {
	connector := dbtest.Connector(script.New(nil), commits)
	db := sql.OpenDB(dberr.Connector(connector, booking.Table, booking.SourcePostgres))
	defer db.Close()
	return dberr.Tx(ctx, db, booking.Table, func(*sql.Tx) error {
		f()
		return nil
	})
}

// An answer to a commit shows that nothing was applied, unless the connection or the server ended.
func TestRejectedCommit(t *testing.T) {
	for state, want := range map[string]taxonomy.Effect{
		"23505": taxonomy.EffectNone, "0A000": taxonomy.EffectNone, "2D000": taxonomy.EffectNone,
		"AB123": taxonomy.EffectNone, "P0001": taxonomy.EffectNone, "LZ001": taxonomy.EffectNone,
		"57014": taxonomy.EffectUnknown, "08006": taxonomy.EffectUnknown, "40003": taxonomy.EffectUnknown,
		"58030": taxonomy.EffectUnknown, "XX000": taxonomy.EffectUnknown,
	} {
		commits := script.New(nil)
		commits.Add(script.Answer{Failure: &taxonomy.Evidence{Code: state}})
		assert.Equal(t, want, retry.EffectOf(commit(t.Context(), commits, func() {})), state)
	}
}

func TestCancelledBeforeCommit(t *testing.T) {
	commits := script.New(nil)
	ctx, cancel := context.WithCancel(t.Context())
	err := commit(ctx, commits, cancel)
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, taxonomy.EffectNone, retry.EffectOf(err))
	assert.Empty(t, commits.Calls())
}

// The context of BeginTx ends a commit that hangs.
func TestHangingCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		commits := script.New(nil)
		commits.Hang()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := commit(ctx, commits, func() {})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, taxonomy.EffectUnknown, retry.EffectOf(err))
		calls := commits.Calls()
		require.Len(t, calls, 1)
		assert.Equal(t, time.Second, calls[0].Ended.Sub(calls[0].Began))
	})
}
