package state

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// oldState is a state as older runners wrote it. Times without a zone are local.
const oldState = `{
  "tasks": {
    "TASK-2": {
      "status": "running",
      "attempts": [
        {"timestamp": "2026-02-22T10:00:02.500000", "success": false, "duration_seconds": 1.5, "error": "no \ud83d\ude00", "error_code": "NEW_ONE", "claude_output": null},
        {"timestamp": "2026-02-22T10:00:09", "success": false, "duration_seconds": -3, "error": null, "claude_output": "it said", "input_tokens": [1]}
      ],
      "started_at": "2026-02-22T10:00:00",
      "completed_at": "2026-02-21T09:00:00"
    },
    "TASK-1": {
      "status": "success",
      "attempts": [
        {"timestamp": "2026-02-22T10:00:05Z", "success": true, "duration_seconds": 2, "error": null, "error_code": null, "claude_output": "done"}
      ],
      "started_at": null,
      "completed_at": "2026-02-22T10:00:05.000001"
    },
    "TASK-3": {"status": "paused by hand", "attempts": []}
  },
  "consecutive_failures": 7, "total_completed": 1, "total_failed": 0
}
`

// oldTables are the same state as older runners wrote it into SQLite.
const oldTables = `
	CREATE TABLE tasks (task_id TEXT PRIMARY KEY, status TEXT NOT NULL DEFAULT 'pending', started_at TEXT,
		completed_at TEXT);
	CREATE TABLE attempts (id INTEGER PRIMARY KEY AUTOINCREMENT, task_id TEXT NOT NULL REFERENCES tasks(task_id),
		timestamp TEXT NOT NULL, success INTEGER NOT NULL, duration_seconds REAL NOT NULL, error TEXT, error_code TEXT,
		claude_output TEXT);
	CREATE TABLE executor_meta (key TEXT PRIMARY KEY, value TEXT);
	INSERT INTO tasks VALUES ('TASK-2', 'running', '2026-02-22T10:00:00', '2026-02-21T09:00:00'),
		('TASK-1', 'success', NULL, '2026-02-22T10:00:05.000001'), ('TASK-3', 'paused by hand', NULL, '');
	INSERT INTO attempts (task_id, timestamp, success, duration_seconds, error, error_code, claude_output) VALUES
		('TASK-2', '2026-02-22T10:00:02.500000', 0, 1.5, 'no 😀', 'NEW_ONE', NULL),
		('TASK-1', '2026-02-22T10:00:05Z', 1, 2, NULL, NULL, 'done'),
		('TASK-2', '2026-02-22T10:00:09', 0, -3, NULL, NULL, 'it said');
	INSERT INTO executor_meta VALUES ('version', '1');`

// files writes the JSON file and the database that executes the statements; empty is no file.
func files(t *testing.T, old, statements string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), ".executor-state.db")
	if old != "" {
		require.NoError(t, os.WriteFile(LegacyPath(path), []byte(old), 0o600))
	}
	if statements != "" {
		raw(t, path, func(db *sql.DB) {
			_, err := db.Exec(statements)
			require.NoError(t, err)
		})
	}
	return path
}

// S2, S6, S12-S14, S39, B-S06, B-S09: the JSON file of an older runner becomes tasks and attempts.
func TestMigration(t *testing.T) {
	for name, c := range map[string]struct{ json, statements string }{
		"new file": {oldState, ""}, "interrupted before its tables": {oldState, "PRAGMA user_version = 0"},
		"tables of an older runner": {"", oldTables},
		"interrupted conversion":    {oldState, oldTables[:strings.Index(oldTables, "INSERT")]},
	} {
		t.Run(name, func(t *testing.T) {
			path := files(t, c.json, c.statements)
			s, ctx := opened(t, path), t.Context()
			local := func(text string) time.Time {
				at, err := time.ParseInLocation("2006-01-02T15:04:05", text, time.Local)
				require.NoError(t, err)
				return at.UTC()
			}
			statuses, err := s.Statuses(ctx)
			require.NoError(t, err)
			var tasks []Task
			for _, st := range statuses {
				assert.Zero(t, st.Spent)
				tasks = append(tasks, st.Task)
			}
			assert.Equal(t, []Task{
				{ID: "TASK-1", Status: TaskCompleted, CompletedAt: local("2026-02-22T10:00:05.000001"), Generation: 1,
					Attempts: 1},
				{ID: "TASK-2", Status: TaskRunning, StartedAt: local("2026-02-22T10:00:00"), Generation: 1,
					Attempts: 2},
				{ID: "TASK-3", Status: "paused by hand", Generation: 1},
			}, tasks)
			all, err := s.Attempts(ctx, "TASK-2", 9)
			require.NoError(t, err)
			require.Len(t, all, 2)
			assert.Equal(t, []any{local("2026-02-22T10:00:02.5"), "no 😀", "NEW_ONE", "UNKNOWN",
				1500 * time.Millisecond},
				[]any{all[0].At, all[0].Error, all[0].CodeAsWritten, all[0].Code, all[0].Duration})
			assert.Equal(t, []any{"it said", "UNKNOWN", time.Duration(0), taxonomy.Some(true)},
				[]any{all[1].Output, all[1].Code, all[1].Duration, all[1].Counted})
			counters, err := s.Counters(ctx)
			require.NoError(t, err)
			assert.Equal(t, 1, counters.Completed)
			sound(t, path)
			assert.NoFileExists(t, LegacyPath(path))
			if c.json != "" {
				assert.Equal(t, oldState, content(t, LegacyPath(path)+".bak"))
			}
			_, err = s.RecordAttempt(ctx, Attempt{Task: "TASK-2", Success: true})
			require.NoError(t, err)
			require.NoError(t, s.Close())
			again, err := Open(ctx, path, Options{ReadOnly: true})
			require.NoError(t, err)
			require.NoError(t, again.Close())
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		name, json, statements string
		options                Options
		want                   string
	}{
		{name: "foreign tables", statements: "CREATE TABLE users (id)", want: "executor resume refused foreign"},
		{name: "foreign application", statements: "PRAGMA application_id = 7", want: "executor resume refused foreign"},
		{name: "other columns", statements: "CREATE TABLE tasks (task_id)", want: "executor resume refused foreign"},
		{name: "read only, tables of an older runner", statements: oldTables, options: Options{ReadOnly: true},
			want: "executor resume refused corrupt"},
		{name: "newer", statements: strings.Replace(schema, "user_version = 4", "user_version = 5", 1),
			want: "executor resume refused newer"},
		{name: "older", statements: strings.Replace(schema, "user_version = 4", "user_version = 3", 1),
			want: "executor resume refused older"},
		{name: "no tables", statements: "PRAGMA application_id = 0x65727267; PRAGMA user_version = 4",
			want: "executor resume refused corrupt"},
		{name: "read only, JSON alone", json: oldState, options: Options{ReadOnly: true}, want: "executor prepare  "},
		{name: "damaged JSON", json: strings.Replace(oldState, `"done"}`, `"done"`, 1),
			want: "executor prepare parse "},
		{name: "two documents", json: oldState + "{}", want: "executor prepare parse "},
		{name: "no tasks", json: `{"a": 1}`, want: "executor prepare parse "},
		{name: "bad time", json: strings.Replace(oldState, "10:00:09", "10 past", 1), want: "executor prepare parse "},
		{name: "bad type", json: strings.Replace(oldState, `"done"`, `7`, 1), want: "executor prepare parse "},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := files(t, c.json, c.statements)
			before := content(t, path)
			_, err := Open(t.Context(), path, c.options)
			ev, what := evidenceOf(t, err)
			assert.Equal(t, c.want, what, "%v", err)
			if ev.Type == "parse" {
				assert.Equal(t, LegacyPath(path), ev.Attributes["legacy"])
			} else {
				assert.True(t, before == content(t, path), "the file was changed")
			}
			if c.json != "" {
				kept, err := os.ReadFile(LegacyPath(path))
				require.NoError(t, err)
				assert.Equal(t, c.json, string(kept))
			}
		})
	}
	path := filepath.Join(t.TempDir(), "state.db")
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("no database", 500)), 0o600))
	_, err := Open(t.Context(), path, Options{})
	_, what := evidenceOf(t, err)
	assert.Equal(t, "executor resume refused corrupt", what)
}

func content(t *testing.T, path string) string {
	b, err := os.ReadFile(path)
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	return string(b)
}

// A process that was killed during a transaction left a journal, which only a writer can roll back.
func TestHotJournal(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from.db"), filepath.Join(t.TempDir(), "to.db")
	raw(t, from, func(db *sql.DB) {
		db.SetMaxOpenConns(1)
		for _, statement := range []string{schema, "INSERT INTO tasks (task_id) VALUES ('T')", "PRAGMA cache_size = 1",
			"BEGIN", "DELETE FROM tasks", "INSERT INTO executor_meta SELECT value, hex(randomblob(2000)) FROM " +
				"(WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 500) SELECT " +
				"* FROM n)"} {
			_, err := db.Exec(statement)
			require.NoError(t, err)
		}
		for _, suffix := range []string{"", "-journal"} {
			require.NoError(t, os.WriteFile(to+suffix, []byte(content(t, from+suffix)), 0o600))
		}
	})
	require.NotEmpty(t, content(t, to+"-journal"))
	all, err := opened(t, to).Statuses(t.Context())
	require.NoError(t, err)
	assert.Len(t, all, 1)
	sound(t, to)
}

// S13, B-S06: backups are numbered.
func TestLegacyBackups(t *testing.T) {
	path := files(t, oldState, "")
	old := LegacyPath(path)
	require.NoError(t, os.WriteFile(old+".bak", []byte("earlier"), 0o600))
	require.NoError(t, opened(t, path).Close())
	assert.FileExists(t, old+".bak.1")
	assert.Equal(t, "earlier", content(t, old+".bak"))
	require.NoError(t, os.WriteFile(old, []byte(oldState), 0o600)) // as if the renaming had been interrupted
	require.NoError(t, opened(t, path).Close())
	assert.FileExists(t, old+".bak.2")
}

// S15, S16, S40: the paths.
func TestPaths(t *testing.T) {
	for path, want := range map[string]string{
		DefaultPath:         "spec/.executor-state.json",
		PrefixedPath("v2-"): "spec/.executor-v2-state.json",
		"state.db":          "",
		".executor-x.db":    "",
	} {
		assert.Equal(t, want, LegacyPath(path), path)
	}
	assert.Equal(t, "spec/.executor-v2-state.db", PrefixedPath("v2-"))
	dir := t.TempDir()
	s := opened(t, filepath.Join(dir, "deep", "state.db"))
	info, err := os.Stat(s.Path())
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	link := filepath.Join(dir, "link.db")
	require.NoError(t, os.Symlink(s.Path(), link))
	assert.Equal(t, s.Path(), opened(t, link).Path())
}

// A file that was removed or replaced takes no further writes.
func TestMovedFile(t *testing.T) {
	s := newStore(t)
	require.NoError(t, s.MarkRunning(t.Context(), "T"))
	require.NoError(t, os.Rename(s.Path(), s.Path()+".old"))
	_, what := evidenceOf(t, s.MarkRunning(t.Context(), "T"))
	assert.Equal(t, "state state_write moved ", what)
}

// The tables of the seed keep their columns, in their order, S3-S5.
func TestSeedColumns(t *testing.T) {
	s := newStore(t)
	raw(t, s.Path(), func(db *sql.DB) {
		for table, want := range map[string]string{
			"tasks":         "task_id,status,started_at,completed_at",
			"attempts":      "id,task_id,timestamp,success,duration_seconds,error,error_code,claude_output",
			"executor_meta": "key,value",
		} {
			var columns string
			require.NoError(t, db.QueryRow("SELECT group_concat(name) FROM pragma_table_info(?)", table).Scan(&columns))
			assert.True(t, strings.HasPrefix(columns, want), columns)
		}
		var mode string
		require.NoError(t, db.QueryRow("PRAGMA journal_mode").Scan(&mode))
		assert.Equal(t, "wal", mode, "S1")
	})
}
