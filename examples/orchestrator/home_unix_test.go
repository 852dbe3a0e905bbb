//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
)

// A run that is killed loses nobody's work: the same command goes on with it, and puts back what it
// has left.
func TestKilled(t *testing.T) {
	// once tells its process ID and waits, unless it has done so before.
	const once = "test -e FLAG && exit 1; touch FLAG; echo $$ > PIPE; exec sleep 600"
	tests := []struct{ name, tier, criterion string }{
		{"while a tier is at work", `{run: [sh, -c, "` + once + `"]}`, "exit 1"},
		{"while its work is verified", "", once},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, own := project(t), t.TempDir()
			pipe := filepath.Join(own, "pipe")
			require.NoError(t, syscall.Mkfifo(pipe, 0o600))
			place := strings.NewReplacer("FLAG", filepath.Join(own, "flag"), "PIPE", pipe)
			act := "{write: a.md, text: agent}, {write: new.md, text: agent}"
			if tt.tier != "" {
				act += ", " + place.Replace(tt.tier)
			}
			plan := staged(
				t, map[string]string{"haiku": "replies:\n  - times: 9\n    do: [" + act +
					"]\n    say: 'STEP DONE {mark}'\n"})
			put(t, plan, "# T\n## Step 1\nWrite a.md.\n### Success criteria\n- command: sh -c '"+
				place.Replace(tt.criterion)+"'\n")
			mine := put(t, filepath.Join(dir, "a.md"), "mine, and not committed\n")

			cmd := program(t, "-dir", dir, plan)
			require.NoError(t, cmd.Start())
			pid := begun(t, pipe)
			// it may not have been written down yet, and is not ended then
			t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
			require.NoError(t, cmd.Process.Kill())
			_ = cmd.Wait()
			assert.Equal(t, "agent", textOf(t, mine), "nobody could put it back")

			other := staged(t, map[string]string{"haiku": "replies: [{say: 'STEP DONE {mark}'}]\n"})
			warned := do(t.Context(), "-dir", dir, other)
			assert.Equal(t, exitDone, warned.code, warned.hints)
			assert.Regexp(t, `run plan-[0-9a-f]{8} has died in this wor`, warned.out)

			got := do(t.Context(), "-dir", dir, plan)
			assert.Equal(t, exitBlocked, got.code, got.hints)
			assert.Contains(t, got.out, "the run begins: resumed")
			assert.Contains(t, got.out, "is put back")
			assert.Equal(t, "mine, and not committed\n", textOf(t, mine))
			assert.Equal(t, "?? a.md", git(t, dir, "status", "--porcelain"), "nothing else is in the tree")
		})
	}
}

func textOf(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(b)
}

// What is done is not remembered: who runs the plan again wants it carried out again.
func TestDoneIsNotKept(t *testing.T) {
	dir := project(t)
	plan := staged(
		t, map[string]string{"haiku": "replies:\n  - do: [{write: a.md, text: all}]\n    say: 'STEP DONE {mark}'\n"})
	for range 2 {
		r, code := result(t, "-dir", dir, plan)
		assert.Equal(t, exitDone, code)
		assert.False(t, r.Resumed)
		assert.Equal(t, 1, r.Calls)
		require.NoError(t, os.Remove(filepath.Join(dir, "a.md")))
	}
	assert.Empty(t, keptIn(t, dir))
	got := do(t.Context(), "-dir", dir, "-answer", "x", plan)
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.hints, "there is no run of this name")
}

// keptIn returns what is kept of runs in a working tree's own directory of git.
func keptIn(t *testing.T, dir string) (all []string) {
	t.Helper()
	for _, pattern := range []string{"runs/*.json", "calls/plan-*", "calls/question-*"} {
		found, err := filepath.Glob(filepath.Join(dir, ".git", homeName, pattern))
		require.NoError(t, err)
		all = append(all, found...)
	}
	return all
}

// A run whose end could not be followed by letting go of it is over all the same: what nobody has
// seen is shown, once.
func TestDoneAndDied(t *testing.T) {
	dir := project(t)
	plan := staged(
		t, map[string]string{"haiku": "replies:\n  - do: [{write: a.md, text: all}]\n    say: 'STEP DONE {mark}'\n"})
	o := options{plan: plan, dir: dir}
	name, err := o.runName()
	require.NoError(t, err)
	home := filepath.Join(dir, ".git", homeName)
	require.Equal(t, exitDone, do(t.Context(), "-dir", dir, "-state", home, "-run", name, plan).code)
	require.NoError(t, os.Rename(filepath.Join(home, "calls"), filepath.Join(home, name)))
	require.NoError(t, os.MkdirAll(filepath.Join(home, "calls"), 0o700))
	require.NoError(t, os.Rename(filepath.Join(home, name), filepath.Join(home, "calls", name)))
	require.Len(t, keptIn(t, dir), 2)
	got := do(t.Context(), "-dir", dir, plan)
	assert.Equal(t, exitDone, got.code)
	assert.Contains(t, got.out, "has ended before. This is how; the same command then carries the plan out anew.\n")
	assert.Contains(t, got.out, "[x] 1\n")
	assert.Empty(t, keptIn(t, dir))
	require.NoError(t, os.Remove(filepath.Join(dir, "a.md")))
	anew := do(t.Context(), "-dir", dir, plan)
	assert.Equal(t, exitDone, anew.code)
	assert.NotContains(t, anew.out, "has ended before")
}

// What a completed run came to can be had again when it could not be written.
func TestResultThatCannotBeWritten(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"text", nil, "write the output: no space left on device"},
		{"JSON", []string{"-json"}, "write the output: no space left on device"},
		{"a diagram", []string{"-diagram", "DIR/d.mmd"}, "write DIR/d.mmd: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, own := project(t), t.TempDir()
			plan := staged(
				t, map[string]string{"haiku": "replies:\n  - do: [{write: a.md, text: all}, {run: [chmod, '500', " +
					own + "]}]\n    say: 'STEP DONE {mark}'\n"})
			t.Cleanup(func() { _ = os.Chmod(own, 0o700) })
			place := strings.NewReplacer("DIR", own)
			args := []string{"-dir", dir}
			for _, arg := range tt.args {
				args = append(args, place.Replace(arg))
			}
			var out io.Writer = full{}
			if tt.name == "a diagram" {
				if os.Geteuid() == 0 {
					t.Skip("nothing is shut to the superuser")
				}
				out = io.Discard
			}
			var hints bytes.Buffer
			assert.Equal(t, exitFailed, run(t.Context(), append(args, plan), strings.NewReader(""), out, &hints))
			assert.Contains(t, hints.String(), place.Replace(tt.want))
			assert.NotEmpty(t, keptIn(t, dir))

			r, code := result(t, "-dir", dir, plan)
			assert.Equal(t, exitDone, code)
			assert.Equal(t, []any{escalate.EndCompleted, 1}, []any{r.EndReason, r.Calls})
			assert.Empty(t, keptIn(t, dir))
		})
	}
	t.Run("of another plan than it was", func(t *testing.T) {
		dir := project(t)
		plan := staged(
			t, map[string]string{"haiku": "replies:\n  - do: [{write: a.md, text: all}]\n    say: 'STEP DONE " +
				"{mark}'\n"})
		require.Equal(
			t, exitFailed, run(t.Context(), []string{"-dir", dir, plan}, strings.NewReader(""), full{}, io.Discard))
		require.NoError(t, os.Remove(filepath.Join(dir, "a.md")))
		put(t, plan, "# T\n## Step 7\nWrite a.md.\n### Success criteria\n- exists: a.md\n")
		got := do(t.Context(), "-dir", dir, plan)
		assert.Equal(t, exitDone, got.code, got.hints)
		assert.Contains(t, got.out, "[x] 7\n")
		assert.NotContains(t, got.out, "has ended before", "it is carried out anew")
		assert.FileExists(t, filepath.Join(dir, "a.md"))
	})
}

// A question in a tree of one's own can be answered with nothing but the command that stands below
// it.
func TestAnsweringInTheTree(t *testing.T) {
	ask := func(t *testing.T) (dir string) {
		dir = project(t)
		got := do(t.Context(), "-dir", dir, "demo/question.md")
		require.Equal(t, exitBlocked, got.code)
		_, line, found := strings.Cut(got.out, "\nAnswer:\n  orchestrator -answer 'TEXT' ")
		require.True(t, found, got.out)
		assert.NotContains(t, line, "-state")
		assert.Contains(t, line, " -dir "+dir+" demo/question.md")
		return dir
	}
	t.Run("answered", func(t *testing.T) {
		dir := ask(t)
		again := do(t.Context(), "-dir", dir, "demo/question.md")
		assert.Equal(t, exitBlocked, again.code)
		assert.Contains(
			t, again.out,
			"has ended before. This is how; after -give-up, or with another -run, the plan is carried out anew.\n")
		assert.Contains(t, again.out, "what a delivery costs, in cents")
		r, code := result(t, "-dir", dir, "-answer", "250 cents", "demo/question.md")
		assert.Equal(t, exitDone, code)
		assert.True(t, r.Resumed)
		assert.Empty(t, keptIn(t, dir))
	})
	t.Run("given up", func(t *testing.T) {
		dir := ask(t)
		got := do(t.Context(), "-dir", dir, "-give-up", "demo/question.md")
		assert.Equal(t, exitFailed, got.code)
		assert.NotContains(t, got.out, "Answer:")
		assert.Empty(t, keptIn(t, dir))
		r, code := result(t, "-dir", dir, "demo/question.md")
		assert.Equal(t, exitBlocked, code)
		assert.False(t, r.Resumed, "it begins anew")
		assert.Equal(t, 4, r.Calls)
	})
	t.Run("another plan", func(t *testing.T) {
		dir := ask(t)
		r, code := result(t, "-dir", dir, "demo/plan.md")
		assert.Equal(t, exitDone, code)
		assert.False(t, r.Resumed)
		assert.NotEmpty(t, keptIn(t, dir), "the question still stands")
	})
	t.Run("under a name", func(t *testing.T) {
		dir := ask(t)
		r, code := result(t, "-dir", dir, "-run", "again", "demo/question.md")
		assert.Equal(t, exitBlocked, code)
		assert.Equal(t, []any{"again", false}, []any{r.Run, r.Resumed})
	})
}

// A run that has failed is kept, too, and it is said how it is taken up again.
func TestFailedIsKept(t *testing.T) {
	dir := project(t)
	args := []string{"-dir", dir, "-profile", "chains", "demo/question.md"}
	got := do(t.Context(), args...)
	require.Equal(t, exitFailed, got.code)
	assert.Contains(t, got.out, "\nTake it up again:\n  orchestrator -answer 'TEXT' ")
	r, code := result(t, args...)
	assert.Equal(t, exitFailed, code)
	assert.Equal(t, 1, r.Calls, "it does not begin again by itself")
	_, code = result(t, append([]string{"-answer", "250 cents"}, args...)...)
	assert.Equal(t, exitDone, code)
}

// What is only checked keeps nothing.
func TestCheckKeepsNothing(t *testing.T) {
	dir := project(t)
	require.Equal(t, exitDone, do(t.Context(), "-check", "-dir", dir, "demo/plan.md").code)
	assert.NoDirExists(t, filepath.Join(dir, ".git", homeName))
}

// Nothing that is read is written over.
func TestOutputsOntoInputs(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "p.md"), "# T\n## Step 1\nWrite a.md.\n### Success criteria\n- exists: a.md\n")
	put(t, filepath.Join(dir, "tiers.yaml"), "haiku: {provider: scripted, script: s/haiku.yaml}\n")
	put(t, filepath.Join(dir, "s", "haiku.yaml"),
		"replies:\n  - do: [{write: a.md, text: all}]\n    say: 'STEP DONE {mark}'\n")
	put(t, filepath.Join(dir, "other.txt"), "x")
	require.NoError(t, os.Symlink("p.md", filepath.Join(dir, "link.md")))
	require.NoError(t, os.Symlink("s", filepath.Join(dir, "t")))
	require.NoError(t, os.Link(filepath.Join(dir, "p.md"), filepath.Join(dir, "hard.md")))
	put(t, filepath.Join(dir, "scripts", "haiku.yaml"), "replies: [{say: x}]\n")
	tree := project(t)
	t.Chdir(dir)
	const tiers = "-tiers tiers.yaml "
	for _, tt := range []struct{ args, want string }{
		{tiers + "-diagram p.md p.md", "-diagram p.md is the file p.md, which is read"},
		{tiers + "-corrected p.md p.md", "-corrected p.md is the file p.md, which is read"},
		{tiers + "-corrected link.md p.md", "-corrected link.md is the file p.md, which is read"},
		{tiers + "-diagram p.md link.md", "-diagram p.md is the file link.md, which is read"},
		{tiers + "-diagram hard.md p.md", "-diagram hard.md is the file p.md, which is read"},
		{tiers + "-diagram ./s/../tiers.yaml p.md", "is the file tiers.yaml, which is read"},
		{tiers + "-diagram t/haiku.yaml p.md", "which is read"},
		{"-diagram scripts/opus.yaml p.md", "-diagram scripts/opus.yaml is the file scripts/opus.yaml, which is read"},
		{tiers + "-diagram out -corrected ./out p.md", "-diagram and -corrected are one file"},
		{tiers + "-diagram s/out -corrected t/out p.md", "-diagram and -corrected are one file"},
		{tiers + "-diagram s/other -corrected other.txt p.md", ""},
	} {
		got := do(t.Context(), append([]string{"-dir", tree}, strings.Fields(tt.args)...)...)
		if tt.want == "" {
			assert.Equal(t, exitDone, got.code, got.hints)
			continue
		}
		assert.Equal(t, exitUsage, got.code, tt.args)
		assert.Contains(t, got.hints, tt.want, tt.args)
	}
	assert.Contains(t, textOf(t, "p.md"), "# T\n")
	assert.Contains(t, textOf(t, "tiers.yaml"), "haiku")
	assert.Contains(t, textOf(t, filepath.Join("s", "haiku.yaml")), "replies")
}
