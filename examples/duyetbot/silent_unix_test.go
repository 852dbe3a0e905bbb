//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

// TestSilentCommands: of a command that says nothing it is told how it ended.
func TestSilentCommands(t *testing.T) {
	for script, want := range map[string]string{
		"kill -SEGV $$":              "it said nothing and was ended by SIGSEGV\n",
		"exit 3":                     "it said nothing and exited with code 3\n",
		"echo '  ' >&2; exit 4":      "it said nothing and exited with code 4\n",
		"echo broken >&2; exit 3":    "a tool failed: broken\n",
		"echo broken; kill -ABRT $$": "a tool failed: broken\n",
	} {
		path := written(t, "name: s\nsource: tool\ncommand: [sh, -c, \""+script+
			"\"]\nerror-handling: {profile: strict}\n")
		report := filepath.Join(t.TempDir(), "r.json")
		got := do(t.Context(), "-report", report, path)
		assert.Equal(t, exitFailed, got.code, got.hints)
		assert.Contains(t, got.out, "detected   tool_execution")
		assert.Contains(t, got.out, want)
		b, err := os.ReadFile(report)
		require.NoError(t, err)
		assert.Contains(t, string(b), strings.TrimSuffix(want, "\n"))
	}
}

// TestSilenceSaysNothing: the text that describes a silent command matches no rule.
func TestSilenceSaysNothing(t *testing.T) {
	for _, source := range errs.Table.Taxonomy.Sources {
		for _, ev := range []taxonomy.Evidence{
			{Signal: "SIGKILL"}, {Signal: "SIGSEGV"}, {Signal: "SIGTERM"}, {ExitCode: taxonomy.Some(1)},
			{ExitCode: taxonomy.Some(2)},
			{ExitCode: taxonomy.Some(124)}, {ExitCode: taxonomy.Some(127)}, {ExitCode: taxonomy.Some(137)},
		} {
			ev.Source = source.Name
			want := taxonomy.CodeOf(errs.Classify(&ev))
			ev.Text = ending(&ev)
			assert.Equal(t, want, taxonomy.CodeOf(errs.Classify(&ev)), "%s: %s", source.Name, ev.Text)
		}
	}
}

// TestTextThatIsNotSearched: where the profile searches no texts, neither a status nor a wait is
// read out of one.
func TestTextThatIsNotSearched(t *testing.T) {
	path := written(t, `name: s
source: github
command: [sh, -c, 'echo "HTTP 503: Service Unavailable. Retry-After: 1000" >&2; exit 1']
error-handling:
  detection: {enable_pattern_matching: false}
  recovery: {enable_automatic_recovery: false}
  retry: {max_attempts: 2, initial_delay_ms: 1, max_delay_ms: 1}
`)
	got := do(t.Context(), path)
	assert.Equal(t, exitFailed, got.code, got.hints)
	assert.Contains(t, got.out, "detected   github_server_error")
	assert.NotContains(t, got.out, "code 503")
	assert.Contains(t, got.out, "after 2 calls", "nothing waits for a thousand seconds, or gives up because of them")
}

// TestEmptyProfile: a profile that is named and empty, as an unset variable is, is not the skill's
// own.
func TestEmptyProfile(t *testing.T) {
	got := do(t.Context(), "-profile", "", written(t, "name: ok\ncommand: ['true']\n"))
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.hints, "-profile names no profile")
}

// TestInterruptedFix: a fix that is interrupted counts as tried.
func TestInterruptedFix(t *testing.T) {
	path := written(t, `name: s
source: verification
component: linter
command: [sh, -c, 'echo "total.js:1:1: error: trailing space" >&2; exit 1']
dir: work
tools: {lint: {fix: [sh, ../fix.sh], check: ['false']}}
`)
	dir := filepath.Dir(path)
	work := filepath.Join(dir, "work")
	require.NoError(t, os.Mkdir(work, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(work, "total.js"), []byte("a \n"), 0o600))
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-qm", "x"}} {
		out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", work}, args...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	begun := filepath.Join(dir, "begun")
	require.NoError(t, syscall.Mkfifo(begun, 0o600))
	ctx, interrupt := context.WithCancel(t.Context())
	go func() {
		_, _ = os.ReadFile(begun) // until the fix has begun
		interrupt()
	}()
	require.NoError(
		t, os.WriteFile(filepath.Join(dir, "fix.sh"), []byte("echo x >>total.js; echo >../begun; exec sleep 600\n"),
			0o600))
	report := filepath.Join(dir, "r.json")
	got := do(ctx, "-report", report, path)
	assert.Equal(t, exitCut, got.code, got.hints)
	b, err := os.ReadFile(report)
	require.NoError(t, err)
	assert.Contains(t, string(b), `"recoveryAttempts": 1`)
	assert.Contains(t, got.out, "Recovery Rate: 0.0% (0/1)")
}
