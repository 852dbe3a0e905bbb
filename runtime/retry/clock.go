package retry

import (
	"context"
	"time"
)

// Clock is where time comes from. A Clock is safe for concurrent use.
type Clock interface {
	// Now returns the current time.
	Now() time.Time
	// Sleep returns nil when d has passed, at once if d is not positive, and context.Cause(ctx) if
	// ctx ends first.
	Sleep(ctx context.Context, d time.Duration) error
}

// System is the clock of the machine.
var System Clock = systemClock{}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
