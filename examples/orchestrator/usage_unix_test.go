//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"bytes"
)

func TestExitCodes(t *testing.T) {
	tests := []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no plan", nil, exitUsage, "no plan; name the file of one"},
		{"two plans", []string{"a.md", "b.md"}, exitUsage, `there is one plan in a run, and "b.md" is another`},
		{"no file", []string{"none.md"}, exitUsage, "none.md"},
		{"an unknown flag", []string{"-colour"}, exitUsage, "flag provided but not defined"},
		{"an unknown profile", []string{"-profile", "chain", "demo/plan.md"}, exitUsage, "chain"},
		{"an answer to nothing", []string{"-answer", "x", "demo/plan.md"}, exitUsage, "an answer needs -state"},
		{"two answers", []string{"-done", "-give-up", "-run", "a", "-state", "b", "demo/plan.md"}, exitUsage,
			"give one"},
		{"a run that is kept nowhere", []string{"-run", "a", "demo/plan.md"}, exitUsage, "-run needs -state"},
		{"a run that would be kept elsewhere", []string{"-run", "../../a", "-state", "b", "demo/plan.md"}, exitUsage,
			"-run is 1 to 80 letters"},
		{"an empty answer", []string{"-answer", "", "-dir", "x", "demo/plan.md"}, exitUsage,
			"-answer is empty: say what has changed"},
		{"a blank answer", []string{"-answer", " \t\n", "-state", "b", "demo/plan.md"}, exitUsage,
			"-answer is empty: say what has changed"},
		{"an answer to a run that nobody knows",
			[]string{"-answer", "x", "-state", t.TempDir(), "-dir", project(t), "demo/plan.md"}, exitUsage,
			"orchestrator: there is no run of this name"},
		{"a pattern that is none", []string{"-forbid", "/etc", "demo/plan.md"}, exitUsage, "it is absolute"},
		{"two outputs", []string{"-json", "-diagram", "-", "demo/plan.md"}, exitUsage,
			"-json is standard output already"},
		{"a faulty plan", []string{written(t, "# T\n## Gate\n- a | b\n## Notes\n")}, exitUsage, "plan.md:4:1: "},
		{"no project", []string{written(t, "# T\n## Step 1\nx\n")}, exitUsage, "no tier is known"},
		{"no tree", []string{"-dir", t.TempDir(), "demo/plan.md"}, exitUsage, "open the working tree"},
		{"no directory", []string{"-dir", "none", "demo/plan.md"}, exitUsage,
			"open the working tree: stat none: no such file or directory"},
		{"no directory but a file", []string{"-dir", "demo/plan.md", "demo/plan.md"}, exitUsage,
			"demo/plan.md is not a directory"},
		{"a part of a tree", []string{"-dir", ".", "demo/plan.md"}, exitUsage,
			"all of which would be worked on: name that, or make a repository of the directory with git init"},
		{"an unknown reviewer", []string{"-review", "gemini", "demo/plan.md"}, exitUsage, "there is no such tier"},
		{"a diagram that cannot be written",
			[]string{"-diagram", filepath.Join(t.TempDir(), "none", "d.mmd"), "demo/plan.md"}, exitFailed, "write "},
		{"help", []string{"-h"}, exitDone, ""},
		{"classify", []string{"-classify", "-exit-code", "one"}, exitUsage, "it must be a number"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := do(t.Context(), tt.args...)
			assert.Equal(t, tt.code, got.code, got.hints)
			assert.Contains(t, got.hints, tt.want)
		})
	}
	assert.Contains(t, do(t.Context(), "-h").out, "-corrected file")
	assert.Contains(t, do(t.Context(), "-classify", "-errno", "ENOENT").out, "PREREQUISITE_FAILURE")
}

// Where tiers work nobody may keep what decides about them.
func TestStateInTheTree(t *testing.T) {
	dir := project(t)
	got := do(t.Context(), "-dir", dir, "-run", "a", "-state", filepath.Join(dir, "state"), "demo/plan.md")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.hints, "is in the working tree, where tiers work")
	assert.NoDirExists(t, filepath.Join(dir, "state"))
}

// full is a device that has no room left.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestOutputThatCannotBeWritten(t *testing.T) {
	for _, args := range [][]string{{"-h"}, {"-check", "demo/plan.md"}, {"-check", "-json", "demo/plan.md"},
		{"-classify", "-errno", "ENOENT"}} {
		var hints bytes.Buffer
		assert.Equal(t, exitFailed, run(t.Context(), args, strings.NewReader(""), full{}, &hints))
		assert.Contains(t, hints.String(), "write the output: no space left on device")
	}
}

func TestTiersFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	write("s.yaml", "replies: [{say: x}]\n")
	t.Run("every provider", func(t *testing.T) {
		t.Setenv("OPENAI_API_KEY", "sk-0123456789abcdefghij")
		all, err := loadLadder(write("tiers.yaml", "haiku: {provider: scripted, script: s.yaml}\n"+
			"sonnet: {provider: claude-cli, model: m, allowed_tools: ['Bash(go test *)']}\n"+
			"opus: {provider: openai-api, model: m, commands: ['go test ...']}\n"), "")
		require.NoError(t, err)
		made, err := all.providers(&desk{}, nil)
		require.NoError(t, err)
		assert.Equal(t, []string{"scripted", "claude-cli", "openai-api"},
			[]string{made["haiku"].Name(), made["sonnet"].Name(), made["opus"].Name()})
	})
	tests := []struct{ name, text, want string }{
		{"an unknown provider", "haiku: {provider: gemini}\n", "scripted, claude-cli, anthropic-api or openai-api"},
		{"no provider", "haiku: {model: m}\n", "haiku.provider"},
		{"no script", "haiku: {provider: scripted}\n", "the file with the script"},
		{"no model", "haiku: {provider: anthropic-api}\n", "the name of a model"},
		{"an unknown key", "haiku: {provider: claude-cli, modle: m}\n", "modle"},
		{"nothing of a tier", "haiku:\n", `tier "haiku" says nothing`},
		{"a script that is not there",
			"haiku: {provider: scripted, script: none.yaml}\nopus: {provider: scripted, script: no.yaml}\n",
			"tier opus: "},
		{"no such tier", "gemini: {provider: scripted, script: s.yaml}\n", `the taxonomy has no tier "gemini"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := do(t.Context(), "-tiers", write("t.yaml", tt.text), "-dir", project(t), "demo/plan.md")
			assert.NotEqual(t, exitDone, got.code)
			assert.Contains(t, got.hints, tt.want)
		})
	}
}
