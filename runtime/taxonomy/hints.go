package taxonomy

import (
	"time"
)

// Hints are the values of an error that a reaction uses. The zero Hints are empty.
type Hints struct {
	// RetryAfter is the wait before the next call.
	RetryAfter Opt[time.Duration]
	// ResetAt is the time from which a call can succeed again.
	ResetAt Opt[time.Time]
	// Files are the files that `revert: files` restores.
	Files []string
	// Credential is the name of the credential of a shared wait.
	Credential string
	// Output is the output of the failed work.
	Output string
}

// HintsOf returns the values of the fields that evidence fills from retry_after, reset_at, files,
// credential and output.
func HintsOf(err error) Hints {
	c, _ := First(err, nil)
	if h, ok := c.(interface{ Hints() Hints }); ok {
		return h.Hints()
	}
	return Hints{}
}

// RecoveryRequest is the input of a strategy: a failure and the reaction that names the strategy.
type RecoveryRequest struct {
	Err      error
	Reaction Reaction
	// Evidence is the evidence that Err was classified from, with the complete text. It must not be
	// changed. It is nil if it is unknown.
	Evidence *Evidence
	// NoText reports that the profile does not search texts, so a wait in a text does not count.
	NoText bool
	// Run is the name of the run, which identifies it among several that wait; empty is unknown.
	Run string
	// Attempt is the number of the strategy's attempt for this failure, from 1.
	Attempt int
}
