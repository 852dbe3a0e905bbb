package state

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// refusedFor asserts that a file is refused for a reason, for writing and for reading, and is not
// touched.
func refusedFor(t *testing.T, path, reason string) {
	t.Helper()
	before := filesIn(t, filepath.Dir(path))
	for _, o := range []Options{{}, {ReadOnly: true}} {
		_, err := Open(t.Context(), path, o)
		ev := evidenceOf(t, err)
		assert.Equal(t, []string{"executor", "resume", "refused", reason, path},
			[]string{ev.Source, ev.Op, ev.Type, ev.Attribute("reason"), ev.Attribute("path")}, "%v", err)
		assert.Equal(t, "CONFIG_INVALID", taxonomy.CodeOf(errs.Classify(err)))
	}
	after := filesIn(t, filepath.Dir(path))
	for name := range before {
		assert.True(t, before[name] == after[name], "%s was changed", name)
	}
}

func TestRefusedFiles(t *testing.T) {
	state := func(t *testing.T, path string, statements ...string) {
		require.NoError(t, opened(t, path, Options{}).Close())
		by(t, path, statements...)
	}
	for _, test := range []struct {
		name, reason string
		make         func(t *testing.T, path string)
	}{
		{"newer", "newer", func(t *testing.T, path string) { state(t, path, "PRAGMA user_version = 7") }},
		{"a version below 0", "corrupt",
			func(t *testing.T, path string) { state(t, path, "PRAGMA user_version = -7") }},
		{"no version", "corrupt", func(t *testing.T, path string) { state(t, path, "PRAGMA user_version = 0") }},
		{"without its tables", "corrupt",
			func(t *testing.T, path string) { state(t, path, "DROP TABLE executor_meta") }},
		{"with a trigger", "foreign", func(t *testing.T, path string) {
			state(t, path, "CREATE TRIGGER x AFTER INSERT ON attempts BEGIN DELETE FROM attempts; END")
		}},
		{"of another program", "foreign", func(t *testing.T, path string) { by(t, path, "CREATE TABLE tasks (id)") }},
		{"of another program that says so", "foreign", func(t *testing.T, path string) {
			state(t, path, "PRAGMA application_id = 7")
		}},
		{"with another program's log", "foreign", func(t *testing.T, path string) {
			by(t, path, "PRAGMA journal_mode = WAL", "CREATE TABLE x (id)")
		}},
		{"text", "corrupt", func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, []byte("tasks: none\n"), 0o600))
		}},
		{"a beginning", "corrupt", func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, []byte("SQLite format 3\x00\x10\x00"), 0o600))
		}},
		{"a part", "corrupt", func(t *testing.T, path string) {
			state(t, path)
			require.NoError(t, os.Truncate(path, 5000))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			test.make(t, path)
			refusedFor(t, path, test.reason)
		})
	}
}

func TestOpenMakes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	path := filepath.Join(dir, "state.db")
	s := opened(t, path, Options{})
	assert.Equal(t, path, s.Path())
	require.NoError(t, noted(t.Context(), s, "k", "v"))
	if runtime.GOOS != "windows" {
		for _, suffix := range []string{"", "-wal", "-shm"} {
			info, err := os.Stat(path + suffix)
			require.NoError(t, err)
			assert.Equal(t, fs.FileMode(0o600), info.Mode(), suffix)
		}
		info, err := os.Stat(dir)
		require.NoError(t, err)
		assert.Equal(t, fs.FileMode(0o700), info.Mode().Perm())
	}
	var settings []string
	require.NoError(t, s.write(t.Context(), "look", func(t *tx) error {
		for _, pragma := range []string{"journal_mode", "synchronous", "foreign_keys", "application_id", "user_version",
			"trusted_schema"} {
			var value string
			if err := t.w.conn.QueryRowContext(t.ctx, "PRAGMA "+pragma).Scan(&value); err != nil {
				return err
			}
			settings = append(settings, pragma+"="+value)
		}
		return nil
	}))
	assert.Equal(
		t, []string{"journal_mode=wal", "synchronous=2", "foreign_keys=1", fmt.Sprint("application_id=", applicationID),
			"user_version=1", "trusted_schema=0"}, settings)
	require.NoError(t, s.Close())
	assert.Equal(t, []string{"state.db", "state.db.locks"}, namesIn(t, dir))
}

func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestOpenEmpty opens what a program made that only wanted a name, beside what a database has left
// that somebody removed.
func TestOpenEmpty(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old.db")
	s := opened(t, old, Options{})
	require.NoError(t, noted(t.Context(), s, "old", "v"))
	log, err := os.ReadFile(old + "-wal")
	require.NoError(t, err)
	require.NoError(t, s.Close())

	path := filepath.Join(dir, "state.db")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	require.NoError(t, os.WriteFile(path+"-wal", log, 0o600))
	require.NoError(t, os.WriteFile(path+".tmp", log, 0o600), "what a killed one has left")
	s = opened(t, path, Options{})
	assert.Empty(t, notes(t, s))
	sound(t, s)
}

func TestOpenThroughLinks(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "real", "state.db")
	s := opened(t, file, Options{})
	require.NoError(t, noted(t.Context(), s, "k", "v"))
	link, up := filepath.Join(dir, "link.db"), filepath.Join(dir, "up")
	require.NoError(t, os.Symlink(file, link))
	require.NoError(t, os.Symlink(filepath.Dir(file), up))
	for _, path := range []string{link, filepath.Join(up, "state.db")} {
		other := opened(t, path, Options{})
		assert.Equal(t, file, other.Path())
		assert.Equal(t, map[string]string{"k": "v"}, notes(t, other))
	}
	assert.Equal(t, filepath.Join(dir, "real", "new.db"), opened(t, filepath.Join(up, "new.db"), Options{}).Path())
}

func TestOpenNoFile(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "outside")
	require.NoError(t, os.WriteFile(outside, []byte("mine"), 0o600))
	link := func(name, to string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.Symlink(to, path))
		return path
	}
	below := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(below, nil, 0o600))
	planted := filepath.Join(dir, "planted.db")
	require.NoError(t, opened(t, planted, Options{}).Close())
	link("planted.db-wal", outside)
	for _, path := range []string{dir, "", os.DevNull, "a\x00b", link("dangling", filepath.Join(dir, "none")),
		link("to-dir", dir),
		link("to-device", os.DevNull), link("loop", filepath.Join(dir, "loop")), filepath.Join(below, "state.db"),
		planted} {
		_, err := Open(t.Context(), path, Options{})
		ev := evidenceOf(t, err)
		assert.Equal(t, []string{"executor", "prepare"}, []string{ev.Source, ev.Op}, "%q: %v", path, err)
		assert.NotEmpty(t, taxonomy.CodeOf(errs.Classify(err)))
	}
	b, err := os.ReadFile(outside)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(b))
}

func TestReadOnly(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.db")
	_, err := Open(t.Context(), path, Options{ReadOnly: true})
	assert.ErrorIs(t, err, fs.ErrNotExist)
	assert.Empty(t, namesIn(t, dir))

	s := opened(t, path, Options{})
	require.NoError(t, noted(t.Context(), s, "k", "v"))
	look := opened(t, path, Options{ReadOnly: true})
	assert.Equal(t, map[string]string{"k": "v"}, notes(t, look), "what is in the log alone")
	require.NoError(t, noted(t.Context(), s, "l", "w"))
	assert.Equal(t, map[string]string{"k": "v", "l": "w"}, notes(t, look))
	err = noted(t.Context(), look, "m", "x")
	require.ErrorIs(t, err, ErrReadOnly)
	assert.Equal(t, "read_only", evidenceOf(t, err).Type)
	err = look.query(t.Context(), "write", "DELETE FROM executor_meta", nil, func(row) error { return nil })
	require.Error(t, err)
	require.NoError(t, s.Close())
	assert.Equal(t, map[string]string{"k": "v", "l": "w"}, notes(t, look))
}

func TestOpenEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Open(ctx, filepath.Join(t.TempDir(), "state.db"), Options{})
	assert.ErrorIs(t, err, context.Canceled)
}
