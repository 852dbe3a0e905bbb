package workspace_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/workspace"
)

// ignoring returns a repository with an ignored .env, and a file whose changes are not committed.
func ignoring(t *testing.T) *repo {
	r := newRepo(t)
	r.write(".gitignore", ".env\n")
	r.write(".env", "the only copy\n")
	r.write("a.txt", "not committed\n")
	return r
}

// TestReleaseKeepsWhatIsNeeded lets go of a run while files are overwritten. What is the only copy
// of them stays.
func TestReleaseKeepsWhatIsNeeded(t *testing.T) {
	t.Parallel()
	for _, file := range []string{".env", "a.txt"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			r := ignoring(t)
			opts := workspace.Options{Watch: named(".env")}
			s := r.begin(opts)
			was := r.read(file)
			r.write(file, "overwritten\n")
			require.NoError(t, s.ws.Release(s.ctx, s.run))
			r.git("reflog", "expire", "--expire=now", "--all")
			r.git("gc", "-q", "--prune=now")
			s.reopen(opts)
			changes := s.detect()
			assert.Len(t, changes, 1)
			s.revert(changes)
			assert.Equal(t, was, r.read(file))
			require.NoError(t, s.ws.Release(s.ctx, s.run))
			assert.Empty(t, r.git("for-each-ref", "refs/errgen"), "nothing is needed any more")
			assert.NoDirExists(t, r.path(".git/errgen/runs/run-1/kept"))
		})
	}
}

// TestReleasedRunGoesOn resumes a run that was let go of, as a resume that was cancelled does.
func TestReleasedRunGoesOn(t *testing.T) {
	t.Parallel()
	r := ignoring(t)
	r.write("staged.txt", "staged\n")
	r.git("add", "staged.txt")
	opts := workspace.Options{Watch: named(".env")}
	s := r.begin(opts)
	require.NoError(t, s.ws.Release(s.ctx, s.run))
	for range 2 {
		s.reopen(opts)
		require.NoError(t, s.ws.Release(s.ctx, s.run))
	}
	s.reopen(opts)
	r.write(".env", "theirs\n")
	r.git("rm", "-q", "--cached", "staged.txt")
	changes := s.detect()
	assert.Equal(t, []string{"modified .env ignored"}, listed(changes))
	s.save(changes)
	s.revert(changes)
	assert.Equal(t, "the only copy\n", r.read(".env"))
	s.work(map[string]string{"dir/b.txt": "work\n"})
	s.commit("dir/b.txt")
	assert.Equal(t, " M a.txt\nA  staged.txt\n?? .gitignore", r.git("status", "--porcelain"))
}

// TestPruneRuns removes what was never let go of, once it is old, but for a run that has the
// working tree.
func TestPruneRuns(t *testing.T) {
	t.Parallel()
	r := ignoring(t)
	opts := workspace.Options{Watch: named(".env")}
	s := r.begin(opts)
	r.write(".env", "overwritten\n")
	other, err := workspace.Open(s.ctx, r.dir, workspace.Options{})
	require.NoError(t, err)
	kept := r.path(".git/errgen/runs/run-1/kept")

	n, err := other.Prune(s.ctx, time.Hour)
	require.NoError(t, err)
	assert.Zero(t, n, "it is not old")
	unlock, err := s.ws.Lock(s.ctx, s.run)
	require.NoError(t, err)
	n, err = other.Prune(s.ctx, 0)
	require.NoError(t, err)
	assert.Zero(t, n, "it has the working tree")
	host, err := os.Hostname()
	require.NoError(t, err)
	holder := r.path(".git/errgen/tree.holder")
	noted := r.read(".git/errgen/tree.holder")
	require.NoError(
		t, os.WriteFile(holder, []byte(`{"run":"run-2","pid":1,"start":"another","host":"`+host+`"}`), 0o600))
	n, err = other.Prune(s.ctx, 0)
	require.NoError(t, err)
	assert.Zero(t, n, "somebody has it, and nobody knows who")
	assert.DirExists(t, kept)
	require.NoError(t, os.WriteFile(holder, []byte(noted), 0o600))
	require.NoError(t, unlock())

	second, err := s.ws.Begin(s.ctx, "run-2")
	require.NoError(t, err)
	unlock, err = s.ws.Lock(s.ctx, "run-2")
	require.NoError(t, err)
	n, err = other.Prune(s.ctx, 0)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	assert.NoDirExists(t, kept)
	assert.Equal(t, "refs/errgen/run-2/checked", r.git("for-each-ref", "--format=%(refname)", "refs/errgen"))
	_, err = s.ws.Detect(s.ctx, second)
	require.NoError(t, err)
	require.NoError(t, unlock())
}

// TestLocksOfTheDead has errgen's own locks be there when a run begins.
func TestLocksOfTheDead(t *testing.T) {
	t.Parallel()
	r := newRepo(t)
	lock := ".git/refs/errgen/run-1/checked.lock"
	r.write(lock, "")
	old := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(r.path(lock), old, old))
	s := r.begin(workspace.Options{})
	r.write(lock, "")
	require.NoError(t, os.Chtimes(r.path(lock), old, old))
	s.reopen(workspace.Options{})
	s.work(map[string]string{"a.txt": "work\n"})
	r.write(lock, "")
	require.NoError(t, os.Chtimes(r.path(lock), old, old))
	require.NoError(t, s.ws.Release(s.ctx, s.run))
	assert.Empty(t, r.git("for-each-ref", "refs/errgen"))
	list, err := filepath.Glob(r.path(".git/refs/errgen/run-1/*"))
	require.NoError(t, err)
	assert.Empty(t, list)
}
