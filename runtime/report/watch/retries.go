package watch

import (
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The operations of an executor that have an event for their success, and its call.
const (
	opCall   = "call"
	opCommit = "commit"
	opPush   = "push"
	opPR     = "pr"
)

// retries tracks the retried operations of a run.
type retries struct {
	byOp map[string]*retried
	// failed reports whether an error happened in this iteration.
	failed bool
}

// retried is an operation that is being retried.
type retried struct {
	// reaction and action are those that caused the current retry.
	reaction, action string
	// attempts counts the failed calls after the first.
	attempts int
	// begun reports that the next call has begun, inPlace that it needs no new iteration.
	begun, inPlace bool
}

// observe takes an event into account, and reports the retries that end with it.
func (r *retries) observe(e *executor.Event, sink report.Sink) {
	switch e.Kind {
	case executor.ReactionTaken:
		r.failed = true
		r.reaction(e, sink)
	case executor.CallStarted:
		if x := r.byOp[opCall]; x != nil {
			x.begun = true
		}
	case executor.IterationStarted:
		r.iteration(sink)
	case executor.Validated:
		if e.Err == nil {
			r.succeeded(e.Op, sink)
		}
	case executor.Committed:
		r.succeeded(opCommit, sink)
	case executor.Pushed:
		r.succeeded(opPush, sink)
	case executor.PROpened:
		r.succeeded(opPR, sink)
	case executor.IterationEnded:
		r.iterationEnded(sink)
	case executor.RunEnded:
		for op := range r.byOp {
			r.givenUp(op, sink)
		}
	}
}

// reaction records that an operation has failed, and whether it will be retried.
func (r *retries) reaction(e *executor.Event, sink report.Sink) {
	x := r.byOp[e.Op]
	if x != nil && x.begun {
		x.attempts++
		x.begun = false
	}
	if e.Action != taxonomy.Retry && e.Action != taxonomy.RetryOperation {
		r.givenUp(e.Op, sink)
		return
	}
	if x == nil {
		x = &retried{}
		if r.byOp == nil {
			r.byOp = map[string]*retried{}
		}
		r.byOp[e.Op] = x
	}
	x.reaction, x.action = e.Reaction.Name, e.Action.String()
	x.inPlace = e.Action == taxonomy.RetryOperation
	x.begun = x.inPlace && e.Op != opCall
}

// iteration records the begin of an iteration: a retry in place before it has succeeded.
func (r *retries) iteration(sink report.Sink) {
	r.failed = false
	for op, x := range r.byOp {
		switch {
		case op == opCall:
		case x.begun && x.inPlace:
			r.succeeded(op, sink)
		default:
			x.begun = true
		}
	}
}

// iterationEnded records that the retries that had begun in the iteration have succeeded. If
// something else failed, an operation that waited for the iteration may not have been called.
func (r *retries) iterationEnded(sink report.Sink) {
	for op, x := range r.byOp {
		if x.begun && (op == opCall || x.inPlace || !r.failed) {
			r.succeeded(op, sink)
		}
	}
}

func (r *retries) succeeded(op string, sink report.Sink) {
	if x := r.byOp[op]; x != nil && x.begun {
		delete(r.byOp, op)
		sink.Retried(report.Retry{Reaction: x.reaction, Action: x.action, Attempts: x.attempts + 1, Succeeded: true})
	}
}

func (r *retries) givenUp(op string, sink report.Sink) {
	x := r.byOp[op]
	if x == nil {
		return
	}
	delete(r.byOp, op)
	if x.attempts > 0 {
		sink.Retried(report.Retry{Reaction: x.reaction, Action: x.action, Attempts: x.attempts})
	}
}
