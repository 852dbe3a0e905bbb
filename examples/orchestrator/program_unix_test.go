//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// done is what the program came to.
type done struct {
	code       int
	out, hints string
}

func do(ctx context.Context, args ...string) done {
	var out, hints bytes.Buffer
	code := run(ctx, args, strings.NewReader(""), &out, &hints)
	return done{code, out.String(), hints.String()}
}

// result runs the program with -json, and returns the result and the exit code.
func result(t *testing.T, args ...string) (*escalate.Result, int) {
	t.Helper()
	got := do(t.Context(), append(args, "-json")...)
	require.Empty(t, got.hints)
	return decoded(t, got), got.code
}

// refused does the same with a run that is refused, for which there are hints.
func refused(t *testing.T, args ...string) (*escalate.Result, int) {
	t.Helper()
	got := do(t.Context(), append(args, "-json")...)
	require.NotEmpty(t, got.hints)
	return decoded(t, got), got.code
}

func decoded(t *testing.T, got done) *escalate.Result {
	t.Helper()
	var r escalate.Result
	require.NoError(t, json.Unmarshal([]byte(got.out), &r), got.out)
	return &r
}

// project returns a working tree with the files of the demo's project.
func project(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	require.NoError(t, makeRepository(t.Context(), dir, os.DirFS("demo/project")))
	return dir
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return strings.TrimSpace(string(out))
}

// The plan misnames a file. Haiku says so raw, rules classify it, sonnet finds the right name,
// corrects the step, carries it out and writes its report; the next step begins. O21
func TestWalkthrough(t *testing.T) {
	dir := project(t)
	corrected := filepath.Join(t.TempDir(), "plan.md")
	before, err := os.ReadFile("demo/plan.md")
	require.NoError(t, err)
	r, code := result(t, "-dir", dir, "-commit", "-corrected", corrected, "demo/plan.md")
	require.Equal(t, exitDone, code, r.Error)
	require.Len(t, r.Steps, 3)

	t.Run("the step that names another file", func(t *testing.T) {
		s := r.Steps[1]
		require.Len(t, s.Attempts, 3)
		raw := s.Attempts[0]
		assert.Equal(t, "haiku", raw.Tier)
		assert.Contains(t, raw.Said, "Error: File not found: ", "O19: raw")
		assert.Empty(t, raw.Claimed, "O19: without a label")
		assert.Equal(t, "PREREQUISITE_FAILURE", raw.Code)
		assert.False(t, raw.Retryable, "O26")
		assert.Equal(t, taxonomy.Fault, raw.Kind)
		assert.Equal(t, escalate.Prevention, raw.Response)
		found := s.Attempts[1]
		assert.Equal(t, []any{"sonnet", escalate.Diagnose}, []any{found.Tier, found.Role}, "O28")
		require.NotNil(t, found.Diagnosis)
		assert.Equal(t, escalate.Simple, found.Diagnosis.Verdict)
		mended := s.Attempts[2]
		assert.Equal(t, []any{"sonnet", escalate.Fix, true}, []any{mended.Tier, mended.Role, mended.Counts}, "O29")
		assert.Equal(t, escalate.StepDone, s.State)
		assert.Equal(t, "sonnet", s.By)
		require.NotNil(t, s.Correction)
		assert.Contains(t, s.Correction.Old, "CLAUDE.md")
		assert.Contains(t, s.Correction.New, "AGENTS.md")
		assert.Equal(t, []string{"reports/2.3.md"}, s.Files)
	})
	t.Run("a claim that is not so", func(t *testing.T) {
		s := r.Steps[2]
		lie := s.Attempts[0]
		assert.Contains(t, lie.Said, "all tests pass")
		assert.Equal(t, "EXECUTION_ERROR", lie.Code, "B-O10: the gate says otherwise")
		assert.NotEmpty(t, lie.SavedRef)
		assert.Equal(t, []string{"order_test.go"}, s.Files, "what the lie had left is put back")
	})
	t.Run("a tier that is rate-limited", func(t *testing.T) {
		s := r.Steps[0]
		require.Len(t, s.Attempts, 1, "it is no failure of the step")
		assert.Equal(t, "haiku", s.By)
	})
	t.Run("what is left", func(t *testing.T) {
		report, err := os.ReadFile(filepath.Join(dir, "reports", "2.3.md"))
		require.NoError(t, err)
		assert.Contains(t, string(report), "cents")
		assert.Empty(t, git(t, dir, "status", "--porcelain"), "everything is committed")
		assert.Equal(t, r.Steps[2].Commit, git(t, dir, "rev-parse", "HEAD"))
		assert.Equal(t, "4", git(t, dir, "rev-list", "--count", "HEAD"))
	})
	t.Run("the plan", func(t *testing.T) {
		after, err := os.ReadFile("demo/plan.md")
		require.NoError(t, err)
		assert.Equal(t, string(before), string(after), "it is never changed")
		text, err := os.ReadFile(corrected)
		require.NoError(t, err)
		assert.Equal(
			t, strings.Replace(string(before), "Read CLAUDE.md, and write to", "Read AGENTS.md, and write to", 1),
			string(text))
	})
}

// What is missing is found before anything is carried out, all of it. O22 O23
func TestMissing(t *testing.T) {
	missing := []string{"shop-publish", "SHOP_TOKEN", "charts/data", "charts/style.json", "127.0.0.1:1"}
	t.Run("only checked", func(t *testing.T) {
		got := do(t.Context(), "-check", "demo/missing.md")
		assert.Equal(t, exitFailed, got.code)
		for _, name := range missing {
			assert.Regexp(t, `(?m)^\[!\] .*`+name, got.out)
		}
		assert.Contains(t, got.out, "[ ] step 4.2      file       charts/out/january.svg        made by step 4.1")
		assert.Contains(t, got.out, "1 of 6 prerequisites are met, 2 steps, 0 faults")
	})
	t.Run("in JSON", func(t *testing.T) {
		got := do(t.Context(), "-check", "-json", "demo/missing.md")
		assert.Equal(t, exitFailed, got.code)
		var c checkup
		require.NoError(t, json.Unmarshal([]byte(got.out), &c))
		assert.Len(t, c.Prerequisites, 6)
	})
	t.Run("carried out", func(t *testing.T) {
		r, code := result(t, "demo/missing.md")
		assert.Equal(t, exitBlocked, code)
		assert.Equal(t, escalate.EndPlan, r.EndReason)
		assert.Zero(t, r.Calls, "nobody is called")
		require.NotNil(t, r.Question)
		for _, name := range missing {
			assert.Contains(t, strings.Join(r.Question.Needed, "\n"), name)
		}
	})
	t.Run("nothing is missing", func(t *testing.T) {
		got := do(t.Context(), "-check", "demo/plan.md")
		assert.Equal(t, exitDone, got.code, got.out)
	})
	t.Run("a fault of the plan", func(t *testing.T) {
		got := do(t.Context(), "-check", "-dir", project(t), written(t, "# T\n## Step 1\nDo it.\n"))
		assert.Equal(t, exitFailed, got.code)
		assert.Contains(t, got.out, "plan.md:2: the step has no criteria")
	})
}

func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plan.md")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// Where no tier can decide a person is asked, and the answer resumes the run. O30
func TestQuestion(t *testing.T) {
	ask := func(t *testing.T) (state, dir string) {
		state, dir = t.TempDir(), project(t)
		r, code := result(t, "-state", state, "-run", "ask", "-dir", dir, "demo/question.md")
		require.Equal(t, exitBlocked, code)
		require.NotNil(t, r.Question)
		assert.Equal(t, []string{"what a delivery costs, in cents"}, r.Question.Needed)
		assert.Equal(t, []string{"haiku", "sonnet", "sonnet", "opus"}, []string{
			r.Question.Tried[0].By, r.Question.Tried[1].By, r.Question.Tried[2].By, r.Question.Tried[3].By,
		})
		assert.Equal(t, escalate.StepBlocked, r.Steps[0].State)
		assert.True(t, slices.ContainsFunc(r.Path, func(e escalate.Event) bool {
			return e.Kind == escalate.Claimed && e.Tier == "sonnet" && e.Code == "AMBIGUITY_ERROR"
		}), "O18: sonnet classifies itself")
		assert.Equal(t, "AMBIGUITY_ERROR", r.Steps[0].Attempts[2].Code)
		return state, dir
	}
	t.Run("answered", func(t *testing.T) {
		state, dir := ask(t)
		r, code := result(t, "-state", state, "-run", "ask", "-dir", dir, "-answer", "A delivery costs 250 cents.",
			"-by", "Ann", "demo/question.md")
		assert.Equal(t, exitDone, code)
		assert.Equal(t, "haiku", r.Steps[0].By, "it begins with the lowest tier again")
		assert.FileExists(t, filepath.Join(dir, "docs", "delivery.md"))
	})
	t.Run("asked again without an answer", func(t *testing.T) {
		state, dir := ask(t)
		r, code := result(t, "-state", state, "-run", "ask", "-dir", dir, "demo/question.md")
		assert.Equal(t, exitBlocked, code)
		assert.Equal(t, 4, r.Calls, "nobody is called")
		got := do(t.Context(), "-state", state, "-run", "ask", "-dir", dir, "demo/question.md")
		assert.Contains(t, got.out, "finds it complex", "the path that was taken is shown")
	})
	t.Run("done by hand", func(t *testing.T) {
		state, dir := ask(t)
		args := []string{"-state", state, "-run", "ask", "-dir", dir, "-done", "demo/question.md"}
		r, code := result(t, args...)
		assert.Equal(t, exitBlocked, code, "what is not so is not believed")
		assert.Equal(t, escalate.StepBlocked, r.Steps[0].State)
		require.NoError(
			t, os.WriteFile(filepath.Join(dir, "delivery.go"),
				[]byte("package shop\n\nfunc Delivery(Order) int { return 300 }\n"), 0o600))
		r, code = result(t, args...)
		assert.Equal(t, exitDone, code)
		assert.Equal(t, "human", r.Steps[0].By)
	})
	t.Run("given up", func(t *testing.T) {
		state, dir := ask(t)
		r, code := result(t, "-state", state, "-run", "ask", "-dir", dir, "-give-up", "demo/question.md")
		assert.Equal(t, exitFailed, code)
		assert.Equal(t, escalate.StepFailed, r.Steps[0].State)
		r, code = result(t, "-state", state, "-run", "ask", "-dir", dir, "demo/question.md")
		assert.Equal(t, exitFailed, code)
		assert.Equal(t, escalate.EndFailed, r.EndReason, "it does not begin again by itself")
		r, code = result(t, "-state", state, "-run", "ask", "-dir", dir, "-answer", "250 cents", "demo/question.md")
		assert.Equal(t, exitDone, code, "a person can take it up again")
		assert.Equal(t, escalate.EndCompleted, r.EndReason)
	})
	t.Run("with a copy of the project", func(t *testing.T) {
		state := t.TempDir()
		args := []string{"-state", state, "-run", "ask", "demo/question.md"}
		assert.Equal(t, exitBlocked, do(t.Context(), args...).code)
		assert.DirExists(t, filepath.Join(state, "trees", "ask"), "it is kept while the run is not over")
		assert.Equal(t, exitDone, do(t.Context(), append([]string{"-answer", "250 cents"}, args...)...).code)
		assert.NoDirExists(t, filepath.Join(state, "trees", "ask"))
	})
}

// The same failure has other consequences in another subsystem. O16 O17
func TestProfiles(t *testing.T) {
	tests := []struct {
		profile string
		state   escalate.StepState
		code    int
	}{
		{"", escalate.StepBlocked, exitBlocked},
		{"chains", escalate.StepFailed, exitFailed},
		{"tasks", escalate.StepFailed, exitFailed},
	}
	for _, tt := range tests {
		t.Run(tt.profile, func(t *testing.T) {
			r, code := result(t, "-profile", tt.profile, "demo/question.md")
			assert.Equal(t, tt.code, code)
			assert.Equal(t, tt.state, r.Steps[0].State)
			assert.Equal(t, "UNCLASSIFIED", r.Steps[0].Attempts[0].Code, "it is recorded in any case")
		})
	}
}

// A chain records why it stopped, and a person resumes it. O16
func TestChainIsResumed(t *testing.T) {
	state := t.TempDir()
	args := []string{"-state", state, "-run", "chain", "-profile", "chains", "demo/question.md"}
	r, code := result(t, args...)
	require.Equal(t, exitFailed, code)
	require.Len(t, r.Steps[0].Attempts, 1, "nobody tries again")
	r, code = result(t, append([]string{"-answer", "250 cents"}, args...)...)
	assert.Equal(t, exitDone, code)
	assert.Equal(t, escalate.EndCompleted, r.EndReason)
	assert.Equal(t, "UNCLASSIFIED", r.Steps[0].Attempts[0].Code, "what it stopped at is still recorded")
}

func TestKeep(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	got := do(t.Context(), "-keep", "demo/question.md")
	assert.Equal(t, exitBlocked, got.code)
	_, dir, found := strings.Cut(strings.TrimSpace(got.out), "the working tree is ")
	require.True(t, found, got.out)
	assert.DirExists(t, filepath.Join(dir, ".git"))
	require.NoError(t, os.RemoveAll(filepath.Dir(dir)))
	assert.Equal(t, exitBlocked, do(t.Context(), "demo/question.md").code)
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	assert.Empty(t, left, "nothing is left of a run that is not to be kept")
}

// A tier that hangs is left when its time is over. That may pass, so that a task is blocked by it
// and a chain ends. O16 O17
func TestHang(t *testing.T) {
	dir := t.TempDir()
	plan := filepath.Join(dir, "plan.md")
	require.NoError(
		t, os.WriteFile(plan, []byte("# T\n## Step 1\nWrite a.md.\n### Success criteria\n- exists: a.md\n"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "scripts"), 0o700))
	script := []byte("replies: [{fail: {as: hang}}]\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "scripts", "haiku.yaml"), script, 0o600))
	for profile, want := range map[string]int{"chains": exitFailed, "tasks": exitBlocked} {
		t.Run(profile, func(t *testing.T) {
			r, code := result(t, "-dir", project(t), "-time", "300ms", "-profile", profile, plan)
			assert.Equal(t, want, code)
			require.Len(t, r.Steps[0].Attempts, 1)
			assert.Equal(t, "EXECUTION_ERROR", r.Steps[0].Attempts[0].Code)
			assert.True(t, r.Steps[0].Attempts[0].Retryable)
		})
	}
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		assert.Equal(t, exitCancelled, do(ctx, "-dir", project(t), plan).code)
	})
}
