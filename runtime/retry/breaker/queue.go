package breaker

import (
	"slices"
	"time"
)

// maxPlaces bounds the callers that are remembered. Those beyond ask again.
const maxPlaces = 4096

// ticket is a caller's that waits.
type ticket struct {
	number float64 // in the queue; 0 where there was no place
	came   time.Time
	// forget ends the watch over whether the caller has given up; nil where it cannot.
	forget func() bool
}

func (t *ticket) hasPlace() bool { return t != nil && t.number > 0 }

// queue is the order in which callers wait. Each has a place, from 1 on; behind one that gives up
// the others move up.
type queue struct {
	tickets map[string]*ticket // of those who wait
	numbers float64            // the last that was given out
	// gone are the numbers of those who gave up before their turn, in order, as far as others wait
	// before them; moved is how many gave up besides.
	gone  []float64
	moved float64
}

// last is the last place that was taken.
func (q *queue) last() float64 { return q.numbers - q.moved - float64(len(q.gone)) }

// placeOf is where a ticket is in the queue.
func (q *queue) placeOf(t *ticket) float64 {
	before, _ := slices.BinarySearch(q.gone, t.number)
	return t.number - q.moved - float64(before)
}

// join remembers a caller that has no place yet.
func (q *queue) join(caller string, now time.Time) *ticket {
	t := &ticket{came: now}
	q.tickets[caller] = t
	return t
}

// place gives the last place to a ticket.
func (q *queue) place(t *ticket) {
	q.numbers++
	t.number = q.numbers
}

// drop takes a ticket back, and says whether it was still there.
func (q *queue) drop(caller string, t *ticket) bool {
	if q.tickets[caller] != t {
		return false
	}
	delete(q.tickets, caller)
	if t.forget != nil {
		t.forget()
	}
	return true
}

// giveUp has those behind a ticket move up. Head is the last place whose turn has come.
func (q *queue) giveUp(t *ticket, head float64) {
	at, _ := slices.BinarySearch(q.gone, t.number)
	q.gone = slices.Insert(q.gone, at, t.number)
	q.trim(head)
}

// trim forgets the gaps that nobody waits before.
func (q *queue) trim(head float64) {
	n := 0
	for n < len(q.gone) && q.gone[n]-q.moved-float64(n) <= head+1 {
		n++
	}
	q.gone = slices.Delete(q.gone, 0, n)
	q.moved += float64(n)
}

// clear takes all tickets back.
func (q *queue) clear() {
	for caller, t := range q.tickets {
		q.drop(caller, t)
	}
	*q = queue{}
}
