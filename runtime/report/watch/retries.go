package watch

import (
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const opCall = "call"

// successes are the events of operations that succeeded.
var successes = map[executor.EventKind]string{
	executor.Committed: "commit", executor.Pushed: "push", executor.PROpened: "pr",
}

// retries tracks the operations of a run that are being retried, by their names.
type retries map[string]*retried

type retried struct {
	// reaction and action are those that caused the current retry.
	reaction, action string
	// attempts counts the failed calls after the first.
	attempts int
	// begun reports that the next call has begun. inPlace reports that it needs no new iteration.
	begun, inPlace bool
}

// observe updates the operations after an event, and reports the retries that end with it. Failed
// means that an error happened in the iteration.
func (r retries) observe(e *executor.Event, failed bool, sink report.Sink) {
	switch e.Kind {
	case executor.ReactionTaken:
		r.reaction(e, sink)
	case executor.CallStarted:
		if x := r[opCall]; x != nil {
			x.begun = true
		}
	case executor.IterationStarted:
		for op, x := range r {
			if x.begun && x.inPlace { // of the setup
				r.end(op, true, sink)
			}
			x.begun = op != opCall
		}
	case executor.Validated:
		if e.Err == nil {
			r.end(e.Op, true, sink)
		}
	case executor.IterationEnded:
		for op, x := range r {
			// After another failure in the iteration, an operation that waited for the iteration
			// was perhaps not called.
			if op == opCall || x.inPlace || !failed {
				r.end(op, true, sink)
			}
		}
	case executor.RunEnded:
		for op := range r {
			r.end(op, false, sink)
		}
	default:
		r.end(successes[e.Kind], true, sink)
	}
}

// reaction records that an operation has failed, and whether it will be retried.
func (r retries) reaction(e *executor.Event, sink report.Sink) {
	x := r[e.Op]
	if x == nil {
		x = &retried{}
	}
	if x.begun {
		x.attempts++
		x.begun = false
	}
	if e.Action != taxonomy.Retry && e.Action != taxonomy.RetryOperation {
		r.end(e.Op, false, sink)
		return
	}
	x.reaction, x.action = e.Reaction.Name, e.Action.String()
	x.inPlace = e.Action == taxonomy.RetryOperation
	x.begun = x.inPlace && e.Op != opCall
	r[e.Op] = x
}

// end reports an operation if it was called again. A success before the next call has begun does
// not belong to a retry.
func (r retries) end(op string, succeeded bool, sink report.Sink) {
	x := r[op]
	if x == nil || succeeded && !x.begun {
		return
	}
	delete(r, op)
	if succeeded {
		x.attempts++
	}
	if x.attempts > 0 {
		sink.Retried(report.Retry{Reaction: x.reaction, Action: x.action, Attempts: x.attempts, Succeeded: succeeded})
	}
}
