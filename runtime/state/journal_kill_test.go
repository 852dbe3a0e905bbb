package state_test

import (
	"bufio"
	"bytes"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/state"
)

// Whenever a process is killed that writes a journal, what was acknowledged is there, once, with
// all that follows from it, and the next one goes on.
func TestKilledWhileAJournalIsWritten(t *testing.T) {
	kills := 40
	if testing.Short() {
		kills = 8
	}
	path := filepath.Join(t.TempDir(), "state.db")
	acknowledged := map[string]int{}
	for kill := range kills {
		out, err := state.JournalChild(t, path).Output()
		require.ErrorContains(t, err, "signal: killed", "%s", out)
		for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
			run, n, _ := strings.Cut(lines.Text(), " ")
			acknowledged[run], err = strconv.Atoi(n)
			require.NoError(t, err, lines.Text())
		}
		if kill%4 == 3 {
			allEntriesThere(t, path, acknowledged)
		}
	}
	assert.Greater(t, len(acknowledged), kills/8, "hardly anything was written")
}

func allEntriesThere(t *testing.T, path string, acknowledged map[string]int) {
	t.Helper()
	s := openStore(t, path)
	checkState(t, s)
	for run, n := range acknowledged {
		assert.Equal(
			t, "1", rows(t, s, "SELECT count(*) >= ? AND max(seq) = count(*) FROM entries WHERE run = ?", n, run), run)
	}
	ended := rows(t, s, "SELECT count(*) FROM runs WHERE ended_at IS NOT NULL")
	assert.Equal(t, ended, rows(t, s, "SELECT count(*) FROM tasks WHERE status = 'completed'"))
	counters, err := s.Counters(t.Context())
	require.NoError(t, err)
	assert.Equal(
		t, rows(
			t, s, `SELECT count(*) FROM attempts WHERE counted AND id > coalesce((SELECT max(id) FROM attempts `+
				`WHERE success), 0)`),
		fmt.Sprint(counters.ConsecutiveFailures))
	if ended == "0" {
		return
	}
	assert.Equal(t, fmt.Sprint(ended, " | 20 | 6 | 140000 | 1 | 1"), rows(t, s, `SELECT count(*), max(input_tokens), max(output_tokens), max(cost_microusd),
		min(unknown_cost), max(unknown_tokens) FROM runs WHERE ended_at IS NOT NULL`))
}

// A living process is told of, and what a dead one had is taken over at once.
func TestRunOfAnotherProcess(t *testing.T) {
	s := newStore(t)
	keep(t, s, "r", begunEntry("r", "t"), startedEntry(1, 1, 1))
	cmd := state.JournalChild(t, s.Path(), "r")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "held\n", line)

	_, err = s.Journal().Open(t.Context(), "r")
	ev := evidenceOf(t, err)
	assert.Equal(t, []string{"executor", "lock", strconv.Itoa(cmd.Process.Pid)},
		[]string{ev.Source, ev.Op, ev.Attribute("pid")})
	assert.Contains(t, ev.Text, "run r is held by process "+strconv.Itoa(cmd.Process.Pid))
	runs, err := s.Unfinished(t.Context())
	require.NoError(t, err)
	require.NotNil(t, runs[0].Holder)
	assert.Equal(t, cmd.Process.Pid, runs[0].Holder.PID)

	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	_ = in.Close()
	runs, err = s.Unfinished(t.Context())
	require.NoError(t, err)
	assert.Nil(t, runs[0].Holder, "the dead hold nothing")
	_, entries := openJournal(t, s, "r")
	assert.Len(t, entries, 2)
}
