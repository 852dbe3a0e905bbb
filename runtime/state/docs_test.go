package state_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/state"
)

// TestDocs runs the queries of docs/state.md, and looks for the columns that it describes.
func TestDocs(t *testing.T) {
	doc, err := os.ReadFile("../../docs/state.md")
	require.NoError(t, err)
	told, err := os.ReadFile("testdata/retry/tests.txt")
	require.NoError(t, err)
	assert.Contains(t, string(doc), "```text\n"+strings.TrimSuffix(string(told), "\n")+"\n```\n",
		"what an attempt is told")
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := state.Open(t.Context(), path, state.Options{})
	require.NoError(t, err)
	_, err = s.RecordAttempt(
		t.Context(), state.Attempt{Task: "T-1", Error: "it broke", CodeAsWritten: "BROKEN", Duration: time.Second})
	require.NoError(t, err)
	require.NoError(t, s.Close())
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer func() { assert.NoError(t, db.Close()) }()

	queries := regexp.MustCompile("(?s)```sql\n(.*?)```").FindAllStringSubmatch(string(doc), -1)
	require.GreaterOrEqual(t, len(queries), 4)
	for _, q := range queries {
		rows, err := db.Query(q[1])
		if assert.NoError(t, err, q[1]) {
			for rows.Next() {
			}
			assert.NoError(t, rows.Err(), q[1])
			assert.NoError(t, rows.Close())
		}
	}

	_, table, _ := strings.Cut(string(doc), "What an attempt knows beyond them:")
	table, _, _ = strings.Cut(table, "A task that is reset")
	described := map[string]bool{}
	for _, line := range strings.Split(table, "\n") {
		if cell, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " | "); ok {
			for _, m := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(cell, -1) {
				described[m[1]] = true
			}
		}
	}
	old := []string{"id", "task_id", "timestamp", "success", "duration_seconds", "error", "claude_output"}
	rows, err := db.Query("SELECT name FROM pragma_table_info('attempts')")
	require.NoError(t, err)
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		if !assert.True(t, described[name] || slices.Contains(old, name), "column %s is not described", name) {
			continue
		}
		delete(described, name)
	}
	require.NoError(t, rows.Err())
	assert.Empty(t, described, "described, and not there")
}
