package report

import (
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The operations of an executor of which an event says that they succeeded, and its call.
const (
	opCall   = "call"
	opCommit = "commit"
	opPush   = "push"
	opPR     = "pr"
)

// retries follows the operations of a run that are tried again.
type retries struct {
	byOp map[string]*retried
	// failed reports that an error came in this iteration.
	failed bool
}

// retried is an operation that is tried again.
type retried struct {
	// reaction and action are those by which it is tried again now.
	reaction, action string
	// attempts counts the tries after the first that have failed.
	attempts int
	// begun reports that another one is on its way, inPlace that it needs no new iteration.
	begun, inPlace bool
}

// observe takes an event into account, and tells the sink of what has ended with it.
func (r *retries) observe(e *executor.Event, sink Sink) {
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

// reaction notes that an operation has failed, and whether it will be tried again.
func (r *retries) reaction(e *executor.Event, sink Sink) {
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
	x.reaction, x.action = kept(e.Reaction.Name, maxName), e.Action.String()
	x.inPlace = e.Action == taxonomy.RetryOperation
	x.begun = x.inPlace && e.Op != opCall
}

// iteration notes that an iteration begins: what was tried again in place before it has succeeded.
func (r *retries) iteration(sink Sink) {
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

// iterationEnded notes that what was on its way in the iteration has not failed. Of an operation
// that waited for the iteration nobody knows whether its turn came, if something else failed.
func (r *retries) iterationEnded(sink Sink) {
	for op, x := range r.byOp {
		if x.begun && (op == opCall || x.inPlace || !r.failed) {
			r.succeeded(op, sink)
		}
	}
}

func (r *retries) succeeded(op string, sink Sink) {
	if x := r.byOp[op]; x != nil && x.begun {
		delete(r.byOp, op)
		sink.Retried(Retry{x.reaction, x.action, x.attempts + 1, true})
	}
}

func (r *retries) givenUp(op string, sink Sink) {
	x := r.byOp[op]
	if x == nil {
		return
	}
	delete(r.byOp, op)
	if x.attempts > 0 {
		sink.Retried(Retry{x.reaction, x.action, x.attempts, false})
	}
}
