package proc_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor/proc"
)

// escape starts a process that leaves the group, keeps the output open and writes its number to the
// file child.
const escape = "setsid sh -c 'echo $$ > child; sleep 60' & while [ ! -s child ]; do sleep 0.01; done; "

func TestSweep(t *testing.T) {
	cmd := sh(escape + "echo done")
	cmd.Dir, cmd.Grace, cmd.Sweep = t.TempDir(), 50*time.Millisecond, true
	tail := proc.NewTail(100)
	cmd.Stdout = tail
	_, err := proc.Run(t.Context(), cmd)
	require.NoError(t, err)
	assert.Equal(t, "done\n", tail.String())
	assertGone(t, pid(t, filepath.Join(cmd.Dir, "child")))
}

func TestWhoLeftTheGroupCannotHoldUpRun(t *testing.T) {
	cmd := sh(escape + "echo done")
	cmd.Dir, cmd.Grace = t.TempDir(), 50*time.Millisecond
	tail := proc.NewTail(100)
	cmd.Stdout = tail
	_, err := proc.Run(t.Context(), cmd)
	require.NoError(t, err)
	assert.Equal(t, "done\n", tail.String())
	child := pid(t, filepath.Join(cmd.Dir, "child"))
	assert.True(t, running(child))
	stray, err := os.FindProcess(child)
	require.NoError(t, err)
	require.NoError(t, stray.Kill())
}

// TestEndFindsWhatALeaderLeft ends the rest of a group without its leader, and processes that left
// the group.
func TestEndFindsWhatALeaderLeft(t *testing.T) {
	id, dir := orphan(t, escape+"sleep 60 & echo $! > second; wait")
	child, second := pid(t, filepath.Join(dir, "child")), pid(t, filepath.Join(dir, "second"))
	leader, err := os.FindProcess(id.PID)
	require.NoError(t, err)
	require.NoError(t, leader.Kill())
	require.Eventually(t, func() bool { return !proc.Alive(id) }, hung, time.Millisecond)
	require.NoError(t, proc.End(t.Context(), id, time.Second))
	assertGone(t, child)
	assertGone(t, second)
}

func TestNothingIsLeftOpen(t *testing.T) {
	before := open(t)
	for range 20 {
		cmd := sh("sleep 60 & cat; exit 1")
		cmd.Grace = time.Millisecond
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("x"), proc.NewTail(1), proc.NewTail(1)
		_, err := proc.Run(t.Context(), cmd)
		require.NoError(t, err)
		_, err = proc.Run(t.Context(), proc.Command{Path: "/no/such/program", Stdout: proc.NewTail(1)})
		require.Error(t, err)
	}
	assert.Equal(t, before, open(t))
	children, err := os.ReadFile("/proc/thread-self/children")
	if err == nil {
		assert.Empty(t, strings.TrimSpace(string(children)))
	}
}

// open counts the pipes of this process.
func open(t *testing.T) int {
	t.Helper()
	links, err := filepath.Glob("/proc/self/fd/*")
	require.NoError(t, err)
	n := 0
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && strings.HasPrefix(target, "pipe:") {
			n++
		}
	}
	return n
}
