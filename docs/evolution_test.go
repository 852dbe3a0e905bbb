package docs

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/breaking"
	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/cli"
)

// Each taxonomy of the page is compared with the first one, and must have the changes that its
// fence names; "fine" means no change.
func TestEvolution(t *testing.T) {
	var released *breaking.Taxonomy
	compared := 0
	for _, b := range blocks(read(t, "evolution.md")) {
		info, ok := strings.CutPrefix(b.info, "yaml complete ")
		if !ok {
			assert.False(t, strings.HasPrefix(b.text, "errgen:"),
				"evolution.md:%d: the block does not say what it shows", b.line)
			continue
		}
		_, findings := check.Load("taxonomy.yaml", []byte(b.text))
		assert.Empty(t, findings, "evolution.md:%d", b.line)
		now := breaking.Read("taxonomy.yaml", []byte(b.text))
		if info == "released" {
			released = now
			continue
		}
		require.NotNil(t, released, "evolution.md:%d", b.line)
		compared++
		got := make(map[string]bool)
		for _, c := range breaking.Compare(released, now) {
			got[c.ID] = true
		}
		want := make(map[string]bool)
		for _, id := range strings.Fields(strings.TrimPrefix(strings.TrimPrefix(info, "breaks"), "fine")) {
			want[id] = true
		}
		assert.Equal(t, want, got, "evolution.md:%d", b.line)
	}
	assert.NotZero(t, compared)
}

// The commands of the page print what the page shows, in a repository where each taxonomy of the page
// is the current one from its block on. With UPDATE=1 the outputs are written anew.
func TestEvolutionCommands(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	git := func(args ...string) {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a",
			"GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "git %v: %s", args, out)
	}
	run := func(line string) string {
		words := fields(line)
		var out bytes.Buffer
		switch words[0] {
		case "git":
			git(words[1:]...)
		case "cat":
			out.WriteString(read(t, filepath.Join(dir, words[1])))
		default:
			require.Equal(t, "errgen", words[0])
			env := cli.Env{Stdout: &out, Stderr: &out, Dir: dir, Now: func() time.Time {
				return time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
			}}
			assert.LessOrEqual(t, cli.Run(t.Context(), words[1:], env), 1, line)
		}
		return out.String()
	}
	git("init", "-q")
	page := read(t, "evolution.md")
	var updated strings.Builder // all of the page before rest
	rest := page
	for _, b := range blocks(page) {
		switch {
		case strings.HasPrefix(b.info, "yaml complete "):
			require.NoError(t, os.WriteFile(filepath.Join(dir, "taxonomy.yaml"), []byte(b.text), 0o644))
		case b.info == "console":
			var out strings.Builder
			for line := range strings.Lines(b.text) {
				if command, ok := strings.CutPrefix(line, "$ "); ok {
					out.WriteString(line + run(strings.TrimSpace(command)))
				}
			}
			if os.Getenv("UPDATE") != "" {
				before, after, _ := strings.Cut(rest, "```console\n"+b.text+"```")
				updated.WriteString(before + "```console\n" + out.String() + "```")
				rest = after
				continue
			}
			assert.Equal(t, b.text, out.String(), "evolution.md:%d", b.line)
		}
	}
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile("evolution.md", []byte(updated.String()+rest), 0o644))
	}
}

// fields splits a command line at spaces that are not in double quotes.
func fields(line string) []string {
	var out []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}

// Every kind of change is in the list, with whom it concerns.
func TestChangesAreListed(t *testing.T) {
	_, section, found := strings.Cut(read(t, "evolution.md"), "\n## All changes\n")
	require.True(t, found)
	listed := make(map[string]string)
	for line := range strings.SplitSeq(section, "\n") {
		if cells := strings.Split(line, " | "); len(cells) == 3 && strings.HasPrefix(line, "| `") {
			listed[strings.Trim(cells[0], "| `")] = cells[1]
		}
	}
	want := make(map[string]string)
	for _, id := range breaking.IDs() {
		want[id] = strings.ReplaceAll(breaking.Levels(id).String(), ",", ", ")
	}
	assert.Equal(t, want, listed)
}
