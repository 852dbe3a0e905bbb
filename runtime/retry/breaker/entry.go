package breaker

import (
	"math"
	"time"

	"github.com/errgen/errgen/runtime/retry"
)

const (
	// maxPlaces bounds the callers that have an instant to enter at. Those beyond ask again when these have entered.
	maxPlaces = 4096
	// haste is how much faster than normal callers enter. What is above 1 is what those who wait get.
	haste = 1.5
	// grace is how long the ramp takes that comes on top of what the waiting must take.
	grace = 15 * time.Second
	// doubling is how long the pace takes to double when it turns out that the normal rate is no longer known.
	doubling = 10 * time.Second
)

// entry is how callers enter a lane that opens again: each has an instant of its own, which is found when it first asks, since
// not everybody who waits asks when the lane opens. The zero entry lets everybody in.
type entry struct {
	on      bool
	settled time.Time // when all who waited for the breaker have asked
	grows   time.Time // when the pace does
	pace    float64   // callers in a second; 0 when the ramp alone says
	entered int       // with the probe
	last    time.Time // the last instant that was given
	delayed time.Time // the last one that somebody had to wait for
	places  map[string]time.Time
}

// newEntry begins at now, when a lane opens that was shut for so long. Patience is after how long those who wait ask again at the
// latest.
func newEntry(now time.Time, shut, patience time.Duration, normal float64) entry {
	return entry{
		on: true, settled: now.Add(patience), grows: now.Add(waiting(shut) + grace), pace: normal * haste,
		entered: 1, last: now, places: make(map[string]time.Time),
	}
}

// waiting is how long it takes at most until those have entered who came while the lane was shut, and those who come meanwhile.
func waiting(shut time.Duration) time.Duration {
	return time.Duration(min(float64(shut)/(haste-1), float64(24*time.Hour)))
}

func (e *entry) opens(caller string, now time.Time, ramp retry.Ramp) time.Time {
	if !e.on || e.over(now, ramp) {
		return now
	}
	if at, ok := e.places[caller]; ok {
		if !at.After(now) {
			delete(e.places, caller)
		}
		return at
	}
	at := e.last.Add(e.gap(now, ramp))
	if len(e.places) >= maxPlaces {
		e.delayed = at
		return at
	}
	if at.Before(now) {
		at = now
	}
	e.entered++
	e.last = at
	if at.After(now) {
		e.delayed = at
		e.places[caller] = at
	}
	return at
}

// over ends the entry when nobody who asked in a while had to wait.
func (e *entry) over(now time.Time, ramp retry.Ramp) bool {
	quiet := step(ramp)
	if quiet == 0 || now.After(e.settled.Add(quiet)) && now.After(e.delayed.Add(quiet)) {
		*e = entry{}
		return true
	}
	return false
}

// gap is the time between the last instant and the next one.
func (e *entry) gap(now time.Time, ramp retry.Ramp) time.Duration {
	gap := ramp.Gap(e.entered)
	if e.pace <= 0 {
		return gap
	}
	pace := e.pace
	if late := now.Sub(e.grows); late > 0 {
		pace *= math.Exp2(min(float64(late)/float64(doubling), 60))
	}
	return max(gap, min(time.Duration(float64(time.Second)/pace), step(ramp)))
}

// step is how long the second caller waits for the first one; 0 when nobody does.
func step(ramp retry.Ramp) time.Duration { return ramp.Gap(1) }
