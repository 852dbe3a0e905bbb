package escalate_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/retry"
)

// takes has a turn take its time.
func (w *world) takes(d time.Duration, next turn) turn {
	return func(ctx context.Context, s *scripted, prompt string) (string, error) {
		w.clock.mu.Lock()
		w.clock.now = w.clock.now.Add(d)
		w.clock.mu.Unlock()
		return next(ctx, s, prompt)
	}
}

// What a step takes in all is bounded: a wait that is longer than what is left is not begun, and an
// answer begins anew.
func TestGuardOfStepTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.Guards.StepTime = 12 * time.Second
	w.tiers["low"].script = []turn{w.takes(5*time.Second, saysFailed("flaky: 1")),
		w.takes(4*time.Second, saysFailed("flaky: 2")), does("report.md", "found")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndGuard, res.EndReason, res.Error)
	assert.Equal(t, "flaky", res.ErrorCode)
	assert.Equal(t, "the step has taken 11s of the 12s that a step may take, and the next try would be in 4s",
		res.Question.Why)
	assert.Len(t, w.tiers["low"].prompts, 2)
	assert.Equal(t, "2s", w.clock.slept.String())

	w.clock.now = w.clock.now.Add(time.Hour) // a person takes the time that a person takes
	res = w.answer(oneStep(), escalate.Answer{})
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
	assert.Equal(t, "low", res.Steps[0].By)
}

func TestGuardOfStepTimeBeforeACall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.Guards.StepTime = time.Minute
	w.tiers["low"].script = []turn{w.takes(time.Minute, saysFailed("missing: it"))}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndGuard, res.EndReason, res.Error)
	assert.Equal(t, "the step has taken 1m0s, and 1m0s is all that a step may take", res.Question.Why)
	assert.Empty(t, w.tiers["mid"].prompts)
}

// Each step has the time, whatever the ones before have taken, and so has one that is in time.
func TestStepTimeIsOfAStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.Guards.StepTime = time.Minute
	w.tiers["low"].script = []turn{w.takes(50*time.Second, does("report.md", "found")),
		w.takes(50*time.Second, does("report-2.md", "found"))}
	res := w.run(steps("1", "2"))
	require.Equal(t, escalate.EndCompleted, res.EndReason, res.Error)
}

// What a process has taken is taken, but not what passed while none was there.
func TestStepTimeOfAnotherProcess(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		may time.Duration
		end escalate.EndReason
	}{"too long together": {65 * time.Second, escalate.EndGuard},
		"long enough": {2 * time.Minute, escalate.EndCompleted}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.cfg.Guards.StepTime = tt.may
			w.tiers["low"].script = []turn{
				w.takes(32*time.Second, saysFailed("flaky: 1")), w.takes(32*time.Second, saysFailed("flaky: 2")),
				does("report.md", "found"),
			}
			ctx, cancel := context.WithCancel(t.Context())
			w.clock.onSleep = cancel
			require.Equal(t, escalate.EndCancelled, w.runner().Run(ctx, "run", oneStep()).EndReason)
			w.clock.onSleep = nil
			w.clock.now = w.clock.now.Add(time.Hour)
			assert.Equal(t, tt.end, w.run(oneStep()).EndReason)
		})
	}
}

func TestStepTimeBoundsACall(t *testing.T) {
	t.Parallel()
	m := tablesOf(rowsOfTests(), tiersOfTests()...)
	dir := bareWorld(t, m)
	synctest.Test(t, func(t *testing.T) {
		w := bareWorldIn(t, m, dir.dir)
		w.cfg.Calls.Clock = retry.System
		w.cfg.Guards.Time, w.cfg.Guards.StepTime = time.Minute, 90*time.Second
		w.tiers["low"].script = []turn{hangs}
		w.tiers["mid"].script = []turn{hangs}
		began := time.Now()
		res := w.runner().Run(context.Background(), "run", oneStep())
		require.Equal(t, escalate.EndGuard, res.EndReason, res.Error)
		assert.Equal(t, 90*time.Second, time.Since(began))
		assert.Contains(t, res.Steps[0].Attempts[1].Message, "there was no answer within 30s")
		assert.Contains(t, w.kinds(escalate.GuardReached), "guard_reached")
	})
}

func TestStepTimeBoundsWaitsForReviews(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cfg.Guards.StepTime = 30 * time.Second
	w.cfg.Reviewer = &failingReviews{times: 1, fail: reviewerFails("rate")}
	w.tiers["low"].script = []turn{does("report.md", "found")}
	res := w.run(oneStep())
	require.Equal(t, escalate.EndGuard, res.EndReason, res.Error)
	assert.Equal(t, "0s", w.clock.slept.String())
	assert.Contains(t, res.Question.Why, "nobody could review what low has done")
}

// A tier that would have to be waited for too long is passed by; where nobody is above it, the
// question says how little time there is.
func TestStepTimeBoundsWaitsForTiers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		tiers []string
		end   escalate.EndReason
	}{{"another tier is there", []string{"low", "mid"}, escalate.EndCompleted},
		{"nobody else is there", []string{"low"}, escalate.EndQuestion}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			maps.DeleteFunc(
				w.cfg.Calls.Tiers,
				func(name string, _ executor.Provider) bool { return !slices.Contains(tt.tiers, name) })
			w.cfg.Guards.StepTime = 30 * time.Second
			w.tiers["low"].script = []turn{fails("rate"), does("report.md", "found")}
			w.tiers["mid"].script = []turn{does("report.md", "found")}
			res := w.run(oneStep())
			require.Equal(t, tt.end, res.EndReason, res.Error)
			assert.Equal(t, "0s", w.clock.slept.String())
			if tt.end == escalate.EndQuestion {
				assert.Contains(t, res.Question.Why, "; 30s is left of the 30s that a step may take")
			}
		})
	}
}
