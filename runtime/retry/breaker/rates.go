package breaker

import (
	"slices"
	"time"
)

const (
	// rateSlice is over how long a rate is taken, maxSlices how many of them are remembered.
	rateSlice = 10 * time.Second
	maxSlices = 30
)

// rates remembers how fast calls succeeded while nothing was wrong. A slice of time is only kept
// when a success follows after it: the last one before trouble may hold half of what it would have,
// and in those of the trouble itself, when callers hang, there is none.
type rates struct {
	begun  time.Time // of the slice that is counted in
	n      int
	slices [maxSlices]int
	kept   int // in all
}

func (r *rates) add(now time.Time) {
	if r.begun.IsZero() {
		r.begun = now
		return
	}
	if passed := now.Sub(r.begun) / rateSlice; passed > 0 {
		if r.n > 0 {
			r.slices[r.kept%maxSlices] = r.n
			r.kept++
		}
		r.begun, r.n = r.begun.Add(passed*rateSlice), 0
	}
	r.n++
}

// interrupt forgets the slice that is counted in.
func (r *rates) interrupt() { r.begun, r.n = time.Time{}, 0 }

// normal is the middle one of those remembered, in a second; 0 if there is none.
func (r *rates) normal() float64 {
	kept := r.slices
	n := min(r.kept, maxSlices)
	slices.Sort(kept[:n])
	if n == 0 {
		return 0
	}
	return float64(kept[n/2]) / rateSlice.Seconds()
}
