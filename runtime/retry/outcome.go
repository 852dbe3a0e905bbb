package retry

import "time"

// Outcome is what became of one call, for whoever learns from it.
type Outcome struct {
	// At is when the call ended.
	At time.Time
	// Took is how long it took; 0 where nobody knows.
	Took time.Duration
	// Provider is who was called, Lane whose waits the call shares; either may be empty.
	Provider, Lane string
	// Code is what the call failed with; empty when it succeeded.
	Code string
	// After is the code of the failure that this call was the retry of, Policy the policy that
	// spaced it. Both are empty for a first call.
	After, Policy string
	// Attempt counts the calls of the series from 1; Wait is how long was waited before this one.
	Attempt int
	Wait    time.Duration
}

// Learner is told what became of calls. Implementations are safe for concurrent use and return
// quickly.
type Learner interface {
	Learn(o Outcome)
}
