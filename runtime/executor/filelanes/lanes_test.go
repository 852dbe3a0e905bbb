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
	"github.com/errgen/errgen/runtime/executor/internal/lanestest"
	"github.com/errgen/errgen/runtime/retry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(_ *testing.T, dir string, clock *lanestest.Clock) retry.SharedWait {
	return filelanes.New(dir, clock, lanestest.Still)
}

// path returns the path of the only lane in dir.
func path(t *testing.T, dir string) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.lane"))
	require.NoError(t, err)
	require.Len(t, paths, 1)
	return paths[0]
}

func TestLanes(t *testing.T) {
	lanestest.Test(t, lanestest.Lanes{
		Open: open,
		Kept: func(t *testing.T, dir string) []string { return lanestest.Files(t, dir, "*.lane") },
		Spoil: func(t *testing.T, dir, content string) {
			require.NoError(t, os.WriteFile(path(t, dir), []byte(content), 0o600))
		},
		Path: path,
	})
}

func TestFilesSayNothingOfTheirLanes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lanes")
	lanes, ctx := open(t, dir, &lanestest.Clock{}), context.Background()
	_, err := lanes.Until(ctx, "x")
	require.NoError(t, err)
	assert.NoDirExists(t, dir, "a lane that was never closed needs nothing")
	for _, lane := range []string{"../../etc/passwd", "api\x00key"} {
		require.NoError(t, lanes.Pause(ctx, lane, lanestest.Now.Add(time.Minute)))
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
	lanes, until := open(t, dir, &lanestest.Clock{}), lanestest.Now.Add(time.Minute)
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
