package executor

import (
	"context"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Provider does the work: it gets a prompt and changes files in the working tree.
//
// Errors should be a *[taxonomy.Evidence] with source, op and all known details. Any other error is
// classified by its type and text. If several runs share a Provider, it must be safe for concurrent
// use.
type Provider interface {
	// Name returns the source in evidence about the provider, such as "claude-cli". The taxonomy's
	// rules refer to it.
	Name() string
	// Available returns nil if the provider can be used. It is called before the first call.
	Available(ctx context.Context) error
	// Call runs one prompt to its end. When ctx ends, Call stops everything it started, waits for
	// that, and returns. If there is an error, the usage and the session of the answer still count.
	Call(ctx context.Context, req Request) (Answer, error)
}

// Credentialed is a [Provider] with a known credential. Runs with the same credential share waits.
type Credentialed interface {
	// Credential returns a name or a fingerprint of the credential, never the credential itself.
	Credential() string
}

// Idempotence is a [Provider] that declares whether a repeated call has the effect of one. A call of
// a provider that returns [taxonomy.No] is repeated only after a failure with the effect none. Calls of
// all other providers are also repeated after an unknown effect.
type Idempotence interface {
	Idempotent() taxonomy.Tristate
}

// Ender is a [Provider], [Validator] or [Recoverer] whose work is done by processes that can
// outlive this one.
type Ender interface {
	// End ends the group of a process that an earlier process of the run left behind, and waits
	// until it is gone. If the process is gone already, or the number now belongs to another
	// process, it does nothing and returns nil.
	End(ctx context.Context, p Process) error
}

// Request is one call of a provider.
type Request struct {
	// Prompt is the whole prompt.
	Prompt string
	// Dir is the root of the working tree.
	Dir string
	// Session is the conversation to continue; empty begins a new one.
	Session string
	// Reduced requests a shorter conversation than that of the last call.
	Reduced bool
	// Run names the run, Iteration counts from 1, Tier is the name of the provider's tier.
	Run       string
	Iteration int
	Tier      string
	// Mark is a random word of this call. Other text cannot contain it.
	Mark string
	// Limit is the time limit of the call; 0 is no limit. The context has the same deadline.
	Limit time.Duration
	// Started, unless nil, is called with each process that does the work, immediately after it
	// started. If it returns an error, the process is ended and the call fails with that error.
	Started func(Process) error
	// Progress, unless nil, receives descriptions of the provider's activity. It returns quickly.
	// Only one goroutine may call it at a time.
	Progress func(text string)
}

// Answer is the result of a call.
type Answer struct {
	// Text is the provider's final message. Only this text is searched for markers; see [Markers].
	Text string
	// Signal is set if the provider reports a signal by other means than a marker.
	Signal Signal
	// Question is the question for a person that comes with [SignalBlocked].
	Question string
	// Session names the conversation if a later call can continue it. It is stored and shown
	// unmasked. So the executor drops a name that looks like a secret, which [taxonomy.Redact]
	// changes, and the next call begins a new conversation.
	Session string
	// Usage is the cost of the call.
	Usage Usage
	// Failure is the text of a failure without any other evidence, as older providers report it.
	// The taxonomy's reaction to uncategorized errors applies. Empty means success.
	Failure string
}

// UnusedCall returns the usage of a call that did not reach the model: zero, and not unknown.
func UnusedCall() Usage {
	return Usage{
		InputTokens: taxonomy.Some[int64](0), OutputTokens: taxonomy.Some[int64](0), CostUSD: taxonomy.Some(0.0),
	}
}
