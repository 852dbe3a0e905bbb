//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate/plan"

	"orchestrator.example.com/runner/planfile"
	"orchestrator.example.com/runner/scripted"
)

var (
	consoles = regexp.MustCompile("(?s)\n```console\n(.*?)\n```\n")
	diagrams = regexp.MustCompile("(?s)\n```mermaid\n(.*?)```\n")
	offsets  = regexp.MustCompile(`(?m)^ *\d+\.\ds  `)
	words    = regexp.MustCompile(`'[^']*'|\S+`)
)

// origin is where the tests were begun.
var origin, _ = os.Getwd()

// TestReadmeShows: what README.md shows is what is printed.
func TestReadmeShows(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "demo"), os.DirFS("demo")))
	t.Chdir(dir)
	shows := consoles.ReplaceAllFunc(readme, func(b []byte) []byte {
		return []byte("\n```console\n" + played(t, string(consoles.FindSubmatch(b)[1])) + "\n```\n")
	})
	drawn := do(t.Context(), "-diagram", "-", "demo/question.md")
	shows = diagrams.ReplaceAllLiteral(shows, []byte("\n```mermaid\n"+drawn.out+"```\n"))
	if *update {
		require.NoError(t, os.WriteFile(filepath.Join(origin, "README.md"), shows, 0o644))
		return
	}
	assert.Equal(t, string(readme), string(shows))
}

// played returns the commands of a transcript with what they print now.
func played(t *testing.T, transcript string) string {
	var all []string
	for line := range strings.Lines(transcript) {
		line = strings.TrimRight(line, "\n")
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			all = append(all, line)
			if shown := ran(t, command); shown != "" {
				all = append(all, shown)
			}
		}
	}
	return strings.Join(all, "\n")
}

// ran runs a command line: echo, this program, and a file that takes its output; or another
// program.
func ran(t *testing.T, line string) string {
	said, command, piped := strings.Cut(line, " | ")
	if !piped {
		said, command = "", line
	}
	command, file, _ := strings.Cut(command, " >")
	args, own := strings.CutPrefix(command, "go run . ")
	if !own {
		out, _ := exec.CommandContext(t.Context(), "sh", "-c", line).CombinedOutput()
		return strings.TrimRight(string(out), "\n")
	}
	var out, hints bytes.Buffer
	in := strings.NewReader(strings.Trim(strings.TrimPrefix(said, "echo "), "'") + "\n")
	code := run(t.Context(), unquoted(args), in, &out, &hints)
	if file != "" {
		require.NoError(t, os.WriteFile(file, out.Bytes(), 0o600))
		out.Reset()
	}
	shown := strings.TrimRight(offsets.ReplaceAllString(out.String()+hints.String(), "   0.0s  "), "\n")
	if code != exitDone {
		shown += "\nexit status " + strconv.Itoa(code)
	}
	return shown
}

func unquoted(args string) []string {
	all := words.FindAllString(args, -1)
	for i, arg := range all {
		all[i] = strings.Trim(arg, "'")
	}
	return all
}

// block returns the part of README.md that begins behind a text, as far as its block of code goes.
func block(t *testing.T, behind, language string) string {
	t.Helper()
	b, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(b), behind)
	require.True(t, found)
	_, after, found = strings.Cut(after, "\n```"+language+"\n")
	require.True(t, found)
	text, _, found := strings.Cut(after, "\n```\n")
	require.True(t, found)
	return text + "\n"
}

// TestReadmePlan: the plan of README.md can be read, and has every kind of item.
func TestReadmePlan(t *testing.T) {
	d, err := planfile.Parse("README.md", []byte(block(t, "## Plans", "markdown")))
	require.NoError(t, err)
	assert.Empty(t, plan.Check(d.Plan))
	kinds := map[string]bool{}
	for _, s := range d.Plan.Steps {
		for _, c := range s.Criteria {
			kinds[string(c.Kind)] = true
		}
	}
	for _, p := range d.Plan.Prerequisites {
		kinds["needs "+string(p.Kind)] = true
	}
	assert.Len(t, kinds, 12)
}

// TestReadmeTiers: the tiers and the script of README.md can be read.
func TestReadmeTiers(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-0123456789abcdefghij")
	dir := t.TempDir()
	tiers, script := filepath.Join(dir, "tiers.yaml"), filepath.Join(dir, "scripts", "haiku.yaml")
	require.NoError(t, os.Mkdir(filepath.Dir(script), 0o700))
	require.NoError(t, os.WriteFile(tiers, []byte(block(t, "## Tiers", "yaml")), 0o600))
	require.NoError(t, os.WriteFile(script, []byte(block(t, "A script is a list", "yaml")), 0o600))
	_, err := scripted.Load(script, scripted.Options{})
	require.NoError(t, err)
	all, err := loadLadder(tiers, "")
	require.NoError(t, err)
	made, err := all.providers(&desk{}, nil)
	require.NoError(t, err)
	assert.Len(t, made, 3)
}

// TestReadmeAnswers: the script of README.md that has every kind of answer can be read.
func TestReadmeAnswers(t *testing.T) {
	b, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, after, found := strings.Cut(string(b), "\n````yaml\n")
	require.True(t, found)
	text, _, found := strings.Cut(after, "\n````\n")
	require.True(t, found)
	_, err = scripted.Load(put(t, filepath.Join(t.TempDir(), "haiku.yaml"), text+"\n"), scripted.Options{})
	require.NoError(t, err)
	for body := range strings.SplitSeq(text, "```json\n") {
		if body, _, closed := strings.Cut(body, "```"); closed {
			assert.True(t, json.Valid([]byte(body)), body)
		}
	}
}

func TestReadmeHasEveryFlag(t *testing.T) {
	b, err := os.ReadFile("README.md")
	require.NoError(t, err)
	flags := regexp.MustCompile(`(?m)^  -(\S+)`).FindAllStringSubmatch(do(t.Context(), "-h").out, -1)
	require.NotEmpty(t, flags)
	for _, f := range flags {
		assert.Regexp(t, "\\| `-"+f[1]+"[ `]", string(b))
	}
}
