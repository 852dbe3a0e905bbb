package escalate_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestTierThatIsDown(t *testing.T) {
	t.Parallel()
	for name, script := range map[string][]turn{
		"its waits are used up": {fails("rate"), fails("rate")},
		"at once":               {fails("down")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tiers["low"].script = script
			w.tiers["mid"].script = []turn{does("report.md", "found")}
			res := w.run(oneStep())
			require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
			first := res.Steps[0].Attempts[0]
			assert.True(t, first.Own)
			assert.Empty(t, first.Response)
			assert.Equal(t, "mid", res.Steps[0].By)
			assert.Equal(t, escalate.Execute, res.Steps[0].Attempts[1].Role, "it takes over what was to be done")
			assert.Equal(t, []string{"tier_failed low " + first.Code},
				w.kinds(escalate.TierFailed, escalate.Classified))
		})
	}
}

func TestTierThatIsNotAvailable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.tiers["low"].gone = &taxonomy.Evidence{Source: "low", Op: "available", Type: "down"}
	w.tiers["mid"].script = []turn{does("report.md", "found")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, "mid", res.Steps[0].By)
}

func TestTierThatEndsOrBlocks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		typ string
		end escalate.EndReason
	}{{"fatal", escalate.EndFailed}, {"halt", escalate.EndBlocked}} {
		t.Run(tt.typ, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.tiers["low"].script = []turn{fails(tt.typ)}
			res := w.run(oneStep())
			assert.Equal(t, tt.end, res.EndReason)
			assert.Equal(t, tt.typ, res.ErrorCode)
		})
	}
}

// A tier that has failed itself so often is not called any more; an answer in between would have
// counted.
func TestTierThatIsPassedOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.Guards.TierFailures = 2
	w.tiers["low"].script = []turn{fails("down"), fails("down")}
	w.tiers["mid"].script = []turn{does("report.md", "found"), does("report-2.md", "found"),
		does("report-3.md", "found")}
	res := w.run(steps("1", "2", "3"))
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Len(t, w.tiers["low"].prompts, 2)
	assert.Len(t, w.kinds(escalate.PassedOver), 1)
}

func TestAnswerEndsTheStreakOfATier(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.Guards.TierFailures = 2
	w.tiers["low"].script = []turn{fails("down"), does("report-2.md", "found"), fails("down"),
		does("report-4.md", "found")}
	w.tiers["mid"].script = []turn{does("report.md", "found"), does("report-3.md", "found")}
	res := w.run(steps("1", "2", "3", "4"))
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, "low", res.Steps[3].By)
}

// A tier's time is over: that is the step's failure, since nobody knows whose fault it is.
func TestGuardOfTime(t *testing.T) {
	t.Parallel()
	rows := rowsOfTests()
	m := tablesOf(rows, tiersOfTests()...)
	dir := bareWorld(t, m)
	synctest.Test(t, func(t *testing.T) {
		w := bareWorldIn(t, m, dir.dir)
		w.cfg.Calls.Clock = retry.System
		w.cfg.Guards.Time = time.Minute
		w.tiers["low"].script = []turn{hangs}
		w.tiers["mid"].script = []turn{does("report.md", "found")}
		began := time.Now()
		res := w.runner().Run(context.Background(), "run", oneStep())
		require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
		assert.Equal(t, time.Minute, time.Since(began))
		first := res.Steps[0].Attempts[0]
		assert.Equal(t, "timeout", first.Code)
		assert.Equal(t, []string{"guard_reached low"}, w.kinds(escalate.GuardReached))
		assert.False(t, first.Own)
		assert.Equal(t, escalate.Fix, res.Steps[0].Attempts[1].Role)
	})
}
