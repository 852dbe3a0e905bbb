package loop

import (
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// EventKind is a kind of event.
type EventKind string

// The kinds of events, with the fields of [Event] that they set besides Kind, At, Run, Task and
// Iteration.
const (
	RunStarted       EventKind = "run_started"       // Text: "resumed" for a resumed run
	IterationStarted EventKind = "iteration_started" // Tier, Session
	CallStarted      EventKind = "call_started"      // Source, Tier
	Progressed       EventKind = "progressed"        // Text
	CallEnded        EventKind = "call_ended"        // Source, Tier, Took, Usage
	ErrorClassified  EventKind = "error_classified"  // Err, Evidence, Op, Source, Text: the reason
	// Err, Op, Source, Reaction, Action, Exhausted, Attempt, MaxAttempts, Until if it waits
	ReactionTaken EventKind = "reaction_taken"
	Waiting       EventKind = "waiting"   // Until, Text: the reason, as in [Wait]
	Waited        EventKind = "waited"    // Took
	Reverted      EventKind = "reverted"  // Files
	Asked         EventKind = "asked"     // Files, Text: approved or denied
	Validated     EventKind = "validated" // Op, Took, Err if it failed
	Committed     EventKind = "committed" // Op, Files, Text: the commit
	// Op: deliver, forward, push or pr, Text: the branch, or the address of the pull request
	Delivered EventKind = "delivered"
	Escalated EventKind = "escalated" // Tier
	// For, Op, Source, Reaction, Attempt, MaxAttempts, Text: the strategy; Err if it failed
	Recovered      EventKind = "recovered"
	Warned         EventKind = "warned"          // Text
	IterationEnded EventKind = "iteration_ended" // Took
	RunEnded       EventKind = "run_ended"       // Result
)

// Event is an event of a run. Fields that do not apply are zero. Its texts are untrusted, with
// secrets masked.
type Event struct {
	Kind      EventKind
	At        time.Time
	Run       string
	Task      string
	Iteration int
	Op        string
	Source    string
	Tier      string
	Session   string
	Text      string
	Files     []string
	Err       error
	// Evidence is the evidence of the classified error, or nil. Its fields may contain secrets; its
	// texts, logs and JSON do not.
	Evidence *taxonomy.Evidence
	// For is the failure that the strategy handles.
	For error
	// Reaction is the chosen reaction, Action its action after all limits.
	Reaction  taxonomy.Reaction
	Action    taxonomy.Action
	Exhausted bool
	// Attempt counts the failures of the repeated operation, including this one, or the runs of a
	// strategy. MaxAttempts is the limit. Both are 0 if nothing is repeated. MaxAttempts is also 0
	// if there is no limit.
	Attempt, MaxAttempts int

	Until  time.Time
	Took   time.Duration
	Usage  Usage
	Result *Result

	failure *Failure
}
