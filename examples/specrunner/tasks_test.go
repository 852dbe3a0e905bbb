package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const specification = `# Tasks

> Everything that is to be done.

## Milestone 1: MVP

### TASK-000: Set the project up
🔴 P0 | ✅ DONE | Est: 1d

**Description:**
A module.

**Depends on:** —

---

### TASK-001: Parse the file
🟠 P1 | ⬜ TODO | Est: 2d

**Checklist:**
- [x] headings
- [ ] fences

` + "```markdown\n### TASK-999: not a task\n**Depends on:** [TASK-998]\n```" + `

#### Details
No more than a page.

**Traces to:** [REQ-001]
**Depends on:** [TASK-000], [ABC-17]
**Blocks:** [TASK-002]

## Appendix

### ABC-17: Something else
⏸️ BLOCKED | Est: 1h

## Glossary

### Words
**Depends on:** [TASK-998]
`

func parsed(t *testing.T, text string) []task {
	t.Helper()
	tasks, problems := parseTasks([]byte(text))
	require.Empty(t, problems)
	return tasks
}

// S43: the file of tasks is the one that earlier runners read.
func TestTasks(t *testing.T) {
	tasks := parsed(t, specification)
	require.Len(t, tasks, 3)
	assert.Equal(t, task{
		ID: "TASK-000", Title: "Set the project up", Done: true, Priority: 0,
		Prompt: "# TASK-000: Set the project up\n\nMilestone 1: MVP\n\n**Description:**\nA module.\n\n**Depends " +
			"on:** —\n\n---\n",
	}, tasks[0])
	assert.Equal(t, "Parse the file", tasks[1].Title)
	assert.False(t, tasks[1].Done)
	assert.Equal(t, 1, tasks[1].Priority)
	assert.Equal(t, []string{"TASK-000", "ABC-17"}, tasks[1].DependsOn)
	assert.Contains(t, tasks[1].Prompt, "### TASK-999: not a task", "what is fenced is part of the task")
	assert.Contains(t, tasks[1].Prompt, "#### Details\nNo more than a page.\n")
	assert.Contains(t, tasks[1].Prompt, "- headings\n- fences\n", "boxes are ticked while the task is worked on")
	assert.NotContains(t, tasks[1].Prompt, "TODO")
	assert.Equal(
		t, task{ID: "ABC-17", Title: "Something else", Priority: lastPriority, Prompt: "# ABC-17: Something else\n"},
		tasks[2])
}

func TestTasksAsEditorsWriteThem(t *testing.T) {
	want := parsed(t, specification)
	tests := []struct{ name, text string }{
		{"CRLF", strings.ReplaceAll(specification, "\n", "\r\n")},
		{"a byte order mark", "\uFEFF" + specification},
		{"no newline at the end", strings.TrimRight(specification, "\n")},
		{"headings that are closed", strings.ReplaceAll(specification, "Parse the file\n", "Parse the file ###\n")},
		{"headings that are indented", strings.ReplaceAll(specification, "### ABC-17", "  ### ABC-17")},
		{"ticked boxes", strings.ReplaceAll(specification, "- [ ]", "- [x]")},
		{"another fence", strings.ReplaceAll(specification, "```", "~~~~")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := parsed(t, tt.text)
			for i := range got {
				got[i].Prompt = strings.ReplaceAll(got[i].Prompt, "~~~~", "```")
			}
			assert.Equal(t, want, got)
		})
	}
}

func TestRank(t *testing.T) {
	tests := []struct {
		line string
		ok   bool
		want rank
	}{
		{"🔴 P0 | ⬜ TODO | Est: 2d", true, rank{false, 0}},
		{"🟠 P1 | 🔄 IN PROGRESS | Est: 2d", true, rank{false, 1}},
		{"🟡 P2 | ✅ DONE | Est: 3h", true, rank{true, 2}},
		{"🟢 P3 | ⏸️ BLOCKED", true, rank{false, 3}},
		{"P2 | ⏸ PAUSED", true, rank{false, 2}},
		{"  P2|✅", true, rank{true, 2}},
		{"✅ DONE", true, rank{true, lastPriority}},
		{"P1 | done | Est: 1d", true, rank{true, 1}},
		{"⬜ DONE | P1", true, rank{false, 1}}, // the sign is what people set
		{"| P1 | ✅ DONE |", false, rank{}},
		{"The column reads P0 | ✅ DONE", false, rank{}},
		{"P0 | soon", false, rank{}},
		{"Use a|b", false, rank{}},
		{"- ✅ headings", false, rank{}},
		{"", false, rank{}},
	}
	for _, tt := range tests {
		t.Run(tt.line, func(t *testing.T) {
			got, ok := rankOf(tt.line)
			assert.Equal(t, tt.ok, ok)
			if tt.ok {
				assert.Equal(t, tt.want, got)
			}
		})
	}
}

func TestOnlyTheFirstStatusCounts(t *testing.T) {
	tasks := parsed(t, "### A-1: x\n\n🔴 P0 | ⬜ TODO\n\n🔴 P0 | ✅ DONE\n")
	assert.False(t, tasks[0].Done)
	assert.Contains(t, tasks[0].Prompt, "✅ DONE", "what follows is the task's own text")
}

func TestDependencies(t *testing.T) {
	tests := []struct {
		names string
		want  []string
		wrong bool
	}{
		{"—", nil, false},
		{"-", nil, false},
		{"[—]", nil, false},
		{"none", nil, false},
		{"[TASK-001]", []string{"TASK-001"}, false},
		{"[TASK-001], [TASK-002], [TASK-001]", []string{"TASK-001", "TASK-002"}, false},
		{"TASK-001 and ABC-2", []string{"TASK-001", "ABC-2"}, false},
		{"[TASK-001](#task-001) (the parser)", []string{"TASK-001"}, false},
		{"[A-B-3](other.md#TASK-009)", []string{"A-B-3"}, false},
		{"", nil, true},
		{"the parser", nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.names, func(t *testing.T) {
			ids, problem := idsIn(tt.names)
			assert.Equal(t, tt.want, ids)
			assert.Equal(t, tt.wrong, problem != "", problem)
		})
	}
	for _, line := range []string{"**Depends on:** [A-1]", "- **Depends on:** [A-1]", "**depends on**: [A-1]"} {
		names, ok := dependencies(line)
		assert.True(t, ok, line)
		assert.Equal(t, "[A-1]", names)
	}
	_, ok := dependencies("It **depends on:** the weather")
	assert.False(t, ok)
}

// What is wrong is said with its line, all of it at once.
func TestTasksThatCannotBe(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", []string{"1: there is no task; a task begins with a line such as: ### TASK-001: Title"}},
		{"no task", "# Tasks\n\n### Notes\n",
			[]string{"1: there is no task; a task begins with a line such as: ### TASK-001: Title"}},
		{"an ID twice", "### A-1: x\n### A-2: y\n### A-1: z\n", []string{"3: task A-1 is there already, in line 1"}},
		{"an unknown dependency", "### A-1: x\n\n**Depends on:** [A-9]\n",
			[]string{"3: task A-1 depends on A-9, which is no task of the file"}},
		{"a dependency that is no ID", "### A-1: x\n**Depends on:** the parser\n",
			[]string{`2: task A-1 depends on "the parser", expected IDs such as [TASK-001], or —`}},
		{"itself", "### A-1: x\n**Depends on:** [A-1]\n",
			[]string{"1: tasks depend on each other in a circle: A-1 → A-1"}},
		{"a circle",
			"### A-0: w\n**Depends on:** [A-2]\n### A-1: x\n**Depends on:** [A-3]\n### A-2: y\n**Depends on:** " +
				"[A-1]\n### A-3: z\n**Depends on:** [A-2]\n",
			[]string{"3: tasks depend on each other in a circle: A-1 → A-3 → A-2 → A-1"}},
		{"no title", "### A-1:\n### A-2: y\n", []string{"1: task A-1 has no title"}},
		{"no colon", "### A-1 x\n### A-2: y\n",
			[]string{`1: "A-1 x" begins no task; expected such as: ### TASK-001: Title`}},
		{"small letters", "### task-1: x\n### A-2: y\n",
			[]string{`1: "task-1: x" begins no task; expected such as: ### TASK-001: Title`}},
		{"a long ID", "### A-" + strings.Repeat("1", 70) + ": x\n### A-2: y\n",
			[]string{"1: the ID A-" + strings.Repeat("1", 62) + "... is longer than 64 characters"}},
		{"a fence without an end", "### A-1: x\n```go\n### A-2: y\n",
			[]string{"2: the code fence that begins here has no end, and would hide every task behind it"}},
		{"a comment without an end", "### A-1: x\n<!--\n### A-2: y\n",
			[]string{"2: the comment that begins here has no end, and would hide every task behind it"}},
		{"Latin-1", "### A-1: x\n\nna\xefve\n", []string{"3: the file is no text in UTF-8"}},
		{"UTF-16", "\xff\xfe#\x00#\x00", []string{"1: the file is no text in UTF-8"}},
		{"a byte 0", "### A-1: x\n\x00", []string{"2: the file is no text in UTF-8"}},
		{"several", "### A-1: x\n**Depends on:** [A-8]\n### A-1: y\n**Depends on:** [A-9]\n", []string{
			"2: task A-1 depends on A-8, which is no task of the file", "3: task A-1 is there already, in line 1",
			"4: task A-1 depends on A-9, which is no task of the file"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, problems := parseTasks([]byte(tt.text))
			var got []string
			for _, p := range problems {
				got = append(got, p.Error())
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestBlocks(t *testing.T) {
	tests := []struct {
		name, body string
		hidden     bool
	}{
		{"fence", "```\n%s\n```", true},
		{"fence of tildes", "~~~\n%s\n~~~", true},
		{"fence in a list", "- like so:\n  ```md\n  x\n%s\n  ```", true},
		{"a longer fence holds a shorter one", "````\n```\n%s\n```\n````", true},
		{"the other fence does not end it", "```\n~~~\n%s\n~~~\n```", true},
		{"an end with words is none", "```\n``` go\n%s\n```", true},
		{"code in a line is no fence", "```code``` and\n%s", false},
		{"two marks are no fence", "``\n%s\n``", false},
		{"comment", "<!--\n%s\n-->", true},
		{"comment in a line", "<!-- a word -->\n%s", false},
		{"a comment in a fence", "```\n<!--\n```\n%s", false},
		{"a fence in a comment", "<!--\n```\n-->\n%s", false},
		{"code by its indent", "    ```x`\n%s", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tasks := parsed(t, "### A-1: x\n\n"+fmt.Sprintf(tt.body, "### A-2: y")+"\n")
			assert.Equal(t, tt.hidden, len(tasks) == 1)
		})
	}
}

func TestReadTasks(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "tasks.md")
	_, err := readTasks(path)
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = readTasks(dir)
	assert.Error(t, err)

	require.NoError(t, os.WriteFile(path, []byte("### A-1: x\n### A-1: y\n"), 0o600))
	_, err = readTasks(path)
	assert.EqualError(t, err, path+":2: task A-1 is there already, in line 1")

	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("### A-1: x\n", 30)), 0o600))
	_, err = readTasks(path)
	assert.Equal(t, 20, strings.Count(err.Error(), "\n"))
	assert.Contains(t, err.Error(), "and 9 problems more")

	require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("x\n"), maxTasksFile/2+1), 0o600))
	_, err = readTasks(path)
	assert.ErrorContains(t, err, "more than 16777216 bytes")
}

// chained returns tasks of which each waits for the one before, and the first one for the one that
// is named.
func chained(size int, first string) (text string, n int) {
	var b strings.Builder
	words := strings.Repeat("words ", 100)
	for ; b.Len() < size; n++ {
		fmt.Fprintf(&b, "### T-%d: title\nP1 | ⬜ TODO\n%s\n**Depends on:** %s\n\n", n, words, first)
		first = fmt.Sprintf("[T-%d]", n)
	}
	return b.String(), n
}

func TestTenMegabytes(t *testing.T) {
	text, n := chained(10<<20, "—")
	assert.Len(t, parsed(t, text), n)
}

func TestACircleThroughAllTasks(t *testing.T) {
	_, n := chained(1<<20, "—")
	text, _ := chained(1<<20, fmt.Sprintf("[T-%d]", n-1))
	_, problems := parseTasks([]byte(text))
	require.Len(t, problems, 1)
	assert.Less(t, len(problems[0].Error()), 200)
	assert.Contains(t, problems[0].Error(), "1: tasks depend on each other in a circle: T-0 → ")
}

// Whatever a file holds: what is read from it can be worked on in some order.
func FuzzTasks(f *testing.F) {
	f.Add([]byte(specification))
	f.Add([]byte("### A-1: x\r\n**Depends on:** [A-2]\r\n### A-2: y\r\n~~~\r\n### A-3: z"))
	f.Add([]byte("\uFEFF## Milestone\n<!--\n### A-1: x\n-->\n### A-1: x #\n✅ DONE | P9"))
	f.Fuzz(func(t *testing.T, text []byte) {
		tasks, problems := parseTasks(text)
		if len(problems) > 0 {
			for _, p := range problems {
				line := lineOf(p)
				require.True(t, line >= 1 && line <= bytes.Count(text, []byte("\n"))+1, "%v", p)
			}
			return
		}
		require.NotEmpty(t, tasks)
		left := map[string]bool{}
		for _, tk := range tasks {
			require.False(t, left[tk.ID])
			require.True(t, tk.ID != "" && tk.Title != "" && len(tk.ID) <= maxTaskID && tk.Priority >= 0 &&
				tk.Priority <= lastPriority)
			require.NotContains(t, tk.Title, "\n")
			require.True(t, strings.HasPrefix(tk.Prompt, "# "+tk.ID+": "+tk.Title+"\n"))
			left[tk.ID] = true
		}
		for len(left) > 0 {
			before := len(left)
			for _, tk := range tasks {
				if left[tk.ID] && !anyOf(left, tk.DependsOn) {
					delete(left, tk.ID)
				}
			}
			require.Less(t, len(left), before, "a circle")
		}
	})
}

func anyOf(set map[string]bool, names []string) bool {
	for _, n := range names {
		if set[n] {
			return true
		}
	}
	return false
}
