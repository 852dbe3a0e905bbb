package breaker

import (
	"math"
	"time"
)

const (
	// haste is how much faster than normal callers enter. What is above 1 is what those who wait
	// get.
	haste = 1.5
	// grace is how long the ramp takes that comes on top of what the waiting must take, and doubt
	// how much longer that may take, since what is known of the normal rate is not exact.
	grace = 15 * time.Second
	doubt = 1.5
	// window is over how long callers are counted, and how long the pace takes at least to double.
	window = 10 * time.Second
	// surge is the queue that shows that more callers come than before, when those who waited are
	// in. Chance makes shorter ones.
	surge = time.Second
	// leastSpread is the least time over which those who have waited are spread when the normal
	// rate is not known: at the start of a program all may have come at once.
	leastSpread = 30 * time.Second
	// maxPace is in callers a second.
	maxPace = 1e9
)

// tempo is how fast the turns come: first those of a ramp, where there are as many in each step as
// in all before, up to a pace. The pace never shrinks.
type tempo struct {
	step  float64 // of the ramp, in seconds
	pace  float64 // in turns a second
	known bool    // the pace comes from the normal rate
	// settling is until all who waited for the breaker have asked, spread the time in seconds in
	// which those have come.
	settling bool
	spread   float64
	// count is how many have come, since the lane opened or since the last turn of the window,
	// placed how many of all got a place or were let in; refused reports that somebody got none.
	count, placed float64
	refused       bool
	turn          time.Time // when the pace may change
	grows         time.Time // from when on it does, if somebody still waits
}

func newTempo(now time.Time, shut, patience, step time.Duration, normal float64) tempo {
	return tempo{
		step: step.Seconds(), pace: max(normal*haste, 2*math.Ln2/step.Seconds()), known: normal > 0,
		settling: true, spread: (max(shut, leastSpread) + patience).Seconds(),
		turn: now.Add(patience), grows: now.Add(waiting(shut) + grace),
	}
}

// waiting is how long it takes at most until those have entered who came while the lane was shut,
// and those who come meanwhile.
func waiting(shut time.Duration) time.Duration {
	return time.Duration(min(float64(shut)*doubt/(haste-1), float64(24*time.Hour)))
}

// came counts a caller that nobody knows yet. Those who ask until all is settled are those who came
// while the lane was shut: their rate is no more than the normal one.
func (t *tempo) came() {
	t.count++
	if t.settling && !t.known {
		t.pace = max(t.pace, haste*t.count/t.spread)
	}
}

// turns ends a window. How fast callers came in it is no more than the normal rate either; of those
// who find no place, and are not remembered, nobody knows how often they come, so no more count
// than got one. Queue is how long it takes until no more wait than may; held says that those who
// waited for the breaker are in.
func (t *tempo) turns(now time.Time, queue time.Duration, held bool) {
	if now.Before(t.turn) {
		return
	}
	rate, settled, refused := min(t.count, t.placed)/window.Seconds(), !t.settling, t.refused
	t.count, t.placed, t.settling, t.refused, t.turn = 0, 0, false, false, now.Add(window)
	late := now.After(t.grows)
	switch {
	case queue <= 0 && !refused || !settled:
	case late && (queue > window || refused):
		t.pace = min(2*t.pace, maxPace)
	case late || !t.known || held && queue > surge:
		t.pace = max(t.pace, min(haste*rate, 2*t.pace))
	}
}

// slope is by which factor e the ramp grows in a second.
func (t *tempo) slope() float64 { return math.Ln2 / t.step }

// ramps is the place at which the ramp is as fast as the pace.
func (t *tempo) ramps() float64 { return t.pace/t.slope() - 1 }

// after returns the place whose turn it is when d has passed.
func (t *tempo) after(head float64, d time.Duration) float64 {
	left := d.Seconds()
	if end := t.ramps(); head < end {
		takes := t.ramp(head, end)
		if left <= takes {
			return (head+1)*math.Exp2(left/t.step) - 1
		}
		head, left = end, left-takes
	}
	return head + t.pace*left
}

// until is the inverse of after.
func (t *tempo) until(head, place float64) time.Duration {
	takes := 0.0
	if end := min(t.ramps(), place); head < end {
		takes = t.ramp(head, end)
		head = end
	}
	takes += (place - head) / t.pace
	return time.Duration(math.Ceil(min(takes, (24*time.Hour).Seconds()) * float64(time.Second)))
}

// ramp is how many seconds the ramp takes from one place to another.
func (t *tempo) ramp(from, to float64) float64 { return t.step * math.Log2((to+1)/(from+1)) }
