package executor

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// standing is a clock on which sleeps take no time and that never goes on. After many sleeps it
// fails, so that a run which waits for ever does not.
type standing struct{ sleeps int }

func (c *standing) Now() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }

func (c *standing) Sleep(context.Context, time.Duration) error {
	if c.sleeps++; c.sleeps > 1000 {
		return errors.New("it sleeps for ever")
	}
	return nil
}

// shutUntil is a gate that opens at an instant, and again at one later for each call.
type shutUntil struct {
	at    time.Time
	later time.Duration
}

func (g *shutUntil) Enter(_ context.Context, _, _ string, now time.Time) (time.Time, error) {
	if g.at.After(now) {
		return g.at, nil
	}
	g.at = g.at.Add(g.later)
	return now, nil
}

func (g *shutUntil) Leave(string, string, retry.CallEnd) {}

func (g *shutUntil) Retry(string, *taxonomy.Policy) bool { return true }

// What was slept is over, also on a clock that stands still, at the head and in place.
func TestClockThatStandsStill(t *testing.T) {
	clock := &standing{}
	w := newWorld(budgeted(), breaks("limit"), breaks("place"), breaks("place"), done())
	w.cfg.Clock, w.cfg.Gate = clock, &shutUntil{clock.Now().Add(time.Minute), time.Second}
	r := w.run(t)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.Equal(t, 4, r.Calls)
	assert.Less(t, clock.sleeps, 20)
}
