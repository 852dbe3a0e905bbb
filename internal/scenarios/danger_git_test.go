package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/providertest"
)

// TestIgnoredForbiddenFiles are seen although git's status shows nothing: guarded by Options.Watch,
// by which what a pattern forbids is walked and compared whatever .gitignore says.
func TestIgnoredForbiddenFiles(t *testing.T) {
	t.Parallel()
	s := newStage(t,
		providertest.CLIAnswer(theEnd).Write(ignoredFile, "PASSWORD=stolen\n").
			Write("node_modules/left/pad.js", "evil()\n").
			Write("sub/.env", "A=1\n").Write("docs/a.txt", "a\n"),
		providertest.CLIAnswer(theEnd))
	s.write("node_modules/lib/index.js", "good()\n")
	s.scope.Forbidden = []string{"**/.env", "node_modules/**"}
	r := s.run()
	require.Equal(t, executor.EndCompleted, r.EndReason, shown(r))
	assert.Equal(t, []string{"SCOPE_FORBIDDEN undo"}, reactionsOf(r))
	assert.EqualValues(t, []string{".env", "node_modules/left/pad.js", "sub/.env"}, r.Errors[0].Files)
	assert.Equal(t, theSecret+"\n", s.read(ignoredFile), "the user's own is there again")
	assert.False(t, s.exists("node_modules/left"))
	assert.False(t, s.exists("sub"))
	assert.Equal(t, "good()\n", s.read("node_modules/lib/index.js"))
	assert.Equal(t, []string{"docs/a.txt"}, r.CommittedFiles)
}

// TestSavedSecrets are in the run's own store, and never in the user's objects.
func TestSavedSecrets(t *testing.T) {
	t.Parallel()
	const stolen = "AKIA-what-the-agent-wrote-9a8b7c"
	s := newStage(t,
		providertest.CLIAnswer(theEnd).Write(ignoredFile, stolen+" 1\n").Write("conf/deploy.pem", stolen+" 2\n").
			Write("conf/credentials.json", stolen+" 3\n").
			Write("src/main.txt", "two\n"),
		providertest.CLIAnswer(theEnd))
	s.scope.Forbidden = []string{"**/.env", "conf/**", "src/**"}
	r := s.run()
	require.Equal(t, executor.EndCompleted, r.EndReason, shown(r))
	require.Len(t, r.SavedRefs, 1)
	assert.Equal(t, "two", s.saved(r, "src/main.txt"), "what is no secret is in the ref")
	objects := s.git("cat-file", "--batch-all-objects", "--batch", "--unordered")
	assert.NotContains(t, objects, stolen)
	assert.NotContains(t, objects, theSecret, "the user's own neither")
	homes, err := filepath.Glob(filepath.Join(s.home, "*"))
	require.NoError(t, err)
	require.NotEmpty(t, homes)
	info, err := os.Stat(homes[0])
	require.NoError(t, err)
	assert.Zero(t, info.Mode().Perm()&0o077, "the store is readable by its owner only")
	for i, path := range []string{ignoredFile, "conf/deploy.pem", "conf/credentials.json"} {
		assert.Equal(t, fmt.Sprint(stolen, " ", i+1), s.saved(r, path), "nothing is lost")
	}
}

// TestSavedRefsAreNeverPushed pushes the branch and nothing else.
func TestSavedRefsAreNeverPushed(t *testing.T) {
	t.Parallel()
	s := newStage(t, providertest.CLIAnswer(theEnd).Write("src/main.txt", "two\n").Write("docs/a.txt", "a\n"))
	remote := t.TempDir()
	s.git("init", "-q", "--bare", remote)
	s.git("remote", "add", "origin", remote)
	s.git("config", "remote.origin.push", "+refs/*:refs/*")
	s.git("config", "push.default", "matching")
	s.scope.Forbidden = []string{"src/**"}
	s.cfg.Deliver = executor.DeliverPush
	r := s.run()
	require.Equal(t, executor.EndCompleted, r.EndReason, shown(r))
	assert.True(t, r.Pushed)
	require.NotEmpty(t, r.SavedRefs)
	out := s.git("--git-dir="+remote, "for-each-ref", "--format=%(refname)")
	assert.Equal(t, "refs/heads/errgen/run-1", out)
}

// TestNoHardReset looks at everything that git was told to do in a run with a revert: guarded by
// putting back path by path.
func TestNoHardReset(t *testing.T) {
	t.Parallel()
	s := newStage(t, providertest.CLIAnswer(theEnd).Write("src/main.txt", "two\n").Write("docs/a.txt", "a\n"))
	s.scope.Forbidden = []string{"src/**"}
	log := filepath.Join(t.TempDir(), "log")
	s.tree.Binary = wrappedGit(t, `printf '%s\n' "$*" >> `+log)
	r := s.run()
	require.Equal(t, executor.EndCompleted, r.EndReason, shown(r))
	b, err := os.ReadFile(log)
	require.NoError(t, err)
	for _, command := range []string{"reset", "checkout", "restore", "clean", "stash", "switch", "rm", "apply",
		"rebase", "gc"} {
		assert.NotRegexp(t, `(?m)(^| )`+command+`( |$)`, string(b))
	}
	assert.Contains(t, string(b), "core.hooksPath="+os.DevNull)
	assert.Contains(t, string(b), "core.fsmonitor=false")
}

// wrappedGit returns a program that runs a line of the shell and then git.
func wrappedGit(t *testing.T, line string) string {
	t.Helper()
	real, err := lookGit()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "git")
	require.NoError(t, writeProgram(path, "#!/bin/sh\n"+line+"\nexec "+real+" \"$@\"\n"))
	return path
}

// writeProgram writes a program. No process is started meanwhile, because it would inherit the open
// file for a moment, and a file that is open for writing cannot be executed.
func writeProgram(path, content string) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, []byte(content), 0o755)
}
