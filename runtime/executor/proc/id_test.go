//go:build unix

package proc_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor/proc"
)

// running reports whether a process runs, and is not only waited for.
func running(pid int) bool {
	out, err := exec.Command("ps", "-o", "stat=", "-p", itoa(pid)).Output()
	return err == nil && !strings.HasPrefix(strings.TrimSpace(string(out)), "Z")
}

func TestSelf(t *testing.T) {
	self, err := proc.Self()
	require.NoError(t, err)
	assert.Equal(t, os.Getpid(), self.PID)
	assert.True(t, proc.Alive(self))
	again, err := proc.Self()
	require.NoError(t, err)
	assert.Equal(t, self, again)
}

func TestAliveIsNotFooled(t *testing.T) {
	self, err := proc.Self()
	require.NoError(t, err)
	for _, id := range []proc.ID{{}, {PID: self.PID}, {PID: self.PID, Start: self.Start + "1"},
		{PID: -1, Start: self.Start},
		{PID: 1 << 30, Start: self.Start}} {
		assert.False(t, proc.Alive(id), "%+v", id)
	}
}

// orphan starts a program like one that a killed process has left: its group lives, and no parent
// waits for it. The test waits for it at its end.
func orphan(t *testing.T, script string) (proc.ID, string) {
	t.Helper()
	dir := t.TempDir()
	ids := make(chan proc.ID, 1)
	done := make(chan struct{})
	cmd := sh(script)
	cmd.Dir = dir
	cmd.Started = func(id proc.ID) error { ids <- id; return nil }
	go func() {
		defer close(done)
		_, _ = proc.Run(t.Context(), cmd)
	}()
	t.Cleanup(func() { <-done })
	return <-ids, dir
}

func TestEnd(t *testing.T) {
	for _, c := range []struct {
		name, script string
		grace        time.Duration
	}{
		{"asked", "sleep 60 & echo $! > child; wait", time.Minute},
		{"deaf", "trap '' TERM; sleep 60 & echo $! > child; while :; do sleep 1; done", 50 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			id, dir := orphan(t, c.script)
			child := pid(t, filepath.Join(dir, "child"))
			require.NoError(t, proc.End(t.Context(), id, c.grace))
			assert.False(t, proc.Alive(id))
			assertGone(t, child)
			assert.NoError(t, proc.End(t.Context(), id, c.grace), "ending twice is like ending once")
		})
	}
}

func TestEndLeavesOthersAlone(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, cmd.Start())
	defer func() {
		assert.NoError(t, cmd.Process.Kill(), "it was still there")
		_ = cmd.Wait()
	}()
	require.NoError(t, proc.End(t.Context(), proc.ID{PID: cmd.Process.Pid, Start: "another"}, time.Second))
	require.NoError(t, proc.End(t.Context(), proc.ID{PID: os.Getpid()}, time.Second))
	require.NoError(t, proc.End(t.Context(), proc.ID{PID: 1}, time.Second))
	require.NoError(t, proc.End(t.Context(), proc.ID{PID: -1}, time.Second))
	assert.True(t, running(cmd.Process.Pid))
}
