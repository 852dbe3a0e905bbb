//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
)

// A plan is never taken for another, nor a tree, because nobody has named the run.
func TestRunName(t *testing.T) {
	name := func(o options) string {
		got, err := o.runName()
		require.NoError(t, err)
		return got
	}
	assert.Equal(t, "plan", name(options{plan: "demo/plan.md"}), "it is not kept")
	assert.Equal(t, "mine", name(options{plan: "demo/plan.md", state: "s", run: "mine"}))
	assert.Regexp(t, "^plan-[0-9a-f]{8}$", name(options{plan: "demo/plan.md", state: "s"}))
	assert.Equal(t, name(options{plan: "demo/plan.md", state: "s"}),
		name(options{plan: "./demo/../demo/plan.md", state: "t"}))
	seen := map[string]bool{}
	for _, o := range []options{{plan: "demo/plan.md"}, {plan: "plan.md"}, {plan: "demo/plan.md", dir: "a"},
		{plan: "demo/plan.md", dir: "b"}} {
		o.state = "s"
		assert.False(t, seen[name(o)])
		seen[name(o)] = true
	}
	for _, odd := range []string{"é", "..md", "-", strings.Repeat("x", 200) + ".md", "a b\n.md"} {
		assert.Regexp(t, nameForm, name(options{plan: odd, state: "s"}))
	}
}

func TestQuoted(t *testing.T) {
	for _, arg := range []string{"a", "a b", "", "it's", "$(touch x)", "`x`", `\`, "*", "-x", "a\nb", "é"} {
		out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+quoted(arg)).Output()
		require.NoError(t, err)
		assert.Equal(t, arg, string(out))
	}
}

// Two plans in one place of state are two runs, and what is remembered is said to be.
func TestRemembered(t *testing.T) {
	state, dir := t.TempDir(), project(t)
	script := map[string]string{"haiku": "replies:\n  - do: [{write: a.md, text: all}]\n    say: 'STEP DONE {mark}'\n"}
	one, other := staged(t, script), staged(t, script)
	require.NoError(
		t, os.WriteFile(other, []byte("# Another\n## Step 9\nWrite a.md.\n### Success criteria\n- exists: a.md\n"),
			0o600))
	args := func(plan string) []string { return []string{"-state", state, "-dir", dir, plan} }

	first := do(t.Context(), args(one)...)
	require.Equal(t, exitDone, first.code, first.hints)
	assert.NotContains(t, first.out, "has ended before")
	second := do(t.Context(), args(other)...)
	assert.Equal(t, exitDone, second.code, second.hints)
	assert.Contains(t, second.out, "[x] 9\n")
	assert.NotContains(t, second.out, "has ended before")

	again := do(t.Context(), args(one)...)
	assert.Equal(t, exitDone, again.code, again.hints)
	assert.Regexp(
		t, `^The run plan-[0-9a-f]{8} has ended before\. This is how; another -run carries the plan out anew\.`+"\n",
		again.out)
	assert.Contains(t, again.out, "the run ends: completed")
}

// A run that was kept for one tree says nothing of another.
func TestAnotherTree(t *testing.T) {
	state := t.TempDir()
	plan := staged(
		t, map[string]string{"haiku": "replies:\n  - do: [{write: a.md, text: all}]\n    say: 'STEP DONE {mark}'\n"})
	require.Equal(t, exitDone, do(t.Context(), "-state", state, "-run", "a", "-dir", project(t), plan).code)
	got := do(t.Context(), "-state", state, "-run", "a", "-dir", project(t), plan)
	assert.Equal(t, exitUsage, got.code, got.out)
	assert.Contains(t, got.hints, "tree")
	assert.NotContains(t, got.out, "[x]")
}

// A run that is refused says why, and not how steps stand that nobody has looked at.
func TestRefused(t *testing.T) {
	state, dir := t.TempDir(), withPlan(t, "c.md")
	name := filepath.Join(dir, "plans", "plan.md")
	require.Equal(t, exitBlocked, do(t.Context(), "-dir", dir, "-state", state, name).code)
	put(t, name, strings.Replace(demanding, "Write a.md", "Write another a.md", 1))
	got := do(t.Context(), "-dir", dir, "-state", state, "-answer", "x", name)
	assert.Equal(t, exitUsage, got.code)
	assert.Equal(
		t, "orchestrator: step 1 is done, and the plan has it otherwise now; give it back to the plan as it was, "+
			"or begin a run of another name\n", got.hints)
	assert.NotContains(t, got.out, "[ ]")
	r, code := refused(t, "-dir", dir, "-state", state, "-answer", "x", name)
	assert.Equal(t, exitUsage, code)
	assert.Equal(t, escalate.EndRefused, r.EndReason)
}

// Below a question stands how it is answered, and that can be done as it stands there.
func TestAnswering(t *testing.T) {
	state, dir := filepath.Join(t.TempDir(), "the state"), project(t)
	got := do(t.Context(), "-state", state, "-dir", dir, "-forbid", "secret*", "-time", "5m", "-step-time", "1h",
		"-turns", "9", "-commit", "demo/question.md")
	require.Equal(t, exitBlocked, got.code)
	_, line, found := strings.Cut(got.out, "\nAnswer:\n  orchestrator ")
	require.True(t, found, got.out)
	line = strings.TrimSpace(line)
	assert.Contains(t, line, " -forbid 'secret*' -commit -step-time 1h0m0s -time 5m0s -turns 9 demo/question.md")
	out, err := exec.CommandContext(t.Context(), "sh", "-c",
		`for a in `+strings.Replace(line, "TEXT", "250 cents", 1)+`; do echo "$a"; done`).Output()
	require.NoError(t, err)
	answered := do(t.Context(), strings.Split(strings.TrimSpace(string(out)), "\n")...)
	assert.Equal(t, exitDone, answered.code, answered.hints)

	assert.Contains(t, do(t.Context(), "demo/question.md").out,
		"\nThe run is not kept, so that it cannot be answered. With -state it is.\n")
	assert.NotContains(t, do(t.Context(), "demo/missing.md").out, "cannot be answered",
		"it is enough to provide what is missing")
}
