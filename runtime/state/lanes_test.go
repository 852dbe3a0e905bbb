package state_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/internal/lanes/lanestest"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/state"
)

func lanePath(dir string) string { return filepath.Join(dir, "state.db") }

func openLanes(t *testing.T, dir string, clock *lanestest.Clock) retry.SharedWait {
	t.Helper()
	s, err := state.Open(t.Context(), lanePath(dir), state.Options{Clock: clock, Random: lanestest.Still})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s.Lanes()
}

// besideLanes runs f on a connection of its own.
func besideLanes(t *testing.T, dir string, f func(db *sql.DB)) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+lanePath(dir)+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	f(db)
}

func keptLanes(t *testing.T, dir string) (kept []string) {
	t.Helper()
	besideLanes(t, dir, func(db *sql.DB) {
		rows, err := db.Query("SELECT body FROM lanes ORDER BY lane")
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
			besideLanes(t, dir, func(db *sql.DB) {
				_, err := db.Exec("UPDATE lanes SET body = ?", content)
				require.NoError(t, err)
			})
		},
		Path: func(_ *testing.T, dir string) string { return lanePath(dir) },
	})
}

// Whether a lane is open is known also while somebody writes.
func TestAnOpenLaneWaitsForNobody(t *testing.T) {
	dir := t.TempDir()
	lanes := openLanes(t, dir, &lanestest.Clock{})
	besideLanes(t, dir, func(db *sql.DB) {
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

func TestLanesLongOpenAreForgotten(t *testing.T) {
	dir := t.TempDir()
	lanes := openLanes(t, dir, &lanestest.Clock{})
	require.NoError(t, lanes.Pause(t.Context(), "old", lanestest.Now.Add(time.Minute)))
	require.NoError(t, lanes.Pause(t.Context(), "young", lanestest.Now.Add(time.Minute)))
	besideLanes(t, dir, func(db *sql.DB) {
		const age = "UPDATE lanes SET until = ? WHERE lane = (SELECT min(lane) FROM lanes)"
		_, err := db.Exec(age, lanestest.Now.Add(-25*time.Hour).Format(time.RFC3339))
		require.NoError(t, err)
	})
	require.NoError(t, lanes.Pause(t.Context(), "new", lanestest.Now.Add(time.Minute)))
	assert.Len(t, keptLanes(t, dir), 2)
}
