package state_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/state"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	taskRow    = "SELECT status, started_at, completed_at FROM tasks WHERE task_id = 't'"
	attemptRow = `SELECT iteration, success, duration_seconds, error_code, error, counted FROM attempts ORDER BY id`
)

// How a task stands follows from the entries of its runs.
func TestTaskFollowsItsRuns(t *testing.T) {
	s := newStore(t)
	j, _ := openJournal(t, s, "r")
	at := func(seconds int) string {
		return journalTime.Add(time.Duration(seconds) * time.Second).Format("2006-01-02T15:04:05.000000000Z07:00")
	}
	for _, c := range []struct {
		entry executor.Entry
		want  string
	}{
		{begunEntry("r", "t"), "pending | - | -"},
		{startedEntry(1, 1, 1), "running | " + at(1) + " | -"},
		{answeredEntry(2, 1, 1, "", executor.Usage{}), "running | " + at(1) + " | -"},
		{startedEntry(3, 1, 2), "running | " + at(1) + " | -"},
		{closedEntry(4, 1, executor.Closed{End: executor.EndFatal}), "running | " + at(1) + " | -"},
		{endedEntry(5, 1, executor.EndFatal), "failed | " + at(1) + " | " + at(5)},
		{entryAt(6, 1, executor.PointNotified), "failed | " + at(1) + " | " + at(5)},
	} {
		require.NoError(t, j.Append(t.Context(), c.entry))
		assert.Equal(t, c.want, rows(t, s, taskRow), c.entry.Point)
	}
	require.NoError(t, j.Close())
	for i, c := range []struct {
		end  executor.EndReason
		want string
	}{
		{executor.EndCompleted, "completed | " + at(11) + " | " + at(12)},
		{executor.EndCancelled, "pending | " + at(11) + " | -"},
		{executor.EndBlockedSignal, "blocked | " + at(11) + " | " + at(12)},
		{executor.EndFatal, "failed | " + at(11) + " | " + at(12)},
	} {
		name := fmt.Sprint("again-", i)
		j, _ := openJournal(t, s, name)
		require.NoError(t, j.Append(t.Context(), begunEntry(name, "t")))
		require.NoError(t, j.Append(t.Context(), startedEntry(11, 1, 1)))
		assert.Equal(t, "running | "+at(11)+" | -", rows(t, s, taskRow), "begun anew")
		require.NoError(t, j.Append(t.Context(), endedEntry(12, 1, c.end)))
		assert.Equal(t, c.want, rows(t, s, taskRow), c.end)
		require.NoError(t, j.Close())
	}
}

// The process of a check is kept for a run that goes on, and says nothing else: no call has begun
// with it, and none goes on.
func TestProcessOfACheckIsKept(t *testing.T) {
	s := newStore(t)
	j, _ := openJournal(t, s, "r")
	check := entryAt(3, 1, executor.PointProcess)
	check.Process, check.Op = &executor.Process{PID: 7, Start: "then"}, "validate_pre_commit"
	all := []executor.Entry{begunEntry("r", "t"), startedEntry(1, 1, 1), answeredEntry(2, 1, 1, "", usageOf(1, 2, 3))}
	for _, e := range all {
		require.NoError(t, j.Append(t.Context(), e))
	}
	const calls = "SELECT * FROM calls"
	before := rows(t, s, calls)
	require.NoError(t, j.Append(t.Context(), check))
	assert.Equal(t, before, rows(t, s, calls))
	require.NoError(t, j.Close())
	_, entries := openJournal(t, s, "r")
	require.Len(t, entries, 4)
	assert.Equal(t, check, entries[3])
}

// A run that was begun before its task was reset says nothing about how the task stands now; its
// attempts are of then.
func TestRunOfAnEarlierGeneration(t *testing.T) {
	s := newStore(t)
	j, _ := openJournal(t, s, "r")
	require.NoError(t, j.Append(t.Context(), begunEntry("r", "t")))
	require.NoError(t, s.Reset(t.Context(), "t"))
	for _, e := range []executor.Entry{
		startedEntry(1, 1, 1), answeredEntry(2, 1, 1, "", usageOf(1, 2, 3)),
		closedEntry(3, 1, executor.Closed{Clean: true}), endedEntry(4, 1, executor.EndCompleted),
	} {
		require.NoError(t, j.Append(t.Context(), e))
	}
	require.NoError(t, j.Close())
	assert.Equal(t, "pending | - | -", rows(t, s, taskRow))
	assert.Equal(t, "1 | 1", rows(t, s, "SELECT generation, success FROM attempts"))
	keep(t, s, "s", begunEntry("s", "t"), startedEntry(1, 1, 1))
	assert.Equal(t, "r | 1\ns | 2", rows(t, s, "SELECT run, generation FROM runs ORDER BY run"))
	assert.Contains(t, rows(t, s, taskRow), "running")
}

func TestAttemptFollowsFromItsIteration(t *testing.T) {
	failed := executor.ErrorRecord{
		Iteration: 1, Op: "call", Source: "claude-cli", Code: "WEIRD", Understood: "UNKNOWN", Category: "misc",
		Message: "too bad",
		Why:     "rule 7", Reaction: "again", Action: "retry", Counted: true, Fingerprint: "f1",
		Details: json.RawMessage(`{"n":1}`),
	}
	overcome := executor.ErrorRecord{Iteration: 1, Op: "call", Code: "FIRST", Message: "at first", Overcome: true}
	side := executor.ErrorRecord{Iteration: 1, Op: "notify", Code: "SIDE", Message: "nobody hears"}
	earlier := executor.ErrorRecord{Iteration: 0, Code: "EARLIER", Message: "of another iteration"}
	for _, c := range []struct {
		name   string
		closed executor.Closed
		want   string // code, error, understood, category, rule, reaction, action, fingerprint, counted
		errors int
	}{
		{"the last error decides",
			executor.Closed{Count: true, LastError: &failed, Errors: []executor.ErrorRecord{overcome, failed, side}},
			"WEIRD | too bad | UNKNOWN | misc | rule 7 | again | retry | f1 | 1", 3},
		{"the last error is an earlier one",
			executor.Closed{LastError: &earlier, Errors: []executor.ErrorRecord{failed, overcome}},
			"WEIRD | too bad | UNKNOWN | misc | rule 7 | again | retry | f1 | 0", 2},
		{"all is overcome", executor.Closed{LastError: &earlier, Errors: []executor.ErrorRecord{overcome}},
			"- | - | - | - | - | - | - | - | 0", 1},
		{"a success", executor.Closed{Clean: true, Errors: []executor.ErrorRecord{overcome, side}},
			"- | - | - | - | - | - | - | - | 0", 2},
		{"nothing", executor.Closed{}, "- | - | - | - | - | - | - | - | 0", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStore(t)
			keep(t, s, "r", begunEntry("r", "t"), startedEntry(1, 1, 1), closedEntry(3, 1, c.closed))
			assert.Equal(
				t, c.want,
				rows(t, s,
					`SELECT error_code, error, understood_code, category, rule, reaction, action, fingerprint, `+
						`counted FROM attempts`))
			assert.Equal(t, fmt.Sprint(c.errors), rows(t, s, "SELECT count(*) FROM errors"))
		})
	}
	s := newStore(t)
	keep(t, s, "r", begunEntry("r", "t"), startedEntry(1, 1, 1),
		closedEntry(3, 1, executor.Closed{Errors: []executor.ErrorRecord{overcome, failed}}))
	assert.Equal(t, `1 | call | - | FIRST | - | - | at first | - | - | - | 0 | 1 | - | -
2 | call | claude-cli | WEIRD | UNKNOWN | misc | too bad | rule 7 | again | retry | 1 | 0 | f1 | {"n":1}`,
		rows(t, s,
			"SELECT seq, op, source, code, understood_code, category, message, rule, reaction, action, counted, "+
				"overcome, fingerprint, details FROM errors"))
}

func TestAttemptsOfARun(t *testing.T) {
	s := newStore(t)
	wait := journalTime.Add(time.Hour)
	second := startedEntry(11, 2, 1)
	second.Started.Provider, second.Started.Tier = "anthropic-api", 2
	keep(t, s, "r", begunEntry("r", "t"),
		startedEntry(1, 1, 1), answeredEntry(2, 1, 1, "first", usageOf(10, 1, 0.25)),
		startedEntry(3, 1, 2), answeredEntry(4, 1, 2, "second", usageOf(20, 2, 0.5)),
		closedEntry(6, 1, executor.Closed{
			Count: true, NotBefore: wait, Changed: []string{"a", "b\"c"},
			Feedback: []executor.Feedback{{Iteration: 0, Text: "old"}, {Iteration: 1, Text: "one"},
				{Iteration: 1, Text: "two"}},
		}),
		second, answeredEntry(12, 2, 1, "third", executor.Usage{InputTokens: taxonomy.Some(int64(5))}),
		closedEntry(13, 2, executor.Closed{Clean: true}),
		closedEntry(20, 3, executor.Closed{}),
	)
	assert.Equal(
		t, "1 | 0 | 5.0 | second | 2026-01-02T04:04:05.000006000Z | claude-cli | 1 | 30 | 3 | 750000 | one\n\ntwo "+
			"| [\"a\",\"b\\\"c\"]\n"+
			"2 | 1 | 2.0 | third | - | anthropic-api | 2 | 5 | - | - | - | -\n"+
			"3 | 0 | 0.0 | - | - | - | - | 0 | 0 | 0 | - | -",
		rows(t, s, `SELECT iteration, success, duration_seconds || '', claude_output, not_before, provider, tier, input_tokens, output_tokens, cost_microusd,
			feedback, changed_files FROM attempts ORDER BY iteration`))
	assert.Equal(
		t, "3 | 35 | 3 | 750000 | 1 | 1",
		rows(t, s, "SELECT calls, input_tokens, output_tokens, cost_microusd, unknown_tokens, unknown_cost FROM runs"))
}

// An iteration that is closed once more is one attempt all the same.
func TestIterationClosedAgain(t *testing.T) {
	s := newStore(t)
	no := executor.ErrorRecord{Iteration: 1, Code: "NO", Message: "no"}
	keep(t, s, "r", begunEntry("r", "t"), startedEntry(1, 1, 1),
		closedEntry(2, 1, executor.Closed{Count: true, Errors: []executor.ErrorRecord{no, no}}))
	keep(t, s, "r",
		closedEntry(5, 1, executor.Closed{Errors: []executor.ErrorRecord{{Iteration: 1, Code: "YES", Message: "yes"}}}))
	assert.Equal(
		t, "1 | 0 | 4.0 | YES | yes | 0",
		rows(t, s, strings.Replace(attemptRow, "duration_seconds", "duration_seconds || ''", 1)))
	assert.Equal(t, "YES", rows(t, s, "SELECT code FROM errors"))
}

// What is not known of calls is counted, and never zero; a call of which nobody saw the end is
// known by what comes after it.
func TestCallsOfWhichNobodyKnows(t *testing.T) {
	const sums = "SELECT calls, unknown_tokens, unknown_cost, input_tokens, cost_microusd FROM runs"
	s := newStore(t)
	steps := []struct {
		entry executor.Entry
		want  string
	}{
		{begunEntry("r", "t"), "0 | 0 | 0 | 0 | 0"},
		{startedEntry(1, 1, 1), "1 | 0 | 0 | 0 | 0"}, // under way
		{closedEntry(2, 1, executor.Closed{}), "1 | 1 | 1 | 0 | 0"},
		{startedEntry(3, 2, 1), "2 | 1 | 1 | 0 | 0"},
		{startedEntry(4, 2, 2), "3 | 2 | 2 | 0 | 0"},
		{answeredEntry(5, 2, 2, "", usageOf(7, 8, 0.000001)), "3 | 2 | 2 | 7 | 1"},
		{answeredEntry(6, 2, 2, "", usageOf(7, 8, 9)), "3 | 2 | 2 | 7 | 1"}, // said twice
		{answeredEntry(6, 2, 9, "", usageOf(7, 8, 9)), "3 | 2 | 2 | 7 | 1"}, // of a call that was not begun
		{startedEntry(7, 2, 2), "3 | 2 | 2 | 7 | 1"},                        // begun twice
		{startedEntry(7, 3, 1), "4 | 2 | 2 | 7 | 1"},
		{answeredEntry(
			8, 3, 1, "",
			executor.Usage{InputTokens: taxonomy.Some(int64(-1)), OutputTokens: taxonomy.Some(int64(1)),
				CostUSD: taxonomy.Some(-1.0)}), "4 | 3 | 3 | 7 | 1"},
		{startedEntry(9, 4, 1), "5 | 3 | 3 | 7 | 1"},
		{startedEntry(10, 4, 1), "5 | 3 | 3 | 7 | 1"}, // begun twice, and under way
		{endedEntry(10, 4, executor.EndCancelled), "5 | 4 | 4 | 7 | 1"},
	}
	for _, c := range steps {
		keep(t, s, "r", c.entry) // each one by another process
		assert.Equal(t, c.want, rows(t, s, sums), c.entry.Point)
		checkState(t, s)
	}
}

func TestSumsThatAreTooLarge(t *testing.T) {
	s := newStore(t)
	keep(t, s, "r", begunEntry("r", "t"),
		startedEntry(1, 1, 1), answeredEntry(2, 1, 1, "", usageOf(1<<62, 1<<62, 1e300)),
		startedEntry(1, 1, 2), answeredEntry(2, 1, 2, "", usageOf(1<<62, 1<<62, 1e300)),
		closedEntry(3, 1, executor.Closed{}))
	const bound = "90000000000000 | 90000000000000 | 90000000000000"
	assert.Equal(t, bound, rows(t, s, "SELECT input_tokens, output_tokens, cost_microusd FROM runs"))
	checkState(t, s)

	// Those of a task stop there, too, whatever adds to them.
	const ofTask = "SELECT input_tokens, output_tokens, cost_microusd FROM tasks"
	assert.Equal(t, bound, rows(t, s, ofTask))
	_, err := s.RecordAttempt(t.Context(), state.Attempt{Task: "t", Usage: usageOf(7, 8, 1)})
	require.NoError(t, err)
	keep(t, s, "r", startedEntry(4, 2, 1), answeredEntry(5, 2, 1, "", usageOf(1, 1, 1)))
	assert.Equal(t, bound, rows(t, s, ofTask))
	checkState(t, s)
	for st, err := range s.Statuses(t.Context()) {
		require.NoError(t, err)
		assert.Equal(t, int64(state.Most), st.Spent.Usage.InputTokens.Or(0))
		assert.Equal(t, 9e7, st.Spent.Usage.CostUSD.Or(0))
	}
}

// What a task has cost is that of all its runs and of its attempts without a run, whatever
// generation they are of.
func TestTaskSumsRunsAndAttempts(t *testing.T) {
	const ofTasks = "SELECT task_id, calls, input_tokens, output_tokens, cost_microusd, unknown_tokens, " +
		"unknown_cost FROM tasks ORDER BY 1"
	s := newStore(t)
	record := func(task string, usage executor.Usage) {
		t.Helper()
		_, err := s.RecordAttempt(t.Context(), state.Attempt{Task: task, Usage: usage})
		require.NoError(t, err)
	}
	record("t", usageOf(1, 2, 0.000003))
	keep(t, s, "r", begunEntry("r", "t"), startedEntry(1, 1, 1), answeredEntry(2, 1, 1, "", usageOf(10, 20, 0.00003)),
		startedEntry(3, 1, 2))
	assert.Equal(t, "t | 3 | 11 | 22 | 33 | 0 | 0", rows(t, s, ofTasks), "the last call is under way")
	require.NoError(t, s.Reset(t.Context(), "t"))
	keep(t, s, "q", begunEntry("q", "t"), startedEntry(1, 1, 1), answeredEntry(2, 1, 1, "", usageOf(100, 200, 0.0003)),
		closedEntry(3, 1, executor.Closed{Clean: true}), endedEntry(4, 1, executor.EndCompleted))
	keep(t, s, "r", closedEntry(4, 1, executor.Closed{}), endedEntry(5, 1, executor.EndFatal))
	record("t", executor.Usage{InputTokens: taxonomy.Some(int64(1000))})
	record("u", executor.Usage{CostUSD: taxonomy.Some(0.5)})
	require.NoError(t, s.MarkRunning(t.Context(), "u"))
	require.NoError(t, s.MarkRunning(t.Context(), "v"))
	assert.Equal(t, "t | 5 | 1111 | 222 | 333 | 2 | 2\nu | 1 | 0 | 0 | 500000 | 1 | 0\nv | 0 | 0 | 0 | 0 | 0 | 0",
		rows(t, s, ofTasks))
	checkState(t, s)
}

// Random stories of several tasks and runs, with attempts by hand between them, come to sums that a
// recount comes to.
func TestRandomSumsAreRecounted(t *testing.T) {
	seeds := uint64(6)
	if testing.Short() {
		seeds = 1
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 5))
		s, started := newStore(t), map[string]bool{}
		usage := func() (u executor.Usage) {
			if rng.IntN(3) > 0 {
				u.InputTokens = taxonomy.Some(rng.Int64N(1000))
			}
			if rng.IntN(3) > 0 {
				u.OutputTokens = taxonomy.Some(rng.Int64N(1000))
			}
			if rng.IntN(3) > 0 {
				u.CostUSD = taxonomy.Some(rng.Float64())
			}
			return u
		}
		for range 120 {
			n := rng.IntN(6)
			run, task := fmt.Sprint("r", n), fmt.Sprint("t", n%3)
			iteration, call := 1+rng.IntN(3), 1+rng.IntN(3)
			var entries []executor.Entry
			if !started[run] {
				started[run], entries = true, append(entries, begunEntry(run, task))
			}
			switch rng.IntN(8) {
			case 0:
				_, err := s.RecordAttempt(t.Context(), state.Attempt{Task: task, Usage: usage()})
				require.NoError(t, err)
			case 1:
				require.NoError(t, s.Reset(t.Context(), task))
			case 2:
				entries = append(entries, closedEntry(1, iteration, executor.Closed{}))
			case 3:
				entries = append(entries, endedEntry(1, iteration, executor.EndFatal))
			case 4, 5:
				entries = append(entries, startedEntry(1, iteration, call),
					answeredEntry(2, iteration, call, "", usage()))
			default:
				entries = append(entries, startedEntry(1, iteration, call))
			}
			keep(t, s, run, entries...)
		}
		for _, query := range state.Recounts {
			assert.Empty(t, rows(t, s, query), "seed %d", seed)
		}
	}
}

func TestTextsAreMaskedAndBounded(t *testing.T) {
	s := newStore(t)
	const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
	text := "token=" + secret + " \x00\xff " + strings.Repeat("é", 20_000) + " the end token=" + secret
	rec := executor.ErrorRecord{
		Iteration: 1, Op: text, Source: text, Code: text, Understood: text, Category: text, Message: text, Why: text,
		Reaction: text, Action: text,
		Fingerprint: text, Details: json.RawMessage(`{"token":"` + secret + `"}`),
	}
	keep(t, s, "r", begunEntry("r", "t"), startedEntry(1, 1, 1), answeredEntry(2, 1, 1, text, executor.Usage{}),
		closedEntry(
			3, 1, executor.Closed{LastError: &rec, Errors: []executor.ErrorRecord{rec},
				Feedback: []executor.Feedback{{Iteration: 1, Text: text}}, Changed: []string{text}}))
	all := rows(t, s, "SELECT * FROM attempts") + rows(t, s, "SELECT * FROM errors") + rows(t, s, "SELECT * FROM calls")
	assert.NotContains(t, all, secret)
	assert.NotContains(t, all, "\x00")
	assert.Equal(t, strings.ToValidUTF8(all, ""), all)
	assert.Equal(t, "1 | 1 | 1 | {\"token\":\"[REDACTED]\"}", rows(t, s, `SELECT length(CAST(error AS BLOB)) BETWEEN 4090 AND 4096,
		length(CAST(claude_output AS BLOB)) BETWEEN 16380 AND 16384, length(CAST(feedback AS BLOB)) BETWEEN 16380 AND 16384, details
		FROM attempts JOIN errors ON attempt_id = id`))
	assert.Equal(t, "1", rows(t, s, "SELECT claude_output LIKE '%the end token=[REDACTED]' FROM attempts"))
}

// checkState checks that what the tables say of runs and tasks is what a recount comes to.
func checkState(t *testing.T, s *state.Store) {
	t.Helper()
	for _, query := range state.Recounts {
		assert.Empty(t, rows(t, s, query), "sums that a recount does not come to")
	}
	assert.Equal(t, rows(t, s, "SELECT DISTINCT run, iteration FROM entries WHERE point = 'closed' ORDER BY 1, 2"),
		rows(t, s, "SELECT run, iteration FROM attempts WHERE run IS NOT NULL ORDER BY 1, 2"),
		"an attempt for each iteration that was closed")
	assert.Equal(t, rows(t, s, "SELECT run, at FROM entries WHERE point = 'ended' ORDER BY 1"),
		rows(t, s, "SELECT run, ended_at FROM runs WHERE ended_at IS NOT NULL ORDER BY 1"))
	assert.Equal(t, "ok", rows(t, s, "PRAGMA integrity_check"))
	assert.Empty(t, rows(t, s, "PRAGMA foreign_key_check"))
}
