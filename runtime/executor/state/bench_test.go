package state

import (
	"database/sql"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// prose returns n bytes of text without secrets.
func prose(n int) string {
	const line = "--- FAIL: TestParse (0.02s): parse_test.go:41: got 3 tokens, want 4 for key: value\n"
	return strings.Repeat(line, n/len(line)+1)[:n]
}

// BenchmarkRecordAttempt records attempts, and by turns inserts the same rows with prepared
// statements into a file of the same settings.
func BenchmarkRecordAttempt(b *testing.B) {
	for _, c := range []struct {
		name            string
		failure, output int
	}{{"short", 200, 1 << 10}, {"long", maxError, maxOutput}} {
		b.Run(c.name, func(b *testing.B) {
			s := newStore(b)
			a := Attempt{
				Task: "TASK-001", Duration: 90 * time.Second, Error: prose(c.failure), Output: prose(c.output),
				Code: "TEST_FAILURE", Category: "tests", Reaction: "explain", Action: "retry", Provider: "claude-cli",
				Tier: taxonomy.Some(1), Feedback: prose(c.failure), Changed: []string{"a/b.go", "a/b_test.go"},
				Usage: executor.Usage{InputTokens: taxonomy.Some[int64](20_000), CostUSD: taxonomy.Some(0.105)},
			}
			record := func() {
				if _, err := s.RecordAttempt(b.Context(), a); err != nil {
					b.Fatal(err)
				}
			}
			compare(b, bareInsert(b, s.withDefaults(a)), record)
		})
	}
}

// bareInsert returns a function that writes the rows of an attempt in one transaction.
func bareInsert(b *testing.B, a Attempt) func() {
	b.Helper()
	path := filepath.Join(b.TempDir(), "bare.db")
	require.NoError(b, opened(b, path).Close())
	db, err := sql.Open("sqlite", dsn(path, "rw"))
	require.NoError(b, err)
	db.SetMaxOpenConns(1)
	b.Cleanup(func() { require.NoError(b, db.Close()) })
	task, err := db.Prepare(putTask)
	require.NoError(b, err)
	attempt, err := db.Prepare(`INSERT INTO attempts (task_id, timestamp, success, duration_seconds, error, error_code,
		claude_output, feedback, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	require.NoError(b, err)
	rest := a
	rest.Error, rest.Output, rest.Feedback, rest.Code, rest.TaskStatus = "", "", "", "", ""
	record, err := json.Marshal(rest)
	require.NoError(b, err)
	at := "2026-03-01T12:00:00.000000000Z"
	return func() {
		tx, err := db.Begin()
		if err == nil {
			_, err = tx.Stmt(task).Exec("running", nil, at, a.Task)
		}
		if err == nil {
			_, err = tx.Stmt(attempt).Exec(a.Task, at, false, 90.0, a.Error, a.Code, a.Output, a.Feedback,
				string(record))
		}
		if err == nil {
			err = tx.Commit()
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSave saves a run in the middle of a call, with a state of 42 KB, and by turns updates
// the same row of a file of the same settings.
func BenchmarkSave(b *testing.B) {
	s := newStore(b)
	store := s.RunStore()
	_, err := store.Open(b.Context(), "r")
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, store.Close()) })
	st := &executor.RunState{Version: 1, Task: executor.Task{Run: "r", ID: "T", Prompt: prose(4 << 10)},
		Now:  s.clock.Now(),
		Step: loop.StepCall, History: executor.History{Text: prose(16 << 10)},
		Iter: loop.Iteration{Number: 1, Open: true, Calls: 1}}
	for range 20 {
		st.Errors = append(st.Errors, executor.ErrorRecord{Op: "call", Source: "agent", Message: prose(1 << 10)})
	}
	save := func() {
		st.Saves++
		if err := store.Save(b.Context(), st); err != nil {
			b.Fatal(err)
		}
	}
	save()
	bare := opened(b, filepath.Join(b.TempDir(), "bare.db"))
	other := bare.RunStore()
	require.NoError(b, other.Save(b.Context(), st))
	body, err := json.Marshal(st)
	require.NoError(b, err)
	update, err := bare.writer.Prepare("UPDATE runs SET state = ?, saves = saves + 1 WHERE run = 'r'")
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, update.Close()) })
	compare(b, func() {
		tx, err := bare.writer.Begin()
		if err == nil {
			_, err = tx.Stmt(update).Exec(string(body))
		}
		if err == nil {
			err = tx.Commit()
		}
		if err != nil {
			b.Fatal(err)
		}
	}, save)
}

// compare measures f and what it is compared with by turns, so that both meet the same disk.
func compare(b *testing.B, base, f func()) {
	var ofBase, ofF time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		base()
		between := time.Now()
		f()
		ofBase, ofF = ofBase+between.Sub(start), ofF+time.Since(between)
	}
	b.ReportMetric(float64(ofBase.Microseconds())/float64(b.N), "bare-µs/op")
	b.ReportMetric(float64(ofF.Microseconds())/float64(b.N), "store-µs/op")
	b.ReportMetric(float64(ofF)/float64(ofBase), "store/bare")
}

// BenchmarkStatuses lists 1,000 tasks with 100 attempts each.
func BenchmarkStatuses(b *testing.B) {
	s := newStore(b)
	err := s.write(b.Context(), "fill", func(t *tx) error {
		const series = "WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?) "
		_, err := t.exec(series+`INSERT INTO tasks (task_id, status) SELECT 'T' || value, 'running' FROM n`, 1000)
		if err == nil {
			_, err = t.exec(series+`INSERT INTO attempts (task_id, timestamp, success, duration_seconds,
				error, record) SELECT 'T' || (1 + value % 1000), '2026-03-01T12:00:00Z', 0, 1, 'x',
				json_object('outcome', 'failed', 'calls', 1, 'usage', json_object('costUSD', 0.00001)) FROM n`, 100_000)
		}
		return err
	})
	require.NoError(b, err)
	for b.Loop() {
		all, err := s.Statuses(b.Context())
		if err != nil || len(all) != 1000 {
			b.Fatal(len(all), err)
		}
	}
}
