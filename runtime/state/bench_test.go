package state_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/state"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// lengths are how long the texts of an attempt are, in bytes.
var lengths = []struct {
	name            string
	failure, output int
}{{"short", 200, 1 << 10}, {"long", 4 << 10, 16 << 10}}

// prose returns n bytes of text without secrets.
func prose(n int) string {
	const line = "--- FAIL: TestParse (0.02s): parse_test.go:41: got 3 tokens, and wanted the 4 of key: value\n"
	return strings.Repeat(line, n/len(line)+1)[:n]
}

func openBench(b *testing.B) *state.Store {
	b.Helper()
	s, err := state.Open(b.Context(), filepath.Join(b.TempDir(), "state.db"), state.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, s.Close()) })
	return s
}

// BenchmarkRecordAttempt records attempts, and by turns inserts the same rows by prepared
// statements, each in a transaction of its own.
func BenchmarkRecordAttempt(b *testing.B) {
	for _, c := range lengths {
		b.Run(c.name, func(b *testing.B) {
			s, ctx := openBench(b), context.Background()
			a := state.Attempt{
				Task: "TASK-001", At: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Duration: 90 * time.Second,
				Error: prose(c.failure), CodeAsWritten: "TEST_FAILURE", Category: "tests", Output: prose(c.output),
				Rule:     "tests_failed",
				Reaction: "retry", Action: "retry", Provider: "claude-cli", Tier: taxonomy.Some(1),
				Fingerprint: "9f86d081884c7d65",
				Usage: executor.Usage{InputTokens: taxonomy.Some[int64](20_000),
					OutputTokens: taxonomy.Some[int64](3_000), CostUSD: taxonomy.Some(0.105)},
				Feedback: prose(c.failure), Changed: []string{"a/b.go", "a/b_test.go"},
			}
			record := func() {
				if _, err := s.RecordAttempt(ctx, a); err != nil {
					b.Fatal(err)
				}
			}
			record()
			from, p := openBare(b, s.Path()), openBare(b, openBench(b).Path())
			rows := p.like(b, from, "tasks", "", "", `ON CONFLICT (task_id) DO UPDATE SET status = excluded.status,
				started_at = excluded.started_at, completed_at = excluded.completed_at, calls = calls + excluded.calls,
				input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens,
				cost_microusd = cost_microusd + excluded.cost_microusd`)
			rows = append(rows, p.like(b, from, "attempts", "id", "", "")...)
			compare(b, func() { p.write(b, rows...) }, record)
		})
	}
}

// BenchmarkAppend has the journal write the three entries of an iteration, and by turns writes the
// rows that come of them by prepared statements, in as many transactions.
func BenchmarkAppend(b *testing.B) {
	for _, c := range lengths {
		b.Run(c.name, func(b *testing.B) {
			s, ctx := openBench(b), context.Background()
			j := s.Journal()
			_, err := j.Open(ctx, "run-1")
			require.NoError(b, err)
			b.Cleanup(func() { require.NoError(b, j.Close()) })
			appendAll := func(entries ...executor.Entry) {
				for _, e := range entries {
					if err := j.Append(ctx, e); err != nil {
						b.Fatal(err)
					}
				}
			}
			at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
			appendAll(
				executor.Entry{Point: executor.PointBegun, At: at,
					Begun: &executor.Begun{Version: 1, Run: "run-1", Task: "TASK-001"}})
			number := 0
			iterate := func() {
				number++
				appendAll(iteration(number, at, c.failure, c.output)...)
			}
			iterate()
			p := openBare(b, openBench(b).Path())
			transactions := p.iteration(b, openBare(b, s.Path()))
			compare(b, func() {
				for _, rows := range transactions {
					p.write(b, rows...)
				}
			}, iterate)
		})
	}
}

// iteration returns what the transactions of an iteration write, of which from has one.
func (p *bare) iteration(b *testing.B, from *bare) [][]bareRow {
	b.Helper()
	p.write(b, p.like(b, from, "tasks", "", "", "")...)
	p.write(b, p.like(b, from, "runs", "", "", "")...)
	entries := p.like(b, from, "entries", "", "seq", "")[1:]
	for i := range entries {
		entries[i].stmt = p.prepare(
			b, fmt.Sprintf(
				"INSERT INTO entries (run, seq, at, iteration, point, body) VALUES (?, ? * 3 + %d, ?, ?, ?, ?)", i))
	}
	errors := p.like(b, from, "errors", "", "attempt_id", "")
	for i := range errors {
		errors[i].args[0] = int64(0) // the first attempt has the ID 1
	}
	started := append(entries[:1:1], p.like(b, from, "calls", "", "iteration", "")...)
	started = append(
		started,
		p.update(b, "UPDATE tasks SET started_at = ?, status = ? WHERE task_id = ?", "now", "running", "TASK-001"),
		p.update(b, "UPDATE runs SET calls = calls + 1 WHERE run = ?", "run-1"),
		p.update(b, "UPDATE tasks SET calls = calls + 1 WHERE task_id = ?", "TASK-001"))
	call := p.update(b, `UPDATE calls SET ended_at = ?, input_tokens = ?, output_tokens = ?, cost_microusd = ?
		WHERE run = ? AND iteration = ? AND call = ?`, "now", 20_000, 3_000, 105_000, "run-1", int64(0), 1)
	call.number = 5
	const costs = " SET input_tokens = input_tokens + ?, output_tokens = output_tokens + ?, cost_microusd = " +
		"cost_microusd + ? WHERE "
	answered := append(
		entries[1:2:2], call, p.update(b, "UPDATE runs"+costs+"run = ?", 20_000, 3_000, 105_000, "run-1"),
		p.update(b, "UPDATE tasks"+costs+"task_id = ?", 20_000, 3_000, 105_000, "TASK-001"))
	closed := append(entries[2:3:3], p.like(b, from, "attempts", "id", "iteration", "")...)
	return [][]bareRow{started, answered, append(closed, errors...)}
}

func (p *bare) update(b *testing.B, query string, args ...any) bareRow {
	b.Helper()
	return bareRow{stmt: p.prepare(b, query), args: args, number: -1}
}

// iteration returns the entries of an iteration of one call, after which tests fail.
func iteration(number int, at time.Time, failure, output int) []executor.Entry {
	record := executor.ErrorRecord{
		Iteration: number, Op: "validate_pre_commit", Source: "validator", Code: "TEST_FAILURE", Category: "tests",
		Message:     prose(failure),
		Fingerprint: "9f86d081884c7d65", Reaction: "retry", Action: "retry", Counted: true, Why: "tests_failed",
		Details: []byte(`{"exitCode":1}`),
		Wire: []byte(`{"code":"TEST_FAILURE","message":"` +
			strings.TrimSpace(strings.ReplaceAll(prose(failure), "\n", " ")) + `"}`),
	}
	usage := executor.Usage{InputTokens: taxonomy.Some[int64](20_000), OutputTokens: taxonomy.Some[int64](3_000),
		CostUSD: taxonomy.Some(0.105)}
	return []executor.Entry{
		{Point: executor.PointStarted, At: at, Iteration: number,
			Started: &executor.Started{Call: 1, Provider: "claude-cli"}},
		{Point: executor.PointAnswered, At: at, Iteration: number,
			Answered: &executor.Answered{Call: 1, Text: prose(output), Usage: usage}},
		{Point: executor.PointClosed, At: at, Iteration: number, Closed: &executor.Closed{
			Failures: 1, Counted: 1, Count: true, Errors: []executor.ErrorRecord{record}, LastError: &record,
			Feedback: []executor.Feedback{{Iteration: number, Code: "TEST_FAILURE", Text: prose(failure)}},
			Changed:  []string{"a/b.go", "a/b_test.go"},
		}},
	}
}
