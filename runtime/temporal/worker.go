package temporal

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"slices"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/errgen/errgen/runtime/executor"
)

// Options configure a worker. The zero Options are the defaults that are named.
type Options struct {
	// Worker are the options of the SDK's worker.
	Worker worker.Options
	// Ask lets questions wait for [Runs.Approve]; without it, the executor's asker answers them.
	Ask bool
	// Heartbeat is after how long without a sign of life an effect counts as interrupted; 30 seconds.
	Heartbeat time.Duration
	// Effect limits the time of an effect that has no limit of its own; 10 minutes.
	Effect time.Duration
	// MaxEvents limits a history; the run continues in a new one at the head of an iteration. 0 leaves
	// that to the server.
	MaxEvents int
}

// NewWorker returns a worker that runs the executor's tasks from a task queue. A working tree has one
// worker, and that worker a queue of its own. The executor must not be used otherwise meanwhile.
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
}

// RegisterWorkflows registers the workflows alone, for a worker.WorkflowReplayer.
func RegisterWorkflows(w worker.WorkflowRegistry, e *executor.Executor, o Options) {
	newHost(e, o).register(w)
}

func newHost(e *executor.Executor, o Options) *host {
	return &host{Host: e.Host(), loop: e.LoopConfig(), options: o}
}

func (h *host) register(w worker.WorkflowRegistry) {
	w.RegisterWorkflowWithOptions(h.run, workflow.RegisterOptions{Name: WorkflowName})
	w.RegisterWorkflowWithOptions(lane, workflow.RegisterOptions{Name: laneName})
}

// host carries out the effects of runs.
type host struct {
	*executor.Host
	loop    executor.LoopConfig
	options Options
}

// settings returns what a new run takes from this worker.
func (h *host) settings() Settings {
	var seed [8]byte
	_, _ = rand.Read(seed[:])
	s := Settings{
		Loop: h.loop, Seed: binary.BigEndian.Uint64(seed[:]), Word: rand.Text(), Ask: h.options.Ask,
		Heartbeat: cmp.Or(h.options.Heartbeat, 30*time.Second), Effect: cmp.Or(h.options.Effect, 10*time.Minute),
		MaxEvents: h.options.MaxEvents,
	}
	s.Loop.Asker = s.Loop.Asker || s.Ask
	return s
}

// effect is the activity.
func (h *host) effect(ctx context.Context, e executor.Effect) (executor.Outcome, error) {
	beat := &heart{ctx: ctx}
	info := activity.GetInfo(ctx)
	if activity.HasHeartbeatDetails(ctx) { // another worker died in this effect
		var left []executor.Running
		if err := activity.GetHeartbeatDetails(ctx, &left); err == nil && len(left) > 0 {
			h.Do(ctx, executor.Effect{Op: executor.OpResume, Source: "executor", Run: e.Run, Processes: left})
		}
	}
	defer beat.start(info.HeartbeatTimeout / 3)()
	if e.Limit > 0 { // the time until a worker took it does not count
		e.Limit = min(e.Limit, time.Until(info.Deadline)-time.Second)
	}
	switch e.Op {
	case executor.OpLoadConfig, executor.OpLock, executor.OpNotify:
	default:
		if err := h.Attach(ctx, e.Run); err != nil {
			failure := h.Fail(err, e.Source, e.Op)
			return executor.Outcome{Failure: &failure}, nil
		}
	}
	brief := &executor.RunState{Task: executor.Task{Run: e.Run}, Iter: executor.Iteration{Number: e.Iteration}}
	ctx = executor.WithHooks(ctx, func(ev executor.Event) { h.Observe(brief, ev) }, beat.started)
	return h.Do(ctx, e), nil
}

// release is the activity that ends a run's use of the working tree.
func (h *host) release(_ context.Context, s *executor.RunState) error { return h.Release(s) }

// heart sends heartbeats, with the processes that the effect has started.
type heart struct {
	ctx context.Context

	mu      sync.Mutex
	running []executor.Running
}

func (b *heart) started(p executor.Running) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running = append(b.running, p)
	activity.RecordHeartbeat(b.ctx, slices.Clone(b.running))
	return nil
}

// start sends a heartbeat at intervals until stop is called.
func (b *heart) start(every time.Duration) (stop func()) {
	if every <= 0 {
		return func() {}
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				b.mu.Lock()
				activity.RecordHeartbeat(b.ctx, slices.Clone(b.running))
				b.mu.Unlock()
			case <-done:
				return
			}
		}
	})
	return func() { close(done); wg.Wait() }
}
