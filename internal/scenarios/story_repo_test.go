package scenarios_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
)

// storyRepo is a repository in which a person was at work when the story began.
type storyRepo struct {
	t    *testing.T
	dir  string
	home string // of the clones
}

// place returns where a file is: the person's files are in the repository, all others in the clone of
// the run as long as that exists.
func (r *storyRepo) place(name string) string {
	mine := []string{dirtyFile, stagedFile, untrackedFile, ".git", "tasks"}
	first, _, _ := strings.Cut(name, "/")
	trees, _ := filepath.Glob(filepath.Join(r.home, "*", "*", "tree"))
	if r.home == "" || slices.Contains(mine, first) || len(trees) == 0 {
		return r.dir
	}
	return trees[0]
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

func (r *storyRepo) path(name string) string {
	return filepath.Join(r.place(name), filepath.FromSlash(name))
}

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

// result returns the revision of the result: a branch of a run, or HEAD.
func (r *storyRepo) result() string {
	if branch := r.git("for-each-ref", "--count=1", "--format=%(refname)", "refs/heads/errgen"); branch != "" {
		return branch
	}
	return "HEAD"
}

// commits returns the subjects of the commits after the first, the oldest first.
func (r *storyRepo) commits() []string {
	r.t.Helper()
	out := r.git("log", "--reverse", "--format=%s", r.result())
	all := strings.Split(out, "\n")
	return all[1:]
}

// committed returns the paths in the last commit.
func (r *storyRepo) committed() []string {
	r.t.Helper()
	out := r.git("show", "-z", "--name-only", "--format=", r.result())
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
		content, err := os.ReadFile(filepath.Join(r.dir, name))
		require.NoError(r.t, err)
		u.files[name] = string(content)
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
	stores, err := filepath.Glob(filepath.Join(r.home, "*", result.Run, "git"))
	require.NoError(r.t, err)
	require.Len(r.t, stores, 1)
	return r.git(append([]string{"--git-dir=" + stores[0]}, args...)...)
}
