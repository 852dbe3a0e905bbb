package filelock_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor/internal/filelock"
)

func TestLocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first, err := filelock.Try(path)
	require.NoError(t, err)
	require.NotNil(t, first)
	second, err := filelock.Try(path)
	require.NoError(t, err)
	assert.Nil(t, second)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	_, err = filelock.Wait(ctx, path, time.Millisecond)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NoError(t, first.Release())
	second, err = filelock.Wait(context.Background(), path, time.Millisecond)
	require.NoError(t, err)
	require.NoError(t, second.Release())

	for _, refused := range []string{filepath.Dir(path), filepath.Join(path, "below")} {
		_, err := filelock.Try(refused)
		assert.Error(t, err)
	}
}
