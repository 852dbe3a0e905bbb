package output

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	oldTree = tree{"a_gen.go": made("old a"), "b_gen.go": made("old b"), "gone_gen.go": made("stale"),
		"own.go": "package errs"}
	newTree = tree{"a_gen.go": made("new a"), "b_gen.go": made("new b"), "c_gen.go": made("new c")}
	endTree = tree{"a_gen.go": made("new a"), "b_gen.go": made("new b"), "c_gen.go": made("new c"),
		"own.go": "package errs"}
)

func plan(t *testing.T, dir string) *Plan {
	t.Helper()
	p, err := NewPlan(target(dir), files(newTree))
	require.NoError(t, err)
	return p
}

// failAt returns a fault that calls do before the nth time an operation takes effect.
func failAt(op string, n int, do func() error) func(string) error {
	return func(now string) error {
		if now == op {
			n--
		}
		if now == op && n == 0 {
			return do()
		}
		return nil
	}
}

func TestWriteFault(t *testing.T) {
	for _, tt := range []struct {
		op    string
		n     int
		want  string
		after tree
	}{
		{"write", 1, "no space left on device (nothing was changed)", oldTree},
		{"write", 3, "no space left on device (nothing was changed)", oldTree},
		{"changed", 1, "no space left on device (repeat the command to complete it)", oldTree},
		{"removed", 1, "no space left on device (repeat the command to complete it)",
			tree{"a_gen.go": made("new a"), "b_gen.go": made("new b"), "c_gen.go": made("new c"),
				"gone_gen.go": made("stale"), "own.go": "package errs"}},
	} {
		t.Run(tt.op+strconv.Itoa(tt.n), func(t *testing.T) {
			dir := t.TempDir()
			oldTree.write(t, dir)
			p := plan(t, dir)
			p.fault = failAt(tt.op, tt.n, func() error { return &os.PathError{Path: dir, Err: syscall.ENOSPC} })
			err := p.Write(t.Context())
			require.ErrorIs(t, err, syscall.ENOSPC)
			assert.ErrorContains(t, err, "_gen.go: "+tt.want)
			assert.Equal(t, tt.after, readTree(t, dir))
			require.NoError(t, plan(t, dir).Write(t.Context()))
			assert.Equal(t, endTree, readTree(t, dir))
		})
	}
}

// killAt names the operation at which the process that runs TestKilledChild ends, and the
// directory.
const killAt = "ERRGEN_TEST_KILL"

// TestKilledChild is the process that TestWriteKilled kills.
func TestKilledChild(t *testing.T) {
	at := strings.SplitN(os.Getenv(killAt), " ", 3)
	if len(at) < 3 {
		t.Skip("runs in a separate process")
	}
	n, err := strconv.Atoi(at[1])
	require.NoError(t, err)
	p := plan(t, at[2])
	p.fault = failAt(at[0], n, func() error {
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			return err
		}
		if err := self.Kill(); err != nil {
			return err
		}
		select {}
	})
	require.NoError(t, p.Write(t.Context()))
}

func TestWriteKilled(t *testing.T) {
	for _, at := range []string{"write 1", "write 3", "changed 1", "changed 2", "created 1", "removed 1"} {
		t.Run(at, func(t *testing.T) {
			dir := t.TempDir()
			oldTree.write(t, dir)
			cmd := exec.Command(os.Args[0], "-test.run=^TestKilledChild$")
			cmd.Env = append(os.Environ(), killAt+"="+at+" "+dir)
			out, err := cmd.CombinedOutput()
			exit, ok := errors.AsType[*exec.ExitError](err)
			require.True(t, ok && !exit.Exited(), "the child was not killed: %s", out)

			for name, content := range readTree(t, dir) {
				if !isTemp(name) {
					assert.Contains(t, []string{oldTree[name], newTree[name]}, content, name)
				}
			}
			require.NoError(t, plan(t, dir).Write(t.Context()))
			assert.Equal(t, endTree, readTree(t, dir), "the next run completes the package")
		})
	}
}

// holdLock locks dir as another process does.
func holdLock(t *testing.T, dir string) (unlock func()) {
	t.Helper()
	l := flock.New(dir, flock.SetFlag(os.O_RDONLY))
	ok, err := l.TryLock()
	if !ok {
		t.Skipf("the system cannot lock a directory: %v", err)
	}
	return func() { _ = l.Close() }
}

func TestWriteWaitsForTheLock(t *testing.T) {
	dir := t.TempDir()
	oldTree.write(t, dir)
	synctest.Test(t, func(t *testing.T) {
		p, unlock := plan(t, dir), holdLock(t, dir)
		done := make(chan error)
		go func() { done <- p.Write(t.Context()) }()
		time.Sleep(lockTimeout - time.Second)
		assert.Empty(t, done)
		unlock()
		require.NoError(t, <-done)
	})
	assert.Equal(t, endTree, readTree(t, dir), "the lock leaves no file")
}

func TestWriteLockTimeout(t *testing.T) {
	dir := t.TempDir()
	oldTree.write(t, dir)
	synctest.Test(t, func(t *testing.T) {
		p, unlock := plan(t, dir), holdLock(t, dir)
		defer unlock()
		began := time.Now()
		assert.ErrorContains(t, p.Write(t.Context()), "errs: another errgen has been writing here for 30s")
		assert.Equal(t, lockTimeout, time.Since(began))

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		assert.ErrorIs(t, p.Write(ctx), context.Canceled)
	})
	assert.Equal(t, oldTree, readTree(t, dir))
}

func TestWriteComparesOnceMore(t *testing.T) {
	dir := t.TempDir()
	first, second := plan(t, dir), plan(t, dir)
	require.NoError(t, first.Write(t.Context()))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a_gen.go"), []byte("package own"), 0o644))
	assert.ErrorContains(t, second.Write(t.Context()), "a_gen.go: was not made by errgen")
	require.NoError(t, os.Remove(filepath.Join(dir, "a_gen.go")))
	second = plan(t, dir)
	require.NoError(t, first.Write(t.Context()))
	require.NoError(t, second.Write(t.Context()))
	assert.Empty(t, steps(second), "the first one did it all")
}
