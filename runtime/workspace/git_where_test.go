package workspace_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/workspace"
)

// sh runs a line of a shell in a repository, and returns what it says.
func sh(t *testing.T, r *repo, line string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = r.dir, append(os.Environ(), r.env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s: %s", line, out)
	return string(out)
}

func TestWhereARunIsKept(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	g, err := workspace.Open(t.Context(), r.dir, workspace.Options{})
	require.NoError(t, err)
	refs, err := g.Kept(t.Context(), "r")
	require.NoError(t, err)
	assert.Empty(t, refs)
	_, err = g.Begin(t.Context(), "r")
	require.NoError(t, err)
	refs, err = g.Kept(t.Context(), "r")
	require.NoError(t, err)
	assert.Equal(t, []string{"refs/errgen/r/checked"}, refs)
	_, err = g.Kept(t.Context(), "../r")
	require.Error(t, err)
	_, err = g.MoveBack(t.Context(), "unknown")
	require.Error(t, err)
}

func TestMissing(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	first := strings.TrimSpace(sh(t, r, "git rev-parse HEAD"))
	second := strings.TrimSpace(sh(t, r, "git commit -q --allow-empty -m second && git rev-parse HEAD"))
	tree := strings.TrimSpace(sh(t, r, "git rev-parse HEAD^{tree}"))
	none := strings.Repeat("a", 40)
	g, err := workspace.Open(t.Context(), r.dir, workspace.Options{})
	require.NoError(t, err)
	all := []string{second, first, none, tree, "--all", "x\n" + second}
	for _, tt := range []struct {
		do   string
		want []string
	}{
		{"true", []string{none, tree, "--all", "x\n" + second}},
		{"git reset -q --hard HEAD~1", []string{second, none, tree, "--all", "x\n" + second}},
		{"git checkout -q --orphan fresh", all},
	} {
		sh(t, r, tt.do)
		got, err := g.Missing(t.Context(), all)
		require.NoError(t, err)
		assert.Equal(t, tt.want, got, tt.do)
	}
	got, err := g.Missing(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, got)
}
