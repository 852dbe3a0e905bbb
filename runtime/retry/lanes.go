package retry

import (
	"context"
	"time"
)

// Lanes are waits that several runs share: when one run is told to wait, everybody in its lane
// does. A lane is named after a provider and a credential. Implementations are safe for concurrent
// use. [MemoryLanes] are those of one process; a [Lane] is the rule for others.
type Lanes interface {
	// Pause closes the lane until t, or until a later instant that it is closed until already.
	Pause(ctx context.Context, lane string, t time.Time) error
	// Opens returns when the caller may enter the lane: a time that is not after now when it may at
	// once. After a pause each caller gets an instant of its own, so that they do not all start
	// again together, and keeps it however often it asks; a further pause moves it, but lets nobody
	// overtake. So ask, wait until then, and ask again until it is open. Caller is any text that
	// nobody else in the lane uses, such as the name of the run.
	Opens(ctx context.Context, lane, caller string, now time.Time) (time.Time, error)
}
