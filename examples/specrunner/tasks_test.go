package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const specification = `# Tasks

### TASK-000: Set the project up
🔴 P0 | ✅ DONE | Est: 1d

**Depends on:** —

### TASK-001: Parse the file
🟠 P1 | ⬜ TODO | Est: 2d

**Checklist:**
- [x] headings
- [ ] fences

` + "```markdown\n### TASK-999: not a task\n**Depends on:** [TASK-998]\n```" + `

#### Details
No more than a page.

**Depends on:** [TASK-000](#task-000), ABC-17

## Appendix

### ABC-17: Something else
P2 | done

### Words
**Depends on:** [TASK-998]
`

// S43: the format of the tasks.
func TestTasks(t *testing.T) {
	for name, text := range map[string]string{
		"plain": specification, "CRLF": strings.ReplaceAll(specification, "\n", "\r\n"),
		"byte order mark": "\uFEFF" + specification, "ticked": strings.ReplaceAll(specification, "- [ ]", "- [x]"),
		"closed headings": strings.ReplaceAll(specification, "Parse the file\n", "Parse the file ###\n"),
	} {
		tasks, err := parseTasks(text)
		require.NoError(t, err, name)
		require.Len(t, tasks, 3, name)
		assert.Equal(t, []any{"TASK-000", "Set the project up", true}, []any{tasks[0].ID, tasks[0].Title,
			tasks[0].Done})
		assert.Equal(t, []string{"TASK-000", "ABC-17"}, tasks[1].DependsOn)
		assert.Equal(t, []bool{false, true}, []bool{tasks[1].Done, tasks[2].Done})
		assert.Equal(t, "# TASK-001: Parse the file\n\n**Checklist:**\n- headings\n- fences\n\n```markdown\n"+
			"### TASK-999: not a task\n**Depends on:** [TASK-998]\n```\n\n#### Details\nNo more than a page.\n\n"+
			"**Depends on:** [TASK-000](#task-000), ABC-17\n", tasks[1].Prompt, name)
	}
}

// All problems are reported, with their lines.
func TestTaskProblems(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"nothing":   {"", []string{"line 1: there is no task"}},
		"duplicate": {"### A-1: x\n### A-1: z\n", []string{"line 2: task A-1 is duplicated, see line 1"}},
		"unknown dependency": {"### A-1: x\n**Depends on:** [A-9]\n",
			[]string{"depends on A-9, which is not a task"}},
		"not an ID": {"### A-1: x\n**Depends on:** the parser\n",
			[]string{`line 2: task A-1 depends on "the parser"`}},
		"itself": {"### A-1: x\n**Depends on:** [A-1]\n", []string{"A-1 → A-1"}},
		"cycle": {"### A-1: x\n**Depends on:** A-2\n### A-2: y\n**Depends on:** A-1\n",
			[]string{"A-1 → A-2 → A-1"}},
		"level":               {"### A-1: x\n## A-2: y\n", []string{`line 2: "A-2: y" is not a task`}},
		"no title":            {"### A-1:\n", []string{`"A-1:" is not a task`}},
		"dash":                {"### A–1: x\n", []string{`"A–1: x" is not a task`}},
		"dependencies unlike": {"### A-1: x\nDepends on: A-2\n", []string{"line 2: ", "must be written as"}},
		"fence that stays":    {"### A-1: x\n```go\n### A-2: y\n", []string{"a code fence is not closed"}},
		"several at the same": {"### A-1: x\n**Depends on:** A-8\n### A-1: y\n", []string{"is duplicated",
			"depends on A-8"}},
		"dependencies unknown": {"### A-1: x\n**Depends on:**\n- A-2\n", nil},
	} {
		_, err := parseTasks(c.text)
		for _, want := range c.want {
			assert.ErrorContains(t, err, want, name)
		}
	}
}
