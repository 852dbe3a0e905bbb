package state

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A look at an open lane does not wait for a writer.
func TestOpenLaneBesideWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := Open(t.Context(), path, Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	lanes := s.Lanes()
	raw(t, path, func(db *sql.DB) {
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
