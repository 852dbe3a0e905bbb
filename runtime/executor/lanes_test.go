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

func TestLanes(t *testing.T) {
	shared := map[string]taxonomy.Reaction{"limit": {Action: taxonomy.Retry, Shared: taxonomy.SharedCredential,
		Policy: three}}
	w := newWorld(shared, breaks("limit"), done())
	lanes := retry.NewSharedWait(w.clock, func() float64 { return 0 })
	w.cfg.Lanes = lanes
	r := w.run(t)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.Equal(t, []Wait{{Iteration: 1, For: "limit", Took: Duration(time.Second)}}, r.Waits)

	w2 := newWorld(shared, done())
	w2.cfg.Lanes, w2.cfg.Clock = lanes, w.clock
	assert.NoError(t, lanes.Pause(context.Background(), "fake/", w.clock.Now().Add(time.Hour)))
	r = w2.run(t)
	assert.Equal(t, []Wait{{Iteration: 0, For: "lane", Took: Duration(time.Hour)}}, r.Waits)
}

// keyed is a provider that knows its credential.
type keyed struct {
	*fakeProvider
	key string
}

func (k keyed) Credential() string { return k.key }

func TestLaneNames(t *testing.T) {
	w := newWorld(
		map[string]taxonomy.Reaction{"limit": {Action: taxonomy.Retry, Shared: taxonomy.SharedCredential,
			Policy: three}},
		step{err: &taxonomy.Evidence{Source: "fake", Op: "call", Type: "limit", Credential: "other"}}, breaks("limit"),
		done())
	lanes := &lanesSeen{}
	w.cfg.Lanes = lanes
	w.run(t)
	assert.Equal(t, []string{"fake/", "fake/"}, lanes.paused)

	w.provider.calls, lanes.paused = nil, nil
	w.cfg.Provider = keyed{w.provider, "mine"}
	w.run(t)
	assert.Equal(t, []string{"fake/other", "fake/mine"}, lanes.paused)
}

type lanesSeen struct{ paused []string }

func (l *lanesSeen) Pause(_ context.Context, lane string, _ time.Time) error {
	l.paused = append(l.paused, lane)
	return nil
}

// Until fails, which only a warning says.
func (*lanesSeen) Until(context.Context, string) (time.Time, error) {
	return time.Time{}, errors.New("no lanes")
}

// closedLane is a lane that is closed for longer than an iteration may take.
type closedLane struct{ until time.Time }

func (c *closedLane) Pause(context.Context, string, time.Time) error { return nil }
func (c *closedLane) Until(context.Context, string) (time.Time, error) {
	return c.until, nil
}

func TestALaneThatStaysClosedEndsTheIteration(t *testing.T) {
	lane := &closedLane{}
	w := newWorld(reactions(), step{}, done())
	w.provider.steps[0].do = func(context.Context, Request) (Answer, error) {
		lane.until = w.clock.Now().Add(time.Hour)
		return Answer{}, fails("repeat")
	}
	w.cfg.Lanes = lane
	r := w.run(t)
	assert.Equal(t, EndCompleted, r.EndReason)
	assert.Equal(t, 2, r.Iterations)
	assert.Equal(t, []Wait{{Iteration: 1, For: "lane", Took: Duration(time.Hour)}}, r.Waits)
}

// What the last iteration has found out is told, too.
func TestTheEndOfARunClosesItsLane(t *testing.T) {
	w := newWorld(
		map[string]taxonomy.Reaction{"limit": {Action: taxonomy.Retry, Shared: taxonomy.SharedCredential,
			Policy: three}}, breaks("limit"))
	lanes := &lanesSeen{}
	w.cfg.Lanes, w.cfg.Limits.Iterations = lanes, 1
	assert.Equal(t, EndMaxIterations, w.run(t).EndReason)
	assert.Equal(t, []string{"fake/"}, lanes.paused)
}
