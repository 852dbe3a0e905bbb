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

// The commands that are named move HEAD and all branches back, whatever they are called, and change no file.
func TestMoveBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, before, do string
		want             int
	}{
		{"nothing", "true", "true", 0},
		{"a commit", "true", "git commit -q --allow-empty -m x", 1},
		{"a branch, with a commit", "true", "git checkout -q -b other && git commit -q --allow-empty -m x", 2},
		{"a branch with an odd name", "true", `git checkout -q -b "it's;\$(id)&x"`, 2},
		{"another branch is removed", "git branch other", "git branch -q -D other", 1},
		{"detached", "true", "git checkout -q --detach && git commit -q --allow-empty -m x", 1},
		{"no longer detached", "git checkout -q --detach", "git checkout -q main", 1},
		{"the first commit", "git checkout -q --orphan fresh", "git commit -q --allow-empty -m x", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRepo(t)
			sh(t, r, tt.before)
			where := "cat .git/HEAD && git for-each-ref refs/heads && git status --porcelain"
			before := sh(t, r, where)
			g, err := workspace.Open(t.Context(), r.dir, workspace.Options{})
			require.NoError(t, err)
			_, err = g.Begin(t.Context(), "r")
			require.NoError(t, err)
			sh(t, r, tt.do)
			commands, err := g.MoveBack(t.Context(), "r")
			require.NoError(t, err)
			assert.Len(t, commands, tt.want)
			sh(t, r, strings.Join(append(commands, "true"), " && "))
			assert.Equal(t, before, sh(t, r, where))
		})
	}
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
