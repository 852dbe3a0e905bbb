package durable_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/internal/durable"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	out := []string{}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	require.NoError(t, os.WriteFile(path+durable.TempSuffix, []byte("what a killed one left"), 0o400))
	for _, content := range []string{"one", "", "two"} {
		require.NoError(t, durable.Replace(path, []byte(content)))
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, content, string(b))
	}
	assert.Equal(t, []string{"f"}, names(t, dir))

	require.NoError(t, os.MkdirAll(filepath.Join(dir, "d", "full"), 0o700))
	require.Error(t, durable.Replace(filepath.Join(dir, "d"), []byte("x")))
	assert.Equal(t, []string{"d", "f"}, names(t, dir), "nothing is left of what failed")
	require.Error(t, durable.Replace(filepath.Join(dir, "none", "f"), nil))
}

func TestReplaceFollowsNoLink(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
	require.NoError(t, os.WriteFile(outside, []byte("mine"), 0o600))
	path := filepath.Join(dir, "f")
	require.NoError(t, os.Symlink(outside, path))
	require.NoError(t, os.Symlink(outside, path+durable.TempSuffix))
	require.NoError(t, durable.Replace(path, []byte("new")))
	b, err := os.ReadFile(outside)
	require.NoError(t, err)
	assert.Equal(t, "mine", string(b))
	info, err := os.Lstat(path)
	require.NoError(t, err)
	assert.True(t, info.Mode().IsRegular())
}

func TestOpenRegular(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink(path, link))
	f, err := durable.OpenRegular(path, os.O_RDONLY)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	for _, other := range []string{link, dir} {
		_, err := durable.OpenRegular(other, os.O_RDONLY)
		assert.ErrorContains(t, err, "is not a regular file")
	}
	_, err = durable.OpenRegular(filepath.Join(dir, "none"), os.O_RDONLY)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestLocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := durable.TryLock(path)
	require.NoError(t, err)
	require.NotNil(t, first)
	second, err := durable.TryLock(path)
	require.NoError(t, err)
	assert.Nil(t, second)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	_, err = durable.WaitLock(ctx, path, time.Millisecond)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, first.Release())
	second, err = durable.WaitLock(context.Background(), path, time.Millisecond)
	require.NoError(t, err)
	require.NoError(t, second.Release())

	for _, refused := range []string{filepath.Dir(path), filepath.Join(path, "below")} {
		_, err := durable.TryLock(refused)
		assert.Error(t, err)
	}
}

func TestMakeDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b", "c")
	require.NoError(t, durable.MakeDir(dir))
	require.NoError(t, durable.MakeDir(dir))
	assert.DirExists(t, dir)
	file := filepath.Join(dir, "f")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Error(t, durable.MakeDir(filepath.Join(file, "d")))
}
