package state

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hasty gives up after a moment.
var hasty = patience{once: time.Millisecond, total: 10 * time.Millisecond}

// made-up versions: the second adds a column, the third makes a table anew that others refer to.
var later = []string{
	schema,
	"ALTER TABLE tasks ADD COLUMN mood TEXT NOT NULL DEFAULT 'good'",
	`CREATE TABLE anew (task_id TEXT PRIMARY KEY, status TEXT NOT NULL DEFAULT 'pending', mood TEXT, started_at TEXT, completed_at TEXT,
		generation INTEGER NOT NULL DEFAULT 1) STRICT;
	INSERT INTO anew (task_id, status, mood) SELECT task_id, status, mood FROM tasks;
	DROP TABLE tasks;
	ALTER TABLE anew RENAME TO tasks;`,
}

// older makes a state of version 1 with a task and an attempt.
func older(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	s := opened(t, path, Options{})
	require.NoError(t, s.write(t.Context(), "fill", func(t *tx) error {
		_, err := t.w.conn.ExecContext(t.ctx, `INSERT INTO tasks (task_id) VALUES ('a');
			INSERT INTO attempts (task_id, timestamp, success, duration_seconds) VALUES ('a', '2026-01-02T03:04:05Z', 1, 1)`)
		return err
	}))
	require.NoError(t, s.Close())
	return path
}

// seen returns the version and the mood of the task.
func seen(t *testing.T, s *Store) (version int, mood string) {
	t.Helper()
	err := s.query(
		t.Context(), "look",
		`SELECT user_version, (SELECT mood FROM tasks JOIN attempts USING (task_id)) FROM pragma_user_version`,
		nil, func(r row) error { return r.Scan(&version, &mood) })
	require.NoError(t, err)
	return version, mood
}

func TestMigrate(t *testing.T) {
	for _, to := range []int{2, 3} {
		path := older(t)
		_, err := openWith(t.Context(), path, Options{ReadOnly: true}, later[:to], ordinary)
		assert.Equal(t, "older", evidenceOf(t, err).Attribute("reason"))
		for range 2 {
			s, err := openWith(t.Context(), path, Options{}, later[:to], ordinary)
			require.NoError(t, err)
			version, mood := seen(t, s)
			assert.Equal(t, to, version)
			assert.Equal(t, "good", mood)
			assert.Error(t, s.write(t.Context(), "refer to nothing", func(t *tx) error {
				_, err := t.exec(
					"INSERT INTO attempts (task_id, timestamp, success, duration_seconds) VALUES ('none', '', 0, 0)")
				return err
			}), "foreign keys are enforced again")
			require.NoError(t, s.Close())
		}
		refusedFor(t, path, "newer")
	}
}

func TestMigrationThatFails(t *testing.T) {
	for name, step := range map[string]string{
		"statement": "UPDATE tasks SET mood = 'bad'; SELECT * FROM none",
		"reference": "DELETE FROM tasks",
	} {
		t.Run(name, func(t *testing.T) {
			path := older(t)
			_, err := openWith(t.Context(), path, Options{}, []string{schema, later[1], step}, ordinary)
			evidenceOf(t, err)
			s := opened(t, path, Options{})
			var tasks, columns int
			require.NoError(
				t, s.query(
					t.Context(), "look",
					"SELECT (SELECT count(*) FROM tasks), (SELECT count(*) FROM pragma_table_info('tasks') WHERE "+
						"name = 'mood')",
					nil, func(r row) error { return r.Scan(&tasks, &columns) }))
			assert.Equal(t, []int{1, 0}, []int{tasks, columns}, "nothing of any step")
		})
	}
}

func TestMigrateAtOnce(t *testing.T) {
	path := older(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			s, err := openWith(t.Context(), path, Options{}, later, ordinary)
			if assert.NoError(t, err) {
				assert.NoError(t, s.Close())
			}
		})
	}
	wg.Wait()
	s, err := openWith(t.Context(), path, Options{}, later, ordinary)
	require.NoError(t, err)
	version, _ := seen(t, s)
	assert.Equal(t, 3, version)
	require.NoError(t, s.Close())
}

// TestMigratedMeanwhile writes with a program to a state that a newer one has migrated since.
func TestMigratedMeanwhile(t *testing.T) {
	path := older(t)
	s := opened(t, path, Options{})
	require.NoError(t, noted(t.Context(), s, "before", ""))
	newer, err := openWith(t.Context(), path, Options{}, later, ordinary)
	require.NoError(t, err)
	require.NoError(t, newer.Close())
	err = noted(t.Context(), s, "after", "")
	ev := evidenceOf(t, err)
	assert.Equal(t, []string{"state", "state_write", "refused", "newer"},
		[]string{ev.Source, ev.Op, ev.Type, ev.Attribute("reason")})
	assert.NotContains(t, notes(t, s), "after")
}
