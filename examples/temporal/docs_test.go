package main_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/plan"
	"github.com/errgen/errgen/runtime/executor/temporal"
	"github.com/errgen/errgen/runtime/executor/workspace"
)

// The samples of docs/temporal.md, which TestBlocks in docs finds. Those that need a server
// compile.
var _ = []any{work, fix, workOnPlans, carryOut, dial}

func TestDocsSampleCharge(t *testing.T) {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.RegisterActivity(charge)
	env.ExecuteWorkflow(chargeOrder, "7")
	require.NoError(t, env.GetWorkflowError())
	assert.Equal(t, 2, payments)
}

var payments int

// pay fails at first.
func pay(context.Context, string) error {
	if payments++; payments == 1 {
		return errs.NewProviderAPIError("bank", "busy").WithStatusCode(503)
	}
	return nil
}

func work(ctx context.Context, c client.Client, claude executor.Provider, dir string, paths executor.Guard) error {
	executorOf := func(run string) (*executor.Executor, error) {
		tree, err := workspace.New(ctx, dir, run, workspace.Options{})
		if err != nil {
			return nil, err
		}
		return executor.New(executor.Config{
			Table: errs.Table, Classify: detect.Classifier(errs.Explain), Decode: decode,
			Provider: claude, Workspace: tree, Guard: paths, Deliver: executor.DeliverCommits,
			Admission: executor.Admission{Lanes: temporal.Lanes{Client: c, Queue: "build-7"}},
		})
	}
	return temporal.NewWorker(c, "build-7", nil, temporal.Options{Executor: executorOf}).Run(worker.InterruptCh())
}

func decode(b []byte) (error, error) { return errs.UnmarshalError(b) }

func fix(ctx context.Context, c client.Client, prompt string) (*executor.Result, error) {
	runs := temporal.Runs{Client: c, Queue: "build-7", Decode: decode}
	task := executor.Task{Run: "fix-42", ID: "42", Title: "Fix the parser", Prompt: prompt}
	if err := runs.Start(ctx, task); err != nil {
		return nil, err
	}
	result, err := runs.Result(ctx, "fix-42")
	if err != nil || result.Question == "" {
		return result, err
	}
	if err := runs.Reopen(ctx, task, executor.Reopening{Answer: "the second one"}); err != nil {
		return nil, err
	}
	return runs.Result(ctx, "fix-42")
}

func workOnPlans(c client.Client, configOf func(name string) (plan.Config, error)) error {
	runnerOf := func(name string) (*plan.Runner, error) {
		cfg, err := configOf(name)
		if err != nil {
			return nil, err
		}
		return plan.New(cfg)
	}
	return temporal.NewWorker(c, "build-7", nil, temporal.Options{Plans: runnerOf}).Run(worker.InterruptCh())
}

func carryOut(ctx context.Context, c client.Client, p *plan.Plan, ask func(*plan.Question) string) error {
	runs := temporal.Runs{Client: c, Queue: "build-7"}
	if err := runs.StartPlan(ctx, "nightly", p, nil); err != nil {
		return err
	}
	result, err := runs.PlanResult(ctx, "nightly")
	for err == nil && result.Question != nil {
		answer := &plan.Answer{Step: result.Question.Step, Text: ask(result.Question)}
		if err = runs.StartPlan(ctx, "nightly", p, answer); err == nil {
			result, err = runs.PlanResult(ctx, "nightly")
		}
	}
	return err
}

func dial(address string) (client.Client, error) {
	return client.Dial(client.Options{
		HostPort: address, FailureConverter: temporal.Failures{Table: errs.Table, Decode: decode},
	})
}

func charge(ctx context.Context, order string) error {
	err := pay(ctx, order)
	return temporal.ApplicationError(errs.Table, err, activity.GetInfo(ctx).Attempt)
}

func chargeOrder(ctx workflow.Context, order string) error {
	policy := errs.Table.Policy(errs.PolicyAPI)
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute, RetryPolicy: temporal.RetryPolicy(&policy),
	})
	return workflow.ExecuteActivity(ctx, charge, order).Get(ctx, nil)
}
