package escalate

import (
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// EventKind says what happened.
type EventKind string

// The kinds of events, with the fields of [Event] that they fill besides Kind, At and Step.
const (
	RunStarted EventKind = "run_started" // Text: "resumed", "answered" or empty
	// Text: how many of how many prerequisites are met; Code and Message of what is wrong
	PlanChecked EventKind = "plan_checked"
	StepStarted EventKind = "step_started" // Text: its title
	Called      EventKind = "called"       // Tier, Role, Purpose, Attempt
	Claimed     EventKind = "claimed"      // Tier, Text: done or failed; Code: the label
	Refused     EventKind = "refused"      // Tier, Code: the label; Text: why it is not taken
	Classified  EventKind = "classified"   // Tier, Code, Kind, Retryable, Message; Text: the rule; Reaction
	TierFailed  EventKind = "tier_failed"  // Tier, Code, Message: a failure of its own
	PassedOver  EventKind = "passed_over"  // Tier, Text: why
	Diagnosed   EventKind = "diagnosed"    // Tier, Text: simple or complex; Message: the cause
	Corrected   EventKind = "corrected"    // Tier: the step's instructions
	Verified    EventKind = "verified"     // Tier, Text: what; Message when it failed
	// Tier: whose work; Code and Message of what befell the reviewer; Text: the rule
	NotReviewed  EventKind = "not_reviewed"
	Waiting      EventKind = "waiting"       // Until, Text: what for
	Recovered    EventKind = "recovered"     // Tier: who failed; Text: the strategy that ran; Message when it failed
	Retried      EventKind = "retried"       // Tier, Text: the reaction
	Escalated    EventKind = "escalated"     // Tier: to whom; From, Purpose
	GuardReached EventKind = "guard_reached" // Text: which
	PutBack      EventKind = "put_back"      // Tier, Text: the ref that has it; Files
	Accepted     EventKind = "accepted"      // Tier, Files, Text: the commit
	Asked        EventKind = "asked"         // Tier: the person's; Message: the question
	Answered     EventKind = "answered"      // Tier: who; Text: the answer
	StepEnded    EventKind = "step_ended"    // Tier, Text: the state
	RunEnded     EventKind = "run_ended"     // Text: the end reason
	Warned       EventKind = "warned"        // Message
)

// Event is one thing that happened in a run. What does not apply is zero. Texts are scrubbed and
// bounded, but others' words.
type Event struct {
	Kind EventKind `json:"kind"`
	// Run is the run's name.
	Run       string           `json:"run,omitempty"`
	At        time.Time        `json:"at"`
	Step      string           `json:"step,omitempty"`
	Tier      string           `json:"tier,omitempty"`
	From      string           `json:"from,omitempty"`
	Role      Role             `json:"role,omitempty"`
	Purpose   taxonomy.Purpose `json:"purpose,omitzero"`
	Attempt   int              `json:"attempt,omitempty"`
	Code      string           `json:"code,omitempty"`
	FaultKind taxonomy.Kind    `json:"faultKind,omitzero"`
	Retryable bool             `json:"retryable,omitempty"`
	Reaction  string           `json:"reaction,omitempty"`
	Text      string           `json:"text,omitempty"`
	Message   string           `json:"message,omitempty"`
	Files     []string         `json:"files,omitempty"`
	Until     time.Time        `json:"until,omitzero"`
}

// Observer is told what happens in the runs of a [Runner], in order, by one goroutine at a time. It
// must return soon, and must not start a run of the same Runner; a panic of it is contained. Of a
// call that is refused before anything was looked at, because the Runner is busy or the name or the
// answer is none, it is not told.
type Observer interface{ Observe(e Event) }
