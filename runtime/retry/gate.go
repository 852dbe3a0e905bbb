package retry

import (
	"context"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Gate bounds what all callers in a lane do together: a circuit breaker and a budget of retries for each provider and
// credential. Which bounds hold is said by the policies of the failures that are reported to it. Package breaker makes
// one. Implementations are safe for concurrent use.
type Gate interface {
	// Enter asks to make a call in the lane. When the time it returns is after now, the call must not be made: wait until
	// then and ask again. Otherwise it may be made, and Leave must follow, whatever becomes of it. Caller is any text
	// that nobody else in the lane uses, such as the name of the run.
	Enter(ctx context.Context, lane, caller string, now time.Time) (time.Time, error)
	// Leave says what became of a call that was let in.
	Leave(lane, caller string, end CallEnd)
	// Retry asks whether a failed call may be tried again under the policy; false means that its budget is used up. A
	// policy without a budget always may.
	Retry(lane string, p *taxonomy.Policy) bool
}

// CallEnd is what became of a call that a [Gate] has let in. The zero CallEnd is a success.
type CallEnd struct {
	// Failed reports that the call failed, Cancelled that it was given up by the caller, which says nothing about the
	// provider.
	Failed, Cancelled bool
	// Policy is that of the failure's reaction; nil when it has none.
	Policy *taxonomy.Policy
}
