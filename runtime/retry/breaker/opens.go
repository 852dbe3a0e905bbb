package breaker

import (
	"time"

	"github.com/errgen/errgen/runtime/retry"
)

var _ retry.Opener = (*Gates)(nil)

// Opens says when a breaker stops calls in the lane no more, which is not after now if none does;
// see [retry.Opener]. Whoever enters then may still be told to wait for a turn.
func (g *Gates) Opens(name string, now time.Time) time.Time {
	real := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.lanes[name]
	if l == nil {
		return now
	}
	at := real
	for _, b := range l.bounds {
		if t := b.opens(real); t.After(at) {
			at = t
		}
	}
	return now.Add(at.Sub(real))
}
