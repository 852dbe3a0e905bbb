package workspace_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/workspace"
)

// What counts is kept under a name of its own, whatever becomes of the run.
func TestRetain(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	r.write("a.txt", "precious\n")
	s := r.begin(workspace.Options{})
	for _, want := range []string{"refs/errgen/" + s.run + "/retained", "refs/errgen/" + s.run + "/retained-2"} {
		ref, err := s.ws.Retain(s.ctx, s.run)
		require.NoError(t, err)
		assert.Equal(t, want, ref)
	}
	require.NoError(t, s.ws.Release(s.ctx, s.run))
	assert.Equal(t, "precious", r.git("show", "refs/errgen/"+s.run+"/retained:a.txt"))

	ref, err := s.ws.Retain(s.ctx, "another")
	require.NoError(t, err)
	assert.Empty(t, ref)
	_, err = s.ws.Retain(s.ctx, "../x")
	require.Error(t, err)
}
