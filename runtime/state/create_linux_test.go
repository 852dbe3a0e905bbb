package state

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// filled writes a file that leaves so many bytes free in the file system of a directory, and
// returns its path.
func filled(t *testing.T, dir string, free int64) string {
	t.Helper()
	var fs syscall.Statfs_t
	require.NoError(t, syscall.Statfs(dir, &fs))
	size := int64(fs.Bavail)*fs.Bsize - free
	require.GreaterOrEqual(t, size, int64(0))
	ballast := filepath.Join(dir, "ballast")
	require.NoError(t, os.WriteFile(ballast, make([]byte, size), 0o600))
	return ballast
}

// emptied removes what is in a directory.
func emptied(t *testing.T, dir string) {
	t.Helper()
	for _, name := range namesIn(t, dir) {
		require.NoError(t, os.RemoveAll(filepath.Join(dir, name)))
	}
}

// TestFullDiskCreate has the disk become full at any moment while a state is made. Whatever comes
// of that, with room again there is a whole one.
func TestFullDiskCreate(t *testing.T) {
	dir := mounted(t, "2m")
	path := filepath.Join(dir, "state.db")
	refused, made := 0, 0
	for free := int64(0); made < 10; free += 4 << 10 { // until it has been enough for a while
		emptied(t, dir)
		ballast := filled(t, dir, free)
		if openedWithLittle(t, path, free) {
			made++
		} else {
			require.LessOrEqual(t, free, int64(1<<20), "that much must be enough")
			refused, made = refused+1, 0
		}

		require.NoError(t, os.Remove(ballast))
		s, err := Open(t.Context(), path, Options{})
		require.NoError(t, err, "%d bytes", free)
		sound(t, s)
		require.NoError(t, noted(t.Context(), s, "k", "v"))
		require.NoError(t, s.Close())
		assert.Equal(t, []string{"state.db", "state.db.locks"}, namesIn(t, dir))
	}
	assert.Positive(t, refused)
}

// TestFullDiskConvert is the same for a state that is converted, of which nothing is lost.
func TestFullDiskConvert(t *testing.T) {
	const tasks, attempts = 10, 20
	text := manyOld(tasks, attempts, strings.Repeat("an answer ", 30))
	dir := mounted(t, "4m")
	old, path := filepath.Join(dir, ".executor-state.json"), filepath.Join(dir, ".executor-state.db")
	refused, made := 0, 0
	for free := int64(0); made < 4; free += 20 << 10 {
		emptied(t, dir)
		require.NoError(t, os.WriteFile(old, []byte(text), 0o600))
		ballast := filled(t, dir, free)
		if openedWithLittle(t, path, free) {
			made++
		} else {
			require.LessOrEqual(t, free, int64(2<<20), "that much must be enough")
			refused, made = refused+1, 0
		}

		require.NoError(t, os.Remove(ballast))
		convertedOnce(t, old, path, tasks, attempts)
		s := opened(t, path, Options{})
		sound(t, s)
		require.NoError(t, s.Close())
	}
	assert.Positive(t, refused)
}

// TestNoNamesLeft has the file system have room, but not for one more file.
func TestNoNamesLeft(t *testing.T) {
	refused := 0
	for files := 1; ; files++ {
		dir := t.TempDir()
		mountedWith(t, dir, "size=2m,nr_inodes="+strconv.Itoa(files))
		if openedWithLittle(t, filepath.Join(dir, "state.db"), 2<<20) {
			break
		}
		require.Less(t, files, 20, "that many must be enough")
		refused++
	}
	assert.Greater(t, refused, 2)
}

// TestCreateAfterDead makes a state where others have died while they made it.
func TestCreateAfterDead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.db")
	for _, suffix := range append([]string{""}, beside[:]...) {
		require.NoError(t, os.WriteFile(path+".tmp"+suffix, []byte("left by a dead process"), 0o600))
	}
	s := opened(t, path, Options{})
	sound(t, s)
	require.NoError(t, s.Close())
	assert.Equal(t, []string{"state.db", "state.db.locks"}, namesIn(t, dir))
}

// openedWithLittle opens a state where so many bytes are free, and reports whether that worked. If
// not, the evidence is that the disk is full, and nothing is left of what was begun.
func openedWithLittle(t *testing.T, path string, free int64) bool {
	t.Helper()
	s, err := Open(t.Context(), path, Options{})
	if err == nil {
		sound(t, s)
		require.NoError(t, s.Close())
		return true
	}
	ev := evidenceOf(t, err)
	assert.Equal(t, []string{"executor", "prepare", "ENOSPC", path},
		[]string{ev.Source, ev.Op, ev.Errno, ev.Attribute("path")},
		"%d bytes: %v", free, err)
	for _, name := range namesIn(t, filepath.Dir(path)) {
		assert.NotContains(t, name, ".tmp", "%d bytes: %v", free, err)
	}
	return false
}
