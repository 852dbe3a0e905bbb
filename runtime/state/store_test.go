package state_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/state"
)

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?#%.db")
	for range 2 {
		s, err := state.Open(t.Context(), path, state.Options{})
		require.NoError(t, err)
		require.NoError(t, s.Close())
	}
}
