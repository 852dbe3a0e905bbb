package retry

import (
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Series is what happened so far to one operation and code: tries in a row that failed. The zero
// Series is none. It marshals to JSON, so that it can be kept.
type Series struct {
	// Calls counts the calls that failed, in total.
	Calls int `json:"calls"`
	// Waited is how long was waited in a row.
	Waited time.Duration `json:"waited"`
	// Last is the last computed delay; decorrelated jitter grows from it.
	Last time.Duration `json:"last,omitempty"`
}

// Random returns a number in [0, 1). It need not be safe for concurrent use by itself.
type Random func() float64

// roll returns a number in [0, 1], whatever the source returns; without a source it is def.
func (r Random) roll(def float64) float64 {
	if r == nil {
		return def
	}
	return unit(r())
}

// Hint is when to try again, as the failure itself says. The zero Hint says nothing.
type Hint struct {
	// After is how long to wait.
	After taxonomy.Opt[time.Duration]
	// At is when trying makes sense again. It outweighs After.
	At taxonomy.Opt[time.Time]
	// Now is what At is counted from; without At it is not needed.
	Now time.Time
}

// HintOf returns what an error's hints say about waiting.
func HintOf(h taxonomy.Hints, now time.Time) Hint {
	return Hint{After: h.RetryAfter, At: h.ResetAt, Now: now}
}

// wait returns how long the hint asks to wait, 0 for an instant that is over, and whether it says
// anything. A time below 0 says nothing.
func (h *Hint) wait() (time.Duration, bool) {
	if at, ok := h.At.Get(); ok {
		return max(0, at.Sub(h.Now)), true
	}
	after, ok := h.After.Get()
	return max(0, after), ok && after >= 0
}

// Bound is what ends a series.
type Bound uint8

// The bounds.
const (
	BoundNone       Bound = iota // nothing: there is a next try
	BoundAttempts                // the policy's max_attempts
	BoundElapsed                 // the policy's max_elapsed
	BoundRetryAfter              // a hint above the policy's max_retry_after
)

// String returns the key of a policy that sets the bound, or "none".
func (b Bound) String() string {
	switch b {
	case BoundAttempts:
		return "max_attempts"
	case BoundElapsed:
		return "max_elapsed"
	case BoundRetryAfter:
		return "max_retry_after"
	}
	return "none"
}

// Next says what comes after a failure.
type Next struct {
	// Wait is how long to wait before the next try; never negative.
	Wait time.Duration
	// UsedUp reports that there is no next try: the policy's attempts or its time are used up, or
	// the hint is longer than the policy obeys.
	UsedUp bool
	// Hinted reports that Wait came from a hint.
	Hinted bool
	// Bound is what is used up.
	Bound Bound
	// Series is the series with the failure counted, and the wait if there is one.
	Series Series
}
