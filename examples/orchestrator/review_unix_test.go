//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
)

// staged writes a plan with one step, and the scripts of its tiers. In a script a line that begins
// with a brace is the block that ends an answer.
func staged(t *testing.T, scripts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "plan.md")
	require.NoError(
		t, os.WriteFile(path, []byte("# T\n## Step 1\nWrite a.md.\n### Success criteria\n- exists: a.md\n"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "scripts"), 0o700))
	for name, script := range scripts {
		script = strings.ReplaceAll(script, "JSON{", "'```json\n\n      {\"mark\":\"{mark}\",")
		script = strings.ReplaceAll(script, "}JSON", "}\n\n      ```'")
		require.NoError(t, os.WriteFile(filepath.Join(dir, "scripts", name+".yaml"), []byte(script), 0o600))
	}
	return path
}

// Only a review can find that an agent departs from its instructions, and what it finds does not
// count. B-O03
func TestReview(t *testing.T) {
	path := staged(t, map[string]string{
		"haiku": `replies:
  - do: [{write: a.md, text: lies}]
    say: 'STEP DONE {mark}'
`,
		"sonnet": `replies:
  - role: diagnose
    say: JSON{"verdict":"simple","cause":"it is made up","fix":"write what is so"}JSON
  - role: fix
    do: [{write: a.md, text: truth}]
    say: JSON{"status":"done"}JSON
`,
		"opus": `replies:
  - role: review_plan
    times: 2
    say: JSON{"faults":[]}JSON
  - role: review
    step: "1"
    say: JSON{"findings":[{"finding":"fabrication","text":"a.md is made up","files":["a.md"]}]}JSON
  - role: review
    say: JSON{"findings":[]}JSON
`,
	})
	dir := project(t)
	r, code := result(t, "-review", "opus", "-dir", dir, path)
	require.Equal(t, exitDone, code, r.Error)
	assert.Equal(t, "INTER_AGENT_MISALIGNMENT", r.Steps[0].Attempts[0].Code)
	assert.Equal(t, "review", r.Steps[0].Attempts[0].Findings[0].Source)
	assert.Equal(t, "sonnet", r.Steps[0].By)
	b, err := os.ReadFile(filepath.Join(dir, "a.md"))
	require.NoError(t, err)
	assert.Equal(t, "truth", string(b))
}

// A reviewer that finds a fault in the plan blocks it before anything is done. O23
func TestReviewOfThePlan(t *testing.T) {
	path := staged(t, map[string]string{
		"haiku": "replies: [{say: never}]\n",
		"opus": `replies:
  - role: review_plan
    say: JSON{"faults":[{"kind":"several_readings","step":"1","text":"what is to be in a.md"}]}JSON
`,
	})
	r, code := result(t, "-review", "opus", "-dir", project(t), path)
	assert.Equal(t, exitBlocked, code)
	assert.Equal(t, escalate.EndPlan, r.EndReason)
	assert.Zero(t, r.Calls)
	assert.Equal(t, "AMBIGUITY_ERROR", r.ErrorCode)
	assert.Contains(t, strings.Join(r.Question.Needed, "\n"), "what is to be in a.md")
}

// What an agent calls its failure does not count where no rule takes it, whoever says it. B-O03
func TestLyingLabel(t *testing.T) {
	path := staged(t, map[string]string{
		"sonnet": `replies:
  - say: JSON{"status":"failed","code":"INTER_AGENT_MISALIGNMENT","details":"the reviewer is wrong"}JSON
`,
	})
	r, code := result(t, "-dir", project(t), path)
	assert.NotEqual(t, exitDone, code)
	first := r.Steps[0].Attempts[0]
	assert.Equal(t, "INTER_AGENT_MISALIGNMENT", first.Claimed)
	assert.NotEmpty(t, first.Refused)
	assert.NotEqual(t, "INTER_AGENT_MISALIGNMENT", first.Code)
}
