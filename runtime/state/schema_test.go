package state

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSchema are the rows S3, S4 and S5: the columns that programs which read such files expect
// come first, in their order.
func TestSchema(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "s.db"), Options{})
	for table, want := range map[string][]string{
		"tasks": {"task_id TEXT key", "status TEXT not null default 'pending'", "started_at TEXT", "completed_at TEXT"},
		"attempts": {"id INTEGER key", "task_id TEXT not null", "timestamp TEXT not null", "success INTEGER not null",
			"duration_seconds REAL not null", "error TEXT", "error_code TEXT", "claude_output TEXT"},
		"executor_meta": {"key TEXT key", "value TEXT"},
	} {
		var got []string
		err := s.query(
			t.Context(), "read",
			`SELECT name, type, "notnull", coalesce(dflt_value, ''), pk FROM pragma_table_info(?) ORDER BY cid`,
			[]any{table}, func(r row) error {
				var name, kind, initial string
				var notNull, key bool
				if err := r.Scan(&name, &kind, &notNull, &initial, &key); err != nil {
					return err
				}
				column := name + " " + kind
				if key {
					column += " key"
				} else if notNull {
					column += " not null"
				}
				if initial != "" {
					column += " default " + initial
				}
				got = append(got, column)
				return nil
			})
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(got), len(want))
		assert.Equal(t, want, got[:len(want)], table)
	}
}

// plan returns how SQLite goes about a query.
func plan(t *testing.T, s *Store, query string, args ...any) string {
	t.Helper()
	var steps []string
	err := s.query(t.Context(), "explain", "EXPLAIN QUERY PLAN "+query, args, func(r row) error {
		var id, parent, unused int
		var step string
		defer func() { steps = append(steps, step) }()
		return r.Scan(&id, &parent, &unused, &step)
	})
	require.NoError(t, err)
	return strings.Join(steps, "\n")
}

// TestStatusesReadFewRows asserts that what there may be very much of is not looked up row by row.
func TestStatusesReadFewRows(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "s.db"), Options{})
	steps := plan(t, s, statuses)
	assert.Equal(t, 2, strings.Count(steps, "USING COVERING INDEX attempts_by_task "), steps)
	assert.Contains(t, steps, "SEARCH r USING INDEX runs_open ")
	assert.Contains(t, steps, "SEARCH c USING INDEX calls_open ")
	assert.Equal(t, 1, strings.Count(steps, "SCAN "), steps)
	assert.NotContains(t, steps, "TEMP B-TREE")
}

// TestBudgetReadsNoOtherRuns asserts that what was spent is known without the runs and the calls
// that it was spent by.
func TestBudgetReadsNoOtherRuns(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "s.db"), Options{})
	assert.Equal(t, "SCAN tasks", plan(t, s, spentByAll))
	assert.Equal(t, "SEARCH tasks USING INDEX sqlite_autoindex_tasks_1 (task_id=?)", plan(t, s, spentByTask, "t"))
	assert.Equal(t, "SEARCH runs USING INDEX sqlite_autoindex_runs_1 (run=?)", plan(t, s, spentByRun, "r"))
	assert.Equal(t, "SEARCH runs USING INDEX sqlite_autoindex_runs_1 (run=?)",
		plan(t, s, spentByRun+ofTheTask, "r", "t"))
	assert.Equal(t, "SCAN c USING INDEX calls_open\nSEARCH r USING INDEX sqlite_autoindex_runs_1 (run=?)",
		plan(t, s, openCalls, "r"))
}

// TestCountersReadFewAttempts asserts that failures are counted from an index alone, and that a
// limit needs no more of them than it is.
func TestCountersReadFewAttempts(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "s.db"), Options{})
	steps := plan(t, s, "SELECT count(*) "+failures)
	assert.Contains(t, steps, "SEARCH a USING COVERING INDEX attempts_failed (task_id=? AND generation=? AND id>?)")
	assert.NotContains(t, steps, "TEMP B-TREE")
	steps = plan(t, s, newest, 3)
	assert.Contains(t, steps, "SEARCH attempts USING INDEX attempts_counted (id>?)")
	assert.NotContains(t, steps, "TEMP B-TREE")
}
