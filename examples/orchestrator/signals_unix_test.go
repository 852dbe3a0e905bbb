//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// program returns the program as a process of its own.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// busy returns a plan whose step is carried out, and whose criterion writes its process ID to a
// pipe and does not end.
func busy(t *testing.T) (plan, pipe string) {
	t.Helper()
	pipe = filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	plan = staged(
		t, map[string]string{"haiku": "replies:\n  - do: [{write: a.md, text: half}]\n    say: 'STEP DONE {mark}'\n"})
	text := "# T\n## Step 1\nWrite a.md.\n### Success criteria\n- command: sh -c 'echo $$ > " + pipe +
		"; exec sleep 600'\n"
	require.NoError(t, os.WriteFile(plan, []byte(text), 0o600))
	return plan, pipe
}

// begun waits until the criterion is verified, and returns the process that does it.
func begun(t *testing.T, pipe string) int {
	t.Helper()
	b, err := os.ReadFile(pipe)
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	require.NoError(t, err)
	return pid
}

// heeded has what a test starts heed a signal, also where the tests themselves were begun with it
// being ignored: who hears it does not hand that down.
func heeded(t *testing.T, s os.Signal) {
	t.Helper()
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, s)
	t.Cleanup(func() { signal.Stop(heard) })
}

// Whatever ends the program, what a tier was doing is put back, and no process is left.
func TestSignals(t *testing.T) {
	heeded(t, syscall.SIGHUP)
	for _, s := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT} {
		t.Run(s.String(), func(t *testing.T) {
			plan, pipe := busy(t)
			dir := project(t)
			cmd := program(t, "-dir", dir, plan)
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			require.NoError(t, cmd.Start())
			pid := begun(t, pipe)
			require.NoError(t, cmd.Process.Signal(s))
			if s == syscall.SIGHUP { // the terminal says it, and the shell
				require.NoError(t, cmd.Process.Signal(s))
			}
			_ = cmd.Wait()
			assert.Equal(t, exitCancelled, cmd.ProcessState.ExitCode(), out.String())
			assert.Contains(t, out.String(), "the run ends: cancelled")
			assert.Empty(t, git(t, dir, "status", "--porcelain"))
			assert.ErrorIs(t, syscall.Kill(pid, 0), syscall.ESRCH)
		})
	}
}

// Where nobody reads any more what is printed, the tree is not left as it is.
func TestNobodyReads(t *testing.T) {
	plan := staged(
		t, map[string]string{"haiku": "replies:\n  - do: [{write: a.md, text: all}]\n    say: 'STEP DONE {mark}'\n"})
	dir := project(t)
	cmd := program(t, "-dir", dir, "-commit", plan)
	var hints bytes.Buffer
	cmd.Stderr = &hints
	read, write, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stdout = write
	require.NoError(t, read.Close())
	require.NoError(t, cmd.Start())
	require.NoError(t, write.Close())
	_ = cmd.Wait()
	assert.Equal(t, exitFailed, cmd.ProcessState.ExitCode())
	assert.Contains(t, hints.String(), "write the output: ")
	assert.Empty(t, git(t, dir, "status", "--porcelain"), "the step is done, and committed")
	assert.FileExists(t, filepath.Join(dir, "a.md"))
}

// A terminal that is closed does not end what was begun with nohup.
func TestHangUpIgnored(t *testing.T) {
	plan, pipe := busy(t)
	text, err := os.ReadFile(plan)
	require.NoError(t, err)
	text = bytes.ReplaceAll(text, []byte("; exec sleep 600"), []byte("; cat "+pipe+".on"))
	require.NoError(t, os.WriteFile(plan, text, 0o600))
	require.NoError(t, syscall.Mkfifo(pipe+".on", 0o600))
	own := program(t, "-dir", project(t), plan)
	cmd := exec.CommandContext(
		t.Context(), "sh", append([]string{"-c", `trap '' HUP; exec "$@"`, "sh"}, own.Args...)...)
	cmd.Env = own.Env
	require.NoError(t, cmd.Start())
	begun(t, pipe)
	require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
	require.NoError(t, os.WriteFile(pipe+".on", []byte("on\n"), 0o600))
	assert.NoError(t, cmd.Wait())
}

// What is no file is not waited for, and what is read until its end can be interrupted.
func TestNothingIsWaitedFor(t *testing.T) {
	t.Run("a plan that is a pipe", func(t *testing.T) {
		pipe := filepath.Join(t.TempDir(), "plan.md")
		require.NoError(t, syscall.Mkfifo(pipe, 0o600))
		got := do(t.Context(), "-check", pipe)
		assert.Equal(t, exitUsage, got.code)
		assert.Contains(t, got.hints, "plan.md is not a regular file")
	})
	t.Run("a script that is a pipe", func(t *testing.T) {
		plan := staged(t, nil)
		require.NoError(t, syscall.Mkfifo(filepath.Join(filepath.Dir(plan), "scripts", "haiku.yaml"), 0o600))
		got := do(t.Context(), "-dir", project(t), plan)
		assert.Equal(t, exitUsage, got.code)
		assert.Contains(t, got.hints, "is not a regular file")
	})
	t.Run("classifying", func(t *testing.T) {
		heeded(t, os.Interrupt)
		cmd := program(t, "-classify", "-h")
		require.NoError(t, cmd.Run(), "it is the program")
		cmd = program(t, "-classify")
		in, err := cmd.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		_, err = io.WriteString(in, "waiting\n")
		require.NoError(t, err)
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		_ = cmd.Wait()
		assert.False(t, cmd.ProcessState.Success())
	})
}
