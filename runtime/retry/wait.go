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
	// Until returns the instant from which the caller may use the lane. If the instant is not in
	// the future, the lane is open. While the lane is closed, the instant includes jitter, so that
	// the callers do not all start together. After waiting, call Until again, because the lane may
	// have been paused further.
	Until(ctx context.Context, lane string) (time.Time, error)
}

// maxSpread limits the jitter of a shared wait.
const maxSpread = 10 * time.Second

// Spread adds jitter to until: at most a tenth of the remaining wait, and at most 10 s. If until is
// not after now, it is returned unchanged. If random is nil, math/rand/v2 is used.
func Spread(until, now time.Time, random Random) time.Time {
	if !until.After(now) {
		return until
	}
	if random == nil {
		random = rand.Float64
	}
	return until.Add(time.Duration(random() * float64(min(until.Sub(now)/10, maxSpread))))
}

// maxLanes is the number of lanes above which Pause removes the open ones.
const maxLanes = 1024

// memoryWait is the SharedWait of one process.
type memoryWait struct {
	clock  Clock
	random Random

	mu    sync.Mutex
	lanes map[string]time.Time
}

// NewSharedWait returns a [SharedWait] for the callers in this process. If clock is nil, [System]
// is used. Random is the source of jitter as for [Spread].
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
	if len(w.lanes) > maxLanes {
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
