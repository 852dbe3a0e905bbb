package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ended is what a command line came to.
type ended struct {
	code       int
	out, hints string
}

// do runs a command line in this process.
func do(args ...string) ended {
	var out, hints bytes.Buffer
	code := run(args, &out, &hints)
	return ended{code, out.String(), hints.String()}
}

func (e ended) outcome(t *testing.T) outcome {
	t.Helper()
	var o outcome
	require.NoError(t, json.Unmarshal([]byte(e.out), &o), "%s%s", e.out, e.hints)
	assert.Equal(t, e.code, o.Exit)
	return o
}

// files writes files below a new directory and returns that.
func files(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

const oneTask = "### TASK-001: One\nP0 | TODO\n\nDo one.\n"

func TestUsage(t *testing.T) {
	const agent = "agent: {command: [sh]}\n"
	for _, c := range []struct {
		name, args, tasks, config, want string
	}{
		{"an unknown flag", "-colour", oneTask, agent, "-colour"},
		{"an argument", "now", oneTask, agent, `unexpected argument "now"`},
		{"status and resume", "-status -resume", oneTask, agent, "-status"},
		{"reset and task", "-reset A -task B", oneTask, agent, "-reset"},
		{"a directory that is not there", "-dir nowhere", oneTask, agent, "is not a directory"},
		{"a configuration that is not there", "-config other.yml", oneTask, agent, "other.yml"},
		{"a faulty configuration", "", oneTask, agent + "max_retries: -1\non_failure: never\n",
			"specrunner.yml:3: on_failure"},
		{"two states", "", oneTask, agent + "state: a.db\nprefix: b\n", "prefix"},
		{"a prefix that leads away", "", oneTask, agent + "prefix: ../x\n", "prefix"},
		{"a profile of the configuration", "", oneTask, agent + "profile: phase2\n", "profile"},
		{"an unknown override", "", oneTask, agent +
			"overrides: {policies: {attempt: {max_attempts: 4}}}\n", `"attempt"`},
		{"no agent", "", oneTask, "max_retries: 2\n", "agent"},
		{"no tasks", "", "", agent, "tasks.md"},
		{"a faulty tasks file", "", oneTask + "**Depends on:** [TASK-009]\n", agent, "TASK-009"},
		{"an unknown task", "-task TASK-002", oneTask, agent, "-task TASK-002 is"},
		{"an unknown task to reset", "-reset TASK-002", oneTask, agent, "-reset TASK-002 is"},
	} {
		t.Run(c.name, func(t *testing.T) {
			texts := map[string]string{"specrunner.yml": c.config}
			if c.tasks != "" {
				texts["spec/tasks.md"] = c.tasks
			}
			got := do(append([]string{"-dir=" + files(t, texts)}, strings.Fields(c.args)...)...)
			assert.Equal(t, exitUsage, got.code, got.hints)
			assert.Contains(t, got.hints, c.want)
			assert.Contains(t, got.hints, "specrunner -help")
			assert.Empty(t, got.out)
		})
	}
}

// A budget of an unknown task is a warning.
func TestBudgetOfUnknownTask(t *testing.T) {
	got := do("-status", "-dir="+files(t, map[string]string{
		"specrunner.yml": "agent: {command: [sh]}\nbudget: {tasks: {TASK-001: {usd: 1}, TASK-01: {usd: 2}}}\n",
		"spec/tasks.md":  oneTask,
	}))
	assert.Equal(t, exitDone, got.code)
	assert.Contains(t, got.hints, "specrunner: warning: budget.tasks: TASK-01 is not a task")
	assert.NotContains(t, got.hints, "TASK-001")
}

func TestUnusableState(t *testing.T) {
	texts := map[string]string{"specrunner.yml": "agent: {command: [sh]}\n", "spec/tasks.md": oneTask}
	for name, spoil := range map[string]func(t *testing.T, path string){
		"a directory": func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o700)) },
		"no database": func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("no database "), 1000), 0o600))
		},
	} {
		for _, args := range []string{"", "-resume", "-status", "-reset TASK-001"} {
			t.Run(name+" "+args, func(t *testing.T) {
				dir := files(t, texts)
				spoil(t, filepath.Join(dir, "spec", ".executor-state.db"))
				got := do(append([]string{"-dir=" + dir}, strings.Fields(args)...)...)
				assert.Equal(t, exitBroken, got.code, got.hints)
				assert.Contains(t, got.hints, ".executor-state.db")
			})
		}
	}
}

// -status creates no state.
func TestStatusOfNothing(t *testing.T) {
	dir := files(t, map[string]string{"spec/tasks.md": oneTask + "\n### TASK-002: Two\nP1 | DONE\n\nDo two.\n"})
	got := do("-dir="+dir, "-status")
	require.Equal(t, exitDone, got.code, got.hints)
	assert.Regexp(t, `(?m)^TASK-001 +pending +0 `, got.out)
	assert.Regexp(t, `(?m)^TASK-002 +completed +0 `, got.out)
	assert.NoFileExists(t, filepath.Join(dir, "spec", ".executor-state.db"))
}
