package executor

import (
	"context"
	"sync"
)

// Run is a task that is being run. Its methods are safe for concurrent use.
type Run struct {
	done   chan struct{}
	result *Result

	mu sync.Mutex
	// held is closed when the run may go on; nil when it is not paused.
	held chan struct{}
}

// Start begins to run a task. What ctx's end does is said at [Executor.Run].
func (e *Executor) Start(ctx context.Context, task Task) *Run {
	run := newRun()
	go func() {
		defer close(run.done)
		e.execute(ctx, task, run)
	}()
	return run
}

// Run runs a task to its end. When ctx ends the run is cancelled: what the provider was doing is
// stopped, and what it has changed is judged and put back, for no longer than Limits.Grace. So is
// what a process has left that died in an iteration of the run; if that cannot be done any more,
// the run stays open, and the next start does it. The result is never nil.
//
// When something that the run works with ends the goroutine (runtime.Goexit, as testing's FailNow
// does), Run does not return, and [Run.Wait] returns a result that says so. Such a run is left as
// it is, as by a death.
func (e *Executor) Run(ctx context.Context, task Task) *Result {
	run := newRun()
	defer close(run.done)
	e.execute(ctx, task, run)
	return run.result
}

func newRun() *Run { return &Run{done: make(chan struct{}), result: &Result{}} }

// Pause holds the run before its next iteration, until Unpause. The iteration that is running goes
// on.
func (r *Run) Pause() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held == nil {
		r.held = make(chan struct{})
	}
}

// Unpause lets a paused run go on.
func (r *Run) Unpause() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held != nil {
		close(r.held)
		r.held = nil
	}
}

// Wait waits until the run has ended, and returns its result.
func (r *Run) Wait() *Result {
	<-r.done
	return r.result
}

// Done is closed when the run has ended.
func (r *Run) Done() <-chan struct{} { return r.done }

// pause returns a channel that is closed when the run may go on, or nil when it may.
func (r *Run) pause() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held
}
