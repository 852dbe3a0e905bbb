package state

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// takenAway are ways in which the files of an open state are taken away.
var takenAway = map[string]func(path string) error{
	"database removed": os.Remove,
	"log removed":      func(path string) error { return os.Remove(path + "-wal") },
	"replaced": func(path string) error {
		return errors.Join(os.WriteFile(path+"2", nil, 0o600), os.Rename(path+"2", path))
	},
	"log replaced": func(path string) error {
		return errors.Join(os.WriteFile(path+"2", nil, 0o600), os.Rename(path+"2", path+"-wal"))
	},
	"directory renamed": func(path string) error { return os.Rename(filepath.Dir(path), filepath.Dir(path)+"2") },
	"emptied":           func(path string) error { return os.Truncate(path, 0) },
	"cut short":         func(path string) error { return os.Truncate(path, 8192) },
}

// isMoved asserts that err is evidence that the files were taken away.
func isMoved(t *testing.T, err error) {
	t.Helper()
	ev := evidenceOf(t, err)
	assert.Equal(t, []string{"state", "state_write", "moved"}, []string{ev.Source, ev.Op, ev.Type}, "%v", err)
	assert.Contains(t, ev.Attributes, "path")
}

// TestMoved has somebody take away the files of an open state: from then on nothing is written, and
// what is gone is not read.
func TestMoved(t *testing.T) {
	for name, do := range takenAway {
		for _, again := range []string{"write", "read"} { // whoever comes first
			t.Run(name+", then "+again, func(t *testing.T) {
				ctx := t.Context()
				path := filepath.Join(t.TempDir(), "d", "state.db")
				s, err := Open(ctx, path, Options{})
				require.NoError(t, err)
				defer func() { _ = s.Close() }() // what becomes of its files is not known
				_, err = s.RecordAttempt(ctx, Attempt{Task: "T", Error: "before"})
				require.NoError(t, err)
				_, err = s.Attempts(ctx, "T", 1)
				require.NoError(t, err)
				if err := do(path); err != nil {
					t.Skipf("this system keeps open files: %s", err)
				}
				for n := range 4 {
					if (n%2 == 0) == (again == "write") {
						_, err = s.RecordAttempt(ctx, Attempt{Task: "T", Error: "after"})
					} else {
						_, err = s.Attempts(ctx, "T", 9)
					}
					isMoved(t, err)
				}
				_, err = s.Counters(ctx)
				isMoved(t, err)
				if name != "log removed" {
					return
				}
				require.NoError(t, s.Close())
				left, err := opened(t, path, Options{}).Attempts(ctx, "T", 9)
				require.NoError(t, err)
				assert.Len(t, left, 1, "what was refused is not there")
			})
		}
	}
}

// TestMovedAtOnce takes the log away before anything was written.
func TestMovedAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	require.NoError(t, opened(t, path, Options{}).Close())
	s := opened(t, path, Options{})
	if err := os.Remove(path + "-wal"); err != nil {
		t.Skipf("this system keeps open files: %s", err)
	}
	isMoved(t, noted(t.Context(), s, "k", ""))
}

// TestMovedInATransaction has one transaction be under way, of which nobody knows what becomes.
// Nothing comes after it, also when the file is put back.
func TestMovedInATransaction(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "state.db"), Options{})
	away := s.Path() + ".away"
	require.NoError(t, noted(t.Context(), s, "before", ""))
	err := s.write(t.Context(), "note", func(tx *tx) error {
		if err := os.Rename(s.Path(), away); err != nil {
			t.Skipf("this system keeps open files: %s", err)
		}
		_, err := tx.exec("INSERT INTO executor_meta (key, value) VALUES ('during', '')")
		return err
	})
	isMoved(t, err)
	require.NoError(t, os.Rename(away, s.Path()))
	isMoved(t, noted(t.Context(), s, "after", ""))
	require.NoError(t, s.Close())
	left := notes(t, opened(t, s.Path(), Options{}))
	delete(left, "during")
	assert.Equal(t, map[string]string{"before": ""}, left)
}

func TestMovedWhileReading(t *testing.T) {
	for _, name := range []string{"database removed", "replaced", "directory renamed", "emptied"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "d", "state.db")
			s := opened(t, path, Options{})
			require.NoError(t, noted(t.Context(), s, "k", "v"))
			require.NoError(t, s.Close())
			look := opened(t, path, Options{ReadOnly: true})
			assert.Equal(t, map[string]string{"k": "v"}, notes(t, look))
			if err := takenAway[name](path); err != nil {
				t.Skipf("this system keeps open files: %s", err)
			}
			_, err := look.Counters(t.Context())
			isMoved(t, err)
		})
	}
}

// TestNotMoved does what is done to files that stay what they are.
func TestNotMoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := opened(t, path, Options{})
	look := opened(t, path, Options{ReadOnly: true})
	for _, statement := range []string{"PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM"} {
		by(t, path, statement, "PRAGMA wal_checkpoint(TRUNCATE)")
		require.NoError(t, noted(t.Context(), s, statement, ""))
		assert.Contains(t, notes(t, look), statement)
	}
	// A connection that had to be given up is made again, and by then the log may be another one.
	require.NoError(t, look.Close())
	require.NoError(t, s.writer.disconnect())
	s.reader.SetMaxIdleConns(0)
	assert.Len(t, notes(t, s), 2)
	require.NoError(t, noted(t.Context(), s, "connected", ""))
	assert.Len(t, notes(t, s), 3)
	sound(t, s)
}

// TestMovedWhileDisconnected has a connection that was given up not be made to another file.
func TestMovedWhileDisconnected(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := opened(t, path, Options{})
	require.NoError(t, s.writer.disconnect())
	by(t, path+"2", "CREATE TABLE mine (id)")
	if err := os.Rename(path+"2", path); err != nil {
		t.Skipf("this system keeps open files: %s", err)
	}
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	isMoved(t, noted(t.Context(), s, "k", ""))
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, before, after, "it is not ours")
}

// TestSecondName has a database, or its log, have two names, which would mean two logs.
func TestSecondName(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("how many names a file has is asked where the system says so at once")
	}
	for _, suffix := range []string{"", "-wal"} {
		path := filepath.Join(t.TempDir(), "state.db")
		s := opened(t, path, Options{})
		require.NoError(t, noted(t.Context(), s, "k", "v"))
		other := filepath.Join(t.TempDir(), "other.db")
		require.NoError(t, os.Link(path+suffix, other+suffix))
		if suffix != "" {
			require.NoError(t, os.WriteFile(other, []byte("x"), 0o600))
		}
		for _, o := range []Options{{}, {ReadOnly: true}} {
			for _, name := range []string{path, other} {
				_, err := Open(t.Context(), name, o)
				ev := evidenceOf(t, err)
				assert.Equal(t, []string{"executor", "prepare", name}, []string{ev.Source, ev.Op, ev.Attribute("path")})
				assert.ErrorContains(t, err, "has a second name")
			}
		}
		require.NoError(t, os.Remove(other+suffix))
		assert.Equal(t, map[string]string{"k": "v"}, notes(t, opened(t, path, Options{})))
	}
}

// TestOnlyOlderForm looks at a state of which there is the older form only: reading does not
// convert it.
func TestOnlyOlderForm(t *testing.T) {
	old, path := oldFile(t, `{"tasks": {}}`)
	_, err := Open(t.Context(), path, Options{ReadOnly: true})
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.ErrorContains(t, err, old+" is there, of the older form: open the state for writing once")
	assert.FileExists(t, old)
	require.NoError(t, opened(t, path, Options{}).Close())
	opened(t, path, Options{ReadOnly: true})
}

// TestSomeoneElsesJSON has files stand beside a database that are called like it and are not its
// older form.
func TestSomeoneElsesJSON(t *testing.T) {
	for name, want := range map[string]string{
		"spec/.executor-state.db":   "spec/.executor-state.json",
		".executor-astate.db":       ".executor-astate.json",
		"/x/.executor-a.b-state.db": "/x/.executor-a.b-state.json",
		"tasks.db":                  "",
		"state.db":                  "",
		"package.db":                "",
		".executor-state":           "",
		".executor-state.json":      "",
		"x.executor-state.db":       "",
		".executor-state.db/x.db":   "",
		"":                          "",
	} {
		assert.Equal(t, filepath.FromSlash(want), LegacyPath(filepath.FromSlash(name)), name)
	}
	for _, content := range []string{`{"tasks": {}}`, `{"name": "mine"}`} {
		dir := t.TempDir()
		path, mine := filepath.Join(dir, "tasks.db"), filepath.Join(dir, "tasks.json")
		require.NoError(t, os.WriteFile(mine, []byte(content), 0o600))
		require.NoError(t, opened(t, path, Options{}).Close())
		assert.Equal(t, []string{"tasks.db", "tasks.db.locks", "tasks.json"}, namesIn(t, dir))
		_, err := Open(t.Context(), filepath.Join(dir, "none.db"), Options{ReadOnly: true})
		assert.NotContains(t, err.Error(), "older form")
	}
	_, path := oldFile(t, `{"name": "mine"}`)
	_, err := Open(t.Context(), path, Options{})
	assert.ErrorContains(t, err, "Options.Legacy")
	assert.Equal(t, "parse", evidenceOf(t, err).Type)
	assert.Empty(t, taxonomy.CodeOf(err), "it is evidence")
}
