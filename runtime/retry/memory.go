package retry

import (
	"context"
	"sync"
	"time"
)

// maxLanes bounds the lanes that are remembered at a time.
const maxLanes = 1024

// MemoryLanes are [Lanes] that the runs of one process share. Lanes that are open are forgotten; of
// more than 1024 closed ones, those that open first.
type MemoryLanes struct {
	ramp  Ramp
	clock Clock

	mu    sync.Mutex
	lanes map[string]*Lane
}

// NewLanes returns lanes that are all open. The zero Ramp has a step of a second and moves nobody;
// its Random need not be safe for concurrent use. The clock says when a pause is over; nil is
// [System].
func NewLanes(ramp Ramp, clock Clock) *MemoryLanes {
	if clock == nil {
		clock = System
	}
	return &MemoryLanes{ramp: ramp, clock: clock, lanes: make(map[string]*Lane)}
}

// Pause closes the lane until t; see [Lanes]. It never fails.
func (m *MemoryLanes) Pause(_ context.Context, lane string, t time.Time) error {
	now := m.clock.Now()
	if !t.After(now) {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.lanes[lane]
	if l == nil {
		m.forget(now)
		l = &Lane{}
		m.lanes[lane] = l
	}
	l.Pause(t, now, m.ramp)
	return nil
}

// Opens returns when the caller may enter the lane; see [Lanes]. It never fails.
func (m *MemoryLanes) Opens(_ context.Context, lane, caller string, now time.Time) (time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.lanes[lane]
	if l == nil {
		return now, nil
	}
	if l.Over(now, m.ramp) {
		delete(m.lanes, lane)
		return now, nil
	}
	return l.Opens(caller, now, m.ramp), nil
}

// forget makes room for another lane.
func (m *MemoryLanes) forget(now time.Time) {
	soonest, at := "", time.Time{}
	for name, l := range m.lanes {
		if l.Over(now, m.ramp) {
			delete(m.lanes, name)
			continue
		}
		if at.IsZero() || l.Until.Before(at) {
			soonest, at = name, l.Until
		}
	}
	if len(m.lanes) >= maxLanes {
		delete(m.lanes, soonest)
	}
}
