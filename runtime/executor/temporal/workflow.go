package temporal

import (
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/executor/plan"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The names under which a worker registers, and by which clients reach a run.
const (
	WorkflowName = "errgen.Run"
	ActivityName = "errgen.Effect"
	ReleaseName  = "errgen.Release"
	PlanName     = "errgen.Plan"
	EndName      = "errgen.End"

	// SignalPause has a bool: true pauses the run before its next iteration.
	SignalPause = "pause"
	// SignalAnswer has a bool: whether the changes in question are approved.
	SignalAnswer = "answer"
	// QueryStatus returns a [Status].
	QueryStatus = "status"
)

// Input is what a run begins or continues with.
type Input struct {
	Task executor.Task `json:"task"`
	// State is that of the history before this one; nil for a new run.
	State *executor.RunState `json:"state,omitempty"`
	// Part is the part of a plan that the run is; nil for a run of its own.
	Part *plan.Part `json:"part,omitempty"`
	// Reviewed is an earlier review of the plan, which the run does not repeat.
	Reviewed *executor.RunState `json:"reviewed,omitempty"`
	// Reopen continues a run that was over.
	Reopen *executor.Reopening `json:"reopen,omitempty"`
	// Paused reports that the run is paused.
	Paused bool `json:"paused,omitempty"`
	// Settings are those that the run began with; nil takes the worker's.
	Settings *Settings `json:"settings,omitempty"`
}

// Settings are what a run takes from its worker when it begins. Later workers keep to them.
type Settings struct {
	Loop loop.Config `json:"loop"`
	Word string      `json:"word"`
	// Ask reports that questions are answered by [SignalAnswer].
	Ask       bool          `json:"ask,omitempty"`
	Heartbeat time.Duration `json:"heartbeat"`
	Effect    time.Duration `json:"effect"`
	MaxEvents int           `json:"maxEvents,omitempty"`
}

// Status is what a run answers to [QueryStatus].
type Status struct {
	State *executor.RunState `json:"state"`
	// Question has the paths that wait for a person's approval.
	Question []string `json:"question,omitempty"`
	Paused   bool     `json:"paused,omitempty"`
}

// run is the workflow. A task that fails is a result; the workflow fails only if it cannot run.
func (h *host) run(ctx workflow.Context, in Input) (*executor.RunState, error) {
	local, err := h.of(in.Task.Run, in.Part)
	if err != nil {
		return nil, err
	}
	host, own := local.Environment()
	if in.Settings == nil {
		in.Settings = &Settings{}
		encoded := workflow.SideEffect(ctx, func(workflow.Context) any { return h.settings(own) })
		if err := encoded.Get(in.Settings); err != nil {
			return nil, err
		}
	}
	s, cfg := in.State, in.Settings.Loop
	if s == nil {
		s = loop.Begin(in.Task, cfg, in.Settings.Word)
	}
	if in.Reopen != nil {
		s.Task = in.Task
		loop.Reopen(s, cfg, *in.Reopen)
	}
	env := &env{Host: host, ctx: ctx, Settings: in.Settings, state: s, part: in.Part, reviewed: in.Reviewed,
		paused: in.Paused}
	if err := workflow.SetQueryHandler(ctx, QueryStatus, env.status); err != nil {
		return nil, err
	}
	workflow.Go(ctx, env.listen)
	cfg.Yield = func(*executor.RunState) bool {
		info := workflow.GetInfo(ctx)
		return info.GetContinueAsNewSuggested() ||
			env.MaxEvents > 0 && info.GetCurrentHistoryLength() > env.MaxEvents
	}
	l := loop.New(cfg, env)
	l.Run(s)
	if l.Yielded {
		next := Input{Task: s.Task, State: s, Paused: env.paused, Settings: in.Settings, Part: in.Part}
		if next.Part != nil { // the plan is prepared
			next.Settings.Loop.Setup = false
		}
		next.Settings.Loop.Limits.Deadline, next.Settings.Loop.Limits.Run = s.Deadline, 0
		return nil, workflow.NewContinueAsNewError(ctx, WorkflowName, next)
	}
	env.release()
	env.emit(executor.Event{Kind: executor.RunEnded, At: s.Now, Result: env.Result(s)})
	h.forget(s.Task.Run)
	return s, nil
}

// env is the [loop.Env] of a workflow.
type env struct {
	loop.Host
	*Settings
	ctx      workflow.Context
	state    *executor.RunState
	part     *plan.Part         // of a plan; or nil
	reviewed *executor.RunState // the part's last review
	paused   bool
	question []string
	answer   *bool
}

func (e *env) status() (Status, error) {
	return Status{State: e.state, Question: e.question, Paused: e.paused}, nil
}

// listen receives signals for as long as the workflow runs.
func (e *env) listen(ctx workflow.Context) {
	receive := workflow.NewSelector(ctx)
	receive.AddReceive(workflow.GetSignalChannel(ctx, SignalPause), func(c workflow.ReceiveChannel, _ bool) {
		c.Receive(ctx, &e.paused)
	})
	receive.AddReceive(workflow.GetSignalChannel(ctx, SignalAnswer), func(c workflow.ReceiveChannel, _ bool) {
		var approved bool
		c.Receive(ctx, &approved)
		e.answer = &approved
	})
	receive.AddReceive(ctx.Done(), func(workflow.ReceiveChannel, bool) {})
	for ctx.Err() == nil {
		receive.Select(ctx)
	}
}

// Do carries out an effect as an activity.
func (e *env) Do(f loop.Effect) loop.Outcome {
	ctx := e.ctx
	admit, admits := f.Do.(loop.Admit)
	ask, asks := f.Do.(loop.Ask)
	switch {
	case f.Graced:
		var stop workflow.CancelFunc
		ctx, stop = workflow.NewDisconnectedContext(ctx)
		defer stop()
	case ctx.Err() != nil:
		return loop.Outcome{Cancelled: true}
	case admits && !admit.InPlace && !e.awaitUnpause():
		return loop.Outcome{Cancelled: true}
	case asks && e.Ask:
		return e.awaitAnswer(ask.Paths)
	}
	for {
		var out outcome
		args := []any{f}
		if e.part != nil {
			args = append(args, e.partFor(f.Op()), e.reviewed)
		}
		err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, e.options(&f)), ActivityName, args...).
			Get(ctx, &out)
		if err == nil && out.Needs != nil {
			err = e.review(out.Needs)
			if err == nil {
				continue
			}
		}
		return e.outcome(&f, &out.Outcome, err)
	}
}

// outcome returns the outcome of an activity.
func (e *env) outcome(f *loop.Effect, out *loop.Outcome, err error) loop.Outcome {
	var timeout *temporal.TimeoutError
	switch {
	case err == nil:
		return *out
	case temporal.IsCanceledError(err), errors.As(err, &timeout) && e.ctx.Err() != nil:
		return loop.Outcome{Cancelled: true}
	case errors.As(err, &timeout):
		return e.interrupted(f, timeout)
	}
	failure := e.Classify(taxonomy.Evidence{Source: f.Source, Op: f.Op(), Type: "panic", Text: err.Error()})
	return loop.Outcome{Failure: &failure}
}

// interrupted is the outcome of an effect whose worker died. It ends the processes that the worker
// has left.
func (e *env) interrupted(f *loop.Effect, timeout *temporal.TimeoutError) loop.Outcome {
	var left []loop.Running
	if timeout.HasLastHeartbeatDetails() && timeout.LastHeartbeatDetails(&left) == nil && len(left) > 0 {
		end := loop.EndProcesses{Processes: left}
		e.Do(loop.Effect{Do: end, Source: loop.SourceExecutor, Run: f.Run, Graced: true})
	}
	failure := e.Classify(taxonomy.Evidence{
		Source: "executor", Op: loop.OpResume, Type: "interrupted", Text: "the worker ended during the effect",
		Attributes: map[string]string{"provider": f.Source},
	})
	if _, calls := f.Do.(loop.CallProvider); !calls {
		failure.Op, failure.Source = f.Op(), f.Source
	}
	return loop.Outcome{Failure: &failure}
}

func (e *env) awaitUnpause() bool {
	return workflow.Await(e.ctx, func() bool { return !e.paused }) == nil
}

func (e *env) awaitAnswer(paths []string) loop.Outcome {
	e.question, e.answer = paths, nil
	defer func() { e.question = nil }()
	if workflow.Await(e.ctx, func() bool { return e.answer != nil }) != nil {
		return loop.Outcome{Cancelled: true}
	}
	return loop.Outcome{Result: loop.Approval{Approved: *e.answer}}
}

// options returns how an effect is carried out. A call is made once; everything else can be
// repeated, as it is when a run is resumed in one process.
func (e *env) options(f *loop.Effect) workflow.ActivityOptions {
	const margin = 5 * time.Second
	grace := e.Loop.Limits.Grace
	o := workflow.ActivityOptions{
		StartToCloseTimeout: e.Effect, HeartbeatTimeout: e.Heartbeat, WaitForCancellation: true, Summary: f.Op(),
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Second, MaximumInterval: time.Minute},
	}
	if f.Limit > 0 {
		o.StartToCloseTimeout = f.Limit + grace + margin
	}
	if _, calls := f.Do.(loop.CallProvider); calls {
		o.RetryPolicy.MaximumAttempts = 1
	}
	if f.Graced && e.ctx.Err() != nil {
		o.ScheduleToCloseTimeout = grace + margin
	}
	return o
}

// release unlocks the working tree. If no worker does so, the lock ends with the worker's process.
func (e *env) release() {
	ctx, stop := workflow.NewDisconnectedContext(e.ctx)
	defer stop()
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		ScheduleToCloseTimeout: e.Effect, HeartbeatTimeout: e.Heartbeat,
		RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 3},
	})
	brief := &executor.RunState{Task: e.state.Task, End: e.state.End, Unchecked: e.state.Unchecked}
	args := []any{brief}
	if e.part != nil {
		args = append(args, e.partFor(""))
	}
	if err := workflow.ExecuteActivity(ctx, ReleaseName, args...).Get(ctx, nil); err != nil {
		e.state.Warnings = append(e.state.Warnings, "close the working tree: "+taxonomy.Redact(err.Error()))
	}
}

// Classify asks the worker's taxonomy. Its answer is recorded, so a history can be replayed after
// the taxonomy has changed.
func (e *env) Classify(ev taxonomy.Evidence) loop.Failure {
	var f loop.Failure
	encoded := workflow.SideEffect(e.ctx, func(workflow.Context) any { return e.Fail(&ev, ev.Source, ev.Op) })
	if err := encoded.Get(&f); err != nil {
		return loop.Failure{
			ErrorRecord: executor.ErrorRecord{Op: ev.Op, Source: ev.Source, Message: err.Error()},
		}
	}
	return f
}

func (e *env) Now() time.Time { return workflow.Now(e.ctx) }

func (e *env) Cancelled() bool { return e.ctx.Err() != nil }

func (e *env) Sleep(d time.Duration) bool { return workflow.Sleep(e.ctx, d) != nil }

// Save does nothing, because the history is the store.
func (e *env) Save(*executor.RunState) {}

func (e *env) Emit(ev executor.Event) { e.emit(ev) }

// emit passes an event to the worker's observer, once.
func (e *env) emit(ev executor.Event) {
	if !workflow.IsReplaying(e.ctx) {
		e.Observe(e.state, ev)
	}
}
