package retry

import (
	"strconv"
	"time"

	"github.com/errgen/errgen/runtime/internal/errtree"
)

// Stop is why [Do] gave up.
type Stop uint8

// The reasons. The zero Stop is none.
const (
	StoppedNot        Stop = iota
	StoppedPermanent       // the error is not worth another call
	StoppedAttempts        // the policy's MaxAttempts
	StoppedElapsed         // the policy's MaxElapsed
	StoppedRetryAfter      // the error asks for a longer wait than the policy obeys
	StoppedDeadline        // the next wait would pass the context's deadline
	StoppedContext         // the context ended
	StoppedLane            // the lane or the gate could not be asked
	StoppedBudget          // the gate's budget of retries
	StoppedGate            // the gate is shut, and FailFast says not to wait
)

var stopOf = [...]Stop{
	BoundNone: StoppedNot, BoundAttempts: StoppedAttempts, BoundElapsed: StoppedElapsed,
	BoundRetryAfter: StoppedRetryAfter,
}

var stopWords = [...]string{
	StoppedNot:        "nothing",
	StoppedPermanent:  "not retryable",
	StoppedAttempts:   "no calls left",
	StoppedElapsed:    "waited long enough",
	StoppedRetryAfter: "asked to wait for too long",
	StoppedDeadline:   "the next wait would pass the deadline",
	StoppedContext:    "the context ended",
	StoppedLane:       "the lane failed",
	StoppedBudget:     "no retries left in the lane",
	StoppedGate:       "not let in",
}

// String returns the reason in words.
func (s Stop) String() string {
	if int(s) < len(stopWords) {
		return stopWords[s]
	}
	return "Stop(" + strconv.Itoa(int(s)) + ")"
}

// Error is what [Do] returns when it gives up. errors.Is and errors.As find op's last error in it,
// what ended the context, and [context.Canceled] or [context.DeadlineExceeded] if it has ended.
// Where a [Gate] would have kept the call waiting beyond the deadline, they find [ErrShut] and
// [context.DeadlineExceeded], though the deadline has not passed.
type Error struct {
	// Err is what the last call returned; nil when there was none.
	Err error
	// Cause is what ended the context, why the lane or the gate could not be asked, or why the gate
	// is shut; otherwise nil.
	Cause error
	// Why is why there was no further call.
	Why Stop
	// Calls is how many calls were made, Waited how long was waited between them, but for waits in
	// a lane or at a gate.
	Calls  int
	Waited time.Duration

	ended error // that of the context, which a cause need not wrap
}

// Error says how many calls there were, why there is no other, and what the last one said.
func (e *Error) Error() string {
	text := strconv.Itoa(e.Calls) + " calls, "
	if e.Calls == 1 {
		text = "1 call, "
	}
	text += e.Why.String()
	if e.Cause != nil && !(e.Err != nil && errtree.Is(e.Err, e.Cause)) {
		text += " (" + e.Cause.Error() + ")"
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns Err, Cause and the context's error, as far as there are any.
func (e *Error) Unwrap() []error {
	var errs []error
	for _, err := range [...]error{e.Err, e.Cause, e.ended} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}
