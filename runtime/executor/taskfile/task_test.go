package taskfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/scope"
	"github.com/errgen/errgen/runtime/executor/taskfile"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const wholeTask = `# TASK: Handle errors by category

## Goal

Handle errors in ` + "`src/executor.ts`" + ` by category.

- retry
- fail fast

## Auto-Mode Compatible

YES

## Scope

### Allowed

- ` + "`src/executor.ts`" + `
* ` + "`test/**`, `docs/` and `README.md`" + `

### Forbidden

- ` + "`src/providers/claude-cli.ts`" + ` (read-only)
- ` + "`src/commands/`" + ` (read-only)

### Ask first

1. ` + "`package.json`" + `

## Requirements

- ` + "`not/a/path`" + `

` + "```md\n## Scope\n### Forbidden\n- `in/a/fence`\n```\n"

func evidenceOf(t *testing.T, err error) *taxonomy.Evidence {
	t.Helper()
	var ev *taxonomy.Evidence
	require.ErrorAs(t, err, &ev)
	return ev
}

func TestParse(t *testing.T) {
	task, err := taskfile.Parse(strings.NewReader("\uFEFF" + strings.ReplaceAll(wholeTask, "\n", "\r\n")))
	require.NoError(t, err)
	assert.Equal(t, taskfile.Task{
		Title:     "Handle errors by category",
		Allowed:   []string{"src/executor.ts", "test/**", "docs/", "README.md"},
		Forbidden: []string{"src/providers/claude-cli.ts", "src/commands/"},
		Ask:       []string{"package.json"},
		Prompt:    wholeTask,
	}, task)

	s, err := scope.New(task.Scope(scope.Strict))
	require.NoError(t, err)
	for path, want := range map[string]executor.Verdict{
		"docs/a/b.md": executor.Allowed, "src/commands/run.ts": executor.Forbidden, "src/other.ts": executor.Outside,
	} {
		got, _ := s.Explain(path)
		assert.Equal(t, want, got, path)
	}
}

func TestTasksWithoutScope(t *testing.T) {
	for _, text := range []string{"just do it", "# Do it\n\n## Goal\n\nAll of it."} {
		task, err := taskfile.Parse(strings.NewReader(text))
		require.NoError(t, err, text)
		assert.Empty(t, task.Allowed)
		assert.Empty(t, task.Forbidden)
		assert.Equal(t, text, task.Prompt)
	}
}

// Lists may be written in several ways; each of these has the one path a/b.
func TestScopeForms(t *testing.T) {
	for _, text := range []string{
		"### Allowed\n- `a/b`",
		"### allowed paths:\n\nThese:\n\n- [ ] `a/b` - the parser",
		"### **Allowed**\n+ a/b",
		"#### Allowed\n2) `a/b` — new",
		"### Allowed ###\n- `a/b` <!-- x -->\n<!--\n- `c/d`\n-->",
		"### Allowed\n- a/b\n### Forbidden\n- None.",
		"### Allowed\n- a/b\n\n## Scope\n### Forbidden\n* _none_",
	} {
		task, err := taskfile.Parse(strings.NewReader("## Scope\n\n" + text + "\n"))
		require.NoError(t, err, text)
		assert.Equal(t, []string{"a/b"}, task.Allowed, text)
		assert.Empty(t, task.Forbidden, text)
	}
}

// TestTasksThatCannotBeRead: an invalid task file is an error, so that no task runs without its
// scope.
func TestTasksThatCannotBeRead(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", " \n", "the task is empty"},
		{"too long", strings.Repeat("x", 1<<20+1), "longer than 1048576 bytes"},
		{"binary", "a\x00b", "not a text in UTF-8"},
		{"other encoding", "a\xffb", "not a text in UTF-8"},
		{"no lists", "# T\n## Scope\n\nOnly src, please.\n", "line 2: the scope needs a heading"},
		{"empty list", "## Scope\n### Allowed\n### Forbidden\n- `a`", `line 2: no paths are listed below "Allowed"`},
		{"prose", "## Scope\n### Forbidden\nNever touch the generated files.",
			`line 2: no paths are listed below "Forbidden"`},
		{"prose with path", "## Scope\n### Forbidden\n- `a`\n\nAnd `b`, of course.", "line 5: only items of a list"},
		{"fenced list", "## Scope\n### Allowed\n```\nsrc/**\n```\n", "line 2: no paths are listed"},
		{"nothing allowed", "## Scope\n### Allowed\n- none", "line 3: a task needs at least one allowed path"},
		{"item of no list", "## Scope\n- `src/`", "line 2: the item is not below one"},
		{"unknown list", "## Scope\n### Allowed\n- `a`\n### Off limits\n- `src/`", "line 5: the item is not below one"},
		{"sentence", "## Scope\n### Forbidden\n- All files below src", "line 3: write each path"},
		{"two bare paths", "## Scope\n### Forbidden\n- a, b", "line 3: write each path"},
		{"escaped", `## Scope` + "\n### Forbidden\n- src/\\*\\*", "line 3: write each path"},
		{"exception", "## Scope\n### Allowed\n- `src/` except `src/gen`", "line 3: write each path"},
		{"exception below", "## Scope\n### Allowed\n- `src/`\n  except `src/gen`", "line 4: only items of a list"},
		{"open fence", "```\n## Scope\n### Allowed\n- `a`\n", "not closed"},
		{"open comment", "<!-- x\n## Scope\n### Allowed\n- `a`\n", "not closed"},
		{"underlined", "Scope\n-----\n- `a`\n", "line 1: write the heading"},
		{"other words", "## Scope of work\n- `a`\n", "the item is not below"},
		{"after a comment", "## Scope\n### Allowed\n- `a`\n<!-- x --> - `b`\n", "line 4: text after"},
		{"open backtick", "## Scope\n### Allowed\n- `src/", "line 3: write each path"},
		{"all at once", "## Scope\n### Allowed\n- a b\n### Forbidden\n- c d\n",
			"line 3: write each path in backticks, and no other text in backticks\nline 5: write each"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := taskfile.Parse(strings.NewReader(tt.text))
			ev := evidenceOf(t, err)
			assert.Contains(t, ev.Text, tt.want)
			assert.Equal(t, "parse", ev.Type)
			assert.ErrorIs(t, errs.Classify(err), errs.CodeConfigParseError)
		})
	}
}

func TestTitlesAreOneLine(t *testing.T) {
	task, err := taskfile.Parse(strings.NewReader("# task: a\x1b[31m\u202eb " + strings.Repeat("x", 500)))
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(task.Title, "a [31m b xxx"), task.Title)
	assert.Less(t, len(task.Title), 210)
}

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "task.md")
	_, err := taskfile.Read(path)
	assert.ErrorIs(t, errs.Classify(err), errs.CodeConfigMissing)
	assert.Equal(t, path, evidenceOf(t, err).Attribute("path"))

	_, err = taskfile.Read(filepath.Dir(path))
	assert.ErrorIs(t, errs.Classify(err), errs.CodeConfigInvalid)

	require.NoError(t, os.WriteFile(path, []byte("## Scope"), 0o600))
	_, err = taskfile.Read(path)
	assert.Equal(t, path, evidenceOf(t, err).Attribute("path"))

	require.NoError(t, os.WriteFile(path, []byte("# Do it"), 0o600))
	task, err := taskfile.Read(path)
	require.NoError(t, err)
	assert.Equal(t, "Do it", task.Title)

	broken := errors.New("broken")
	_, err = taskfile.Parse(iotest.ErrReader(broken))
	assert.ErrorIs(t, err, broken)
	assert.Equal(t, "config", evidenceOf(t, err).Source)
}

func FuzzParse(f *testing.F) {
	f.Add(wholeTask)
	f.Add("## Scope\n### Allowed\n- `a`\n<!-- x\n--> \n~~~\n# x\n~~~~\n")
	f.Add("## Scope\n### Forbidden:\n- a (b)\n")
	f.Fuzz(func(t *testing.T, text string) {
		task, err := taskfile.Parse(strings.NewReader(text))
		if err != nil {
			assert.Equal(t, taskfile.Task{}, task)
			return
		}
		assert.NotContains(t, task.Title, "\n")
		for _, path := range append(append(task.Allowed, task.Forbidden...), task.Ask...) {
			assert.NotContains(t, path, "\n")
			assert.True(t, strings.Contains(text, path), "%q", path)
		}
	})
}
