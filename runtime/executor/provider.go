package executor

import (
	"context"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Provider does the work: it is given a prompt and changes files in the working tree.
//
// Errors are best a *[taxonomy.Evidence] (source, op, and what is known); any other error is
// classified by what it is. A Provider that several runs share must be safe for concurrent use.
type Provider interface {
	// Name is the source that evidence about the provider names, as the taxonomy's rules do:
	// "claude-cli".
	Name() string
	// Available reports, before the first iteration, why the provider cannot be used at all; nil
	// when it can.
	Available(ctx context.Context) error
	// Call runs one prompt to its end. When ctx ends it stops whatever it started, waits for it,
	// and returns. The answer counts in tokens, cost and session also when there is an error beside
	// it.
	Call(ctx context.Context, req Request) (Answer, error)
}

// Credentialed is a [Provider] that knows which credential it uses. Runs that share a credential
// share its waits.
type Credentialed interface {
	// Credential names the credential. It is a name or a fingerprint, never the credential itself.
	Credential() string
}

// Ender is a [Provider] whose calls are processes that can outlive this one, or a [Tracked]
// validator.
type Ender interface {
	// End ends the group of a process that an earlier run left behind, and waits until it is gone.
	// A process that is gone already, or another one with the same number, is left alone and no
	// error.
	End(ctx context.Context, p Process) error
}

// Process identifies a process, also after its number was given to another one.
type Process struct {
	// PID is the number of the process, which leads its group.
	PID int `json:"pid"`
	// Start is when it started, in the system's own words; equal words mean the same process.
	Start string `json:"start"`
}

// Request is one call of a provider.
type Request struct {
	// Prompt is all that is said to the provider.
	Prompt string
	// Dir is the working tree.
	Dir string
	// Session is the conversation to continue; empty begins a new one.
	Session string
	// Reduced asks for a shorter conversation than the last.
	Reduced bool
	// Iteration counts from 1.
	Iteration int
	// Limit is how long the call may take; 0 is no limit. The deadline of the context says the
	// same.
	Limit time.Duration
	// Started, unless nil, is called with the process that does the work, as soon as there is one,
	// and again for each that follows it. When it returns an error the process is ended and the
	// call fails with that error.
	Started func(Process) error
	// Progress, unless nil, is called with what the provider says it is doing. It returns quickly
	// and is called by one goroutine at a time.
	Progress func(text string)
}

// Signal is what a provider says about its task, apart from failing.
type Signal uint8

// The signals.
const (
	SignalNone    Signal = iota // nothing: there is more to do
	SignalDone                  // the task is done
	SignalBlocked               // it cannot go on without a person
)

// Answer is what a call came to.
type Answer struct {
	// Text is the provider's final message. Markers are looked for in it and nowhere else; see
	// [Markers].
	Text string
	// Signal is what the provider said by other means than a marker.
	Signal Signal
	// Question is what a person is asked with [SignalBlocked].
	Question string
	// Session is the conversation, to be continued by a later call; empty when it cannot be. It is
	// written down and shown as it is, so that one that looks like a secret ([taxonomy.Redact]
	// changes it) is left out, and the next call begins a new one.
	Session string
	// Usage is what the call cost.
	Usage Usage
	// Failure is the text of a failure of which the provider says neither what it is nor gives
	// evidence, as older providers do. It has the taxonomy's reaction to what is uncategorized.
	// Empty means that the call succeeded.
	Failure string
}

// Usage is what calls cost. What a provider does not say is absent, which is not zero; so is what
// cannot be, such as less than nothing.
type Usage struct {
	InputTokens  taxonomy.Opt[int64]   `json:"inputTokens,omitzero"`
	OutputTokens taxonomy.Opt[int64]   `json:"outputTokens,omitzero"`
	CostUSD      taxonomy.Opt[float64] `json:"costUSD,omitzero"`
}
