package temporal

import (
	"context"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"github.com/errgen/errgen/runtime/retry"
)

// Lanes are waits that the runs of all hosts share: a rate limit that one run meets holds every run
// of the credential. Set them as Config.Admission.Lanes of the executors. Each lane that is closed
// is a small workflow, which ends when the lane opens.
type Lanes struct {
	Client client.Client
	// Queue is a task queue of a worker that is registered for runs; any of the hosts' will do.
	Queue string
	// Clock is retry.System by default.
	Clock retry.Clock
}

const (
	laneName    = "errgen.Lane"
	signalUntil = "until"
	queryUntil  = "until"
)

func laneID(lane string) string { return "errgen-lane/" + lane }

// Pause closes the lane until t, or later if it is closed until later.
func (l Lanes) Pause(ctx context.Context, lane string, t time.Time) error {
	return l.wait().Pause(ctx, lane, t)
}

// Until returns when the lane opens, with jitter; the zero time if it is open.
func (l Lanes) Until(ctx context.Context, lane string) (time.Time, error) {
	return l.wait().Until(ctx, lane)
}

func (l Lanes) wait() retry.SharedWait { return retry.NewStoredWait(laneStore(l), l.Clock, nil) }

// laneStore is the store of lanes: the workflows of the closed ones.
type laneStore Lanes

// Extend implements [retry.WaitStore].
func (l laneStore) Extend(ctx context.Context, lane string, until, _ time.Time) error {
	o := client.StartWorkflowOptions{
		ID: laneID(lane), TaskQueue: l.Queue, WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
	}
	_, err := l.Client.SignalWithStartWorkflow(ctx, o.ID, signalUntil, until, o, laneName)
	return err
}

// Opens implements [retry.WaitStore].
func (l laneStore) Opens(ctx context.Context, lane string) (until time.Time, err error) {
	closed, err := isRunning(ctx, l.Client, laneID(lane))
	if err != nil || !closed {
		return time.Time{}, err
	}
	v, err := l.Client.QueryWorkflow(ctx, laneID(lane), "", queryUntil)
	if err == nil {
		err = v.Get(&until)
	}
	return until, err
}

// lane is the workflow of a lane that is closed.
func lane(ctx workflow.Context) error {
	var until time.Time
	err := workflow.SetQueryHandler(ctx, queryUntil, func() (time.Time, error) { return until, nil })
	if err != nil {
		return err
	}
	signals := workflow.GetSignalChannel(ctx, signalUntil)
	for {
		var t time.Time
		for signals.ReceiveAsync(&t) {
			if t.After(until) {
				until = t
			}
		}
		left := until.Sub(workflow.Now(ctx))
		if left <= 0 {
			return nil
		}
		if _, err := workflow.AwaitWithTimeout(ctx, left, func() bool { return signals.Len() > 0 }); err != nil {
			return err
		}
	}
}
