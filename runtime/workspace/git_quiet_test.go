package workspace_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/workspace"
)

// large returns a repository of that many files, which were changed a while ago, and a directory of
// ignored ones.
func large(tb testing.TB, files, ignored int) string {
	tb.Helper()
	home := tb.TempDir()
	tb.Setenv("HOME", home)
	tb.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	tb.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	dir, err := filepath.EvalSymlinks(tb.TempDir())
	require.NoError(tb, err)
	old := time.Now().Add(-time.Hour)
	write := func(p, content string) {
		p = filepath.Join(dir, p)
		require.NoError(tb, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(tb, os.WriteFile(p, []byte(content), 0o644))
		require.NoError(tb, os.Chtimes(p, old, old))
	}
	for i := range files {
		write(fmt.Sprintf("src/p%03d/f%05d.go", i/100, i), fmt.Sprintf("package p // %d\n", i))
	}
	for i := range ignored {
		write(fmt.Sprintf("node_modules/m%04d/f%06d.js", i/100, i), "x")
	}
	write(".gitignore", "node_modules/\n")
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=Test", "-c", "user.email=test@example.com", "commit", "-qm", "first"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(tb, err, "%s", out)
	}
	return dir
}

// TestQuietProcesses counts the git commands of an iteration in which nothing has changed, and of
// one with a change.
func TestQuietProcesses(t *testing.T) {
	binary, log := wrapped(t, "", "")
	r := newRepo(t)
	s := r.begin(workspace.Options{Binary: binary, Watch: named(".env")})
	quiet := func() {
		require.Empty(t, s.detect())
		s.advance(nil)
		require.Empty(t, s.commit())
	}
	require.NoError(t, os.Truncate(log, 0))
	quiet()
	b, err := os.ReadFile(log)
	require.NoError(t, err)
	assert.Empty(t, string(b), "a quiet iteration runs no git at all")

	s.reopen(workspace.Options{Binary: binary})
	require.NoError(t, os.Truncate(log, 0))
	quiet()
	b, err = os.ReadFile(log)
	require.NoError(t, err)
	assert.LessOrEqual(t, strings.Count(string(b), "\n"), 6, "nor many the first one after a restart:\n%s", b)

	require.NoError(t, os.Truncate(log, 0))
	r.write("a.txt", "A\n")
	r.write("x/y/new.txt", "n\n")
	changes := s.detect()
	assert.Len(t, calls(t, log), 1, "whether what is new is ignored")
	s.advance(changes)
	s.commit("a.txt", "x/y/new.txt")
	assert.LessOrEqual(t, len(calls(t, log)), 16)
}

// BenchmarkQuiet measures an iteration in which nothing has changed, in a repository of 10 000
// files, beside one git status: at most three times that.
func BenchmarkQuiet(b *testing.B) {
	dir := large(b, 10_000, 0)
	ws, err := workspace.Open(b.Context(), dir, workspace.Options{Watch: named(".env")})
	require.NoError(b, err)
	checked, err := ws.Begin(b.Context(), "run-1")
	require.NoError(b, err)
	b.Run("git status", func(b *testing.B) {
		for b.Loop() {
			cmd := exec.Command("git", "status", "--porcelain")
			cmd.Dir = dir
			out, err := cmd.Output()
			require.NoError(b, err)
			require.Empty(b, out)
		}
	})
	b.Run("iteration", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			quietIteration(b, ws, checked)
		}
	})
}

// BenchmarkIgnored is the same with 100 000 ignored files, of which those are looked for that a
// pattern forbids.
func BenchmarkIgnored(b *testing.B) {
	dir := large(b, 1000, 100_000)
	ws, err := workspace.Open(b.Context(), dir, workspace.Options{Watch: named(".env")})
	require.NoError(b, err)
	checked, err := ws.Begin(b.Context(), "run-1")
	require.NoError(b, err)
	for b.Loop() {
		quietIteration(b, ws, checked)
	}
}

// BenchmarkChange measures an iteration with one allowed and committed change in a repository of 10
// 000 files.
func BenchmarkChange(b *testing.B) {
	dir := large(b, 10_000, 0)
	ws, err := workspace.Open(b.Context(), dir, workspace.Options{Env: []string{
		"GIT_AUTHOR_NAME=Test", "GIT_AUTHOR_EMAIL=test@example.com", "GIT_COMMITTER_NAME=Test",
		"GIT_COMMITTER_EMAIL=test@example.com",
	}})
	require.NoError(b, err)
	checked, err := ws.Begin(b.Context(), "run-1")
	require.NoError(b, err)
	for n := 0; b.Loop(); n++ {
		require.NoError(
			b, os.WriteFile(filepath.Join(dir, "src", "p001", "f00100.go"), fmt.Appendf(nil, "package p // %d.\n", n),
				0o644))
		changes, err := ws.Detect(b.Context(), checked)
		require.NoError(b, err)
		checked, err = ws.Advance(b.Context(), "run-1", checked, changes)
		require.NoError(b, err)
		_, err = ws.Commit(
			b.Context(), executor.Commit{Run: "run-1", Attempt: n, Checked: checked, Paths: []string{changes[0].Path}})
		require.NoError(b, err)
	}
}

func quietIteration(b *testing.B, ws *workspace.Git, checked executor.Checked) {
	changes, err := ws.Detect(b.Context(), checked)
	require.NoError(b, err)
	require.Empty(b, changes)
	_, err = ws.Advance(b.Context(), "run-1", checked, changes)
	require.NoError(b, err)
	_, err = ws.Commit(b.Context(), executor.Commit{Run: "run-1", Attempt: 1, Checked: checked})
	require.NoError(b, err)
}
