package scenarios_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
)

// storyRepo is a repository in which a person was at work when the story began.
type storyRepo struct {
	t   *testing.T
	dir string
}

// The files in which a person was at work.
const (
	dirtyFile     = "notes.txt"   // committed, and changed since
	stagedFile    = "staged.txt"  // staged, and changed since
	untrackedFile = "scratch.txt" // not tracked
	ignoredFile   = ".env"        // ignored
)

// theSecret is the content of ignoredFile.
const theSecret = "PASSWORD=correct-horse-battery-staple"

func newStoryRepo(t *testing.T, dir string) *storyRepo {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	r := &storyRepo{t: t, dir: dir}
	r.git("init", "-q")
	r.write("README.md", "# A book\n")
	r.write("src/main.txt", "one\n")
	r.write(".gitignore", ".env\nnode_modules/\nbuild/\n")
	r.write(dirtyFile, "committed\n")
	r.git("add", "-A")
	r.git("commit", "-qm", "first")
	r.write("README.md", "# A book that was stashed\n")
	r.git("stash", "push", "-q")
	r.write(dirtyFile, "committed\nand changed\n")
	r.write(stagedFile, "staged\n")
	r.git("add", stagedFile)
	r.write(stagedFile, "staged\nand changed\n")
	r.write(untrackedFile, "known to nobody\r\n\x00\xff")
	r.write(ignoredFile, theSecret+"\n")
	return r
}

func (r *storyRepo) git(args ...string) string {
	r.t.Helper()
	out, err := r.try(args...)
	require.NoError(r.t, err, "git %q: %s", args, out)
	return out
}

func (r *storyRepo) try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	return strings.TrimRight(string(out), "\n"), err
}

func (r *storyRepo) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

func (r *storyRepo) write(name, content string) {
	r.t.Helper()
	require.NoError(r.t, os.MkdirAll(filepath.Dir(r.path(name)), 0o755))
	require.NoError(r.t, os.WriteFile(r.path(name), []byte(content), 0o644))
}

func (r *storyRepo) read(name string) string {
	r.t.Helper()
	b, err := os.ReadFile(r.path(name))
	require.NoError(r.t, err)
	return string(b)
}

func (r *storyRepo) exists(name string) bool {
	_, err := os.Lstat(r.path(name))
	return err == nil
}

// commits returns the subjects of the commits after the first, the oldest first.
func (r *storyRepo) commits() []string {
	r.t.Helper()
	out := r.git("log", "--reverse", "--format=%s")
	all := strings.Split(out, "\n")
	return all[1:]
}

// committed returns the paths in the last commit.
func (r *storyRepo) committed() []string {
	r.t.Helper()
	out := r.git("show", "-z", "--name-only", "--format=", "HEAD")
	return strings.FieldsFunc(out, func(c rune) bool { return c == 0 })
}

// usersWork is what a person has in a repository.
type usersWork struct {
	files map[string]string
	index string
	stash string
	stat  string
}

// usersState returns what the person has.
func (r *storyRepo) usersState() usersWork {
	r.t.Helper()
	u := usersWork{files: map[string]string{}}
	for _, name := range []string{dirtyFile, stagedFile, untrackedFile, ignoredFile} {
		u.files[name] = r.read(name)
	}
	u.index = r.git("ls-files", "--stage", "--", dirtyFile, stagedFile, untrackedFile, ignoredFile)
	u.stash = r.git("stash", "list", "--format=%H %gs")
	u.stat = r.git("status", "--porcelain", "--ignored", "--", dirtyFile, stagedFile, untrackedFile, ignoredFile)
	return u
}

// usersWorkIsThere checks that everything is as the person had it, byte for byte.
func (s *stage) usersWorkIsThere() {
	s.t.Helper()
	assert.Equal(s.t, s.users, s.usersState(), "the user's own work")
}

// saved returns a file in the first saved attempt of a run.
func (r *storyRepo) saved(result *executor.Result, path string) string {
	r.t.Helper()
	return r.inStore(result, "show", result.SavedRefs[0]+":"+path)
}

// inStore runs git in the store that has the saved attempts of a run.
func (r *storyRepo) inStore(result *executor.Result, args ...string) string {
	r.t.Helper()
	return r.git(append([]string{"--git-dir=" + r.path(".git/errgen/"+result.Run)}, args...)...)
}
