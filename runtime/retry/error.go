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
	StoppedDeadline               // the context's deadline passed, or the next wait would pass it
	StoppedCancelled              // the context or the call was cancelled, as a program that ends does
	StoppedWait                   // the shared wait or the breaker failed
	StoppedBudget                 // the breaker's retry budget is exhausted
	StoppedRefused                // the breaker refused the call, and FailFast is set
	StoppedDone                   // the call did its work
	StoppedEffect                 // the call is not idempotent, and perhaps did its work
)

var stopWords = [...]string{
	"none", "max_attempts", "max_elapsed", "max_retry_after", "not_retryable", "deadline", "cancelled",
	"shared_wait", "budget", "refused", "already_done", "effect",
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
	// Cause is the cause of the context's end, unchanged. Or it is the error of the shared wait or
	// the breaker, or the breaker's refusal, classified if a classifier is set. It can be nil.
	Cause error
	// Why is the reason for which there was no further call.
	Why Stop
	// Calls counts the calls, Waited is the sum of the waits after failures.
	Calls  int
	Waited time.Duration
	// Effect is whether the calls together did their work. It is EffectNone without a call.
	Effect taxonomy.Effect
	// Reaction is the reaction of the table that applies now: the first one of the chain that does
	// not retry. Switch on its Action. If the breaker refused the next call, or the shared wait or
	// the breaker failed, it is the reaction of the error's code, which may retry: such a call was
	// not made. Without [ByTable], and for StoppedCancelled, it is the zero Reaction, which aborts.
	Reaction taxonomy.Reaction

	// hidden is an error that neither Err nor Cause need to wrap: the context's error, or what
	// Cause was before it was classified.
	hidden error
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

// CallEffect returns Effect.
func (e *Error) CallEffect() (effect taxonomy.Effect, sent bool) { return e.Effect, false }

// Is reports whether Cause, the refusal or the context's error is target. It is also true for
// [taxonomy.AlreadyDone] if Effect is done.
func (e *Error) Is(target error) bool {
	if target == taxonomy.AlreadyDone && e.Effect == taxonomy.EffectDone {
		return true
	}
	return errors.Is(e.Cause, target) || errors.Is(e.hidden, target)
}

// As finds target in Cause or the refusal.
func (e *Error) As(target any) bool {
	return e.Cause != nil && errors.As(e.Cause, target) || e.hidden != nil && errors.As(e.hidden, target)
}

// LogValue returns the log value of the error of a taxonomy that e wraps, with the text of e, the
// calls and the reaction beside its members. Secrets are masked.
func (e *Error) LogValue() slog.Value {
	c, _ := taxonomy.First(e, nil)
	members := e.members(c)
	if v, ok := c.(slog.LogValuer); ok {
		return slog.GroupValue(append(v.LogValue().Resolve().Group(), members...)...)
	}
	return slog.GroupValue(append(members, slog.String("code", taxonomy.CodeOf(c)))...)
}

// members returns the members that the log value and the JSON of c do not have. c may be nil.
func (e *Error) members(c taxonomy.Coded) []slog.Attr {
	name := "text"
	if c == nil {
		name = "message"
	}
	return []slog.Attr{
		slog.String(name, text.Beginning(e.Error(), maxLogText)),
		slog.Int("calls", e.Calls), slog.String("waited", e.Waited.String()), slog.String("stopped", e.Why.String()),
		slog.String("action", e.Reaction.Action.String()),
	}
}

// MarshalJSON returns the members of LogValue.
func (e *Error) MarshalJSON() ([]byte, error) {
	c, _ := taxonomy.First(e, nil)
	wire := map[string]any{}
	for _, a := range e.members(c) {
		wire[a.Key] = a.Value.Any()
	}
	typed, ok := c.(taxonomy.Error)
	if !ok && c != nil {
		wire["code"] = taxonomy.CodeOf(c)
	}
	b, err := json.Marshal(wire)
	if !ok || err != nil {
		return b, err
	}
	object := typed.AppendJSON(nil)
	return append(append(object[:len(object)-1], ','), b[1:]...), nil
}

// maxLogText limits the text of an error in logs and JSON, in bytes.
const maxLogText = 4096
