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
	// spare is for how many seconds turns are kept that nobody takes when those who waited are in, leastSpare how many turns at least.
	spare, leastSpare = 0.2, 5
	// hold is for how many times as long as those who waited took to enter the pace holds for all who come afterwards, up to maxHold:
	// they are the same callers, who come again as closely as they were let in.
	hold, maxHold = 3, 5 * time.Minute
	// slack is the part of a place by which arithmetic may be wrong.
	slack = 1e-6
)

// entry is how callers enter a lane that opens again: each has a place in a queue, which it takes when it first asks, since
// not everybody who waits asks when the lane opens. Places are numbered from 1, and their turns come at a pace. The zero
// entry lets everybody in.
type entry struct {
	on      bool
	began   time.Time
	settled time.Time // when all who waited for the breaker have asked
	ends    time.Time // when the entry does, if nobody waits; zero while those enter who waited
	quiet   time.Duration
	tempo   tempo

	at     time.Time          // until when head is worked out
	head   float64            // the last place whose turn has come
	tail   float64            // the last place that was taken
	busy   time.Time          // when more than enough last waited
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
		on: true, began: now, settled: now.Add(patience), quiet: step, tempo: newTempo(now, shut, patience, step, normal),
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

// soon is when to ask again. While the pace is still looked for, those whose turn would come later ask as soon as it is found, and
// whoever is told its turn asks when the pace may change before: who came at the old pace would come among those of the new one.
func (e *entry) soon(now time.Time, wait, patience time.Duration) time.Time {
	if wait <= patience && wait > exact {
		wait = max(wait/2, exact)
	}
	at := now.Add(max(wait, time.Millisecond))
	if wait > patience {
		return at
	}
	if found := e.settled.Add(1); !e.tempo.known && now.Before(found) {
		return earlier(at, found)
	}
	if e.tempo.turn.After(now) {
		return earlier(at, e.tempo.turn)
	}
	return at
}

// waits brings the entry up to now, and reports whether callers still enter one after the other.
func (e *entry) waits(now time.Time) bool {
	if !e.on {
		return false
	}
	e.advance(now)
	if e.isBusy(now) {
		return true
	}
	if e.ends.IsZero() {
		over := later(e.settled, e.busy).Add(e.quiet)
		e.ends = over.Add(min(hold*over.Sub(e.began), maxHold))
		if e.head > e.tail {
			e.head = e.tail + e.unused()
		}
	}
	if now.After(e.ends) {
		*e = entry{}
	}
	return e.on
}

// queues brings the entry up to now, and reports whether there is a queue, or was just now.
func (e *entry) queues(now time.Time) bool { return e.waits(now) && e.isBusy(now) }

// isTaken reports whether the next to come would have to wait.
func (e *entry) isTaken() bool { return e.on && e.until(e.tail+1) > 0 }

func (e *entry) isBusy(now time.Time) bool {
	return !now.After(e.settled.Add(e.quiet)) || !now.After(e.busy.Add(e.quiet))
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
		if most := e.tail + e.unused(); e.head >= most { // nobody waits, and what is not used is lost
			e.head, e.at = most, now
		}
		e.tempo.turns(e.at, e.until(e.tail-e.enough()), !e.ends.IsZero())
	}
}

// enough is how many may wait without it being a queue.
func (e *entry) enough() float64 { return max(leastSpare, e.tempo.pace*spare) }

// unused is how many turns are kept that nobody takes. While those enter who waited it is that of the next to come.
func (e *entry) unused() float64 {
	if e.ends.IsZero() {
		return 1
	}
	return e.enough()
}

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

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
