package state

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHalfMade has a part of what was written not be in the file that is about to be put into
// place.
func TestHalfMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := opened(t, path, Options{})
	require.NoError(t, s.Close())
	require.NoError(t, s.whole(t.Context(), path))
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	for name, half := range map[string][]byte{
		"nothing": nil,
		"a page":  b[:4096],
		"half":    b[:len(b)/2],
		"a hole":  append(append(append([]byte(nil), b[:8192]...), make([]byte, 8192)...), b[16384:]...),
	} {
		require.NoError(t, os.WriteFile(path, half, 0o600))
		assert.Error(t, s.whole(t.Context(), path), name)
	}
}

// TestLogNotWrittenBack has somebody read what the log is to be written over.
func TestLogNotWrittenBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := opened(t, path, Options{})
	begun := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- s.view(context.Background(), "look", func(*view) error {
			close(begun)
			<-ctx.Done()
			return nil
		})
	}()
	<-begun
	require.NoError(t, noted(t.Context(), s, "k", "v"))
	w, err := openWriter(t.Context(), path, patience{once: time.Millisecond, total: time.Millisecond})
	require.NoError(t, err)
	require.ErrorIs(t, w.writeBack(t.Context()), errLogged)
	cancel()
	require.NoError(t, <-done)
	require.NoError(t, w.writeBack(t.Context()))
	require.NoError(t, w.close())
}
