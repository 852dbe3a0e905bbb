package temporal

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/errgen/errgen/runtime/executor"
)

// Runs starts and follows runs on a task queue. Its methods are safe for concurrent use.
type Runs struct {
	Client client.Client
	Queue  string
	// Decode reads an error from its package's JSON: the generated UnmarshalError, as a func that
	// returns error. Nil leaves Result.Err a plain error.
	Decode func(b []byte) (error, error)
}

// workflowID returns the ID of a run's workflow.
func workflowID(run string) string { return "errgen/" + run }

// Start starts a run, named by Task.Run, and returns. A run of that name that exists, running or
// over, is left as it is.
func (r Runs) Start(ctx context.Context, task executor.Task) error {
	if task.Run == "" {
		return errors.New("start run: the task names no run")
	}
	o := r.options(task.Run)
	o.WorkflowIDReusePolicy = enums.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE
	o.WorkflowExecutionErrorWhenAlreadyStarted = true
	_, err := r.Client.ExecuteWorkflow(ctx, o, WorkflowName, Input{Task: task})
	var started *serviceerror.WorkflowExecutionAlreadyStarted
	if err != nil && !errors.As(err, &started) {
		return fmt.Errorf("start run %s: %w", task.Run, err)
	}
	return nil
}

func (r Runs) options(run string) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{ID: workflowID(run), TaskQueue: r.Queue}
}

// Reopen continues a run that is over and not completed, as [executor.Executor.Reopen] does.
func (r Runs) Reopen(ctx context.Context, task executor.Task, how executor.Reopening) error {
	s, err := r.state(ctx, task.Run)
	if err != nil {
		return fmt.Errorf("reopen run %s: %w", task.Run, err)
	}
	if s.End == executor.EndCompleted {
		return nil
	}
	_, err = r.Client.ExecuteWorkflow(ctx, r.options(task.Run), WorkflowName, Input{Task: task, State: s, Reopen: &how})
	if err != nil {
		return fmt.Errorf("reopen run %s: %w", task.Run, err)
	}
	return nil
}

// Result waits for the end of a run and returns its result.
func (r Runs) Result(ctx context.Context, run string) (*executor.Result, error) {
	s, err := r.state(ctx, run)
	if err != nil {
		return nil, fmt.Errorf("result of run %s: %w", run, err)
	}
	return executor.NewResult(s, r.Decode), nil
}

func (r Runs) state(ctx context.Context, run string) (*executor.RunState, error) {
	var s *executor.RunState
	err := r.Client.GetWorkflow(ctx, workflowID(run), "").Get(ctx, &s)
	return s, err
}

// Status returns where a run is now. It needs a worker on the queue.
func (r Runs) Status(ctx context.Context, run string) (Status, error) {
	var s Status
	v, err := r.Client.QueryWorkflow(ctx, workflowID(run), "", QueryStatus)
	if err == nil {
		err = v.Get(&s)
	}
	if err != nil {
		return Status{}, fmt.Errorf("status of run %s: %w", run, err)
	}
	return s, nil
}

// Pause pauses a run before its next iteration, or continues it.
func (r Runs) Pause(ctx context.Context, run string, pause bool) error {
	return r.signal(ctx, run, SignalPause, pause)
}

// Approve answers the question of a run, see [Status] and [Options]: whether the changes are
// approved.
func (r Runs) Approve(ctx context.Context, run string, approved bool) error {
	return r.signal(ctx, run, SignalAnswer, approved)
}

func (r Runs) signal(ctx context.Context, run, name string, value bool) error {
	if err := r.Client.SignalWorkflow(ctx, workflowID(run), "", name, value); err != nil {
		return fmt.Errorf("signal run %s: %w", run, err)
	}
	return nil
}

// Cancel cancels a run. What it changed is judged and reverted before it ends; see [Runs.Result].
func (r Runs) Cancel(ctx context.Context, run string) error {
	if err := r.Client.CancelWorkflow(ctx, workflowID(run), ""); err != nil {
		return fmt.Errorf("cancel run %s: %w", run, err)
	}
	return nil
}
