//go:build unix

package proc_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor/proc"
)

// sh is a shell script as a command.
func sh(script string) proc.Command {
	return proc.Command{Path: "sh", Args: []string{"-c", script}, Env: proc.SafeEnv(), Grace: 2 * time.Second}
}

// soon ends after a short real time.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

// hung limits the wait for an event that is certain, on a machine under load.
const hung = 2 * time.Minute

// deadline is a context whose deadline comes with the first thing that is written to it.
type deadline struct {
	context.Context
	over chan struct{}
	once sync.Once
}

func (d *deadline) Done() <-chan struct{} { return d.over }

func (d *deadline) Err() error {
	select {
	case <-d.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func (d *deadline) Write(b []byte) (int, error) {
	d.once.Do(func() { close(d.over) })
	return len(b), nil
}

// pid waits for a process to have written its number.
func pid(t *testing.T, path string) int {
	t.Helper()
	var n int
	require.Eventually(t, func() bool {
		b, err := os.ReadFile(path)
		if err != nil {
			return false
		}
		n, err = strconv.Atoi(strings.TrimSpace(string(b)))
		return err == nil
	}, hung, 5*time.Millisecond)
	return n
}

func TestExit(t *testing.T) {
	for _, c := range []struct {
		script, stdout, stderr string
		want                   proc.Exit
	}{
		{"", "", "", proc.Exit{}},
		{"echo out; echo err >&2; exit 3", "out\n", "err\n", proc.Exit{Code: 3}},
		{"kill -KILL $$", "", "", proc.Exit{Code: -1, Signal: "SIGKILL"}},
		{"kill -SEGV $$", "", "", proc.Exit{Code: -1, Signal: "SIGSEGV"}},
		{"cat", "asked", "", proc.Exit{}},
		{`printf %s "$0$1" a "b c"`, "sh", "", proc.Exit{}},
	} {
		var stdout, stderr bytes.Buffer
		cmd := sh(c.script)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("asked"), &stdout, &stderr
		exit, err := proc.Run(t.Context(), cmd)
		require.NoError(t, err, c.script)
		exit.Took = 0
		assert.Equal(t, c.want, exit, c.script)
		assert.Equal(t, c.stderr, stderr.String(), c.script)
		assert.Equal(t, c.stdout, strings.TrimSuffix(stdout.String(), "ab c"), c.script)
	}
}

func TestOneWriterForBothStreams(t *testing.T) {
	var both bytes.Buffer
	cmd := sh("for i in 1 2 3; do echo out $i; echo err $i >&2; done")
	cmd.Stdout, cmd.Stderr = &both, &both
	_, err := proc.Run(t.Context(), cmd)
	require.NoError(t, err)
	assert.Equal(t, "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n", both.String())
}

func TestNothingIsInherited(t *testing.T) {
	t.Setenv("SOME_API_KEY", "secret")
	env, err := exec.LookPath("env")
	require.NoError(t, err)
	for _, c := range []struct {
		env  []string
		want string
	}{
		{nil, ""},
		{[]string{"A=b"}, "A=b\n"},
	} {
		var out bytes.Buffer
		_, err := proc.Run(t.Context(), proc.Command{Path: env, Env: c.env, Stdout: &out})
		require.NoError(t, err)
		assert.Equal(t, c.want, out.String())
	}
}

func TestCannotStart(t *testing.T) {
	dir := t.TempDir()
	plain, script := filepath.Join(dir, "plain"), filepath.Join(dir, "script")
	require.NoError(t, os.WriteFile(plain, []byte("x"), 0o600))
	require.NoError(t, os.WriteFile(script, []byte("#!/no/such/interpreter\n"), 0o700))
	for _, c := range []struct {
		cmd         proc.Command
		is          error
		typ, errno  string
		description string
	}{
		{proc.Command{Path: "no-such-program-anywhere"}, exec.ErrNotFound, "not_found", "", "a name"},
		{proc.Command{Path: "/no/such/program"}, fs.ErrNotExist, "not_found", "ENOENT", "a path"},
		{proc.Command{Path: plain}, fs.ErrPermission, "start", "EACCES", "not executable"},
		{proc.Command{Path: script}, fs.ErrNotExist, "start", "ENOENT", "no interpreter"},
		{proc.Command{Path: "/bin/sh", Dir: filepath.Join(dir, "none")}, fs.ErrNotExist, "start", "ENOENT",
			"no directory"},
	} {
		exit, err := proc.Run(t.Context(), c.cmd)
		require.ErrorIs(t, err, c.is, c.description)
		assert.Equal(t, proc.Exit{Code: -1}, exit, c.description)
		ev := proc.Failure("tool", "call", c.cmd.Path, exit, err)
		assert.Equal(t, c.typ, ev.Type, c.description)
		assert.Equal(t, c.errno, ev.Errno, c.description)
		assert.True(t, ev.ExitCode.IsZero(), c.description)
	}
}

func TestContextThatHasEnded(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the user said so"))
	file := filepath.Join(t.TempDir(), "file")
	_, err := proc.Run(ctx, sh("touch "+file))
	require.ErrorIs(t, err, context.Canceled)
	assert.ErrorContains(t, err, "the user said so")
	assert.NoFileExists(t, file)
}

func TestDeadlineEndsTheGroup(t *testing.T) {
	for _, c := range []struct {
		name, script string
		signal       string
		grace        time.Duration
	}{
		{"asked", "sleep 60 & echo $! > child; echo begun; wait", "SIGTERM", time.Minute},
		{"deaf",
			"trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & echo $! > child; echo begun; while :; do " +
				"sleep 1; done",
			"SIGKILL", 50 * time.Millisecond},
		{"deaf child", "(trap '' TERM; while :; do sleep 1; done) & echo $! > child; echo begun; sleep 60", "SIGTERM",
			50 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := sh(c.script)
			cmd.Dir, cmd.Grace = t.TempDir(), c.grace
			ctx := &deadline{Context: t.Context(), over: make(chan struct{})}
			cmd.Stdout = ctx
			exit, err := proc.Run(ctx, cmd)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			assert.Equal(t, c.signal, exit.Signal)
			assertGone(t, pid(t, filepath.Join(cmd.Dir, "child")))
		})
	}
}

// assertGone asserts that a process runs no more.
func assertGone(t *testing.T, pid int) {
	t.Helper()
	assert.False(t, running(pid), "process %d is alive", pid)
}

func TestWhatIsLeftRunningIsEnded(t *testing.T) {
	cmd := sh("sleep 60 & echo $! > child; echo done")
	cmd.Dir, cmd.Grace = t.TempDir(), 50*time.Millisecond
	var out bytes.Buffer
	cmd.Stdout = &out
	exit, err := proc.Run(t.Context(), cmd)
	require.NoError(t, err)
	assert.Zero(t, exit.Code)
	assert.Equal(t, "done\n", out.String())
	assertGone(t, pid(t, filepath.Join(cmd.Dir, "child")))
}

func TestOutputOfWhatIsLeftRunningIsWaitedFor(t *testing.T) {
	cmd := sh("(sleep 0.1; echo late) &")
	cmd.Grace = time.Minute
	var out bytes.Buffer
	cmd.Stdout = &out
	_, err := proc.Run(t.Context(), cmd)
	require.NoError(t, err)
	assert.Equal(t, "late\n", out.String())
}

func TestStartedRefuses(t *testing.T) {
	refusal := errors.New("the journal is full")
	cmd := sh("trap '' TERM; while :; do sleep 1; done")
	var id proc.ID
	cmd.Started = func(p proc.ID) error {
		id = p
		assert.True(t, proc.Alive(p))
		return refusal
	}
	_, err := proc.Run(t.Context(), cmd)
	require.ErrorIs(t, err, refusal)
	assert.False(t, proc.Alive(id))
}

func TestStartedOfOneThatEndsAtOnce(t *testing.T) {
	for range 20 {
		cmd := sh("exit 0")
		cmd.Started = func(id proc.ID) error {
			// The program may be over before anybody asks for its identity.
			assert.NotEmpty(t, id.Start)
			return nil
		}
		_, err := proc.Run(t.Context(), cmd)
		require.NoError(t, err)
	}
}

// failing is a writer that fails.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestWriterThatFails(t *testing.T) {
	cmd := sh("yes | head -c 1000000")
	cmd.Stdout = failing{io.ErrClosedPipe}
	exit, err := proc.Run(t.Context(), cmd)
	require.NoError(t, err)
	assert.Zero(t, exit.Code)
}

func TestInputThatIsNotRead(t *testing.T) {
	cmd := sh("exit 0")
	cmd.Stdin = strings.NewReader(strings.Repeat("x", 1<<22))
	_, err := proc.Run(t.Context(), cmd)
	require.NoError(t, err)
}

func TestGigabyteOfOutput(t *testing.T) {
	if testing.Short() {
		t.Skip("writes a gigabyte")
	}
	cmd := sh("head -c 1000000000 /dev/zero; printf end")
	tail := proc.NewTail(1 << 16)
	cmd.Stdout = tail
	_, err := proc.Run(t.Context(), cmd)
	require.NoError(t, err)
	assert.Equal(t, int64(1000000003), tail.Total())
	assert.True(t, strings.HasSuffix(tail.String(), "\x00end"))
	assert.Len(t, tail.String(), 1<<16)
}

func TestFailure(t *testing.T) {
	assert.Nil(t, proc.Failure("tool", "call", "sh", proc.Exit{}, nil))
	ev := proc.Failure("tool", "call", "/bin/sh", proc.Exit{Code: 3}, nil)
	assert.Equal(t, 3, ev.ExitCode.Or(0))
	assert.Equal(t, "sh", ev.Attribute("command"))
	ev = proc.Failure("tool", "call", "sh", proc.Exit{Code: -1, Signal: "SIGSEGV"}, nil)
	assert.Equal(t, "SIGSEGV", ev.Signal)
	assert.True(t, ev.ExitCode.IsZero())

	exit, err := proc.Run(soon(t), sh("sleep 60"))
	ev = proc.Failure("tool", "call", "sh", exit, err)
	assert.Equal(t, "timeout", ev.Type)
	require.ErrorIs(t, ev, context.DeadlineExceeded)
}
