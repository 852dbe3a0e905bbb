package state

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// opened returns a state that is closed when the test ends.
func opened(t testing.TB, path string, o Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// evidenceOf returns the evidence that an error must be.
func evidenceOf(t testing.TB, err error) *taxonomy.Evidence {
	t.Helper()
	require.Error(t, err)
	ev, ok := err.(*taxonomy.Evidence)
	require.True(t, ok, "%T: %v", err, err)
	return ev
}

// noted writes a row that nothing depends on.
func noted(ctx context.Context, s *Store, key, value string) error {
	return s.write(ctx, "note", func(t *tx) error {
		_, err := t.exec("INSERT INTO executor_meta (key, value) VALUES (?, ?)", key, value)
		return err
	})
}

// notes returns what noted has written.
func notes(t testing.TB, s *Store) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := s.query(t.Context(), "read notes", "SELECT key, value FROM executor_meta", nil, func(r row) error {
		var key, value string
		defer func() { out[key] = value }()
		return r.Scan(&key, &value)
	})
	require.NoError(t, err)
	return out
}

// by runs statements on a file with nothing of a [Store] between.
func by(t testing.TB, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path)
	require.NoError(t, err)
	db.SetMaxOpenConns(1)
	for _, q := range statements {
		_, err := db.ExecContext(t.Context(), q)
		require.NoError(t, err, q)
	}
	require.NoError(t, db.Close())
}

// sound asserts that SQLite finds nothing wrong with a file.
func sound(t testing.TB, s *Store) {
	t.Helper()
	err := s.query(t.Context(), "check", "PRAGMA integrity_check", nil, func(r row) error {
		var said string
		if err := r.Scan(&said); err != nil {
			return err
		}
		if said != "ok" {
			return errors.New(said)
		}
		return nil
	})
	require.NoError(t, err)
}

// filesIn returns what is in a directory, by name.
func filesIn(t testing.TB, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	out := map[string]string{}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			out[e.Name()] = e.Type().String()
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		out[e.Name()] = string(b)
	}
	return out
}
