package executor

import (
	"context"
	"time"
)

// Preventer says what is to be done before a call because a failure is likely. Package predict
// makes one of a taxonomy's `prevent` and a forecast. It is safe for concurrent use.
type Preventer interface {
	// Before is asked before each call. When it returns a Wait, the executor waits that long and
	// asks again. Otherwise the call is made once Check has passed, and Release is called when it
	// has ended, or is not made.
	Before(ctx context.Context, c Coming) (Precaution, error)
}

// Coming is a call that is about to be made.
type Coming struct {
	Provider, Lane, Run string
	Now                 time.Time
}

// Precaution is what is to be done before a call. The zero Precaution is nothing.
type Precaution struct {
	// Code is the failure that is likely, and Probability how likely it is, between Low and High.
	// Code is empty where nothing is.
	Code                   string
	Probability, Low, High float64
	// Check names the check that must pass; empty is none.
	Check string
	// Wait is how long to wait before asking again; 0 or less is not at all.
	Wait time.Duration
	// Release gives back the place that the call takes; nil when it takes none.
	Release func()
	// Withdraw is called in place of Release when the run has to wait before the call after all,
	// and asks again. It takes back all that was taken: also what stays taken by a call that has
	// ended, such as the time since the last one. Nil is Release.
	Withdraw func()
}

// Checker runs the checks that `prevent` names. The generated function Check is one way to
// implement it. It is safe for concurrent use where runs share it.
type Checker interface {
	// Check runs the named check. An error fails the call that it was made for, as if the provider
	// had returned it. It must return when ctx ends, which is when its time (Limits.Check) or that
	// of the iteration is over, or the run is cancelled. One that does not within a second is left
	// behind in its goroutine, and fails the call with evidence of type "timeout".
	Check(ctx context.Context, name string) error
}
