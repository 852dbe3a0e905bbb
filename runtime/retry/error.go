package retry

import (
	"encoding/json"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Stop is the reason for which [Do] makes no further call.
type Stop uint8

// The reasons.
const (
	StoppedNot        Stop = iota // there is a next call
	StoppedAttempts               // the policy's max_attempts
	StoppedElapsed                // the policy's max_elapsed
	StoppedRetryAfter             // a hint above the policy's max_retry_after
	StoppedPermanent              // the error is not to be retried
	StoppedDeadline               // the next wait would pass the context's deadline
	StoppedContext                // the context ended
	StoppedWait                   // the shared wait or the breaker failed
	StoppedBudget                 // the breaker's retry budget is exhausted
	StoppedRefused                // the breaker refused the call, and FailFast is set
)

var stopWords = [...]string{
	"none", "max_attempts", "max_elapsed", "max_retry_after", "not_retryable", "deadline", "context", "shared_wait",
	"budget", "refused",
}

// String returns the reason as a word. For a limit of the policy, it is the key of the limit.
func (s Stop) String() string {
	if int(s) < len(stopWords) {
		return stopWords[s]
	}
	return "Stop(" + strconv.Itoa(int(s)) + ")"
}

// Error is the error that [Do] returns when it stops without success.
type Error struct {
	// Err is the error of the last call, classified if a classifier is set; nil without a call.
	Err error
	// Cause is the cause of the context's end, the error of the shared wait or the breaker, or the
	// breaker's refusal. It can be nil.
	Cause error
	// Why is the reason for which there was no further call.
	Why Stop
	// Calls counts the calls, Waited is the sum of the waits after failures.
	Calls  int
	Waited time.Duration
	// Reaction is the reaction of the table that applies now: the first one of the chain that does
	// not retry. Switch on its Action. Without [ByTable], or if the context or the shared wait
	// ended the retries, it is a Reaction that aborts.
	Reaction taxonomy.Reaction

	ended error // the context's error, which its cause need not wrap
}

// Error returns the number of calls, the reason and the last error. If the first call failed with
// an error that is not to be retried, it returns the text of that error.
func (e *Error) Error() string {
	if e.Why == StoppedPermanent && e.Calls == 1 && e.Err != nil && e.Cause == nil {
		return e.Err.Error()
	}
	text := strconv.Itoa(e.Calls) + " calls, stopped by " + e.Why.String()
	if e.Calls == 1 {
		text = "1 call, stopped by " + e.Why.String()
	}
	if e.Cause != nil && !(e.Err != nil && errtree.Is(e.Err, e.Cause)) {
		text += " (" + e.Cause.Error() + ")"
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns Err, or Cause if there was no call.
func (e *Error) Unwrap() error {
	if e.Err == nil {
		return e.Cause
	}
	return e.Err
}

// Rewrap returns a copy of e in which change has replaced the error that e wraps. [taxonomy.Attach]
// calls it.
func (e *Error) Rewrap(change func(error) error) error {
	rewrapped := *e
	if e.Err == nil {
		rewrapped.Cause = change(e.Cause)
		return &rewrapped
	}
	rewrapped.Err = change(e.Err)
	if errtree.Is(e.Err, e.Cause) && !errtree.Is(rewrapped.Err, e.Cause) {
		rewrapped.Cause = rewrapped.Err // so that the text still has it only once
	}
	return &rewrapped
}

// Is reports whether Cause or the context's error is target.
func (e *Error) Is(target error) bool {
	return errors.Is(e.Cause, target) || errors.Is(e.ended, target)
}

// As finds target in Cause.
func (e *Error) As(target any) bool { return e.Cause != nil && errors.As(e.Cause, target) }

// LogValue returns the error as a group with the code of the last error, secrets masked.
func (e *Error) LogValue() slog.Value {
	attrs := []slog.Attr{
		slog.String("message", text.Beginning(e.Error(), maxLogText)), slog.String("code", taxonomy.CodeOf(e)),
		slog.Int("calls", e.Calls), slog.String("waited", e.Waited.String()), slog.String("stopped", e.Why.String()),
		slog.String("action", e.Reaction.Action.String()),
	}
	c, _ := taxonomy.First(e.Err, nil)
	if v, ok := c.(slog.LogValuer); ok {
		attrs = append(attrs, slog.Attr{Key: "cause", Value: v.LogValue()})
	}
	return slog.GroupValue(attrs...)
}

// MarshalJSON returns the members of LogValue; the cause is the last error's own JSON.
func (e *Error) MarshalJSON() ([]byte, error) {
	wire := map[string]any{}
	for _, a := range e.LogValue().Group() {
		wire[a.Key] = a.Value.Any()
	}
	delete(wire, "cause")
	c, _ := taxonomy.First(e.Err, nil)
	if typed, ok := c.(taxonomy.Error); ok {
		wire["cause"] = json.RawMessage(typed.AppendJSON(nil))
	}
	return json.Marshal(wire)
}

// maxLogText limits the text of an error in logs and JSON, in bytes.
const maxLogText = 4096
