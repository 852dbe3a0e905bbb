package state_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/state"
)

// names returns the names of runs.
func names(runs []state.Run) []string {
	out := []string{}
	for _, r := range runs {
		out = append(out, r.Name)
	}
	return out
}

func TestRuns(t *testing.T) {
	s := newStore(t)
	runs, err := s.Unfinished(t.Context())
	require.NoError(t, err)
	assert.Empty(t, runs)

	keep(t, s, "done", begunEntry("done", "t"), startedEntry(1, 1, 1), answeredEntry(2, 1, 1, "", usageOf(3, 4, 0.5)),
		closedEntry(3, 1, executor.Closed{}), startedEntry(4, 2, 1), closedEntry(5, 2, executor.Closed{}),
		endedEntry(6, 2, executor.EndMaxFailures), entryAt(7, 2, executor.PointNotified))
	require.NoError(t, s.Reset(t.Context(), "t"))
	later := begunEntry("dead", "t")
	later.At = later.At.Add(time.Hour)
	keep(t, s, "dead", later, startedEntry(4000, 1, 1))
	j, _ := openJournal(t, s, "alive")
	require.NoError(t, j.Append(t.Context(), begunEntry("alive", "other")))

	runs, err = s.Runs(t.Context(), "t")
	require.NoError(t, err)
	assert.Equal(t, []string{"dead", "done"}, names(runs), "the last one first")
	assert.Equal(t, state.Run{
		Name: "done", Task: "t", Generation: 1, Begun: journalTime, Ended: journalTime.Add(6 * time.Second),
		Status:    executor.StatusBlocked,
		EndReason: executor.EndMaxFailures, Dir: "/w", Point: executor.PointNotified, Iteration: 2,
		At:    journalTime.Add(7 * time.Second),
		Calls: 2, Spent: executor.Spending{Calls: 2, Usage: usageOf(3, 4, 0.5), UnknownTokens: 1, UnknownCost: 1},
	}, runs[1])
	dead := state.Run{
		Name: "dead", Task: "t", Generation: 2, Begun: later.At, Dir: "/w", Point: executor.PointStarted, Iteration: 1,
		At: journalTime.Add(4000 * time.Second), Calls: 1,
		Spent: executor.Spending{Calls: 1, UnknownTokens: 1, UnknownCost: 1},
	}
	assert.Equal(t, dead, runs[0])

	runs, err = s.Unfinished(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"dead", "alive"}, names(runs))
	assert.Equal(t, dead, runs[0], "nobody holds it")
	require.NotNil(t, runs[1].Holder)
	host, err := os.Hostname()
	require.NoError(t, err)
	assert.Equal(
		t, []any{os.Getpid(), host, false},
		[]any{runs[1].Holder.PID, runs[1].Holder.Host, runs[1].Holder.Since.IsZero()})
	require.NoError(t, j.Close())
	runs, err = s.Unfinished(t.Context())
	require.NoError(t, err)
	assert.Nil(t, runs[1].Holder)
	_, entries := openJournal(t, s, "dead")
	assert.Len(t, entries, 2, "asking who has a run leaves it free")
}

// What a person has written into the file is no name of a lock elsewhere.
func TestRunsWithNamesThatCannotBe(t *testing.T) {
	s := newStore(t)
	db := openFile(t, s)
	for i, name := range []string{"../escape", "a/b", ""} {
		_, err := db.Exec(
			"INSERT INTO tasks (task_id) VALUES (?1); INSERT INTO runs (run, task_id, generation, begun_at, "+
				"taxonomy) VALUES (?2, ?1, 1, '2026-01-01T00:00:00Z', '')",
			fmt.Sprint("t", i), name)
		require.NoError(t, err)
	}
	runs, err := s.Unfinished(t.Context())
	require.NoError(t, err)
	require.Len(t, runs, 3)
	for _, r := range runs {
		assert.Nil(t, r.Holder)
	}
	_, err = os.Stat(filepath.Join(filepath.Dir(s.Path()), "escape.lock"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestRunWithATimeThatIsNone(t *testing.T) {
	s := newStore(t)
	keep(t, s, "r", begunEntry("r", "t"))
	_, err := openFile(t, s).Exec("UPDATE runs SET begun_at = 'yesterday'")
	require.NoError(t, err)
	_, err = s.Unfinished(t.Context())
	ev := evidenceOf(t, err)
	assert.Equal(t, s.Path(), ev.Attribute("path"))
	assert.ErrorContains(t, ev, "yesterday")
}

func TestClaims(t *testing.T) {
	s := newStore(t)
	other := openStore(t, s.Path())
	claim, err := s.Claim(t.Context(), "queue")
	require.NoError(t, err)
	_, err = other.Claim(t.Context(), "queue")
	ev := evidenceOf(t, err)
	assert.Equal(t, []string{"executor", "lock", fmt.Sprint(os.Getpid())},
		[]string{ev.Source, ev.Op, ev.Attribute("pid")})
	assert.Regexp(t, `^queue is held by process \d+`, ev.Text)
	keep(t, s, "queue", begunEntry("queue", "t")) // a run of that name is something else
	another, err := other.Claim(t.Context(), "another")
	require.NoError(t, err)
	require.NoError(t, another.Release())

	require.NoError(t, claim.Release())
	require.NoError(t, claim.Release(), "twice")
	claim, err = other.Claim(t.Context(), "queue")
	require.NoError(t, err)
	require.NoError(t, claim.Release())
}
