package atomicfile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/internal/atomicfile"
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
	require.NoError(t, os.WriteFile(path+atomicfile.TempSuffix, []byte("what a killed one left"), 0o400))
	for _, content := range []string{"one", "", "two"} {
		require.NoError(t, atomicfile.Replace(path, []byte(content)))
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, content, string(b))
	}
	assert.Equal(t, []string{"f"}, names(t, dir))

	require.NoError(t, os.MkdirAll(filepath.Join(dir, "d", "full"), 0o700))
	require.Error(t, atomicfile.Replace(filepath.Join(dir, "d"), []byte("x")))
	assert.Equal(t, []string{"d", "f"}, names(t, dir), "nothing is left of what failed")
	require.Error(t, atomicfile.Replace(filepath.Join(dir, "none", "f"), nil))
}

func TestReplaceFollowsNoLink(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
	require.NoError(t, os.WriteFile(outside, []byte("mine"), 0o600))
	path := filepath.Join(dir, "f")
	require.NoError(t, os.Symlink(outside, path))
	require.NoError(t, os.Symlink(outside, path+atomicfile.TempSuffix))
	require.NoError(t, atomicfile.Replace(path, []byte("new")))
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
	f, err := atomicfile.OpenRegular(path, os.O_RDONLY)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	for _, other := range []string{link, dir} {
		_, err := atomicfile.OpenRegular(other, os.O_RDONLY)
		assert.ErrorContains(t, err, "is not a regular file")
	}
	_, err = atomicfile.OpenRegular(filepath.Join(dir, "none"), os.O_RDONLY)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestMakeDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b", "c")
	require.NoError(t, atomicfile.MakeDir(dir))
	require.NoError(t, atomicfile.MakeDir(dir))
	assert.DirExists(t, dir)
	file := filepath.Join(dir, "f")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Error(t, atomicfile.MakeDir(filepath.Join(file, "d")))
}
