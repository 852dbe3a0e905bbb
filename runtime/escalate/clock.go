package escalate

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/errgen/errgen/runtime/retry"
)

// Times that every form of a state can hold. The first of them is not the zero time, which means
// something else.
var (
	earliest = time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(9999, 12, 30, 0, 0, 0, 0, time.UTC)
)

// storable returns a time that can be kept: the next one to t of those that can.
func storable(t time.Time) time.Time {
	switch {
	case t.Before(earliest):
		return earliest
	case t.After(latest):
		return latest
	}
	const day = 24 * 60 * 60
	if _, offset := t.Zone(); offset <= -day || offset >= day {
		return t.UTC()
	}
	return t
}

// later returns when a wait is over that begins now.
func (r *run) later(wait time.Duration) time.Time { return storable(r.now().Add(wait)) }

// steadyClock is a clock that does not panic, and whose times can be kept.
type steadyClock struct {
	clock retry.Clock

	mu sync.Mutex
	// last is the time that was known last.
	last time.Time
}

// Now returns what the clock says; of one that panics, what it said last.
func (c *steadyClock) Now() (now time.Time) {
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if recover() != nil {
			now = c.last
		}
		now = storable(now)
		c.last = now
	}()
	return c.clock.Now()
}

// Sleep waits. A clock that panics has not waited.
func (c *steadyClock) Sleep(ctx context.Context, d time.Duration) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the clock failed: panic: %v", p)
		}
	}()
	return c.clock.Sleep(ctx, d)
}
