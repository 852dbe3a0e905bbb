//go:build unix

package main_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/escalate/verify"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filejournal"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/scope"
	"github.com/errgen/errgen/runtime/workspace"

	"orchestrator.example.com/runner/errs"
)

// The functions here are what docs/escalation.md shows; TestDocs holds them together.

func carryOut(ctx context.Context, dir string, p plan.Plan, tiers map[string]executor.Provider) (
	*escalate.Result, error) {
	runner, err := newRunner(ctx, dir, tiers)
	if err != nil {
		return nil, err
	}
	return runner.Run(ctx, "nightly-42", p), nil
}

func newRunner(ctx context.Context, dir string, tiers map[string]executor.Provider) (*escalate.Runner, error) {
	tree, err := workspace.Open(ctx, dir, workspace.Options{})
	if err != nil {
		return nil, err
	}
	facts, err := verify.New(verify.Options{Dir: tree.Dir()})
	if err != nil {
		return nil, err
	}
	journal, err := escalate.NewFileJournal(filepath.Join(tree.GitDir(), "plans"))
	if err != nil {
		return nil, err
	}
	return escalate.New(escalate.Config{
		Calls: executor.Config{
			Table:     errs.Table,
			Classify:  detect.Classifier(errs.Explain),
			Decode:    func(b []byte) (error, error) { return errs.UnmarshalError(b) },
			Tiers:     tiers,
			Workspace: tree,
			Journal:   filejournal.New(filepath.Join(tree.GitDir(), "calls")),
			Lanes:     retry.NewSharedWait(retry.System, nil),
		},
		Verifier: facts,
		Reviewer: escalate.NewReviewer(tiers["opus"], escalate.ReviewerOptions{}),
		Journal:  journal,
		Commit:   true,
	})
}

func answered(ctx context.Context, r *escalate.Runner, p plan.Plan, text string) *escalate.Result {
	blocked := r.Run(ctx, "nightly-42", p)
	if blocked.Question == nil {
		return blocked
	}
	fmt.Println(blocked.Question.Text())
	return r.Answer(ctx, "nightly-42", p, escalate.Answer{Text: text})
}

func scopeOf(planFile string) (*scope.Scope, error) {
	return scope.New(scope.Config{Forbidden: []string{planFile, "tiers.yaml", "scripts/**"}})
}

// agent is a tier that does one thing, and says so.
type agent struct {
	dir, file, text string
	classifies      bool
}

func (agent) Name() string                    { return "agent" }
func (agent) Available(context.Context) error { return nil }

func (a agent) Call(_ context.Context, req executor.Request) (executor.Answer, error) {
	mark := escalate.Mark(req.Prompt)
	if a.classifies {
		return executor.Answer{Text: "Nothing to say.\n```json\n{\"mark\":\"" + mark + "\",\"findings\":[]}\n```"}, nil
	}
	if err := os.WriteFile(filepath.Join(a.dir, a.file), []byte(a.text), 0o600); err != nil {
		return executor.Answer{}, err
	}
	return executor.Answer{Text: "It is written.\nSTEP DONE " + mark}, nil
}

var shown = regexp.MustCompile("(?s)```go run\n(.*?)```")

func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/escalation.md")
	require.NoError(t, err)
	source, err := os.ReadFile("docs_unix_test.go")
	require.NoError(t, err)
	samples := shown.FindAllSubmatch(page, -1)
	require.Len(t, samples, 3)
	for _, s := range samples {
		assert.Contains(t, string(source), string(s[1]))
	}

	scope, err := scopeOf("plan.md")
	require.NoError(t, err)
	verdict, _ := scope.Explain("plan.md")
	assert.Equal(t, executor.Forbidden, verdict)

	dir := t.TempDir()
	for _, args := range [][]string{{"init", "-q"}, {"config", "user.name", "tester"},
		{"config", "user.email", "tester@example.com"}, {"commit", "-q", "--allow-empty", "-m", "begin"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	p := plan.Plan{Steps: []plan.Step{{
		ID: "1", Instructions: "Greet.",
		Criteria: []plan.Criterion{{Kind: plan.Content, Path: "a.txt", Text: "^hello"}},
	}}}
	tiers := map[string]executor.Provider{"haiku": agent{dir: dir, file: "a.txt", text: "hello\n"},
		"opus": agent{classifies: true}}
	res, err := carryOut(t.Context(), dir, p, tiers)
	require.NoError(t, err)
	assert.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, "haiku", res.Steps[0].By)
	assert.NotEmpty(t, res.Steps[0].Commit)

	r, err := newRunner(t.Context(), dir, tiers)
	require.NoError(t, err)
	assert.Equal(t, escalate.EndCompleted, answered(t.Context(), r, p, "go on").EndReason, "it is over")
}
