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

// refusesOnce is a gate that refuses each call once.
type refusesOnce struct{ refused bool }

func (g *refusesOnce) Acquire(context.Context, string) (func(retry.Result), error) {
	if g.refused = !g.refused; g.refused {
		return nil, &taxonomy.Evidence{RetryAfter: taxonomy.Some(time.Minute), Err: retry.ErrRefused}
	}
	return func(retry.Result) {}, nil
}

func (g *refusesOnce) Retry(string, *taxonomy.Policy) bool { return true }

// What was slept is over, also on a clock that stands still, at the head and in place.
func TestClockThatStandsStill(t *testing.T) {
	clock := &standing{}
	w := newWorld(budgeted(), breaks("limit"), breaks("place"), breaks("place"), done())
	w.cfg.Clock, w.cfg.Gate = clock, &refusesOnce{}
	r := w.run(t)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.Equal(t, 4, r.Calls)
	assert.Less(t, clock.sleeps, 20)
}
