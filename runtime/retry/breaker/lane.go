package breaker

import (
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// maxBounds bounds the policies that a lane remembers.
	maxBounds = 32
	// rateWindow is over how long the normal rate of calls is taken, minSeen after how long it is known.
	rateWindow = 30 * time.Second
	minSeen    = 10 * time.Second
)

// lane is what callers share.
type lane struct {
	used   time.Time
	bounds []*bound
	calls  counter // those let in while all was closed
	normal float64 // how many there are in a second; 0 when that is not known
	shut   time.Time
	entry  entry
}

func newLane(now time.Time) *lane {
	return &lane{used: now, calls: newCounter(rateWindow, now)}
}

// isOpen reports whether no breaker stops calls.
func (l *lane) isOpen() bool {
	for _, b := range l.bounds {
		if !b.isClosed() {
			return false
		}
	}
	return true
}

// isLessNeeded orders lanes by what is lost with them.
func (l *lane) isLessNeeded(than *lane) bool {
	if open := l.isOpen(); open != than.isOpen() {
		return open
	}
	return l.used.Before(than.used)
}

// enter returns when the caller may call, or when to ask again; it may when that is not after now.
func (l *lane) enter(caller string, now time.Time, ramp retry.Ramp) time.Time {
	at := now
	for _, b := range l.bounds {
		if t := b.opens(now); t.After(at) {
			at = t
		}
	}
	if at.After(now) {
		return at
	}
	if l.isOpen() {
		if at := l.entry.opens(caller, now, ramp); at.After(now) {
			return at
		}
		l.calls.add(now)
	}
	for _, b := range l.bounds {
		b.begin(caller, now)
	}
	return now
}

func (l *lane) leave(caller string, end retry.CallEnd, now time.Time) {
	open := l.isOpen()
	var own *bound
	if end.Failed && !end.Cancelled && end.Policy != nil && end.Policy.Budget != nil {
		own = l.bound(end.Policy, now)
	}
	for _, b := range l.bounds {
		b.end(caller, end, b == own)
	}
	switch {
	case open && !l.isOpen():
		l.close(now)
	case !open && l.isOpen():
		l.open(now)
	}
}

// close notes how fast calls were made, unless they are still made to wait.
func (l *lane) close(now time.Time) {
	if !l.entry.on {
		if rate, seen := l.calls.rate(now); seen >= minSeen {
			l.normal = rate
		}
		l.shut = now
	}
	l.entry = entry{}
}

// open lets those who wait enter one after the other.
func (l *lane) open(now time.Time) {
	patience := time.Duration(0)
	for _, b := range l.bounds {
		if b.circuit != nil {
			patience = max(patience, b.circuit.probe)
		}
	}
	l.entry = newEntry(now, now.Sub(l.shut), patience, l.normal)
	l.calls = newCounter(rateWindow, now)
}

// bound returns what bounds the lane because of the policy. One that is made now counts the call that has failed.
func (l *lane) bound(p *taxonomy.Policy, now time.Time) *bound {
	r := ruleOf(p)
	for _, b := range l.bounds {
		if b.rule == r {
			b.used = now
			return b
		}
	}
	if len(l.bounds) >= maxBounds {
		l.forget()
	}
	b := newBound(r, now)
	b.used = now
	b.calls.add(now)
	l.bounds = append(l.bounds, b)
	return b
}

// forget drops the bound that was not used for longest, one that stops nobody if there is one.
func (l *lane) forget() {
	worst := slices.MinFunc(l.bounds, func(x, y *bound) int {
		if x.isClosed() != y.isClosed() {
			if x.isClosed() {
				return -1
			}
			return 1
		}
		return x.used.Compare(y.used)
	})
	l.bounds = slices.DeleteFunc(l.bounds, func(b *bound) bool { return b == worst })
}

// changed returns the changes of state since it was last asked, for somebody who listens.
func (l *lane) changed(name string, now time.Time, listener func(Change)) []Change {
	var out []Change
	for _, b := range l.bounds {
		if b.circuit == nil {
			continue
		}
		from, to, yes := b.circuit.changed(now)
		if yes && listener != nil {
			out = append(out, Change{Lane: name, Policy: b.rule.policy, From: from, To: to, At: now})
		}
	}
	return out
}
