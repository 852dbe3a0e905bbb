package executor

import (
	"cmp"
	"context"
	"math"
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

// Ender is a [Provider], [Validator] or [Recoverer] whose work is done by processes that can
// outlive this one.
type Ender interface {
	// End ends the group of a process that an earlier process of the run left behind, and waits
	// until it is gone. If the process is gone already, or the number now belongs to another
	// process, it does nothing and returns nil.
	End(ctx context.Context, p Process) error
}

// Process identifies a process, even if another process has its number by now.
type Process struct {
	// PID is the number of the process, which leads its group.
	PID int `json:"pid"`
	// Start is the start time that the operating system reports. Two processes with the same PID
	// are equal if Start is equal.
	Start string `json:"start"`
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

// Signal is the state of the task that a provider reports.
type Signal uint8

// The signals.
const (
	SignalNone    Signal = iota // there is more to do
	SignalDone                  // the task is done
	SignalBlocked               // a person is needed
)

// Answer is the result of a call.
type Answer struct {
	// Text is the provider's final message. Only this text is searched for markers; see [Markers].
	Text string `json:"text,omitempty"`
	// Signal is set if the provider reports a signal by other means than a marker.
	Signal Signal `json:"signal,omitempty"`
	// Question is the question for a person that comes with [SignalBlocked].
	Question string `json:"question,omitempty"`
	// Session names the conversation if a later call can continue it. It is stored and shown
	// unmasked. So the executor drops a name that looks like a secret, which [taxonomy.Redact]
	// changes, and the next call begins a new conversation.
	Session string `json:"session,omitempty"`
	// Usage is the cost of the call.
	Usage Usage `json:"usage,omitzero"`
	// Failure is the text of a failure without any other evidence, as older providers report it.
	// The taxonomy's reaction to uncategorized errors applies. Empty means success.
	Failure string `json:"-"`
}

// Usage is the cost of calls. An unknown value is absent, which differs from zero.
type Usage struct {
	InputTokens  taxonomy.Opt[int64]   `json:"inputTokens,omitzero"`
	OutputTokens taxonomy.Opt[int64]   `json:"outputTokens,omitzero"`
	CostUSD      taxonomy.Opt[float64] `json:"costUSD,omitzero"`
}

// UnusedCall returns the usage of a call that did not reach the model: zero, and not unknown.
func UnusedCall() Usage {
	return Usage{
		InputTokens: taxonomy.Some[int64](0), OutputTokens: taxonomy.Some[int64](0), CostUSD: taxonomy.Some(0.0),
	}
}

// valid returns the usage without invalid values: negative numbers, NaN and infinity.
func (u Usage) valid() Usage {
	if u.InputTokens.Or(0) < 0 {
		u.InputTokens = taxonomy.Opt[int64]{}
	}
	if u.OutputTokens.Or(0) < 0 {
		u.OutputTokens = taxonomy.Opt[int64]{}
	}
	if c := u.CostUSD.Or(0); c < 0 || math.IsNaN(c) || math.IsInf(c, 0) {
		u.CostUSD = taxonomy.Opt[float64]{}
	}
	return u
}

// Spending is the cost of several calls: the sum of the known values, and the number of calls with
// unknown values. The zero Spending is that of no calls.
type Spending struct {
	// Calls counts the calls that were begun.
	Calls int `json:"calls"`
	// Usage is the sum of the known values.
	Usage Usage `json:"usage,omitzero"`
	// UnknownTokens counts the calls without input or output tokens, UnknownCost the calls without
	// a cost. Both include running and interrupted calls.
	UnknownTokens int `json:"unknownTokens,omitempty"`
	UnknownCost   int `json:"unknownCost,omitempty"`
}

// begin adds a call with unknown values.
func (s *Spending) begin() {
	s.Calls++
	s.UnknownTokens++
	s.UnknownCost++
}

// end adds the usage of a call that was begun.
func (s *Spending) end(u Usage) {
	if !u.InputTokens.IsZero() && !u.OutputTokens.IsZero() {
		s.UnknownTokens--
	}
	if !u.CostUSD.IsZero() {
		s.UnknownCost--
	}
	s.Usage.InputTokens = sum(s.Usage.InputTokens, u.InputTokens)
	s.Usage.OutputTokens = sum(s.Usage.OutputTokens, u.OutputTokens)
	s.Usage.CostUSD = sum(s.Usage.CostUSD, u.CostUSD)
}

// sum adds values that may be unknown.
func sum[T int64 | float64](a, b taxonomy.Opt[T]) taxonomy.Opt[T] {
	if a.IsZero() || b.IsZero() {
		return cmp.Or(a, b)
	}
	return taxonomy.Some(a.Or(0) + b.Or(0))
}
