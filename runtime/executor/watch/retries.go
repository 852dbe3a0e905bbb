package watch

import (
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const opCall = "call"

// retries tracks the operations of a run that are being retried.
type retries struct {
	sink report.Sink
	ops  map[string]*retried // by name
	// failed reports that an error happened in this iteration.
	failed bool
}

// retried is an operation that failed and will be called again.
type retried struct {
	// reaction and action are those that caused the current retry.
	reaction, action string
	attempts         int // the failed calls after the first
	next             nextCall
}

// nextCall is the state of an operation's next call.
type nextCall int

const (
	waits  nextCall = iota
	likely          // it is in this iteration, unless an earlier operation fails
	begun
)

// observe updates the operations after an event, and reports the retries that end with it. Only
// calls of the provider have an event when they begin.
func (r *retries) observe(e *executor.Event) {
	switch e.Kind {
	case executor.ReactionTaken:
		r.fail(e)
	case executor.CallStarted:
		if x := r.ops[opCall]; x != nil {
			x.next = begun
		}
	case executor.IterationStarted:
		r.failed = false
		for op, x := range r.ops {
			if x.next == begun { // an operation of the setup
				r.succeed(op)
			} else if op != opCall {
				x.next = likely
			}
		}
	case executor.Committed, executor.Delivered, executor.Validated:
		if e.Err == nil {
			r.succeed(e.Op)
		}
	case executor.IterationEnded:
		for op, x := range r.ops {
			if x.next == begun || !r.failed {
				r.succeed(op)
			}
		}
	case executor.RunEnded:
		for op := range r.ops {
			r.end(op, false)
		}
	}
}

// fail records that an operation has failed, and how it will be retried.
func (r *retries) fail(e *executor.Event) {
	r.failed = true
	x := r.ops[e.Op]
	if x == nil {
		x = &retried{}
		r.ops[e.Op] = x
	}
	if x.next != waits {
		x.attempts++
	}
	x.next = waits
	switch e.Action {
	case taxonomy.Retry:
	case taxonomy.RetryOperation:
		if e.Op != opCall {
			x.next = begun
		}
	default:
		r.end(e.Op, false)
		return
	}
	x.reaction, x.action = e.Reaction.Name, e.Action.String()
}

// succeed records that an operation succeeded, if its next call can have begun.
func (r *retries) succeed(op string) {
	if x := r.ops[op]; x != nil && x.next != waits {
		x.attempts++
		r.end(op, true)
	}
}

// end drops an operation, and reports it if it was called again.
func (r *retries) end(op string, succeeded bool) {
	x := r.ops[op]
	delete(r.ops, op)
	if x.attempts > 0 {
		r.sink.Retried(report.Retry{Reaction: x.reaction, Action: x.action, Attempts: x.attempts, Succeeded: succeeded})
	}
}
