package output

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hold locks dir as another run does.
func hold(t *testing.T, dir string) *dirLock {
	t.Helper()
	held, err := lockDir(dir)
	require.NoError(t, err)
	if !held.held() {
		t.Skip("no locks here")
	}
	return held
}

func plan(t *testing.T, dir string) *Plan {
	t.Helper()
	p, err := NewPlan(target(dir), files(newTree))
	require.NoError(t, err)
	return p
}

func TestWriteWaitsForAnotherRun(t *testing.T) {
	dir := t.TempDir()
	oldTree.write(t, dir)
	synctest.Test(t, func(t *testing.T) {
		p, other := plan(t, dir), hold(t, dir)
		done := make(chan error)
		go func() { done <- p.Write(t.Context()) }()
		time.Sleep(lockWait - time.Second)
		assert.Empty(t, done)
		other.release(func() {})
		require.NoError(t, <-done)
	})
	assert.Equal(t, endTree, readTree(t, dir), "nothing tells of the lock")
}

func TestWriteWaitsNotForEver(t *testing.T) {
	dir := t.TempDir()
	oldTree.write(t, dir)
	synctest.Test(t, func(t *testing.T) {
		p, other := plan(t, dir), hold(t, dir)
		defer other.release(func() {})
		began := time.Now()
		assert.EqualError(t, p.Write(t.Context()),
			"errs: another errgen has been writing here for 30s (nothing was changed): let it end, and generate again")
		assert.Equal(t, lockWait, time.Since(began))

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
	assert.Empty(t, steps(second), "the other one did it all")
}

// A run that failed removes the directory that it made, while another one waits to lock it.
func TestLockOfADirectoryThatIsGone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a directory that is open is not removed")
	}
	parent := t.TempDir()
	dir := filepath.Join(parent, "errs")
	synctest.Test(t, func(t *testing.T) {
		p := plan(t, dir)
		require.NoError(t, os.Mkdir(dir, 0o755))
		other := hold(t, dir)
		done := make(chan error)
		go func() { done <- p.Write(t.Context()) }()
		synctest.Wait()
		other.release(func() { require.NoError(t, os.Remove(dir)) })
		require.NoError(t, <-done)
	})
	assert.Equal(t, newTree, readTree(t, dir))
}

func TestVerifyWithoutALock(t *testing.T) {
	dir := t.TempDir()
	p := plan(t, dir)
	require.NoError(t, p.write(&dirLock{}))
	require.NoError(t, os.Remove(filepath.Join(dir, "a_gen.go")))
	assert.EqualError(t, p.verify(), "errs: another errgen wrote here at the same time: generate again")
}
