package lanestest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The variables that have the test binary be a process which asks for a place in a lane: who it is,
// and where lanes are kept.
const (
	callerVariable = "LANESTEST_CALLER"
	dirVariable    = "LANESTEST_DIR"
)

func (l Lanes) askFromTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	first, second := process(t, dir, "first"), process(t, dir, "second")
	assert.Equal(t, "0s <nil>", second("ask"))
	assert.Equal(t, "<nil>", first("pause"))
	assert.Equal(t, "10s <nil>", second("ask"), "the other process waits, too")
	assert.Equal(t, "10s <nil>", first("ask"))
}

// answersAsProcess says, if this process was started for that, when the caller may enter the lane,
// whenever a line asks for it.
func answersAsProcess(t *testing.T, l Lanes) bool {
	if os.Getenv(callerVariable) == "" {
		return false
	}
	lanes := l.Open(t, os.Getenv(dirVariable), &Clock{})
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if lines.Text() == "pause" {
			fmt.Println(lanes.Pause(ctx, "api/key", until))
			continue
		}
		opens, err := lanes.Until(ctx, "api/key")
		fmt.Println(max(0, opens.Sub(Now)), err)
	}
	return true
}

// process starts a process that answers questions.
func process(t *testing.T, dir, caller string) func(question string) string {
	t.Helper()
	test, _, _ := strings.Cut(t.Name(), "/")
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), callerVariable+"="+caller, dirVariable+"="+dir)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	t.Cleanup(func() {
		assert.NoError(t, in.Close())
		for lines.Scan() { // what the test binary says at its end
		}
		assert.NoError(t, cmd.Wait())
	})
	return func(question string) string {
		_, err := fmt.Fprintln(in, question)
		require.NoError(t, err)
		require.True(t, lines.Scan())
		return lines.Text()
	}
}
