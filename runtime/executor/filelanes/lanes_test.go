package filelanes_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/errgen/errgen/runtime/executor/filelanes"
	"github.com/errgen/errgen/runtime/retry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open returns the lanes in dir, without jitter.
func open(dir string) retry.SharedWait {
	return filelanes.New(dir, retry.System, func() float64 { return 0 })
}

// path returns the path of the only lane in dir.
func path(t *testing.T, dir string) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.lane"))
	require.NoError(t, err)
	require.Len(t, paths, 1)
	return paths[0]
}

func TestFilesSayNothingOfTheirLanes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lanes")
	lanes, ctx := open(dir), context.Background()
	_, err := lanes.Until(ctx, "x")
	require.NoError(t, err)
	assert.NoDirExists(t, dir, "a lane that was never closed needs nothing")
	for _, lane := range []string{"../../etc/passwd", "api\x00key"} {
		require.NoError(t, lanes.Pause(ctx, lane, time.Now().Add(time.Minute)))
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, entries, 4)
	for _, e := range entries {
		assert.Regexp(t, `^[0-9a-f]{32}\.(lane|lock)$`, e.Name())
	}
}

// What stands where a lane's file should be is not followed, and a pause puts the lane in its
// place.
func TestAFileThatIsNone(t *testing.T) {
	dir, outside, ctx := t.TempDir(), filepath.Join(t.TempDir(), "outside"), context.Background()
	lanes, until := open(dir), time.Now().Add(time.Minute)
	require.NoError(t, lanes.Pause(ctx, "x", until))
	lane := path(t, dir)
	require.NoError(t, os.Rename(lane, outside))
	before, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.NoError(t, os.Symlink(outside, lane))
	_, err = lanes.Until(ctx, "x")
	require.ErrorContains(t, err, "not a regular file")
	require.NoError(t, lanes.Pause(ctx, "x", until))
	opens, err := lanes.Until(ctx, "x")
	require.NoError(t, err)
	assert.True(t, until.Equal(opens))
	after, err := os.ReadFile(outside)
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
}
