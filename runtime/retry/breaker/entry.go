package breaker

import (
	"math"
	"time"

	"github.com/errgen/errgen/runtime/retry"
)

const (
	// exact is for how long before its turn a caller is told when that is. Before, it is told to
	// ask again halfway, since the pace may have doubled by then.
	exact = time.Second
	// maxLate is for how long a caller that does not come keeps its place, when there is no other.
	maxLate = 10 * time.Second
	// spare is for how many seconds turns are kept that nobody takes when those who waited are in,
	// leastSpare how many turns at least.
	spare, leastSpare = 0.2, 5
	// hold is for how many times as long as those who waited took to enter the pace holds for all
	// who come afterwards, up to maxHold: they are the same callers, who come again as closely as
	// they were let in.
	hold, maxHold = 3, 5 * time.Minute
	// leastPause is how long somebody without a place does not ask again.
	leastPause = 200 * time.Millisecond
	// slack is the part of a place by which arithmetic may be wrong.
	slack = 1e-6
)

// entry is how callers enter a lane that opens again: each has a place in a queue, which it takes
// when it first asks, since not everybody who waits asks when the lane opens. Places are numbered
// from 1, and their turns come at a pace. The zero entry lets everybody in.
type entry struct {
	on      bool
	began   time.Time
	settled time.Time // when all who waited for the breaker have asked
	ends    time.Time // when the entry does, if nobody waits; zero while those enter who waited
	quiet   time.Duration
	tempo   tempo

	at       time.Time // until when head is worked out
	head     float64   // the last place whose turn has come
	queue    queue
	busy     time.Time // when more than enough last waited
	swept    float64   // the head when places were last given up for lost
	patience patience
	calls    map[string]time.Time // of those who were let in, when they came
}

// newEntry begins at now, when a lane opens that was shut for so long. Patience is after how long
// those who wait ask again at the latest, normal the rate of calls in a second, 0 if that is not
// known.
func newEntry(now time.Time, shut, patience time.Duration, normal float64, ramp retry.Ramp) entry {
	step := ramp.Gap(1)
	if step <= 0 {
		return entry{}
	}
	return entry{
		on: true, began: now, settled: now.Add(patience), quiet: step,
		tempo: newTempo(now, shut, patience, step, normal),
		at:    now, busy: now, queue: queue{tickets: make(map[string]*ticket)}, calls: make(map[string]time.Time),
	}
}

// opens returns when the caller may call, or when to ask again, and its ticket if it is a new one.
// One that would have to wait for longer than it can is told how long that is, and takes no place.
// Left is the time that it has, takes what calls take.
func (e *entry) opens(caller string, now time.Time, left, takes time.Duration) (time.Time, *ticket) {
	if !e.waits(now) {
		return now, nil
	}
	t := e.queue.tickets[caller]
	if t.hasPlace() {
		return e.turn(caller, t, now, left), nil
	}
	wait := e.until(e.queue.last() + 1)
	if wait == 0 {
		e.admit(caller, t, now)
		return now, nil
	}
	full := t == nil && e.isFull()
	placed := !full && wait <= e.patience.bound(left, takes)
	if t == nil && !full {
		t = e.join(caller, now, wait <= left)
	}
	if placed {
		e.tempo.placed++
		e.queue.place(t)
		return e.soon(now, wait, left), t
	}
	e.busy, e.tempo.refused = now, true
	return e.later(now, wait, left), t
}

// turn returns when a caller that has a place may call, or when to ask again.
func (e *entry) turn(caller string, t *ticket, now time.Time, left time.Duration) time.Time {
	wait := e.until(e.queue.placeOf(t))
	if wait > left {
		e.gone(caller, t)
		return now.Add(wait)
	}
	if wait > 0 {
		return e.soon(now, wait, left)
	}
	e.queue.drop(caller, t)
	e.begin(caller, t.came)
	return now
}

// admit lets a caller in that has no place, and needs none.
func (e *entry) admit(caller string, t *ticket, now time.Time) {
	came := now
	if t == nil {
		e.tempo.came()
	} else {
		came = t.came
		e.queue.drop(caller, t)
	}
	e.tempo.placed++
	e.queue.numbers++
	e.begin(caller, came)
}

// join counts a caller that is new, and remembers it if it stays.
func (e *entry) join(caller string, now time.Time, stays bool) *ticket {
	if stays || e.tempo.settling {
		e.tempo.came()
	}
	if !stays {
		return nil
	}
	return e.queue.join(caller, now)
}

// begin notes that a caller makes its call.
func (e *entry) begin(caller string, came time.Time) {
	if len(e.calls) < maxPlaces {
		e.calls[caller] = came
	}
}

// ended takes into account what became of a caller's call.
func (e *entry) ended(caller string, end retry.CallEnd, now time.Time) {
	came, ok := e.calls[caller]
	if !ok {
		return
	}
	delete(e.calls, caller)
	if end.Cancelled || end.TimedOut {
		e.patience.gaveUp(came, now)
	} else {
		e.patience.served(came, now)
	}
}

// gaveUp takes the ticket of a caller that will not come any more. One without a place says nothing
// of how long places may be waited for.
func (e *entry) gaveUp(caller string, t *ticket, now time.Time) {
	if e.waits(now) && e.gone(caller, t) && t.hasPlace() {
		e.patience.gaveUp(t.came, now)
	}
}

// gone has those behind a ticket move up, and says whether it was there. The turn of one that came
// long ago is lost.
func (e *entry) gone(caller string, t *ticket) bool {
	if !e.queue.drop(caller, t) {
		return false
	}
	if t.hasPlace() && e.queue.placeOf(t) > e.head-e.enough() {
		e.queue.giveUp(t, e.head)
	}
	return true
}

// later is when one asks again that has no place. It is not told its turn, since it has none.
func (e *entry) later(now time.Time, wait, left time.Duration) time.Time {
	if wait > left {
		return now.Add(wait)
	}
	return later(e.soon(now, wait, left), now.Add(leastPause))
}

// soon is when to ask again. While the pace is still looked for, those whose turn would come later
// ask as soon as it is found, and whoever is told its turn asks when the pace may change before:
// who came at the old pace would come among those of the new one.
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
		if e.head > e.queue.last() {
			e.head = e.queue.last() + e.unused()
		}
	}
	if now.After(e.ends) {
		e.end()
	}
	return e.on
}

// end has everybody enter.
func (e *entry) end() {
	e.queue.clear()
	*e = entry{}
}

// queues brings the entry up to now, and reports whether there is a queue, or was just now.
func (e *entry) queues(now time.Time) bool { return e.waits(now) && e.isBusy(now) }

// isTaken reports whether the next to come would have to wait.
func (e *entry) isTaken() bool { return e.on && e.until(e.queue.last()+1) > 0 }

func (e *entry) isBusy(now time.Time) bool {
	return !now.After(e.settled.Add(e.quiet)) || !now.After(e.busy.Add(e.quiet))
}

// advance moves the head to where it is now.
func (e *entry) advance(now time.Time) {
	from, free := e.at, e.queue.last()-e.enough()
	if e.head < free {
		defer func(takes time.Duration) { e.busy = later(e.busy, earlier(now, from.Add(takes))) }(e.until(free))
	}
	for e.at.Before(now) {
		until := earlier(now, e.tempo.turn)
		e.head = e.tempo.after(e.head, until.Sub(e.at))
		e.at = until
		if most := e.queue.last() + e.unused(); e.head >= most { // nobody waits, and what is not used is lost
			e.head, e.at = most, now
		}
		e.tempo.turns(e.at, e.until(e.queue.last()-e.enough()), !e.ends.IsZero())
	}
}

// enough is how many may wait without it being a queue.
func (e *entry) enough() float64 { return max(leastSpare, e.tempo.pace*spare) }

// unused is how many turns are kept that nobody takes. While those enter who waited it is that of
// the next to come.
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
	if len(e.queue.tickets) < maxPlaces {
		return false
	}
	if e.head-e.swept >= maxPlaces/16 {
		e.swept = e.head
		lost := e.head - math.Max(1, e.tempo.pace*maxLate.Seconds())
		for caller, t := range e.queue.tickets {
			if t.hasPlace() && e.queue.placeOf(t) < lost {
				e.queue.drop(caller, t)
			}
		}
	}
	return len(e.queue.tickets) >= maxPlaces
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
