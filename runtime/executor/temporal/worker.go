package temporal

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/executor/internal/loop"
	"github.com/errgen/errgen/runtime/executor/plan"
)

// Options configure a worker. The zero Options are the defaults that are named.
type Options struct {
	// Executor returns the executor of a run, for runs that each have a working tree. Then the
	// worker's executor may be nil. It is called once for each run in this process.
	Executor func(run string) (*executor.Executor, error)
	// Plans returns the runner of a plan; nil if the worker carries out no plans. If the worker has
	// plans only, its executor may be nil.
	Plans func(name string) (*plan.Runner, error)
	// Worker are the options of the SDK's worker.
	Worker worker.Options
	// Ask lets questions wait for [Runs.Approve]; without it, the executor's asker answers them.
	Ask bool
	// Heartbeat is after how long without a sign of life an effect counts as interrupted; 30
	// seconds.
	Heartbeat time.Duration
	// Effect limits the time of an effect that has no limit of its own; 10 minutes.
	Effect time.Duration
	// MaxEvents limits a history; the run continues in a new one at the head of an iteration. 0
	// leaves that to the server.
	MaxEvents int
}

const (
	defaultHeartbeat = 30 * time.Second
	defaultEffect    = 10 * time.Minute
)

// NewWorker returns a worker that runs the executor's tasks from a task queue. The working tree of a
// run is on the disk of its worker, so each host has a queue. The executor must not be used
// otherwise meanwhile.
func NewWorker(c client.Client, queue string, e *executor.Executor, o Options) worker.Worker {
	w := worker.New(c, queue, o.Worker)
	Register(w, e, o)
	return w
}

// Register registers the workflows and activities of runs, for a worker that has others as well.
func Register(w worker.Registry, e *executor.Executor, o Options) {
	h := newHost(e, o)
	h.register(w)
	w.RegisterActivityWithOptions(h.effect, activity.RegisterOptions{Name: ActivityName})
	w.RegisterActivityWithOptions(h.release, activity.RegisterOptions{Name: ReleaseName})
	w.RegisterActivityWithOptions(h.endPlan, activity.RegisterOptions{Name: EndName})
}

// RegisterWorkflows registers the workflows alone, for a worker.WorkflowReplayer.
func RegisterWorkflows(w worker.WorkflowRegistry, e *executor.Executor, o Options) {
	newHost(e, o).register(w)
}

func newHost(e *executor.Executor, o Options) *host {
	return &host{
		executor: e, options: o, executors: map[string]*executor.Executor{}, runners: map[string]*plan.Runner{},
	}
}

func (h *host) register(w worker.WorkflowRegistry) {
	w.RegisterWorkflowWithOptions(h.run, workflow.RegisterOptions{Name: WorkflowName})
	w.RegisterWorkflowWithOptions(h.plan, workflow.RegisterOptions{Name: PlanName})
	w.RegisterWorkflowWithOptions(lane, workflow.RegisterOptions{Name: laneName})
}

// host carries out the effects of runs.
type host struct {
	executor *executor.Executor // nil if the worker has plans only
	options  Options

	mu        sync.Mutex
	executors map[string]*executor.Executor // of the running runs and parts of plans
	runners   map[string]*plan.Runner       // of the running plans
}

// of returns the executor of a run, which may be a part of a plan.
func (h *host) of(run string, p *plan.Part) (*executor.Executor, error) {
	switch {
	case p == nil && h.options.Executor != nil:
		return cached(h, h.executors, run, h.options.Executor)
	case p == nil && h.executor == nil:
		return nil, errors.New("the worker has no executor")
	case p == nil:
		return h.executor, nil
	}
	runner, err := h.runner(p.Name)
	if err != nil {
		return nil, err
	}
	return cached(h, h.executors, run, func(string) (*executor.Executor, error) { return runner.Executor(*p) })
}

// runner returns the runner of a plan.
func (h *host) runner(name string) (*plan.Runner, error) {
	if h.options.Plans == nil {
		return nil, errNoPlans
	}
	return cached(h, h.runners, name, h.options.Plans)
}

// cached returns the value of a name, which create makes once.
func cached[T any](h *host, all map[string]*T, name string, create func(string) (*T, error)) (*T, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if v := all[name]; v != nil {
		return v, nil
	}
	v, err := create(name)
	if err == nil {
		all[name] = v
	}
	return v, err
}

// forget removes the executor of a run that is over.
func (h *host) forget(run string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.executors, run)
}

// settings returns what a new run takes from this worker.
func (h *host) settings(loop loop.Config) Settings {
	s := Settings{
		Loop: loop, Word: rand.Text(), Ask: h.options.Ask,
		Heartbeat: cmp.Or(h.options.Heartbeat, defaultHeartbeat), Effect: cmp.Or(h.options.Effect, defaultEffect),
		MaxEvents: h.options.MaxEvents,
	}
	s.Loop.Asker = s.Loop.Asker || s.Ask
	return s
}

// effect is the activity. The part and the review are those of a plan.
func (h *host) effect(ctx context.Context, f loop.Effect, p *plan.Part, reviewed *executor.RunState) (
	outcome, error) {
	e, err := h.of(f.Run, p)
	if err != nil {
		return outcome{}, err
	}
	local, _ := e.Environment()
	if activity.HasHeartbeatDetails(ctx) { // another worker died in this effect
		var left []loop.Running
		if err := activity.GetHeartbeatDetails(ctx, &left); err == nil && len(left) > 0 {
			end := loop.EndProcesses{Processes: left}
			local.Do(ctx, loop.Effect{Do: end, Source: loop.SourceExecutor, Run: f.Run})
		}
	}
	beat := newHeart(ctx)
	defer beat.stop()
	if f.Limit > 0 { // the time until a worker took it does not count
		f.Limit = min(f.Limit, time.Until(activity.GetInfo(ctx).Deadline)-time.Second)
	}
	switch f.Do.(type) {
	case loop.LoadConfig, loop.Lock, loop.Notify:
	default:
		if err := local.Attach(ctx, f.Run); err != nil {
			failure := local.Fail(err, f.Source, f.Op())
			return outcome{Outcome: loop.Outcome{Failure: &failure}}, nil
		}
	}
	brief := &executor.RunState{Task: executor.Task{Run: f.Run}, Iter: loop.Iteration{Number: f.Iteration}}
	ctx = loop.WithHooks(ctx, func(ev executor.Event) { local.Observe(brief, ev) }, beat.started)
	var needs *Input
	ctx = plan.WithReviewer(ctx, func(_ context.Context, p plan.Part, t executor.Task) (*executor.RunState, error) {
		if reviewed != nil && reviewed.Task.Run == t.Run {
			return reviewed, nil
		}
		p.Plan = nil // the workflow has it
		needs = &Input{Task: t, Part: &p}
		return nil, errors.New("the review is missing")
	})
	return outcome{local.Do(ctx, f), needs}, nil
}

// outcome is the outcome of an effect, unless it needs a review. Then the effect is repeated with
// the state of that run.
type outcome struct {
	Outcome loop.Outcome `json:"outcome"`
	Needs   *Input       `json:"needs,omitempty"`
}

// release is the activity that ends a run's use of the working tree.
func (h *host) release(ctx context.Context, s *executor.RunState, p *plan.Part) error {
	defer newHeart(ctx).stop()
	e, err := h.of(s.Task.Run, p)
	if err != nil {
		return err
	}
	local, _ := e.Environment()
	return local.Release(s)
}

// heart sends heartbeats at intervals, with the processes that the activity has started.
type heart struct {
	ctx  context.Context
	done chan struct{}
	wg   sync.WaitGroup

	mu      sync.Mutex
	running []loop.Running
}

func newHeart(ctx context.Context) *heart {
	h := &heart{ctx: ctx, done: make(chan struct{})}
	if every := activity.GetInfo(ctx).HeartbeatTimeout / 3; every > 0 {
		h.wg.Go(func() { h.beat(every) })
	}
	return h
}

func (h *heart) beat(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			h.record()
		case <-h.done:
			return
		}
	}
}

func (h *heart) stop() {
	close(h.done)
	h.wg.Wait()
}

func (h *heart) started(p loop.Running) error {
	h.mu.Lock()
	h.running = append(h.running, p)
	h.mu.Unlock()
	h.record()
	return nil
}

func (h *heart) record() {
	h.mu.Lock()
	defer h.mu.Unlock()
	activity.RecordHeartbeat(h.ctx, slices.Clone(h.running))
}
