package retry

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
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

// WaitStore stores when lanes open, for a [SharedWait] that processes or hosts share. It is safe for
// concurrent use.
type WaitStore interface {
	// Extend stores that the lane opens at until, unless it opens later. It may remove lanes that
	// are open at the time now.
	Extend(ctx context.Context, lane string, until, now time.Time) error
	// Opens returns when the lane opens. It is the zero time if the lane was not closed.
	Opens(ctx context.Context, lane string) (time.Time, error)
}

// LaneKey returns a name of a lane for a [WaitStore]: 32 hexadecimal digits that do not reveal the
// lane's name, which may contain any text.
func LaneKey(lane string) string {
	sum := sha256.Sum256([]byte(lane))
	return hex.EncodeToString(sum[:16])
}

// maxSpread limits the jitter of a shared wait.
const maxSpread = 10 * time.Second

// latestOpening is the latest time at which a lane can open, because RFC 3339 has no later years.
var latestOpening = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// sharedWait implements [SharedWait] with a store.
type sharedWait struct {
	store  WaitStore
	clock  Clock
	random Random
}

// NewSharedWait returns a [SharedWait] for the callers in this process. If clock is nil, [System]
// is used. Random is the source of jitter, which is at most a tenth of the remaining wait and at
// most 10 s. If random is nil, math/rand/v2 is used.
func NewSharedWait(clock Clock, random Random) SharedWait {
	return NewStoredWait(&memoryStore{lanes: make(map[string]time.Time)}, clock, random)
}

// NewStoredWait is [NewSharedWait] for all users of the store.
func NewStoredWait(store WaitStore, clock Clock, random Random) SharedWait {
	if random == nil {
		random = rand.Float64
	}
	return &sharedWait{store, cmp.Or[Clock](clock, System), random}
}

func (w *sharedWait) Pause(ctx context.Context, lane string, t time.Time) error {
	now := w.clock.Now()
	if !t.After(now) {
		return nil
	}
	if t.After(latestOpening) {
		t = latestOpening
	}
	return w.store.Extend(ctx, lane, t.UTC(), now)
}

func (w *sharedWait) Until(ctx context.Context, lane string) (time.Time, error) {
	opens, err := w.store.Opens(ctx, lane)
	if wait := opens.Sub(w.clock.Now()); err == nil && wait > 0 {
		opens = opens.Add(time.Duration(w.random() * float64(min(wait/10, maxSpread))))
	}
	return opens, err
}

// maxLanes is the number of lanes above which Extend removes the open ones.
const maxLanes = 1024

// memoryStore is the store of one process.
type memoryStore struct {
	mu    sync.Mutex
	lanes map[string]time.Time
}

func (m *memoryStore) Extend(_ context.Context, lane string, until, now time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if until.After(m.lanes[lane]) {
		m.lanes[lane] = until
	}
	if len(m.lanes) > maxLanes {
		maps.DeleteFunc(m.lanes, func(_ string, t time.Time) bool { return !t.After(now) })
	}
	return nil
}

func (m *memoryStore) Opens(_ context.Context, lane string) (time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lanes[lane], nil
}
