package executor

import (
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// EventKind says what happened.
type EventKind string

// The kinds of events, with the fields of [Event] that they fill besides Kind, At, Run, Task and
// Iteration.
const (
	RunStarted       EventKind = "run_started"       // Text: "resumed" for a run that goes on
	IterationStarted EventKind = "iteration_started" // Tier, Session
	CallStarted      EventKind = "call_started"      // Call, Source
	Progressed       EventKind = "progressed"        // Text
	CallEnded        EventKind = "call_ended"        // Call, Source, Took, Usage
	ChangesDetected  EventKind = "changes_detected"  // Files
	ErrorClassified  EventKind = "error_classified"  // Err, Evidence, Op, Source, Text: why
	// Err, Op, Reaction, Action, UsedUp, Attempt, MaxAttempts, Until if it waits
	ReactionTaken EventKind = "reaction_taken"
	Waiting       EventKind = "waiting" // Until, Text: what for, as in [Wait]
	Waited        EventKind = "waited"  // Took
	Paused        EventKind = "paused"
	Unpaused      EventKind = "unpaused"
	Saved         EventKind = "saved"     // Text: the ref
	Reverted      EventKind = "reverted"  // Files
	Asked         EventKind = "asked"     // Files, Text: approved or denied
	Validated     EventKind = "validated" // Op, Took, Err when it failed
	Committed     EventKind = "committed" // Files, Text: the commit
	Pushed        EventKind = "pushed"
	PROpened      EventKind = "pr_opened" // Text: its address
	Escalated     EventKind = "escalated" // Tier
	// For, Op, Source, Reaction, Attempt, MaxAttempts, Text: the strategy; Err when it failed
	Recovered      EventKind = "recovered"
	Prevented      EventKind = "prevented"       // Code, Text: what was done; Took, Err of a check
	Warned         EventKind = "warned"          // Text, Err
	IterationEnded EventKind = "iteration_ended" // Failures, Took
	RunEnded       EventKind = "run_ended"       // Result
)

// Event is one thing that happened in a run. What does not apply is zero. Texts in it are untrusted
// but scrubbed.
type Event struct {
	Kind      EventKind
	At        time.Time
	Run       string
	Task      string
	Iteration int
	Call      int
	Op        string
	Source    string
	Tier      string
	Session   string
	Text      string
	Files     []string
	Err       error
	// Evidence is what an error was classified from, if it was evidence. It may have secrets in it;
	// how it shows itself has none.
	Evidence *taxonomy.Evidence
	// For is the failure that a strategy was run for.
	For error
	// Code is the failure that is likely to come, and that something was done against; it may be
	// empty.
	Code string
	// Reaction is the one that is carried out, Action what it comes to.
	Reaction taxonomy.Reaction
	Action   taxonomy.Action
	UsedUp   bool
	// Attempt counts the tries so far of what a reaction repeats, the one that failed included; of
	// a strategy its runs, this one included. MaxAttempts is how many there may be. Both are 0
	// where nothing is repeated, MaxAttempts also where nothing bounds it.
	Attempt, MaxAttempts int

	Until time.Time
	Took  time.Duration
	Usage Usage
	// Failures is the counter of consecutive failures.
	Failures int
	Result   *Result
}
