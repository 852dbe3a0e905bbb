package state

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSchema are the rows S3, S4 and S5: the columns that programs which read such files expect come first, in their order.
func TestSchema(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "s.db"), Options{})
	for table, want := range map[string][]string{
		"tasks": {"task_id TEXT key", "status TEXT not null default 'pending'", "started_at TEXT", "completed_at TEXT"},
		"attempts": {"id INTEGER key", "task_id TEXT not null", "timestamp TEXT not null", "success INTEGER not null",
			"duration_seconds REAL not null", "error TEXT", "error_code TEXT", "claude_output TEXT"},
		"executor_meta": {"key TEXT key", "value TEXT"},
	} {
		var got []string
		err := s.query(t.Context(), "read", `SELECT name, type, "notnull", coalesce(dflt_value, ''), pk FROM pragma_table_info(?) ORDER BY cid`,
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

// TestStatusesReadIndexesOnly asserts that what there may be very much of is not looked up row by row.
func TestStatusesReadIndexesOnly(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "s.db"), Options{})
	var steps []string
	err := s.query(t.Context(), "explain", "EXPLAIN QUERY PLAN "+statuses, nil, func(r row) error {
		var id, parent, unused int
		var step string
		defer func() { steps = append(steps, step) }()
		return r.Scan(&id, &parent, &unused, &step)
	})
	require.NoError(t, err)
	plan := strings.Join(steps, "\n")
	for _, index := range []string{"attempts_by_task", "runs_spent", "attempts_spent", "attempts_by_hand"} {
		assert.Contains(t, plan, fmt.Sprintf("USING COVERING INDEX %s ", index))
	}
	assert.Contains(t, plan, "USING INDEX runs_open ")
	assert.Equal(t, 1, strings.Count(plan, "SCAN "), plan)
	assert.NotContains(t, plan, "TEMP B-TREE")
}
