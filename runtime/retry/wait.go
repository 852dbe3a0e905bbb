package retry

import (
	"context"
	"maps"
	"math/rand/v2"
	"sync"
	"time"
)

// Clock is the source of time. It is safe for concurrent use.
type Clock interface {
	// Now returns the current time.
	Now() time.Time
	// Sleep returns nil after d, and context.Cause(ctx) if ctx ends first.
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

// SharedWait makes all callers in a lane wait after one of them has to wait. A lane is named after
// a provider and a credential. Implementations are safe for concurrent use.
type SharedWait interface {
	// Pause closes the lane until t. If the lane is already closed until later, nothing changes.
	Pause(ctx context.Context, lane string, t time.Time) error
	// Until returns when the caller may use the lane; an instant that is not in the future means
	// immediately. While the lane is closed the instant includes jitter, so that the callers do not
	// all start together. After waiting, ask again: the lane may have been paused further.
	Until(ctx context.Context, lane string) (time.Time, error)
}

// maxSpread limits the jitter of a shared wait.
const maxSpread = 10 * time.Second

// Spread returns an instant up to a tenth of the remaining wait after until, and at most 10 s after
// it. If until is not after now, it is returned unchanged. If random is nil, it is math/rand/v2.
func Spread(until, now time.Time, random Random) time.Time {
	if !until.After(now) {
		return until
	}
	if random == nil {
		random = rand.Float64
	}
	return until.Add(time.Duration(random() * float64(min(until.Sub(now)/10, maxSpread))))
}

// maxOpen is the number of lanes above which Pause removes the lanes that are open.
const maxOpen = 1024

type memoryWait struct {
	clock  Clock
	random Random

	mu    sync.Mutex
	lanes map[string]time.Time
}

// NewSharedWait returns a [SharedWait] for the callers in this process. If clock is nil, it is
// [System]; random is the source of jitter as for [Spread].
func NewSharedWait(clock Clock, random Random) SharedWait {
	if clock == nil {
		clock = System
	}
	return &memoryWait{clock: clock, random: random, lanes: make(map[string]time.Time)}
}

func (w *memoryWait) Pause(_ context.Context, lane string, t time.Time) error {
	now := w.clock.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !t.After(now) || !t.After(w.lanes[lane]) {
		return nil
	}
	w.lanes[lane] = t
	if len(w.lanes) > maxOpen {
		maps.DeleteFunc(w.lanes, func(_ string, t time.Time) bool { return !t.After(now) })
	}
	return nil
}

func (w *memoryWait) Until(_ context.Context, lane string) (time.Time, error) {
	now := w.clock.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	return Spread(w.lanes[lane], now, w.random), nil
}
