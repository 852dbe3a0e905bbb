package taxonomy

import (
	"time"
)

// Hints are what an error says to whoever reacts to it. The zero Hints say nothing.
type Hints struct {
	// RetryAfter is how long to wait before the next try.
	RetryAfter Opt[time.Duration]
	// ResetAt is when trying makes sense again.
	ResetAt Opt[time.Time]
	// Files are what a reaction that reverts files puts back.
	Files []string
	// Credential names the credential that a shared wait is about.
	Credential string
	// Output is what the failed work printed.
	Output string
}

// HintsOf returns what the error says to whoever reacts to it: the fields that evidence fills from
// retry_after, reset_at, files, credential and output.
func HintsOf(err error) Hints {
	c, _ := First(err, nil)
	if h, ok := c.(interface{ Hints() Hints }); ok {
		return h.Hints()
	}
	return Hints{}
}

// RecoveryRequest is what a strategy gets: a failure and the reaction that asks for the strategy.
type RecoveryRequest struct {
	Err      error
	Reaction Reaction
	// Evidence is what Err was classified from: all that was said, where Err's message may be a
	// line of it. Nil is unknown. It must not be changed.
	Evidence *Evidence
	// NoText reports that the profile has texts not searched, so that a text does not say how long
	// to wait.
	NoText bool
	// Run names the run that it befell, which is who waits where several wait for the same; empty
	// is unknown.
	Run string
	// Attempt counts the tries of the strategy for this failure, from 1.
	Attempt int
}
