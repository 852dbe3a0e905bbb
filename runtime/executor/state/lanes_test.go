package state

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor/internal/lanestest"
	"github.com/errgen/errgen/runtime/retry"
)

func lanePath(dir string) string { return filepath.Join(dir, "state.db") }

func openLanes(t *testing.T, dir string, clock *lanestest.Clock) retry.SharedWait {
	t.Helper()
	s, err := Open(t.Context(), lanePath(dir), Options{Clock: clock, Random: lanestest.Still})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s.Lanes()
}

func keptLanes(t *testing.T, dir string) (kept []string) {
	t.Helper()
	raw(t, lanePath(dir), func(db *sql.DB) {
		rows, err := db.Query("SELECT until FROM lanes ORDER BY lane")
		require.NoError(t, err)
		defer func() { require.NoError(t, rows.Close()) }()
		for rows.Next() {
			var body string
			require.NoError(t, rows.Scan(&body))
			kept = append(kept, body)
		}
		require.NoError(t, rows.Err())
	})
	return kept
}

func TestLanes(t *testing.T) {
	lanestest.Test(t, lanestest.Lanes{
		Open: openLanes,
		Kept: keptLanes,
		Spoil: func(t *testing.T, dir, content string) {
			raw(t, lanePath(dir), func(db *sql.DB) {
				_, err := db.Exec("UPDATE lanes SET until = ?", content)
				require.NoError(t, err)
			})
		},
		Path: func(_ *testing.T, dir string) string { return lanePath(dir) },
	})
}

// A look at an open lane does not wait for a writer.
func TestOpenLaneBesideWriter(t *testing.T) {
	dir := t.TempDir()
	lanes := openLanes(t, dir, &lanestest.Clock{})
	raw(t, lanePath(dir), func(db *sql.DB) {
		other, err := db.Conn(t.Context())
		require.NoError(t, err)
		defer func() { require.NoError(t, other.Close()) }()
		_, err = other.ExecContext(t.Context(), "BEGIN IMMEDIATE")
		require.NoError(t, err)
		opens, err := lanes.Until(t.Context(), "x")
		require.NoError(t, err)
		assert.Zero(t, opens)
		_, err = other.ExecContext(context.Background(), "ROLLBACK")
		require.NoError(t, err)
	})
}
