//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// full is a device that has no room left.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestOutputThatCannotBeWritten: it is never passed over.
func TestOutputThatCannotBeWritten(t *testing.T) {
	skill := written(t, "name: ok\ncommand: ['true']\n")
	for _, args := range [][]string{{skill}, {"-dry", skill}, {"-h"}, {"-classify", "-source", "llm"}} {
		t.Run(args[0], func(t *testing.T) {
			var hints bytes.Buffer
			assert.Equal(t, exitBroken, run(t.Context(), args, strings.NewReader(""), full{}, &hints))
			assert.Contains(t, hints.String(), "duyetbot: write the output: no space left on device")
		})
	}
}

// TestReportStays: a report that cannot be written takes nothing away, and is known before anything
// runs.
func TestReportStays(t *testing.T) {
	skill := written(t, "name: ok\ncommand: [sh, -c, ': >ran']\n")
	ran := filepath.Join(filepath.Dir(skill), "ran")
	t.Run("a directory", func(t *testing.T) {
		name := filepath.Join(t.TempDir(), "r.csv")
		require.NoError(t, os.Mkdir(name, 0o700))
		got := do(t.Context(), "-report", name, skill)
		assert.Equal(t, exitBroken, got.code)
		assert.Contains(t, got.hints, "is not a file")
		assert.NoFileExists(t, ran)
	})
	t.Run("no directory", func(t *testing.T) {
		got := do(t.Context(), "-report", filepath.Join(t.TempDir(), "none", "r.csv"), skill)
		assert.Equal(t, exitBroken, got.code)
		assert.NoFileExists(t, ran)
	})
	t.Run("a link is replaced", func(t *testing.T) {
		dir := t.TempDir()
		name, other := filepath.Join(dir, "r.csv"), filepath.Join(dir, "other")
		require.NoError(t, os.WriteFile(other, []byte("mine"), 0o600))
		require.NoError(t, os.Symlink(other, name))
		got := do(t.Context(), "-report", name, skill)
		assert.Equal(t, exitDone, got.code, got.hints)
		b, err := os.ReadFile(other)
		require.NoError(t, err)
		assert.Equal(t, "mine", string(b))
		info, err := os.Lstat(name)
		require.NoError(t, err)
		assert.True(t, info.Mode().IsRegular())
	})
	t.Run("what fails on the way leaves the old one", func(t *testing.T) {
		dir := t.TempDir()
		name := filepath.Join(dir, "r.html")
		require.NoError(t, os.WriteFile(name, []byte("old"), 0o600))
		old := forms[".html"]
		defer func() { forms[".html"] = old }()
		forms[".html"] = func(*session, io.Writer) error { return errors.New("no space left on device") }
		got := do(t.Context(), "-report", name, skill)
		assert.Equal(t, exitBroken, got.code)
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, "old", string(b))
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Len(t, entries, 1)
	})
}

// TestOperatorsWord: a profile of the command line takes the place of all that a skill says. D146
func TestOperatorsWord(t *testing.T) {
	skill := written(t, `name: limited
source: github
command: [sh, -c, 'echo "HTTP 429: API rate limit exceeded" >&2; echo "Retry-After: 1" >&2; exit 1']
error-handling:
  profile: thorough
  recovery: {enable_automatic_recovery: true, allowed_strategies: [wait_for_rate_limit]}
  retry: {enabled: true, max_attempts: 5}
`)
	got := do(t.Context(), "-profile", "strict", skill)
	assert.Equal(t, exitFailed, got.code, got.hints)
	assert.Contains(t, got.out, "done       failed (fatal) after 1 call: ")
	got = do(t.Context(), "-profile", "strict", "-dry", skill)
	assert.Contains(t, got.out, "-profile   in place of what the skill says under error-handling\n")
	assert.Contains(t, got.out, "recovery   off\n")
	assert.Contains(t, got.out, "retry      off\n")
}

// TestLinkedDirectory: a link does not lead out of the skill's directory.
func TestLinkedDirectory(t *testing.T) {
	path := written(t, "name: s\ncommand: [pwd]\ndir: lnk\n")
	lnk := filepath.Join(filepath.Dir(path), "lnk")
	require.NoError(t, os.Symlink(t.TempDir(), lnk))
	got := do(t.Context(), path)
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.hints, "which is not below the directory of the skill's file")

	require.NoError(t, os.Remove(lnk))
	require.NoError(t, os.Mkdir(filepath.Join(filepath.Dir(path), "real"), 0o700))
	require.NoError(t, os.Symlink("real", lnk))
	assert.Equal(t, exitDone, do(t.Context(), path).code)
}

// TestDollars: nothing of the bot's environment comes into a skill, and a script's own variables
// need no escape.
func TestDollars(t *testing.T) {
	t.Setenv("GH", "hunter2hunter2")
	path := written(t, `name: s
command: [sh, -c, 'for i in a b; do echo "${i}-$i"; done; echo "[${GH:-none}] ${GH}"']
execution: {task: '${GH}'}
`)
	got := do(t.Context(), "-dry", path)
	assert.Equal(t, exitDone, got.code, got.hints)
	assert.NotContains(t, got.out, "hunter2")
	got = do(t.Context(), path)
	assert.Contains(t, got.out, "output     a-a\n")
	assert.Contains(t, got.out, "output     [none]\n")
}

// TestVariablesAreMasked: what variables hold that a command gets is shown nowhere.
func TestVariablesAreMasked(t *testing.T) {
	const value = "plain words-17"
	t.Setenv("PASSPHRASE", value+"\n")
	head := "name: s\nsource: tool\nenv: [PASSPHRASE]\ndoc: It has plain words-17 in it.\nexecution: {task: plain " +
		"words-17}\n"
	tests := map[string]string{
		"output":         `echo "$PASSPHRASE"`,
		"error":          `echo "error: $PASSPHRASE is wrong" >&2; exit 1`,
		"code":           `echo '{"error":{"code":"plain words-17","message":"it is plain words-17"}}' >&2; exit 1`,
		"escaped":        `echo '{"error":{"code":"x","message":"it is plain \u0077ords-17"}}' >&2; exit 1`,
		"cut in the way": `printf '%16377s' x >&2; echo "$PASSPHRASE" >&2; printf '%16380s' x >&2; exit 1`,
	}
	for name, script := range tests {
		t.Run(name, func(t *testing.T) {
			path := written(t, head+"command:\n  - sh\n  - -c\n  - |\n    "+script+
				"\nerror-handling: {profile: strict}\n")
			report := filepath.Join(t.TempDir(), "r.json")
			for _, got := range []done{do(t.Context(), "-dry", path), do(t.Context(), "-v", "-report", report, path)} {
				assert.NotContains(t, got.out+got.hints, value)
				assert.NotContains(t, got.out+got.hints, "words-17")
			}
			b, err := os.ReadFile(report)
			require.NoError(t, err)
			assert.NotContains(t, string(b), "words-17")
		})
	}
}

// TestSecretInDoc: what looks like a secret is not shown, wherever it stands.
func TestSecretInDoc(t *testing.T) {
	s := &shows{w: &bytes.Buffer{}, mask: secrets(nil).mask}
	s.begin(&skill{Name: "s", Doc: "ghp_0123456789abcdefghijABCDEFGHIJ012345"})
	assert.NotContains(t, s.w.(*bytes.Buffer).String(), "ghp_0123")
}

func TestFlagsAfterFiles(t *testing.T) {
	skill := written(t, "name: ok\ncommand: ['true']\n")
	got := do(t.Context(), skill, "-dry", skill, "-profile", "fast")
	assert.Equal(t, exitDone, got.code, got.hints)
	assert.Equal(t, 2, strings.Count(got.out, "profile    fast"))
	got = do(t.Context(), "-dry", "--", "-profile")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.hints, "-profile: the file does not exist")
}

// TestFaultsHaveLines: each fault is said on a line of its own.
func TestFaultsHaveLines(t *testing.T) {
	got := do(t.Context(), written(t, "name: s\ncommand: [x]\nzzz: 1\ntimeout: soon\n"))
	lines := strings.Split(strings.TrimSpace(got.hints), "\n")
	require.Len(t, lines, 2, got.hints)
	assert.Contains(t, lines[0], "skill.yaml:3: zzz: unknown key")
	assert.Contains(t, lines[1], "skill.yaml:4: timeout")
}

// TestInterruptedWait: the output has the reason of a wait, and reports an interrupt as such.
func TestInterruptedWait(t *testing.T) {
	path := written(t, `name: limited
source: github
command: [sh, -c, 'echo "HTTP 429: API rate limit exceeded" >&2; echo "Retry-After: 600" >&2; exit 1']
`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &until{text: "waiting", then: cancel}
	var hints bytes.Buffer
	code := run(ctx, []string{path}, strings.NewReader(""), out, &hints)
	shown := out.String()
	assert.Equal(t, exitCut, code)
	assert.Contains(t, shown, "waiting    10m0s (wait_for_rate_limit)\n")
	_, after, _ := strings.Cut(shown, "waiting ")
	assert.NotContains(t, after, "decided")
	assert.NotContains(t, after, "failed")
	assert.Contains(t, after, "done       cancelled after 1 call\n")
	assert.Contains(t, after, "Recovery Rate: 0.0% (0/1)", "D135")
}

// until is a writer that does something when a text is written.
type until struct {
	bytes.Buffer
	text string
	then func()
}

func (u *until) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte(u.text)) {
		u.then()
	}
	return u.Buffer.Write(b)
}

// TestSavedIsSaid: the output has the complete reference of a reverted fix, also on a long line.
func TestSavedIsSaid(t *testing.T) {
	dir := demo(t)
	path := filepath.Join(dir, "broken.yaml")
	require.NoError(t, os.WriteFile(path, []byte(`name: broken
source: verification
command: [sh, ../../scripts/lint.sh]
dir: work/shop
tools: {lint: {fix: [sh, -c, 'echo broken >total.js'], check: [sh, -c, 'echo `+strings.Repeat("no ", 100)+`; exit 1']}}
`), 0o600))
	got := do(t.Context(), path)
	assert.Equal(t, exitFailed, got.code, got.hints)
	assert.NotContains(t, got.out, "�")
	show := regexp.MustCompile(`reverted: (git .* show \S+)`).FindStringSubmatch(got.out)
	require.Len(t, show, 2, got.out)
	command := exec.CommandContext(t.Context(), "sh", "-c", show[1]+":total.js")
	command.Dir = filepath.Join(dir, "work", "shop")
	saved, err := command.CombinedOutput()
	require.NoError(t, err, string(saved))
	assert.Equal(t, "broken\n", string(saved))
	b, err := os.ReadFile(filepath.Join(dir, "work", "shop", "total.js"))
	require.NoError(t, err)
	assert.NotEqual(t, "broken\n", string(b))
}
