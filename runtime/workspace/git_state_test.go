package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/workspace"
)

// TestNothingRunsUnderPlantedConfiguration lets Detect, Save and Revert of files alone do their
// work while git's configuration is not put back: nothing that it names may run, and a commit is
// refused.
func TestNothingRunsUnderPlantedConfiguration(t *testing.T) {
	r := newRepo(t)
	s := r.begin(workspace.Options{})
	r.write("a.txt", "A\n")
	r.write("new.txt", "n\n")
	r.git("config", "core.fsmonitor", "touch "+r.path("../ran"))
	r.git("config", "filter.x.clean", "touch "+r.path("../ran"))
	r.git("config", "filter.x.smudge", "touch "+r.path("../ran"))
	r.git("config", "core.attributesFile", r.path("attributes"))
	r.write("attributes", "* filter=x\n")
	r.write(".gitattributes", "* filter=x\n")
	changes := s.detect()
	s.save(changes)
	files := changes[:0:0]
	for _, c := range changes {
		if !c.Git {
			files = append(files, c)
		}
	}
	s.advance(files[:1])
	require.NoError(t, s.ws.Revert(s.ctx, s.checked, files))
	assert.Equal(t, []string{"modified .git/config git"}, listed(s.detect()))
	_, err := s.tryCommit("a.txt", ".gitattributes")
	assert.Equal(t, []string{".gitattributes", "a.txt"}, evidenceOf(t, err).Files)
	assert.Contains(t, evidenceOf(t, err).Text, ".git/config")
	assert.NoFileExists(t, r.path("../ran"))
}

func TestSave(t *testing.T) {
	r := newRepo(t)
	r.write(".gitignore", "ignored/\n")
	s := r.begin(workspace.Options{Watch: named("ignored")})
	r.write("a.txt", "A\n")
	r.write(".env", "API_KEY=very-secret\n")
	r.write("ignored/x", "x\n")
	r.write("-rf", "x\n")
	r.write(".git/hooks/pre-commit", "evil\n")
	r.git("init", "-q", "sub")
	r.write("sub/f", "f\n")
	r.remove("dir/b.txt")
	r.link("/etc/passwd", "l")
	changes := s.detect()
	ref := s.save(changes)
	assert.Equal(t, "refs/errgen/run-1/1", ref)
	assert.Equal(t, "-rf\n.gitignore\na.txt\nl\nrun.sh\nsub/f", r.git("ls-tree", "-r", "--name-only", ref))
	assert.Equal(t, "A", r.git("show", ref+":a.txt"))

	saved := r.path(".git/errgen/saved/run-1/1")
	for p, want := range map[string]string{".env": "API_KEY=very-secret\n", "ignored/x": "x\n",
		"git/hooks/pre-commit": "evil\n"} {
		b, err := os.ReadFile(filepath.Join(saved, p))
		require.NoError(t, err)
		assert.Equal(t, want, string(b))
	}
	assert.FileExists(t, filepath.Join(saved, "sub/git/HEAD"))
	require.NoError(t, filepath.WalkDir(r.path(".git/errgen/saved"), func(p string, d os.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		assert.Zero(t, info.Mode().Perm()&0o077, p)
		return nil
	}))
	for _, id := range strings.Fields(r.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")) {
		content, _ := r.try("cat-file", "-p", id)
		assert.NotContains(t, content, "very-secret")
	}

	second := s.save(changes)
	assert.Equal(t, "refs/errgen/run-1/1-2", second, "nothing is overwritten")
	r.git("pack-refs", "--all")
	assert.Equal(t, "refs/errgen/run-1/1-3", s.save(changes))
	s.revert(changes)

	unlock, err := s.ws.Lock(s.ctx, s.run)
	require.NoError(t, err)
	n, err := s.ws.Prune(s.ctx, 1<<40)
	require.NoError(t, err)
	assert.Zero(t, n)
	n, err = s.ws.Prune(s.ctx, 0)
	require.NoError(t, err)
	assert.Equal(t, 3, n)
	assert.Equal(t, "refs/errgen/run-1/checked", r.git("for-each-ref", "--format=%(refname)", "refs/errgen"))
	assert.NoDirExists(t, saved)
	require.NoError(t, unlock())
	require.NoError(t, s.ws.Release(s.ctx, s.run))
	assert.Empty(t, r.git("for-each-ref", "refs/errgen"))
	assert.NoDirExists(t, r.path(".git/errgen/runs/run-1/kept"))
	require.NoError(t, s.ws.Release(s.ctx, s.run))
}

// TestSecretsOfTheUserStayOutOfTheObjectStore begins with secrets that are in no commit, and puts
// them back.
func TestSecretsOfTheUserStayOutOfTheObjectStore(t *testing.T) {
	r := newRepo(t)
	r.write("config/id_rsa", "very-secret\n")
	r.chmod("config/id_rsa", 0o600)
	s := r.begin(workspace.Options{})
	r.write("config/id_rsa", "theirs\n")
	r.chmod("config/id_rsa", 0o644)
	changes := s.detect()
	assert.Equal(t, []string{"modified config/id_rsa"}, listed(changes))
	s.save(changes)
	s.reopen(workspace.Options{})
	s.revert(changes)
	info, err := os.Stat(r.path("config/id_rsa"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	for _, id := range strings.Fields(r.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)")) {
		content, _ := r.try("cat-file", "-p", id)
		assert.NotContains(t, content, "very-secret")
		assert.NotContains(t, content, "theirs")
	}
}
