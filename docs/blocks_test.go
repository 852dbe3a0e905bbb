package docs

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/cli"
)

// others are the tests of the blocks with these info strings, besides TestBlocks. An info string
// that names a file is tested by TestCommands, which writes the file and runs the commands of the
// page.
var others = map[string]string{
	"yaml complete": "TestExamplesLoad",
	"sh":            "TestCommands",
	"console":       "TestCommands",
	"sql":           "TestDocsQueries in internal/scenarios",
	"ts":            "TestDocsTypeScript in internal/cli",
	"yaml plan":     "TestDocsPlan in examples/orchestrator",
	"yaml step":     "TestDocsPlan in examples/orchestrator",
	"markdown":      "TestDocsPlan in examples/orchestrator",
	"text":          "no test",
	"mermaid":       "no test",
}

// commandTests are the pages whose commands have a test of their own.
var commandTests = map[string]string{
	"../README.md": "TestQuickStart in cmd/errgen",
	"services.md":  "TestServices in cmd/errgen",
	"agents.md":    "TestAgents in cmd/errgen",
}

// pages returns the pages of the documentation.
func pages(t *testing.T) []string {
	t.Helper()
	out := []string{"../README.md", "../CONTRIBUTING.md", "../SECURITY.md"}
	for _, pattern := range []string{"*.md", "decisions/*.md"} {
		names, err := filepath.Glob(pattern)
		require.NoError(t, err)
		out = append(out, names...)
	}
	return out
}

// TestBlocks finds each block of Go, YAML and JSON in a file that another test compiles, loads or
// compares. A line with only … separates parts. Blocks with another info string have a test in
// others. `sh norun` marks commands that a test cannot run; the targets of make must exist.
func TestBlocks(t *testing.T) {
	tested := map[string]*excerpts{
		"go":   filesOf(t, ".go"),
		"yaml": filesOf(t, ".yaml", ".yml", "README.md"),
		"json": filesOf(t, ".json", ".txt"),
	}
	for _, page := range pages(t) {
		for _, b := range blocks(read(t, page)) {
			if b.info == "yaml complete" || strings.HasPrefix(b.info, "yaml complete ") {
				tested["yaml"].add(b.text)
			}
		}
	}
	makefile := read(t, "../Makefile")
	for _, page := range pages(t) {
		for _, b := range blocks(read(t, page)) {
			language, detail, _ := strings.Cut(b.info, " ")
			switch {
			case others[b.info] != "" || strings.HasPrefix(b.info, "yaml complete "):
			case b.info == "sh norun":
				for _, m := range regexp.MustCompile(`(?m)^make ([a-z]+)`).FindAllStringSubmatch(b.text, -1) {
					assert.Contains(t, makefile, "\n"+m[1]+":", "%s:%d", page, b.line)
				}
			case strings.Contains(detail, "."): // a file
			case commandTests[page] != "" && slices.Contains([]string{"bash", "shell", "sh"}, language):
			case page == "services.md" && language == "json": // TestServices
			case tested[b.info] != nil:
				for part := range strings.SplitSeq(b.text, "…\n") {
					found := tested[b.info].has(part)
					assert.True(t, found, "%s:%d: no %s file contains\n%s", page, b.line, b.info, part)
				}
			default:
				t.Errorf("%s:%d: no test for a block %q", page, b.line, b.info)
			}
		}
	}
}

// excerpts finds parts of texts, whatever their indent.
type excerpts struct {
	texts [][]string
	lines map[string][][2]int // by line without its indent: text and line
}

func (e *excerpts) add(text string) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		key := strings.TrimSpace(line)
		e.lines[key] = append(e.lines[key], [2]int{len(e.texts), i})
	}
	e.texts = append(e.texts, lines)
}

func (e *excerpts) has(part string) bool {
	want := strings.Split(strings.Trim(part, "\n"), "\n")
	for _, at := range e.lines[strings.TrimSpace(want[0])] {
		text := e.texts[at[0]][at[1]:]
		indent, ok := strings.CutSuffix(text[0], strings.TrimLeft(want[0], " \t"))
		outer := strings.TrimSuffix(want[0], strings.TrimLeft(want[0], " \t"))
		if ok && len(text) >= len(want) && slices.EqualFunc(want, text[:len(want)], func(w, got string) bool {
			return w == got || indent+strings.TrimPrefix(w, outer) == got
		}) {
			return true
		}
	}
	return false
}

// filesOf returns the files of the repository with a suffix. Pages are not among them, except the
// YAML of the READMEs of the examples, which have their own tests.
func filesOf(t *testing.T, suffixes ...string) *excerpts {
	t.Helper()
	e := &excerpts{lines: map[string][][2]int{}}
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "build" || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if d.IsDir() || !slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(path, s) }) {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !strings.HasSuffix(path, ".md") {
			e.add(string(b))
		} else if strings.HasPrefix(path, filepath.Join("..", "examples")) {
			for _, block := range blocks(string(b)) {
				if strings.HasPrefix(block.info, "yaml") {
					e.add(block.text)
				}
			}
		}
		return nil
	}))
	return e
}

func TestFragments(t *testing.T) {
	_, findings := check.Load("fragments.yaml", []byte(read(t, "testdata/fragments.yaml")))
	assert.Empty(t, findings)
}

// TestOpenAPIReferences finds what the OpenAPI document of catalogue.md refers to.
func TestOpenAPIReferences(t *testing.T) {
	var out, stderr bytes.Buffer
	status := cli.Run(t.Context(), []string{"openapi", "../examples/quickstart/taxonomy.yaml", "-audience", "internal"},
		cli.Env{Stdout: &out, Stderr: &stderr})
	require.Zero(t, status, stderr.String())
	var document struct {
		Components struct{ Responses map[string]any }
	}
	require.NoError(t, yaml.Unmarshal(out.Bytes(), &document))
	references := regexp.MustCompile(`responses/(\w+)'`).FindAllStringSubmatch(read(t, "catalogue.md"), -1)
	assert.NotEmpty(t, references)
	for _, m := range references {
		assert.Contains(t, document.Components.Responses, m[1])
	}
}
