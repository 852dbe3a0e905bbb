package predict

import (
	"slices"
	"time"
)

const (
	// mostCallers bounds how many callers of a provider are remembered, those that wait and those
	// that are in; others are told to ask again, or are not counted.
	mostCallers = 1024
	// slowest bounds how much longer a caller that was told to ask again before is told to wait.
	slowest = 15
	// idleAfter is when a door that nobody has gone through may be forgotten.
	idleAfter = 10 * time.Minute
	// atOnce is how far the clocks of callers that ask at the same time may be apart.
	atOnce = time.Second
)

// measures are what holds for the calls of a provider; what is 0 does not.
type measures struct {
	throttle time.Duration
	places   int
}

// door is where the calls of a provider go through.
type door struct {
	// on are the rules whose measures hold, by their index.
	on []bool
	// shared reports that calls of several providers go through it; those that no measures hold for
	// pass it by.
	shared bool
	// asked is when it was asked for last, last when a call went through last.
	asked   time.Time
	last    time.Time
	waiting []*caller
	inside  []holder
	ids     uint64
}

// caller waits until a time, and then is expected to ask again.
type caller struct {
	run string
	at  time.Time
	// asked is how often it was told to wait.
	asked int
	// forget ends the watch over whether its run has ended; nil where it is not watched.
	forget func() bool
}

// leave ends the watch over a caller that waits no more.
func (c *caller) leave() {
	if c.forget != nil {
		c.forget()
	}
}

// holder is a call that has gone through and not ended.
type holder struct {
	id    uint64
	since time.Time
}

// enter lets the run's call through, or says how long it waits before it asks again.
func (d *door) enter(run string, now time.Time, m measures, o PreventerOptions) (wait time.Duration) {
	d.follow(now)
	d.inside = slices.DeleteFunc(d.inside, func(h holder) bool { return now.Sub(h.since) > o.Longest })
	if m == (measures{}) && d.shared {
		return 0
	}
	if m == (measures{}) {
		d.gone(func(*caller) bool { return true })
		d.last = now
		return 0
	}
	late := max(m.throttle, o.Again)
	d.gone(func(c *caller) bool { return c.run != run && now.Sub(c.at) > late })
	i := d.place(run)
	known := i >= 0
	if !known {
		i = len(d.waiting)
	}
	asked := 0
	if known {
		asked = d.waiting[i].asked
	}
	wait = max(d.throttled(i, now, m), d.full(i, asked, m, o))
	switch {
	case wait == 0:
		d.gone(func(c *caller) bool { return c.run == run })
		d.last = now
	case known:
		d.waiting[i].at, d.waiting[i].asked = now.Add(wait), asked+1
	case i < mostCallers:
		d.waiting = append(d.waiting, &caller{run: run, at: now.Add(wait), asked: 1})
	}
	return wait
}

// place is where a run waits, or -1.
func (d *door) place(run string) int {
	return slices.IndexFunc(d.waiting, func(c *caller) bool { return c.run == run })
}

// gone has callers wait no more, so that those behind move up.
func (d *door) gone(is func(c *caller) bool) {
	d.waiting = slices.DeleteFunc(d.waiting, func(c *caller) bool {
		if !is(c) {
			return false
		}
		c.leave()
		return true
	})
}

// follow moves all times that are kept back with a clock that was put back: a throttle, a place and
// a caller that waits last no longer for it. Callers that ask at once may each have looked at the
// clock before another.
func (d *door) follow(now time.Time) {
	back := d.asked.Sub(now)
	if back > atOnce {
		d.last = d.last.Add(-back)
		for i := range d.waiting {
			d.waiting[i].at = d.waiting[i].at.Add(-back)
		}
		for i := range d.inside {
			d.inside[i].since = d.inside[i].since.Add(-back)
		}
	}
	if back < 0 || back > atOnce {
		d.asked = now
	}
}

// throttled is how long the throttle lets a caller wait who has i others before it.
func (d *door) throttled(i int, now time.Time, m measures) time.Duration {
	if m.throttle <= 0 || d.last.IsZero() {
		return 0
	}
	past := max(0, now.Sub(d.last))
	return max(0, m.throttle*time.Duration(i+1)-past)
}

// full is how long a caller waits for a place who has i others before it. Nobody knows when one
// becomes free, so that it asks again, the less often the longer it has waited.
func (d *door) full(i, asked int, m measures, o PreventerOptions) time.Duration {
	if m.places <= 0 || len(d.inside)+i < m.places {
		return 0
	}
	return o.Again * time.Duration(min(asked+1, slowest))
}

// hold notes that a call which has gone through takes a place, until leave.
func (d *door) hold(now time.Time) uint64 {
	if len(d.inside) >= mostCallers {
		return 0
	}
	d.ids++
	d.inside = append(d.inside, holder{id: d.ids, since: now})
	return d.ids
}

func (d *door) leave(id uint64) {
	d.inside = slices.DeleteFunc(d.inside, func(h holder) bool { return h.id == id })
}

func (d *door) unused(now time.Time) bool {
	return len(d.inside) == 0 && len(d.waiting) == 0 && now.Sub(d.asked).Abs() > idleAfter
}
