package plans_test

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/executor/plan/verify"
	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/executor/workspace"
)

// inGit makes the kit work in a repository of git, with states on disk.
func (k *kit) inGit() {
	for _, args := range [][]string{
		{"init", "-q"}, {"config", "user.name", "T"}, {"config", "user.email", "t@example.com"}, {"add", "."},
		{"commit", "-q", "-m", "begin"},
	} {
		k.git(args...)
	}
	tree, err := workspace.New(k.t.Context(), k.tree.dir, "run", workspace.Options{Home: k.t.TempDir(),
		Share: []string{".env"}})
	require.NoError(k.t, err)
	k.repository, k.tree.dir = k.tree.dir, tree.Dir()
	k.cfg.Workspace, k.cfg.Facts = &pointedTree{tree, k}, verify.New(tree.Dir())
	states := k.t.TempDir()
	k.cfg.Store = func() executor.Store { return &pointedStore{filestore.New(states), k} }
}

func (k *kit) git(args ...string) string {
	cmd := exec.Command("git", args...)
	cmd.Dir = cmp.Or(k.repository, k.tree.dir)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.CombinedOutput()
	require.NoError(k.t, err, string(out))
	return string(out)
}

// inRepository is what must be the same, wherever the process was killed: the commits with their
// files, and a clean tree.
func (k *kit) inRepository() string {
	return k.git("log", "--reverse", "--format=%s", "--name-status") + k.git("status", "--porcelain")
}

// pointedTree and pointedStore have points before and after their operations.
type pointedTree struct {
	*workspace.Workspace
	kit *kit
}

func (w *pointedTree) Open(ctx context.Context, run string) (executor.Space, error) {
	w.kit.point("before open")
	space, err := w.Workspace.Open(ctx, run)
	if err == nil {
		w.kit.died = func() { _ = space.Close(false) } // a dead process has no lock
	}
	return &pointedSpace{space, w.kit}, err
}

type pointedSpace struct {
	executor.Space
	kit *kit
}

func (s *pointedSpace) Snapshot(ctx context.Context) (executor.Tree, error) {
	s.kit.point("before snapshot")
	return s.Space.Snapshot(ctx)
}

func (s *pointedSpace) Restore(ctx context.Context, to executor.Tree, paths []string) (executor.Tree, error) {
	s.kit.point("before restore")
	defer s.kit.point("after restore")
	return s.Space.Restore(ctx, to, paths)
}

func (s *pointedSpace) Commit(ctx context.Context, c executor.Commit) (string, error) {
	s.kit.point("before commit")
	id, err := s.Space.Commit(ctx, c)
	s.kit.point("after commit")
	return id, err
}

type pointedStore struct {
	*filestore.Store
	kit *kit
}

func (s *pointedStore) Save(ctx context.Context, state *executor.RunState) error {
	s.kit.point("before save " + string(state.Step))
	err := s.Store.Save(ctx, state)
	s.kit.point("after save " + string(state.Step))
	return err
}

// TestKilledInGit is TestKilledAnywhere in real git, at a sample of the points.
func TestKilledInGit(t *testing.T) {
	sample := 10
	if testing.Short() {
		sample = 2
	}
	for _, name := range []string{"question", "review finds"} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			k, p := scenes()[name](t)
			k.inGit()
			count := &killer{n: -1}
			require.Equal(t, "completed", k.play(p, count).Status)
			want := k.inRepository()
			for i := range sample {
				n := 1 + i*count.at/sample
				k, p := scenes()[name](t)
				k.inGit()
				kill := &killer{n: n}
				require.Equal(t, "completed", k.play(p, kill).Status, "killed at point %d: %s", n, kill.what)
				require.Equal(t, want, k.inRepository(), "killed at point %d of %d: %s", n, count.at, kill.what)
			}
			t.Log(count.at, "points")
		})
	}
}

// The patterns of a step's guard are given once: a forbidden file is watched although git ignores
// it.
func TestForbiddenIgnoredFile(t *testing.T) {
	k, p := newKit(t), onePlan()
	k.tree.write(".gitignore", ".env\n")
	k.tree.write(".env", "KEY=1")
	k.inGit()
	k.cfg.Guard = func([]string) (executor.Guard, error) { return scope.New(scope.Config{Forbidden: []string{".env"}}) }
	k.haiku.do = k.writes(done, "out=done", ".env=mine")
	assert.Equal(t, "1:UNEXPECTED_RESULT>verify completed sonnet", path(k.run(p).Steps[0]))
	env, err := os.ReadFile(filepath.Join(k.repository, ".env"))
	require.NoError(t, err)
	assert.Equal(t, "KEY=1", string(env))
}
