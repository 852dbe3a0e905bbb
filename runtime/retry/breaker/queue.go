package breaker

import (
	"slices"
	"time"
)

// maxPlaces bounds the callers that have a place. Those beyond ask again.
const maxPlaces = 4096

// ticket is a caller's in the queue.
type ticket struct {
	number float64
	came   time.Time
	// forget ends the watch over whether the caller has given up; nil where it cannot.
	forget func() bool
}

// queue is the order in which callers wait. Each has a place, from 1 on; behind one that gives up the others move up.
type queue struct {
	tickets map[string]*ticket // of those who wait
	numbers float64            // the last that was given out
	// gone are the numbers of those who gave up before their turn, in order, as far as others wait before them; moved is how many
	// gave up besides.
	gone  []float64
	moved float64
}

// last is the last place that was taken.
func (q *queue) last() float64 { return q.numbers - q.moved - float64(len(q.gone)) }

// place is where a ticket is in the queue.
func (q *queue) place(t *ticket) float64 {
	before, _ := slices.BinarySearch(q.gone, t.number)
	return t.number - q.moved - float64(before)
}

// wait gives the last place to a caller.
func (q *queue) wait(caller string, now time.Time) *ticket {
	q.numbers++
	t := &ticket{number: q.numbers, came: now}
	q.tickets[caller] = t
	return t
}

// pass gives the last place to a caller that need not wait.
func (q *queue) pass() { q.numbers++ }

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

// giveUp takes the ticket of a caller that will not come, so that the others move up. Head is the last place whose turn has come.
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
