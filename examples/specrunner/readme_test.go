//go:build unix

package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor/config"
)

var update = flag.Bool("update", false, "write the output of the demo into README.md")

const consoles = "(?s)\n```console\n(.*?)\n```\n"

// varying are the parts of the output that differ each time.
var varying = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`), "2026-01-02 15:04:05"},
	{regexp.MustCompile(`until \d\d:\d\d:\d\d`), "until 15:04:05"},
	{regexp.MustCompile(`(took|after) \d+\.\ds`), "${1} 0.1s"},
	{regexp.MustCompile(`waiting \d+\.\ds`), "waiting 0.2s"},
	{regexp.MustCompile(`(iterations?), \d+s`), "${1}"},
}

// README.md shows what the demo prints.
func TestReadmeShowsTheDemo(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the demo's agent is a shell script")
	}
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "demo"), os.DirFS("demo")))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "demo", "work")))
	block := regexp.MustCompile(consoles)
	shows := block.ReplaceAllFunc(readme, func(b []byte) []byte {
		return []byte("\n```console\n" + played(t, dir, string(block.FindSubmatch(b)[1])) + "\n```\n")
	})
	if *update {
		require.NoError(t, os.WriteFile("README.md", shows, 0o644))
		return
	}
	assert.Equal(t, string(readme), string(shows))
}

// played returns the commands of a transcript with what they print now.
func played(t *testing.T, dir, transcript string) string {
	var out []string
	for line := range strings.Lines(transcript) {
		args, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "$ go run . -dir demo")
		if !ok {
			continue
		}
		got := do(append([]string{"-dir=" + filepath.Join(dir, "demo")}, strings.Fields(args)...)...)
		assert.Empty(t, got.hints)
		for _, v := range varying {
			got.out = v.what.ReplaceAllString(got.out, v.with)
		}
		out = append(out, "$ go run . -dir demo"+args, strings.TrimRight(got.out, "\n"))
		if got.code != 0 {
			out = append(out, "exit status "+string(rune('0'+got.code)))
		}
	}
	return strings.Join(out, "\n")
}

// fencedIn returns the first block of README.md that is of a language.
func fencedIn(t *testing.T, language string) string {
	t.Helper()
	b, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(b), "\n```"+language+"\n")
	require.True(t, found, language)
	block, _, found := strings.Cut(after, "\n```\n")
	require.True(t, found, language)
	return block + "\n"
}

// The configuration and the tasks of README.md are valid.
func TestReadmeIsUnderstood(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "")
	dir := files(t, map[string]string{
		"spec/tasks.md":  fencedIn(t, "markdown"),
		"specrunner.yml": fencedIn(t, "yaml"),
	})
	var s settings
	warnings, err := config.Load(filepath.Join(dir, "specrunner.yml"), &s)
	require.NoError(t, err)
	assert.Empty(t, warnings)
	got := do("-dir="+dir, "-status")
	assert.Equal(t, exitDone, got.code, got.hints)
	assert.Regexp(t, `(?m)^TASK-002 +completed`, got.out)
}
