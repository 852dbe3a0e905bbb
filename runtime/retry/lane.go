package retry

import (
	"math"
	"slices"
	"time"
)

const (
	// maxPlaces bounds what a lane remembers. Callers beyond it enter when everybody else has.
	maxPlaces = 4096
	// maxLate is for how long a caller that does not come keeps its place in the order.
	maxLate = time.Minute
	// defaultStep is the step of a Ramp that does not say.
	defaultStep = time.Second
)

// Lane is one lane: until when it is closed, and who enters it when. It is a plain value that
// marshals to JSON, for implementations of [Lanes] to keep where they like; it is not safe for
// concurrent use. The zero Lane is open.
type Lane struct {
	// Until is when the lane opens.
	Until time.Time `json:"until,omitzero"`
	// Places are who asked since the lane was last closed, in the order in which they enter.
	Places []Place `json:"places,omitempty"`
}

// Place is a caller's place in a lane.
type Place struct {
	Caller string `json:"caller"`
	// At is when the caller may enter.
	At time.Time `json:"at"`
	// In reports that it has entered.
	In bool `json:"in,omitempty"`
}

// Pause closes the lane until t, if that is after now and after what it is closed until already.
// Who waits goes on waiting, in the same order; who has entered is a new caller when it asks again.
func (l *Lane) Pause(t, now time.Time, ramp Ramp) {
	if !t.After(now) || !t.After(l.Until) {
		return
	}
	l.Until = t
	l.Places = slices.DeleteFunc(l.Places, func(p Place) bool { return p.In || now.Sub(p.At) > maxLate })
	for i := range l.Places {
		l.Places[i].At = ramp.at(t, i)
	}
}

// Opens returns when the caller may enter, and notes that it has when that is not after now.
func (l *Lane) Opens(caller string, now time.Time, ramp Ramp) time.Time {
	if l.Over(now, ramp) {
		*l = Lane{}
		return now
	}
	i := slices.IndexFunc(l.Places, func(p Place) bool { return p.Caller == caller })
	if i < 0 {
		if i = len(l.Places); i >= maxPlaces {
			return l.Until.Add(ramp.length())
		}
		l.Places = append(l.Places, Place{Caller: caller, At: ramp.at(l.Until, i)})
	}
	p := &l.Places[i]
	p.In = p.In || !p.At.After(now)
	return p.At
}

// Over reports that the lane is open to everybody, so that it need not be remembered.
func (l *Lane) Over(now time.Time, ramp Ramp) bool {
	return !now.Before(l.Until.Add(ramp.length()))
}

// Ramp is how callers follow each other into a lane that opens: the first at once, the second a
// step later, and as many again in each step as in all before it. So the first are a probe, and a
// thousand take ten steps.
type Ramp struct {
	// Step is one second when it is 0; when negative, everybody enters at once.
	Step time.Duration
	// Random moves each caller but the first by up to half of the gap behind it; nil moves nobody.
	Random Random
}

// at returns when the caller at index i enters a lane that opens at until. Instants of greater
// indexes are later.
func (r Ramp) at(until time.Time, i int) time.Time {
	from := r.offset(i)
	if i == 0 {
		return until
	}
	gap := float64(r.offset(i+1) - from)
	return until.Add(from + time.Duration(gap/2*r.Random.roll(0)))
}

func (r Ramp) offset(i int) time.Duration {
	return time.Duration(float64(r.step()) * math.Log2(float64(i+1)))
}

// Gap is how long after caller i-1 caller i enters at the earliest, counted from 0; 0 for the
// first, and where everybody enters at once.
func (r Ramp) Gap(i int) time.Duration {
	if i <= 0 {
		return 0
	}
	return r.offset(i) - r.offset(i-1)
}

// length is how long a ramp takes at most.
func (r Ramp) length() time.Duration { return r.offset(maxPlaces) }

func (r Ramp) step() time.Duration {
	switch {
	case r.Step < 0:
		return 0
	case r.Step == 0:
		return defaultStep
	}
	return min(r.Step, time.Hour)
}
