package retry

import (
	"context"
	"errors"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Gate bounds what all callers in a lane do together: a circuit breaker and a budget of retries for
// each provider and credential. Which bounds hold is said by the policies of the failures that are
// reported to it. Package breaker makes one. Implementations are safe for concurrent use.
type Gate interface {
	// Enter asks to make a call in the lane. When the time it returns is after now, the call must
	// not be made: wait until then and ask again. Otherwise it may be made, and Leave must follow,
	// whatever becomes of it. Caller is any text that nobody else in the lane uses, such as the
	// name of the run.
	Enter(ctx context.Context, lane, caller string, now time.Time) (time.Time, error)
	// Leave says what became of a call that was let in.
	Leave(lane, caller string, end CallEnd)
	// Retry asks whether a failed call may be tried again under the policy; false means that its
	// budget is used up. A policy without a budget always may.
	Retry(lane string, p *taxonomy.Policy) bool
}

// Opener is a [Gate] that can be looked at without entering.
type Opener interface {
	// Opens returns the earliest time at which the lane may let anybody in, as far as is known; it
	// may when that is not after now. It takes nothing.
	Opens(lane string, now time.Time) time.Time
}

// CallEnd is what became of a call that a [Gate] has let in. The zero CallEnd is a success.
type CallEnd struct {
	// Failed reports that the call failed, Cancelled that it was given up by the caller, which says
	// nothing about the provider.
	Failed, Cancelled bool
	// TimedOut reports that the caller's deadline has ended the call: a failure only if calls
	// usually take no longer.
	TimedOut bool
	// Took is how long the call took; 0 is not known.
	Took time.Duration
	// Policy is that of the failure's reaction; nil when it has none.
	Policy *taxonomy.Policy
}

// ErrShut is wrapped by what [Do] returns when it has given up because a [Gate] made it wait.
var ErrShut = errors.New("the gate is shut")

// TryGate is a [Gate] that has an answer for who will not wait. [FailFast] asks it.
type TryGate interface {
	// TryEnter is Enter, but a caller that it does not let in is not counted among those who wait,
	// and is not expected again.
	TryEnter(ctx context.Context, lane, caller string, now time.Time) (time.Time, error)
}

// Explainer is a [Gate] that says why callers have to wait. [Do] asks it for its errors.
type Explainer interface {
	// Why returns an error that wraps [ErrShut] and names the lane; nil when nobody has to wait.
	Why(lane string) error
}
