package breaker

import (
	"cmp"
	"slices"
	"time"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// maxBounds bounds the policies that a lane remembers.
const maxBounds = 32

// lane is what callers share.
type lane struct {
	used    time.Time
	bounds  []*bound
	calls   history // those let in
	healthy rates
	takes   duration
	shut    time.Time
	entry   entry
}

func newLane(now time.Time) *lane { return &lane{used: now, calls: newHistory(now)} }

// isOpen reports whether no breaker stops calls.
func (l *lane) isOpen() bool {
	for _, b := range l.bounds {
		if !b.isClosed() {
			return false
		}
	}
	return true
}

// need is what is lost with a lane.
type need struct {
	lane     string
	shut     bool
	failures uint // that a breaker has counted
	used     time.Time
}

func (l *lane) need(name string) need {
	n := need{lane: name, shut: !l.isOpen(), used: l.used}
	for _, b := range l.bounds {
		if b.circuit != nil {
			n.failures = max(n.failures, b.circuit.breaker.Metrics().Failures())
		}
	}
	return n
}

func (n need) compare(other need) int {
	if n.shut != other.shut {
		if n.shut {
			return 1
		}
		return -1
	}
	return cmp.Or(cmp.Compare(n.failures, other.failures), n.used.Compare(other.used))
}

// enter returns when the caller may call, or when to ask again, and its ticket if it has got one in
// a queue; it may when that is not after now. Patience is how long it can wait.
func (l *lane) enter(caller string, now time.Time, patience time.Duration) (time.Time, *ticket) {
	at := now
	for _, b := range l.bounds {
		if t := b.opens(now); t.After(at) {
			at = t
		}
	}
	if at.After(now) {
		return l.forProbe(at, now, patience), nil
	}
	if l.isOpen() {
		if at, t := l.entry.opens(caller, now, patience, l.takes.most()); at.After(now) {
			return at, t
		}
	}
	l.calls.add(now)
	for _, b := range l.bounds {
		b.begin(caller, now)
	}
	return now, nil
}

// forProbe is when a caller of a lane that is shut asks again. One with too little time left when
// the probe is made is told that it is for longer than it can wait: the probe would say nothing.
func (l *lane) forProbe(at, now time.Time, patience time.Duration) time.Time {
	if patience == endless {
		return at
	}
	most := mayWait(patience, l.takes.most())
	for _, b := range l.bounds {
		if b.circuit != nil {
			most = min(most, patience>>min(1+b.circuit.givenUp, 30))
		}
	}
	if wait := at.Sub(now); wait <= most || wait > patience {
		return at
	}
	return now.Add(patience + 1)
}

func (l *lane) leave(caller string, end retry.CallEnd, now time.Time, ramp retry.Ramp) {
	open := l.isOpen()
	switch {
	case end.TimedOut && end.Took < l.takes.most():
		end.Cancelled = true // others take as long
	case !end.Failed:
		l.takes.add(end.Took)
	}
	l.entry.ended(caller, end, now)
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
		l.open(now, ramp)
	case open && isAnswer(end) && !l.entry.queues(now):
		l.healthy.add(now)
	}
}

// isAnswer reports whether the provider did what it is there for, if only to say that what was
// asked for cannot be.
func isAnswer(end retry.CallEnd) bool { return !end.Failed || !end.Cancelled && end.Policy == nil }

// close notes since when the lane is shut. One whose callers still waited has been all the time.
func (l *lane) close(now time.Time) {
	if !l.entry.queues(now) {
		l.shut = now
	}
	l.entry.end()
	l.healthy.interrupt()
}

// open lets those who wait enter one after the other.
func (l *lane) open(now time.Time, ramp retry.Ramp) {
	patience := time.Duration(0)
	for _, b := range l.bounds {
		if b.circuit != nil {
			patience = max(patience, b.circuit.probe)
		}
	}
	l.entry = newEntry(now, now.Sub(l.shut), patience, l.healthy.normal(), ramp)
}

// bound returns what bounds the lane because of the policy. One that is made now counts the calls
// since the lane was first used, and at least the one that has failed.
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
	b.calls = l.calls.counter(r.window, now)
	if b.calls.sum(now) == 0 {
		b.calls.add(now)
	}
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
