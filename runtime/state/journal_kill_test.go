package state_test

import (
	"bufio"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/state"
)

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
