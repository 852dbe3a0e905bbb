package retry

import (
	"context"
	"errors"
	"time"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Breaker limits the calls and retries of all callers in a lane, with circuit breakers and retry
// budgets. The limits are in the policies of the failures that callers report. Package breaker has
// an implementation. Implementations are safe for concurrent use.
type Breaker interface {
	// Acquire requests a call in the lane, and does not wait. If err is nil, the caller makes the
	// call and then calls release once. A refusal is a *taxonomy.Evidence that wraps [ErrRefused].
	// Its RetryAfter is the wait before the next Acquire.
	//
	//errgen:errors foreign
	Acquire(ctx context.Context, lane string) (release func(Result), err error)
	// Retry takes a retry under the policy out of the lane's budget, and reports whether the budget
	// permits it. A policy without a budget always permits it.
	Retry(lane string, p *taxonomy.Policy) bool
}

// Result is the result of a call that a [Breaker] permitted. The zero Result is a success.
type Result struct {
	// Failed reports that the call failed, also by a timeout.
	Failed bool
	// Cancelled reports that the caller abandoned the call. Such a result is not evidence about the
	// provider.
	Cancelled bool
	// Policy is the policy of the failure's reaction; nil if it has none.
	Policy *taxonomy.Policy
}

// ErrRefused is wrapped by a [Breaker]'s refusals.
var ErrRefused = errors.New("the breaker refuses calls")

// RefusedFor returns the wait in a breaker's refusal, and whether err is one.
func RefusedFor(err error) (wait time.Duration, refused bool) {
	ev, ok := errtree.As[*taxonomy.Evidence](err)
	if !ok || !errtree.Is(ev, ErrRefused) {
		return 0, false
	}
	return ev.RetryAfter.Or(0), true
}
