package breaker

import (
	"math"
	"time"

	"github.com/errgen/errgen/runtime/retry"
)

const (
	// maxPlaces bounds the callers that have a place. Those beyond ask again.
	maxPlaces = 4096
	// exact is for how long before its turn a caller is told when that is. Before, it is told to ask again halfway, since the
	// pace may have doubled by then.
	exact = time.Second
	// maxLate is for how long a caller that does not come keeps its place, when there is no other.
	maxLate = 10 * time.Second
	// slack is the part of a place by which arithmetic may be wrong.
	slack = 1e-6
)

// entry is how callers enter a lane that opens again: each has a place in a queue, which it takes when it first asks, since
// not everybody who waits asks when the lane opens. Places are numbered from 1, and their turns come at a pace. The zero
// entry lets everybody in.
type entry struct {
	on      bool
	settled time.Time // when all who waited for the breaker have asked
	quiet   time.Duration
	tempo   tempo

	at     time.Time          // until when head is worked out
	head   float64            // the last place whose turn has come
	tail   float64            // the last place that was taken
	busy   time.Time          // when somebody last had to wait for more than the distance to the one before
	places map[string]float64 // of those who wait
	swept  float64            // the head when places were last given up for lost
}

// newEntry begins at now, when a lane opens that was shut for so long. Patience is after how long those who wait ask again at the
// latest, normal the rate of calls in a second, 0 if that is not known.
func newEntry(now time.Time, shut, patience time.Duration, normal float64, ramp retry.Ramp) entry {
	step := ramp.Gap(1)
	if step <= 0 {
		return entry{}
	}
	return entry{
		on: true, settled: now.Add(patience), quiet: step, tempo: newTempo(now, shut, patience, step, normal),
		at: now, busy: now, places: make(map[string]float64),
	}
}

// opens returns when the caller may call, or when to ask again. One that would have to wait for longer than it can is told how long that
// is, and takes no place.
func (e *entry) opens(caller string, now time.Time, patience time.Duration) time.Time {
	if !e.waits(now) {
		return now
	}
	place, known := e.places[caller]
	if !known {
		place = e.tail + 1
		if e.isFull() {
			return e.soon(now, e.until(place), patience)
		}
		e.tempo.came()
	}
	wait := e.until(place)
	if wait > 0 && wait > patience {
		delete(e.places, caller)
		return now.Add(wait)
	}
	e.tail = max(e.tail, place)
	if wait == 0 {
		delete(e.places, caller)
		return now
	}
	e.places[caller] = place
	return e.soon(now, wait, patience)
}

// soon is when to ask again. While the pace is still looked for, those whose turn would come later ask as soon as it is found.
func (e *entry) soon(now time.Time, wait, patience time.Duration) time.Time {
	if wait <= patience && wait > exact {
		wait = max(wait/2, exact)
	}
	at := now.Add(max(wait, time.Millisecond))
	if found := e.settled.Add(1); !e.tempo.known && now.Before(found) && wait <= patience {
		return earlier(at, found)
	}
	return at
}

// waits brings the entry up to now, and reports whether callers still enter one after the other. It ends when nobody had to
// wait in a while.
func (e *entry) waits(now time.Time) bool {
	if !e.on {
		return false
	}
	e.advance(now)
	if now.After(e.settled.Add(e.quiet)) && now.After(e.busy.Add(e.quiet)) {
		*e = entry{}
	}
	return e.on
}

// advance moves the head to where it is now.
func (e *entry) advance(now time.Time) {
	from, free := e.at, e.tail-e.enough()
	if e.head < free {
		defer func(takes time.Duration) { e.busy = earlier(now, from.Add(takes)) }(e.until(free))
	}
	for e.at.Before(now) {
		until := earlier(now, e.tempo.turn)
		e.head = e.tempo.after(e.head, until.Sub(e.at))
		e.at = until
		if e.head >= e.tail+1 { // nobody waits, and what is not used is lost
			e.head, e.at = e.tail+1, now
		}
		e.tempo.turns(e.at, e.head < e.tail)
	}
}

// enough is how many may wait in an entry that is over.
func (e *entry) enough() float64 { return max(1, e.tempo.pace*e.quiet.Seconds()/2) }

// until is how long it takes until the turn of the place comes, at most.
func (e *entry) until(place float64) time.Duration {
	if e.head >= place-slack {
		return 0
	}
	return max(e.tempo.until(e.head, place), 1)
}

// isFull reports whether there is no place for another, when those are given up that were lost.
func (e *entry) isFull() bool {
	if len(e.places) < maxPlaces {
		return false
	}
	if e.head-e.swept >= maxPlaces/16 {
		e.swept = e.head
		lost := e.head - math.Max(1, e.tempo.pace*maxLate.Seconds())
		for caller, place := range e.places {
			if place < lost {
				delete(e.places, caller)
			}
		}
	}
	return len(e.places) >= maxPlaces
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
