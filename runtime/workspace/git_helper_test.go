package workspace_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/scope"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/workspace"
)

// repo is a repository for one test, with a commit of a.txt, dir/b.txt and a script.
type repo struct {
	t   *testing.T
	dir string
	env []string
}

// isolated gives a test a configuration of git of its own, to change it.
func isolated(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	require.NoError(t, configured(home))
}

// configured writes git's configuration for a home.
func configured(home string) error {
	return os.WriteFile(filepath.Join(home, ".gitconfig"),
		[]byte("[user]\n\tname = Test\n\temail = test@example.com\n[init]\n\tdefaultBranch = main\n"), 0o600)
}

// template returns a repository to copy. It outlives the test that is the first to want it, whose
// home may be its own.
var template = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(shared, "template")
	script := `mkdir -p dir && printf 'a\n' >a.txt && printf 'b\n' >dir/b.txt && printf '#!/bin/sh\n' >run.sh && chmod 755 run.sh &&
		git init -q && git add -A && git commit -qm first`
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return dir, err
})

func newRepo(t *testing.T) *repo {
	from, err := template()
	require.NoError(t, err)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
	r := &repo{t: t, dir: dir}
	r.git("update-index", "-q", "--refresh")
	return r
}

func emptyRepo(t *testing.T) *repo {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	r := &repo{t: t, dir: dir}
	r.git("init", "-q")
	return r
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	out, err := r.try(args...)
	require.NoError(r.t, err, "git %q: %s", args, out)
	return out
}

func (r *repo) try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), r.env...)
	out, err := cmd.CombinedOutput()
	return strings.TrimRight(string(out), "\n"), err
}

func (r *repo) path(p string) string { return filepath.Join(r.dir, filepath.FromSlash(p)) }

func (r *repo) write(p, content string) {
	r.t.Helper()
	require.NoError(r.t, os.MkdirAll(filepath.Dir(r.path(p)), 0o755))
	syscall.ForkLock.RLock() // as in writeProgram: it may become a hook
	defer syscall.ForkLock.RUnlock()
	require.NoError(r.t, os.WriteFile(r.path(p), []byte(content), 0o644))
}

func (r *repo) mkdir(p string) {
	r.t.Helper()
	require.NoError(r.t, os.MkdirAll(r.path(p), 0o755))
}

func (r *repo) read(p string) string {
	r.t.Helper()
	b, err := os.ReadFile(r.path(p))
	require.NoError(r.t, err)
	return string(b)
}

func (r *repo) remove(p string) {
	r.t.Helper()
	require.NoError(r.t, os.RemoveAll(r.path(p)))
}

func (r *repo) chmod(p string, mode os.FileMode) {
	r.t.Helper()
	require.NoError(r.t, os.Chmod(r.path(p), mode))
}

func (r *repo) link(target, p string) {
	r.t.Helper()
	require.NoError(r.t, os.MkdirAll(filepath.Dir(r.path(p)), 0o755))
	require.NoError(r.t, os.Symlink(target, r.path(p)))
}

func (r *repo) exists(p string) bool {
	_, err := os.Lstat(r.path(p))
	return err == nil
}

// session is a run in a working tree.
type session struct {
	*repo
	ctx     context.Context
	ws      *workspace.Git
	run     string
	checked executor.Checked
	changes []executor.Change // for operations
}

func (r *repo) begin(opts workspace.Options) *session {
	r.t.Helper()
	s := &session{repo: r, ctx: r.t.Context(), run: "run-1"}
	var err error
	s.ws, err = workspace.Open(s.ctx, r.dir, opts)
	require.NoError(r.t, err)
	s.checked, err = s.ws.Begin(s.ctx, s.run)
	require.NoError(r.t, err)
	return s
}

// reopen goes on as another process would.
func (s *session) reopen(opts workspace.Options) {
	s.t.Helper()
	var err error
	s.ws, err = workspace.Open(s.ctx, s.dir, opts)
	require.NoError(s.t, err)
	require.NoError(s.t, s.ws.Resume(s.ctx, s.run, s.checked))
}

func (s *session) detect() []executor.Change {
	s.t.Helper()
	changes, err := s.ws.Detect(s.ctx, s.checked)
	require.NoError(s.t, err)
	return changes
}

// listed says changes in a form that reads well.
func listed(changes []executor.Change) []string {
	out := []string{}
	for _, c := range changes {
		line := string(c.Kind) + " " + c.Path
		if c.Git {
			line += " git"
		}
		if c.Escapes {
			line += " escapes"
		}
		if c.Ignored {
			line += " ignored"
		}
		out = append(out, line)
	}
	return out
}

func (s *session) revert(changes []executor.Change) {
	s.t.Helper()
	require.NoError(s.t, s.ws.Revert(s.ctx, s.checked, changes))
	require.Empty(s.t, listed(s.detect()), "after a revert nothing differs")
	require.NoError(s.t, s.ws.Revert(s.ctx, s.checked, changes), "twice is like once")
	require.Empty(s.t, listed(s.detect()))
}

func (s *session) save(changes []executor.Change) string {
	s.t.Helper()
	ref, err := s.ws.Save(s.ctx, s.run, 1, s.checked, changes)
	require.NoError(s.t, err)
	return ref
}

func (s *session) advance(changes []executor.Change) {
	s.t.Helper()
	checked, err := s.ws.Advance(s.ctx, s.run, s.checked, changes)
	require.NoError(s.t, err)
	s.checked = checked
}

func (s *session) commit(paths ...string) string {
	s.t.Helper()
	done, err := s.tryCommit(paths...)
	require.NoError(s.t, err)
	return done.ID
}

func (s *session) tryCommit(paths ...string) (executor.CommitDone, error) {
	return s.ws.Commit(
		s.ctx, executor.Commit{Run: s.run, Attempt: 1, Checked: s.checked, Paths: paths, Message: "work"})
}

// watching watches what a function says, everywhere.
type watching func(p string) bool

func (w watching) Watches(p string) bool    { return w(p) }
func (w watching) WatchesBelow(string) bool { return true }

func named(names ...string) watching {
	return func(p string) bool {
		for _, n := range names {
			if filepath.Base(p) == n || strings.HasPrefix(p, n+"/") {
				return true
			}
		}
		return false
	}
}

// wrapped returns a git that runs a line of shell before, with $n being the number of the call, and
// another one after.
func wrapped(t *testing.T, before, after string) (binary, log string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the wrapper is a program of Unix")
	}
	git, err := exec.LookPath("git")
	require.NoError(t, err)
	dir := t.TempDir()
	binary, log = filepath.Join(dir, "git"), filepath.Join(dir, "log")
	script := fmt.Sprintf(
		"#!/bin/sh\necho \"$@\" >> %[1]s\nn=$(wc -l < %[1]s)\n%[2]s\n%[3]s \"$@\"\nrc=$?\n%[4]s\nexit $rc\n", log,
		before, git, after)
	writeProgram(t, binary, script)
	return binary, log
}

func calls(t *testing.T, log string) []string {
	t.Helper()
	b, err := os.ReadFile(log)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

// writeProgram writes a program. Nothing is started meanwhile: for a moment it would have this file
// open for writing as well, and a file that somebody writes cannot be executed.
func writeProgram(t *testing.T, path, content string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o755))
}

func evidenceOf(t *testing.T, err error) *taxonomy.Evidence {
	t.Helper()
	var ev *taxonomy.Evidence
	require.ErrorAs(t, err, &ev)
	return ev
}

func newScope(t *testing.T, c scope.Config) *scope.Scope {
	t.Helper()
	s, err := scope.New(c)
	require.NoError(t, err)
	return s
}
