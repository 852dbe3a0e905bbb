package main_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/filestore"
	"github.com/errgen/errgen/runtime/executor/plan"
	"github.com/errgen/errgen/runtime/executor/plan/verify"
	"github.com/errgen/errgen/runtime/executor/workspace"
	"github.com/errgen/errgen/runtime/retry"

	"orchestrator.example.com/runner/errs"
)

// The plan of docs/plans.md has no faults.
func TestDocsPlan(t *testing.T) {
	text, err := os.ReadFile("../../docs/plans.md")
	require.NoError(t, err)
	source := regexp.MustCompile("(?s)````markdown\n(.*?)````").FindSubmatch(text)
	require.NotNil(t, source)
	p, problems := plan.Read(source[1])
	require.Empty(t, problems)
	assert.Empty(t, plan.Check(p))
	assert.Len(t, p.Steps, 1)
}

func carryOut(
	ctx context.Context, dir, states string, source []byte, tiers map[string]executor.Provider,
) (*plan.Result, error) {
	p, problems := plan.Read(source)
	if len(problems) > 0 {
		return nil, fmt.Errorf("read the plan: %v", problems)
	}
	tree, err := workspace.New(ctx, dir, "nightly", workspace.Options{})
	if err != nil {
		return nil, err
	}
	runner, err := plan.New(plan.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain), Tiers: tiers,
		Facts: verify.New(tree.Dir()), Workspace: tree,
		Store: func() executor.Store { return filestore.New(states) },
	})
	if err != nil {
		return nil, err
	}
	return runner.Run(ctx, "nightly", p)
}

func answer(ctx context.Context, runner *plan.Runner, p *plan.Plan, ask func(*plan.Question) string) error {
	result, err := runner.Run(ctx, "nightly", p)
	for err == nil && result.Question != nil {
		a := plan.Answer{Step: result.Question.Step, Text: ask(result.Question)}
		result, err = runner.Answer(ctx, "nightly", p, a)
	}
	return err
}

func fetch(ctx context.Context, get func(ctx context.Context) error) error {
	return retry.Do(ctx, get, retry.ByTable(errs.Table))
}

func task(ctx context.Context, provider executor.Provider, tree executor.Workspace) (*executor.Result, error) {
	e, err := executor.New(executor.Config{
		Table: errs.Table, Classify: detect.Classifier(errs.Explain), Provider: provider,
		Workspace: tree, Deliver: executor.DeliverCommits,
	})
	if err != nil {
		return nil, err
	}
	return e.Run(ctx, executor.Task{ID: "42", Prompt: "Fix the typo in README.md."}), nil
}

// The samples of docs/plans.md and docs/entry-points.md, which TestBlocks in docs finds.
var _ = []any{carryOut, answer, fetch, task}
