package temporal

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/executor/plan"
)

var errNoPlans = errors.New("the worker has no runner of plans")

// PlanInput is what a plan begins or continues with.
type PlanInput struct {
	Name   string       `json:"name"`
	Plan   *plan.Plan   `json:"plan"`
	Answer *plan.Answer `json:"answer,omitempty"`
	// States are the states of the plan's earlier runs, by name.
	States map[string]*executor.RunState `json:"states,omitempty"`
}

// plan is the workflow of a plan. Its steps are child workflows, which have their reviews as
// children.
func (h *host) plan(ctx workflow.Context, in PlanInput) (*plan.Result, error) {
	runner, err := h.runner(in.Name)
	if err != nil {
		return nil, err
	}
	return runner.CarryOut(in.Name, in.Plan, in.Answer, &children{ctx, h, &in})
}

// endPlan is the activity that verifies and delivers a plan at its end.
func (h *host) endPlan(ctx context.Context, e plan.Ending) (plan.Ended, error) {
	runner, err := h.runner(e.Name)
	if err != nil {
		return plan.Ended{}, err
	}
	defer newHeart(ctx).stop()
	return runner.End(ctx, e), nil
}

// children carries out the runs of a plan as child workflows.
type children struct {
	ctx workflow.Context
	*host
	in *PlanInput
}

func (c *children) Peek(run string) (*executor.RunState, error) {
	s := c.in.States[run]
	if s != nil && s.Checked == "" { // it failed before it had a working tree
		return nil, nil
	}
	return s, nil
}

func (c *children) Run(p plan.Part, task executor.Task, how executor.Reopening) (*executor.RunState, error) {
	in := Input{Task: task, Part: &p, Reopen: &how, Reviewed: c.in.States[p.Plan.RunNames(p.Name)[0]]}
	in.State, _ = c.Peek(task.Run)
	return child(c.ctx, &in)
}

func (c *children) End(e plan.Ending) (out plan.Ended) {
	ctx, _ := workflow.NewDisconnectedContext(c.ctx) // a cancelled plan delivers its commits, too
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: cmp.Or(c.options.Effect, defaultEffect),
		HeartbeatTimeout:    cmp.Or(c.options.Heartbeat, defaultHeartbeat),
	})
	if err := workflow.ExecuteActivity(ctx, EndName, e).Get(ctx, &out); err != nil {
		out.Failed, out.Warnings = true, []string{"the plan was not delivered: " + err.Error()}
	}
	return out
}

// child carries out a run as a child workflow. A cancelled run ends before its parent.
func child(ctx workflow.Context, in *Input) (s *executor.RunState, err error) {
	ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID: workflowID(in.Task.Run), WaitForCancellation: true,
		ParentClosePolicy: enums.PARENT_CLOSE_POLICY_REQUEST_CANCEL,
	})
	err = workflow.ExecuteChildWorkflow(ctx, WorkflowName, in).Get(ctx, &s)
	return s, err
}

// partFor returns the part for an effect. Only the preparation and a review need the other steps.
func (e *env) partFor(op string) *plan.Part {
	if op == loop.OpLoadConfig || e.part.Review != nil {
		return e.part
	}
	p, small := *e.part, *e.part.Plan
	small.Steps = small.Steps[p.Step : p.Step+1]
	p.Plan, p.Step = &small, 0
	return &p
}

// review carries out a review that an effect needs, unless it is completed.
func (e *env) review(in *Input) error {
	if last := e.reviewed; last != nil && last.Task.Run == in.Task.Run && last.End != executor.EndCompleted {
		in.State, in.Reopen = last, &executor.Reopening{}
	}
	in.Part.Plan, in.Part.Step = e.part.Plan, e.part.Step
	s, err := child(e.ctx, in)
	e.reviewed = s
	return err
}

// StartPlan starts a plan, or continues one that is over, and returns. Each step is a run
// NAME.STEP, which the other methods of Runs accept; Cancel accepts the plan's name too. A blocked
// or failed step continues only with an answer. A plan that is running is left as it is, and an
// answer to it is an error.
func (r Runs) StartPlan(ctx context.Context, name string, p *plan.Plan, answer *plan.Answer) error {
	in := PlanInput{Name: name, Plan: p, Answer: answer, States: map[string]*executor.RunState{}}
	begun, err := isRunning(ctx, r.Client, workflowID(name))
	for _, run := range p.RunNames(name) {
		if begun || err != nil {
			break
		}
		s, stateErr := r.state(ctx, run)
		var none *serviceerror.NotFound
		if stateErr == nil {
			in.States[run] = s
		} else if !errors.As(stateErr, &none) {
			err = stateErr
		}
	}
	if err == nil && !begun {
		_, err = r.Client.ExecuteWorkflow(ctx, r.options(name), PlanName, in)
	} else if begun && answer != nil {
		err = errors.New("the plan is running")
	}
	if err != nil {
		return fmt.Errorf("start plan %s: %w", name, err)
	}
	return nil
}

// PlanResult waits until a plan ends or needs an answer, and returns its result.
func (r Runs) PlanResult(ctx context.Context, name string) (*plan.Result, error) {
	var res *plan.Result
	if err := r.Client.GetWorkflow(ctx, workflowID(name), "").Get(ctx, &res); err != nil {
		return nil, fmt.Errorf("result of plan %s: %w", name, err)
	}
	return res, nil
}

// isRunning reports whether a workflow is running.
func isRunning(ctx context.Context, c client.Client, id string) (bool, error) {
	info, err := c.DescribeWorkflowExecution(ctx, id, "")
	var none *serviceerror.NotFound
	if errors.As(err, &none) {
		return false, nil
	}
	return info.GetWorkflowExecutionInfo().GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_RUNNING, err
}
