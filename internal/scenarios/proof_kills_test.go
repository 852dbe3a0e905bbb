package scenarios_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/state"
)

var everyKill = flag.Bool("everykill", false, "kill processes at every step, which takes minutes")

// stride returns how many steps lie between kills. TestDeathAnywhere leaves none out, in memory.
func stride(usual int) int {
	switch {
	case *everyKill:
		return 1
	case testing.Short():
		return 8 * usual
	}
	return usual
}

// TestKills has a process run a story on a real repository, kills it before and after persistence
// points and effects, and has another one go on: it all ends as if nothing had happened.
func TestKills(t *testing.T) {
	for name := range diskStories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, every := newKills(t, mortalStory{Name: name}), stride(15)
			if name == "forbidden files" {
				every = stride(4)
			}
			for step := 1; step <= k.steps; step += every {
				k.check(t, mortalStory{Step: step})
			}
			// A second kill, while the run goes on.
			for step := 2; step <= k.steps; step += 5 * every {
				k.check(t, mortalStory{Step: step}, mortalStory{Step: 1 + step%13})
			}
		})
	}
}

// TestKillsWithState is [TestKills] with all that is remembered in a file of SQLite, and what it
// says of the run.
func TestKillsWithState(t *testing.T) {
	for _, name := range []string{"a check that fails", "limits"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, every := newKills(t, mortalStory{Name: name, State: true}), stride(12)
			for step := 2; step <= k.steps; step += every {
				k.check(t, mortalStory{Step: step})
			}
			for step := 5; step <= k.steps; step += 3 * every {
				k.check(t, mortalStory{Step: step}, mortalStory{Step: 1 + step%13})
			}
		})
	}
}

// TestKillsWithinGit kills a process at calls of git that its operations consist of.
func TestKillsWithinGit(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("git is called through a shell script")
	}
	t.Parallel()
	k, last := newKills(t, mortalStory{Name: "forbidden files"}), 0
	for call := 1; k.check(t, mortalStory{GitCall: call, After: call%2 == 0}); call += stride(5) {
		last = call
	}
	assert.True(t, last > 20 || testing.Short(), "%d calls of git", last)
}

// kills is a story that was told without a kill, to compare with.
type kills struct {
	story mortalStory
	steps int
	first string // where it begins
	want  *executor.Result
	end   ending
	users usersWork
}

// ending is how a repository is in the end.
type ending struct {
	Files   map[string]string
	Commits []string
	Status  string
	Remote  string
}

func newKills(t *testing.T, story mortalStory) *kills {
	t.Helper()
	k := &kills{story: story, first: t.TempDir()}
	repo := filepath.Join(k.first, "repo")
	require.NoError(t, os.Mkdir(repo, 0o755))
	r := newStoryRepo(t, repo)
	k.users = r.usersState()
	r.git("init", "-q", "--bare", "../remote.git")
	r.git("remote", "add", "origin", "../remote.git")
	s := story
	s.Home = k.copied(t)
	var err error
	k.want, k.steps, err = s.live(t.Context(), func() {})
	require.NoError(t, err)
	require.Equal(t, executor.EndCompleted, k.want.EndReason, "%+v", k.want)
	k.end = endingOf(t, s)
	return k
}

// copied returns a directory in which a story can be told.
func (k *kills) copied(t *testing.T) string {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(home, os.DirFS(k.first)))
	return home
}

// check tells the story with kills and compares how it ends. It reports whether there was a kill.
func (k *kills) check(t *testing.T, lives ...mortalStory) (anyKilled bool) {
	t.Helper()
	home := k.copied(t)
	for i := range lives {
		lives[i].Name, lives[i].State, lives[i].Home = k.story.Name, k.story.State, home
		anyKilled = spawn(t, lives[i]) || anyKilled
	}
	last := k.story
	last.Home = home
	got, _, err := last.live(t.Context(), func() {})
	require.NoError(t, err)
	about := fmt.Sprintf("%+v", lives)
	assert.Equal(t, k.want.EndReason, got.EndReason, about)
	end := endingOf(t, last)
	assert.Equal(t, k.end.Files, end.Files, about)
	assert.Equal(t, k.end.Status, end.Status, about)
	assert.Equal(t, end.Commits[len(end.Commits)-1], end.Remote, "everything is pushed: %s", about)
	assert.Equal(t, k.users, (&storyRepo{t: t, dir: last.path("repo")}).usersState(), "the user's own work: %s", about)
	lost := slices.ContainsFunc(got.Errors, func(e executor.ErrorRecord) bool { return e.Op == "resume" })
	if !lost {
		assert.Equal(t, k.end.Commits, end.Commits, about)
		assert.Equal(t, lasting(compared(k.want)), lasting(compared(got)), about)
	}
	checkNothingLeft(t, last, about)
	if last.State {
		s, err := state.Open(t.Context(), last.path("journal/state.db"), state.Options{})
		require.NoError(t, err)
		checkKept(t, s, got)
		require.NoError(t, s.Close())
	}
	if t.Failed() {
		b, _ := os.ReadFile(last.path("journal/run-1.journal"))
		t.Logf("%s\n%s", about, b)
		t.FailNow()
	}
	require.NoError(t, os.RemoveAll(home))
	return anyKilled
}

// compared is a result without what differs with the time of commits, and without errors that
// another try has overcome at once: of those nothing is known if the process dies before that.
func compared(r *executor.Result) *executor.Result {
	c := *r
	c.Errors = slices.DeleteFunc(slices.Clone(r.Errors), func(e executor.ErrorRecord) bool { return e.Overcome })
	c.Errors, c.ErrorCount, c.Reactions = slices.Clip(c.Errors), len(c.Errors), nil
	c.Commits = slices.Clone(r.Commits)
	for i := range c.Commits {
		c.Commits[i].ID = ""
	}
	return &c
}

// spawn runs a story in a process, and reports whether it was killed.
func spawn(t *testing.T, s mortalStory) bool {
	t.Helper()
	text, err := json.Marshal(s)
	require.NoError(t, err)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), mortalVariable+"="+string(text))
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	require.False(t, cmd.ProcessState.Exited(), "%s", out)
	return true
}

// endingOf returns how the repository is now. Each path is committed once in an attempt, and each
// attempt once.
func endingOf(t *testing.T, s mortalStory) ending {
	t.Helper()
	r := &storyRepo{t: t, dir: s.path("repo")}
	e := ending{Files: map[string]string{}, Status: r.git("status", "--porcelain", "--ignored")}
	require.NoError(t, filepath.WalkDir(r.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && d.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		}
		name, err := filepath.Rel(r.dir, path)
		e.Files[filepath.ToSlash(name)] = r.read(name)
		return err
	}))
	attempts := map[string]bool{}
	for commit := range strings.SplitSeq(
		r.git("log", "--reverse", "--format=%x01%s|%(trailers:key=Errgen-Run,key=Errgen-Attempt,separator=%x2C)",
			"--name-status"), "\x01") {
		commit = strings.TrimSpace(commit)
		if commit == "" {
			continue
		}
		e.Commits = append(e.Commits, commit)
		head, _, _ := strings.Cut(commit, "\n")
		assert.False(t, attempts[head], "committed twice: %s", head)
		attempts[head] = true
	}
	if remote,
		err := r.try("--git-dir=../remote.git", "log", "-1",
		"--format=%s|%(trailers:key=Errgen-Run,key=Errgen-Attempt,separator=%x2C)", "--name-status",
		"--branches"); err == nil {
		e.Remote = strings.TrimSpace(remote)
	}
	return e
}

// checkNothingLeft checks that no lock, no temporary file and no reference is left but those of
// what was saved.
func checkNothingLeft(t *testing.T, s mortalStory, about string) {
	t.Helper()
	r := &storyRepo{t: t, dir: s.path("repo")}
	require.NoError(t, filepath.WalkDir(s.Home, func(path string, d fs.DirEntry, err error) error {
		for _, part := range []string{".lock", "tmp_", ".tmp"} {
			isLock := strings.HasSuffix(path, part) || strings.HasPrefix(d.Name(), part)
			// The locks of errgen's own are files that stay, and are held or not.
			assert.False(t, isLock && !strings.Contains(path, "journal") &&
				!strings.Contains(path, "lanes"), "%s is left: %s", path, about)
		}
		return err
	}))
	for ref := range strings.Lines(r.git("for-each-ref", "--format=%(refname)", "refs/errgen")) {
		assert.NotContains(t, ref, "checked", about)
		assert.NotContains(t, ref, "previous", about)
	}
	assert.Empty(t, r.git("fsck", "--no-dangling", "--no-progress"), about)
}
