package workspace_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/workspace"
)

// TestSubmodule sees into submodules, and puts back what was done to their files and to their git
// directories. What belongs to one cannot be committed from here.
func TestSubmodule(t *testing.T) {
	r := newRepo(t)
	lib := emptyRepo(t)
	lib.write("lib.txt", "lib\n")
	lib.git("add", "-A")
	lib.git("commit", "-qm", "lib")
	r.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.dir, "sub")
	r.git("commit", "-qm", "submodule")
	s := r.begin(workspace.Options{})
	require.Empty(t, listed(s.detect()))

	r.write("sub/lib.txt", "changed\n")
	r.write("sub/new.txt", "new\n")
	r.git("-C", "sub", "add", "-A")
	r.git("-C", "sub", "commit", "-qm", "agent's")
	r.write(".git/modules/sub/hooks/pre-commit", "evil\n")
	changes := s.detect()
	assert.Subset(
		t, listed(changes),
		[]string{"added .git/modules/sub/hooks/pre-commit git", "modified sub/lib.txt", "added sub/new.txt"})
	s.save(changes)
	s.revert(changes)
	assert.Equal(t, "lib\n", r.read("sub/lib.txt"))
	assert.Equal(t, "lib", r.git("-C", "sub", "log", "-1", "--format=%s"))

	s.work(map[string]string{"sub/lib.txt": "allowed\n"})
	_, err := s.tryCommit("sub/lib.txt")
	ev := evidenceOf(t, err)
	assert.Equal(t, "commit", ev.Op)
	assert.Equal(t, []string{"sub/lib.txt"}, ev.Files)
	assert.False(t, r.exists(".git/index.lock"))
}

// TestCommitSwaps commits files and directories that have changed places.
func TestCommitSwaps(t *testing.T) {
	r := newRepo(t)
	s := r.begin(workspace.Options{})
	r.remove("a.txt")
	r.write("a.txt/inside", "x\n")
	r.remove("dir")
	r.write("dir", "d\n")
	r.remove("run.sh")
	r.link("dir", "run.sh")
	changes := s.detect()
	s.advance(changes)
	require.Empty(t, listed(s.detect()))
	s.commit("a.txt", "a.txt/inside", "dir", "dir/b.txt", "run.sh")
	assert.Equal(t, "a.txt/inside\ndir\nrun.sh", r.git("ls-tree", "-r", "--name-only", "HEAD"))
	assert.Empty(t, r.git("status", "--porcelain"))
}

// TestOwnDirectoryRemoved goes on when somebody has removed what errgen keeps: what was kept apart
// is gone, and that is said; all else works.
func TestOwnDirectoryRemoved(t *testing.T) {
	r := newRepo(t)
	s := r.begin(workspace.Options{})
	r.remove(".git/errgen")
	r.write("a.txt", "A\n")
	r.write("new.txt", "n\n")
	s.revert(s.detect())
	r.git("config", "x.y", "z")
	changes := s.detect()
	ev := evidenceOf(t, s.ws.Revert(s.ctx, s.checked, changes))
	assert.Equal(t, []string{".git/config"}, ev.Files)
}

// TestKeptIsTamperedWith never puts back what is not what was kept.
func TestKeptIsTamperedWith(t *testing.T) {
	r := newRepo(t)
	s := r.begin(workspace.Options{})
	kept, err := filepath.Glob(r.path(".git/errgen/runs/run-1/kept/*"))
	require.NoError(t, err)
	require.NotEmpty(t, kept)
	for _, name := range kept {
		require.NoError(t, os.WriteFile(name, []byte("evil"), 0o600))
	}
	r.git("config", "x.y", "z")
	config := r.read(".git/config")
	changes := s.detect()
	ev := evidenceOf(t, s.ws.Revert(s.ctx, s.checked, changes))
	assert.Equal(t, "revert", ev.Op)
	assert.Equal(t, config, r.read(".git/config"))
	assert.Equal(t, []string{"modified .git/config git"}, listed(s.detect()), "and nothing is left behind")
}
