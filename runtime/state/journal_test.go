package state_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/state"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var journalTime = time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)

// entryAt returns an entry of an iteration, seconds after the first.
func entryAt(seconds, iteration int, point executor.Point) executor.Entry {
	return executor.Entry{Point: point, At: journalTime.Add(time.Duration(seconds) * time.Second), Iteration: iteration}
}

func begunEntry(run, task string) executor.Entry {
	e := entryAt(0, 0, executor.PointBegun)
	e.Begun = &executor.Begun{Version: 1, Run: run, Task: task, Dir: "/w", Taxonomy: "tax", Config: "cfg",
		Prompt: "prompt"}
	return e
}

func startedEntry(seconds, iteration, call int) executor.Entry {
	e := entryAt(seconds, iteration, executor.PointStarted)
	e.Started = &executor.Started{Call: call, Provider: "claude-cli", Tier: 1}
	return e
}

func answeredEntry(seconds, iteration, call int, text string, usage executor.Usage) executor.Entry {
	e := entryAt(seconds, iteration, executor.PointAnswered)
	e.Answered = &executor.Answered{Call: call, Text: text, Usage: usage}
	return e
}

func closedEntry(seconds, iteration int, c executor.Closed) executor.Entry {
	e := entryAt(seconds, iteration, executor.PointClosed)
	e.Closed = &c
	return e
}

func endedEntry(seconds, iteration int, reason executor.EndReason) executor.Entry {
	e := entryAt(seconds, iteration, executor.PointEnded)
	e.Ended = &executor.Result{EndReason: reason, Status: reason.Status()}
	return e
}

func usageOf(in, out int64, cost float64) executor.Usage {
	return executor.Usage{InputTokens: taxonomy.Some(in), OutputTokens: taxonomy.Some(out),
		CostUSD: taxonomy.Some(cost)}
}

func openStore(t *testing.T, path string) *state.Store {
	t.Helper()
	s, err := state.Open(t.Context(), path, state.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

func newStore(t *testing.T) *state.Store {
	t.Helper()
	return openStore(t, filepath.Join(t.TempDir(), "state.db"))
}

// openJournal opens the journal of a run, and closes it at the end of the test.
func openJournal(t *testing.T, s *state.Store, run string) (executor.Journal, []executor.Entry) {
	t.Helper()
	j := s.Journal()
	entries, err := j.Open(t.Context(), run)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, j.Close()) })
	return j, entries
}

// keep writes the journal of a run, which is closed then.
func keep(t *testing.T, s *state.Store, run string, entries ...executor.Entry) {
	t.Helper()
	j, _ := openJournal(t, s, run)
	for _, e := range entries {
		require.NoError(t, j.Append(t.Context(), e))
	}
	require.NoError(t, j.Close())
}

// rows returns what a query finds, a row a line. NULL is "-".
func rows(t *testing.T, s *state.Store, query string, args ...any) string {
	t.Helper()
	db := openFile(t, s)
	r, err := db.Query(query, args...)
	require.NoError(t, err)
	defer func() { assert.NoError(t, r.Close()) }()
	columns, err := r.Columns()
	require.NoError(t, err)
	var lines []string
	for r.Next() {
		values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		require.NoError(t, r.Scan(into...))
		fields := []string{}
		for _, v := range values {
			if !v.Valid {
				v.String = "-"
			}
			fields = append(fields, v.String)
		}
		lines = append(lines, strings.Join(fields, " | "))
	}
	require.NoError(t, r.Err())
	return strings.Join(lines, "\n")
}

// openFile opens the file of a state as somebody else would.
func openFile(t *testing.T, s *state.Store) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", s.Path()+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, db.Close()) })
	return db
}

func evidenceOf(t *testing.T, err error) *taxonomy.Evidence {
	t.Helper()
	ev, ok := errors.AsType[*taxonomy.Evidence](err)
	require.True(t, ok, "%T: %v", err, err)
	return ev
}

func TestJournalEntriesComeBack(t *testing.T) {
	s := newStore(t)
	j, entries := openJournal(t, s, "run-1")
	assert.Empty(t, entries)
	assert.Empty(t, rows(t, s, "SELECT * FROM runs"), "a run without entries is not known")
	require.NoError(t, j.Append(t.Context(), begunEntry("run-1", "task-1")))
	require.NoError(t, j.Close())
	require.NoError(t, j.Close(), "closing twice")

	j, entries = openJournal(t, s, "run-1")
	assert.Equal(t, []executor.Entry{begunEntry("run-1", "task-1")}, entries)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	second := startedEntry(1, 1, 1)
	second.Started.Provider = "p\n\x01\"é<"
	require.NoError(t, j.Append(cancelled, second), "what has happened is written also when the run is cancelled")
	third := entryAt(2, 1, executor.PointApproved)
	third.Approved = []executor.Change{{Path: "api_key=abcdefghijklmnop.txt"}}
	require.NoError(t, j.Append(t.Context(), third))
	require.NoError(t, j.Close())

	_, entries = openJournal(t, s, "run-1")
	assert.Equal(t, []executor.Entry{begunEntry("run-1", "task-1"), second, third}, entries, "paths are exact")
	_, entries = openJournal(t, s, "run-2")
	assert.Empty(t, entries, "runs have nothing to do with each other")
}

func TestJournalNames(t *testing.T) {
	s := newStore(t)
	for _, name := range []string{"", ".", "..", "../x", "a/b", `a\b`, ".hidden", "a b", "a\n", "a:b", "é",
		strings.Repeat("x", 101)} {
		_, err := s.Journal().Open(t.Context(), name)
		ev := evidenceOf(t, err)
		assert.Equal(t, []string{"executor", "prepare", "run", s.Path()},
			[]string{ev.Source, ev.Op, ev.Attribute("field"), ev.Attribute("path")}, "%q", name)
		_, err = s.Claim(t.Context(), name)
		assert.Equal(t, "claim", evidenceOf(t, err).Attribute("field"), "%q", name)
	}
	for _, name := range []string{"a", "-rf", "A_1.b-c", "a..b", "claims", strings.Repeat("x", 100)} {
		keep(t, s, name, begunEntry(name, "t"))
	}
}

func TestJournalHasOneHolder(t *testing.T) {
	s := newStore(t)
	j, _ := openJournal(t, s, "r")
	other := openStore(t, s.Path())
	_, err := other.Journal().Open(t.Context(), "r")
	ev := evidenceOf(t, err)
	assert.Equal(t, []string{"executor", "lock", filepath.Join(s.Path()+".locks", "r.lock"), fmt.Sprint(os.Getpid())},
		[]string{ev.Source, ev.Op, ev.Attribute("path"), ev.Attribute("pid")})
	assert.Regexp(t, `^run r is held by process \d+ on .+ since \d{4}-`, ev.Text)
	_, err = j.Open(t.Context(), "s")
	assert.ErrorContains(t, err, "is open for another run")

	require.NoError(t, j.Append(t.Context(), begunEntry("r", "t")))
	require.NoError(t, j.Close())
	_, entries := openJournal(t, other, "r")
	assert.Len(t, entries, 1)
	ev = evidenceOf(t, j.Append(t.Context(), startedEntry(1, 1, 1)))
	assert.Equal(t, []string{"state", "state_write", s.Path()}, []string{ev.Source, ev.Op, ev.Attribute("path")})
	assert.ErrorContains(t, ev, "is not open")
}

// What an entry says twice is there once: the journal was told that it could not write it, and had.
func TestJournalEntryAppendedTwice(t *testing.T) {
	s := newStore(t)
	all := []executor.Entry{
		begunEntry("r", "t"), startedEntry(1, 1, 1), answeredEntry(3, 1, 1, "half of it", usageOf(10, 20, 0.5)),
		closedEntry(4, 1, executor.Closed{Count: true, Errors: []executor.ErrorRecord{{Iteration: 1, Message: "no"}}}),
		endedEntry(5, 1, executor.EndFatal),
	}
	keep(t, s, "r", all...)
	j, _ := openJournal(t, s, "r")
	require.NoError(t, j.Append(t.Context(), all[4]), "also to a journal that had only read the first")
	require.NoError(t, j.Append(t.Context(), all[4]))
	require.NoError(t, j.Close())
	tables := []string{"runs", "calls", "attempts", "errors", "entries", "tasks"}
	before := map[string]string{}
	for _, table := range tables {
		before[table] = rows(t, s, "SELECT * FROM "+table)
	}
	assert.Equal(t, "5", rows(t, s, "SELECT count(*) FROM entries"))
	for n, e := range all {
		// Another journal writes the first entries, and then has the last of them before it by
		// accident.
		again := fmt.Sprint("again-", n)
		copies := slices.Clone(all)
		copies[0] = begunEntry(again, "t-"+again)
		keep(t, s, again, copies[:n+1]...)
		j, _ := openJournal(t, s, again)
		state.Forget(j)
		twice := copies[n]
		twice.At = e.At.Add(time.Minute)
		require.NoError(t, j.Append(t.Context(), twice))
		require.NoError(t, j.Close())
		_, entries := openJournal(t, s, again)
		assert.Len(t, entries, n+1)
	}
	for _, table := range []string{"calls", "attempts"} {
		assert.Equal(t, before[table], rows(t, s, "SELECT * FROM "+table+" WHERE run = 'r'"))
	}
	whole := "SELECT status, end_reason, calls, input_tokens, output_tokens, cost_microusd, unknown_cost FROM runs " +
		"WHERE run = ?"
	assert.Equal(t, rows(t, s, whole, "r"), rows(t, s, whole, "again-4"))

	j, _ = openJournal(t, s, "r")
	state.Forget(j)
	assert.ErrorContains(t, j.Append(t.Context(), endedEntry(5, 1, executor.EndCompleted)),
		"entry 5 is there already, and is another one")
	assert.Equal(t, "failed", rows(t, s, "SELECT status FROM tasks WHERE task_id = 't'"))
}

func TestJournalRefusesEntries(t *testing.T) {
	s := newStore(t)
	j, _ := openJournal(t, s, "r")
	long := begunEntry("r", "t")
	long.Begun.Dir = strings.Repeat("x", 9<<20)
	bad := begunEntry("r", "t")
	bad.Judged = &executor.Judged{Errors: []executor.ErrorRecord{{Details: []byte("{")}}}
	for _, c := range []struct {
		name  string
		entry executor.Entry
		want  string
	}{
		{"nothing was begun", startedEntry(1, 1, 1), "a run begins with the entry of what it begins with"},
		{"begun with nothing", entryAt(0, 0, executor.PointBegun), "a run begins with"},
		{"another run", begunEntry("other", "t"), `the entry is one of run "other"`},
		{"too long", long, "is too long"},
		{"no JSON", bad, "unexpected end of JSON"},
		{"a task without ID", begunEntry("r", ""), "the ID of a task has 1 to 1024 bytes"},
		{"a task with a long ID", begunEntry("r", strings.Repeat("x", 1025)), "the ID of a task has 1 to 1024 bytes"},
		{"a task with NUL", begunEntry("r", "a\x00b"), "UTF-8 without NUL"},
		{"a task that is no UTF-8", begunEntry("r", "a\xff"), "UTF-8 without NUL"},
		{"a task with a secret", begunEntry("r", "token=ghp_abcdefghijklmnopqrstuvwxyz0123456789"),
			"looks like a secret"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ev := evidenceOf(t, j.Append(t.Context(), c.entry))
			assert.Equal(t, []string{"state", "state_write", s.Path()},
				[]string{ev.Source, ev.Op, ev.Attribute("path")})
			assert.ErrorContains(t, ev, c.want)
		})
	}
	assert.Empty(t, rows(t, s, "SELECT task_id FROM tasks UNION ALL SELECT run FROM runs"),
		"nothing is left of what was refused")
	require.NoError(t, j.Append(t.Context(), begunEntry("r", "t")))
	require.NoError(t, j.Append(t.Context(), begunEntry("r", "t")), "twice with the same")
	assert.ErrorContains(t, j.Append(t.Context(), begunEntry("r", "u")),
		`the run was begun with task "t", and not with "u"`)
	assert.Equal(t, "t | pending", rows(t, s, "SELECT task_id, status FROM tasks"))
	require.NoError(t, j.Append(t.Context(), startedEntry(1, 1, 1)), "it can be gone on with")
}

// Other texts are IDs, and never take each other for another.
func TestStrangeTasks(t *testing.T) {
	s := newStore(t)
	ids := []string{" ", "a", "A", "a ", "\u00e9", "e\u0301", "日本", "'; DROP TABLE tasks; --", "%", "_", "*", "../..",
		"\n", "\x1b[31m", `"`, "\u202e", "1", "1.0", strings.Repeat("x", 1024)}
	for i, id := range ids {
		name := fmt.Sprint("r", i)
		keep(t, s, name, begunEntry(name, id), startedEntry(1, 1, 1), endedEntry(2, 1, executor.EndCompleted))
	}
	assert.Equal(t, fmt.Sprint(len(ids)), rows(t, s, "SELECT count(*) FROM tasks"))
	for i, id := range ids {
		runs, err := s.Runs(t.Context(), id)
		require.NoError(t, err)
		require.Len(t, runs, 1, "%q", id)
		assert.Equal(t, []string{fmt.Sprint("r", i), id}, []string{runs[0].Name, runs[0].Task})
	}
}

func TestDamagedJournal(t *testing.T) {
	for _, c := range []struct {
		name, change, want string
		entry              string
	}{
		{"no JSON", "UPDATE entries SET body = substr(body, 1, 20) WHERE seq = 2",
			"entry 2: read it: unexpected end of JSON input", "2"},
		{"another type", `UPDATE entries SET body = '[]' WHERE seq = 1`, "entry 1: read it: json: cannot unmarshal",
			"1"},
		{"another point", "UPDATE entries SET point = 'closed' WHERE seq = 3",
			"entry 3: what it says is not what stands beside it", "3"},
		{"another iteration", "UPDATE entries SET iteration = 9 WHERE seq = 3",
			"entry 3: what it says is not what stands beside it", "3"},
		{"one is missing", "DELETE FROM entries WHERE seq = 2", "entry 2: entry 3 stands in its place", "2"},
		{"the first is missing", "DELETE FROM entries WHERE seq = 1", "entry 1: entry 2 stands in its place", "1"},
		{"all are missing", "DELETE FROM entries", "the run is known, and its entries are not there any more", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			keep(t, s, "r", begunEntry("r", "t"), startedEntry(1, 1, 1), answeredEntry(2, 1, 1, "", executor.Usage{}))
			_, err := openFile(t, s).Exec(c.change)
			require.NoError(t, err)
			before := rows(t, s, "SELECT * FROM entries")
			for range 2 {
				_, err = s.Journal().Open(t.Context(), "r")
				ev := evidenceOf(t, err)
				assert.Equal(t, []string{"executor", "resume", "refused", s.Path(), "r", c.entry},
					[]string{ev.Source, ev.Op, ev.Type, ev.Attribute("path"), ev.Attribute("run"),
						ev.Attribute("entry")})
				assert.Contains(t, ev.Text, "journal of run r")
				assert.Contains(t, ev.Text, c.want)
			}
			assert.Equal(t, before, rows(t, s, "SELECT * FROM entries"), "nothing is lost")
			keep(t, s, "other", begunEntry("other", "t"))
		})
	}
}

func TestJournalOfAReadOnlyState(t *testing.T) {
	s := newStore(t)
	keep(t, s, "r", begunEntry("r", "t"))
	looking, err := state.Open(t.Context(), s.Path(), state.Options{ReadOnly: true})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, looking.Close()) })
	_, err = looking.Journal().Open(t.Context(), "r")
	ev := evidenceOf(t, err)
	assert.Equal(t, []string{"executor", "prepare"}, []string{ev.Source, ev.Op})
	runs, err := looking.Unfinished(t.Context())
	require.NoError(t, err)
	assert.Len(t, runs, 1)
}
