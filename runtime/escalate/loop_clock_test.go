package escalate_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
)

// oddClock is a clock that says what is asked of it, or panics.
type oddClock struct {
	now          time.Time
	panics, asks bool
}

func (c *oddClock) Now() time.Time {
	if c.panics {
		panic("no time")
	}
	return c.now
}

func (c *oddClock) Sleep(context.Context, time.Duration) error {
	if c.asks {
		panic("no sleep")
	}
	return nil
}

// Whatever a clock does, the run goes on, and its result can be kept and read.
func TestOddClocks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]*oddClock{
		"before the first year": {now: time.Date(-40, 1, 1, 0, 0, 0, 0, time.UTC)},
		"after the last year":   {now: time.Date(20_000, 1, 1, 0, 0, 0, 0, time.UTC)},
		"at the end of time":    {now: time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)},
		"a zone of two days":    {now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.FixedZone("far", 48*60*60))},
		"now panics":            {panics: true},
		"sleep panics":          {now: newClock().now, asks: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.cfg.Calls.Clock = c
			w.tiers["low"].script = []turn{saysFailed("flaky: a"), saysFailed("flaky: b"), does("report.md", "found")}
			res := w.run(oneStep())
			require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
			b, err := json.Marshal(res)
			require.NoError(t, err)
			assert.NoError(t, json.Unmarshal(b, new(escalate.Result)))
		})
	}
}
