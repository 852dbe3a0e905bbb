package recovery

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// D97, B-D14
func TestWaitForRateLimit(t *testing.T) {
	now := newManual().now
	after := func(d time.Duration) taxonomy.Hints { return taxonomy.Hints{RetryAfter: taxonomy.Some(d)} }
	at := func(d time.Duration) taxonomy.Opt[time.Time] { return taxonomy.Some(now.Add(d)) }
	tests := []struct {
		name string
		err  error
		wait time.Duration
		from string
	}{
		{"nothing said", errors.New("slow down"), 60 * time.Second, "default"},
		{"no error at all", nil, 60 * time.Second, "default"},
		{"retry after", errors.New("rate limit: retry after 30"), 30 * time.Second, "retry_after"},
		{"Retry-After", errors.New("HTTP 429\nRetry-After: 17"), 17 * time.Second, "retry_after"},
		{"milliseconds", errors.New("retry in 1500ms"), 1500 * time.Millisecond, "retry_after"},
		{"hint", &coded{text: "limited", hints: after(7 * time.Second)}, 7 * time.Second, "retry_after"},
		{"wrapped hint", fmt.Errorf("call: %w", &coded{text: "limited", hints: after(7 * time.Second)}),
			7 * time.Second, "retry_after"},
		{"reset time before hint",
			&coded{text: "retry after 5",
				hints: taxonomy.Hints{RetryAfter: taxonomy.Some(time.Second), ResetAt: at(3 * time.Minute)}},
			3 * time.Minute, "reset_at"},
		{"hint before text", &coded{text: "retry after 5", hints: after(9 * time.Second)}, 9 * time.Second,
			"retry_after"},
		{"reset time that is over", &coded{hints: taxonomy.Hints{ResetAt: at(-time.Hour)}}, 0, "reset_at"},
		{"negative hint", &coded{hints: after(-time.Hour)}, 0, "retry_after"},
		{"evidence", &taxonomy.Evidence{ResetAt: now.Add(90 * time.Second)}, 90 * time.Second, "reset_at"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			clock := newManual()
			w := newWorld(t, Options{Clock: clock})
			require.NoError(t, w.WaitForRateLimit(t.Context(), taxonomy.RecoveryRequest{Err: tt.err, Attempt: 2}))
			assert.Equal(t, tt.wait, clock.Now().Sub(now))
			r := w.last(t)
			assert.Equal(t, fmt.Sprintf("Waited %dms for rate limit to reset", tt.wait.Milliseconds()), r.Message)
			assert.Equal(t, tt.from, r.Data[DataHint])
			assert.Equal(t, tt.wait, r.Took)
			assert.Equal(t, ActionWait, r.Action)
			assert.True(t, r.Successful)
			assert.Equal(t, 2, r.Attempts)
			assert.Equal(t, 3, r.MaxAttempts)
		})
	}
}

func TestWaitsAreCapped(t *testing.T) {
	tests := []struct {
		name   string
		max    time.Duration
		policy *taxonomy.Policy
		hint   time.Duration
		fails  bool
	}{
		{"at the cap", time.Hour, nil, time.Hour, false},
		{"above it", time.Hour, nil, time.Hour + 1, true},
		{"above the default", 0, nil, 15*time.Minute + 1, true},
		{"above the policy's", 0, &taxonomy.Policy{MaxRetryAfter: time.Minute}, 2 * time.Minute, true},
		{"a policy raises nothing", time.Minute, &taxonomy.Policy{MaxRetryAfter: time.Hour}, 2 * time.Minute, true},
		{"for ever", 0, nil, 1<<63 - 1, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			clock := newManual()
			w := newWorld(t, Options{Clock: clock, MaxWait: tt.max, Lanes: retry.NewSharedWait(clock, nil)})
			err := w.WaitForRateLimit(
				t.Context(), taxonomy.RecoveryRequest{Reaction: taxonomy.Reaction{Policy: tt.policy},
					Err: &coded{hints: taxonomy.Hints{RetryAfter: taxonomy.Some(tt.hint), Credential: "k"}}})
			if !tt.fails {
				assert.NoError(t, err)
				return
			}
			assert.ErrorContains(t, err, "which is longer than the")
			assert.Empty(t, clock.sleeps, "it fails at once")
			assert.False(t, w.last(t).Successful)
		})
	}
}

func TestCancelledWait(t *testing.T) {
	reason := errors.New("stopped by a person")
	ctx, cancel := context.WithCancelCause(t.Context())
	clock := newManual()
	clock.before = func() { cancel(reason) }
	for name, strategy := range newWorld(t, Options{Clock: clock}).Strategies() {
		if name != NameWaitForRateLimit && name != NameRetryWithBackoff {
			continue
		}
		err := strategy(ctx, says("limited"))
		assert.ErrorIs(t, err, reason, name)
	}
	assert.Empty(t, clock.sleeps)
}

// Others in the lane wait along, and do not start again all at once.
func TestLanesWaitAlong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lanes := retry.NewSharedWait(nil, nil)
		w := newWorld(t, Options{Lanes: lanes})
		failure := taxonomy.RecoveryRequest{Err: &taxonomy.Evidence{Source: "api", Credential: "team",
			RetryAfter: taxonomy.Some(30 * time.Second)}}
		began := time.Now()
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { assert.NoError(t, w.WaitForRateLimit(t.Context(), failure)) })
		}
		synctest.Wait()
		opens, err := lanes.Until(t.Context(), "api/team")
		require.NoError(t, err)
		assert.GreaterOrEqual(t, opens.Sub(began), 30*time.Second)
		wg.Wait()
		took := map[time.Duration]bool{}
		for _, r := range w.records {
			assert.GreaterOrEqual(t, r.Took, 30*time.Second)
			assert.Less(t, r.Took, 40*time.Second)
			assert.Equal(t, "api/team", r.Data[DataLane])
			took[r.Took] = true
		}
		assert.Len(t, took, 8)
	})
}

// brokenLanes fail, or keep everybody out.
type brokenLanes struct{ pause, opens error }

func (b brokenLanes) Pause(context.Context, string, time.Time) error { return b.pause }
func (b brokenLanes) Until(context.Context, string) (time.Time, error) {
	return time.Now().Add(24 * time.Hour), b.opens
}

func TestLanesThatFail(t *testing.T) {
	failure := taxonomy.RecoveryRequest{Err: &taxonomy.Evidence{Source: "api",
		RetryAfter: taxonomy.Some(30 * time.Second)}}
	broken := errors.New("no lanes")
	for _, lanes := range []brokenLanes{{pause: broken}, {opens: broken}} {
		clock := newManual()
		w := newWorld(t, Options{Clock: clock, Lanes: lanes})
		require.NoError(t, w.WaitForRateLimit(t.Context(), failure))
		assert.Equal(t, []time.Duration{30 * time.Second}, clock.sleeps)
	}
	clock := newManual()
	w := newWorld(t, Options{Clock: clock, Lanes: brokenLanes{}})
	assert.ErrorIs(t, w.WaitForRateLimit(t.Context(), failure), errLaneClosed)
	assert.Empty(t, clock.sleeps)
}

// D98, B-D15, B-D18
func TestRetryWithBackoff(t *testing.T) {
	tests := []struct {
		name   string
		policy *taxonomy.Policy
		want   []time.Duration // of the tries 1, 2, …; -1 is none
	}{
		{"the seed's", nil,
			[]time.Duration{1000 * time.Millisecond, 2000 * time.Millisecond, 4000 * time.Millisecond, 8 * time.Second,
				16 * time.Second, 30 * time.Second, 30 * time.Second}},
		{"of the reaction",
			&taxonomy.Policy{InitialDelay: 2 * time.Second, MaxDelay: 5 * time.Second, Multiplier: 2, MaxAttempts: 4},
			[]time.Duration{2 * time.Second, 4 * time.Second, 5 * time.Second, -1}},
		{"linear", &taxonomy.Policy{InitialDelay: time.Second, Backoff: taxonomy.Linear},
			[]time.Duration{time.Second, 2 * time.Second, 3 * time.Second}},
		{"without a delay", &taxonomy.Policy{MaxAttempts: 3}, []time.Duration{time.Second, 2 * time.Second, -1, -1}},
		{"bounded in time", &taxonomy.Policy{InitialDelay: time.Second, MaxElapsed: 4 * time.Second},
			[]time.Duration{time.Second, 2 * time.Second, -1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for i, want := range tt.want {
				clock := newManual()
				w := newWorld(t, Options{Clock: clock})
				err := w.RetryWithBackoff(
					t.Context(),
					taxonomy.RecoveryRequest{Err: errors.New("x"), Attempt: i + 1,
						Reaction: taxonomy.Reaction{Policy: tt.policy}})
				r := w.last(t)
				if want < 0 {
					assert.ErrorContains(t, err, "Gave up", i+1)
					assert.Empty(t, clock.sleeps)
					continue
				}
				require.NoError(t, err)
				assert.Equal(t, []time.Duration{want}, clock.sleeps, i+1)
				assert.Equal(t, fmt.Sprintf("Retrying after %dms (attempt %d)", want.Milliseconds(), i+1), r.Message)
				assert.Equal(t, fmt.Sprint(want.Milliseconds()), r.Data[DataWait],
					"what is recorded is what was waited")
				assert.Equal(t, ActionRetry, r.Action)
			}
		})
	}
}

// B-D18: chance is asked once, and what is recorded is what was waited; it never exceeds the cap.
func TestJitterIsRolledOnce(t *testing.T) {
	clock, rolls := newManual(), 0
	w := newWorld(t, Options{Clock: clock, Random: func() float64 { rolls++; return 1 }})
	policy := &taxonomy.Policy{InitialDelay: time.Second, MaxDelay: 1050 * time.Millisecond,
		JitterKind: taxonomy.JitterProportional, Jitter: 0.1}
	require.NoError(
		t, w.RetryWithBackoff(
			t.Context(), taxonomy.RecoveryRequest{Attempt: 1, Reaction: taxonomy.Reaction{Policy: policy}}))
	assert.Equal(t, 1, rolls)
	assert.Equal(t, []time.Duration{1050 * time.Millisecond}, clock.sleeps)
	assert.Equal(t, "1050", w.last(t).Data[DataWait])
}

func TestBackoffObeysHints(t *testing.T) {
	err := &coded{hints: taxonomy.Hints{RetryAfter: taxonomy.Some(11 * time.Second)}}
	for honoured, want := range map[bool]time.Duration{true: 11 * time.Second, false: time.Second} {
		clock := newManual()
		w := newWorld(t, Options{Clock: clock})
		require.NoError(
			t, w.RetryWithBackoff(
				t.Context(),
				taxonomy.RecoveryRequest{Err: err, Reaction: taxonomy.Reaction{HonorRetryAfter: honoured}}))
		assert.Equal(t, []time.Duration{want}, clock.sleeps)
	}
}

// Attempts of any size, as from a broken file, take no time to compute.
func TestOddAttempts(t *testing.T) {
	for _, attempt := range []int{-5, 0, 1 << 40} {
		clock := newManual()
		w := newWorld(t, Options{Clock: clock})
		require.NoError(t, w.RetryWithBackoff(t.Context(), taxonomy.RecoveryRequest{Attempt: attempt}))
		assert.LessOrEqual(t, clock.sleeps[0], 30*time.Second)
	}
}

// D166, B-D16
func TestGivesUp(t *testing.T) {
	clock := newManual()
	w := newWorld(t, Options{Clock: clock, MaxAttempts: 2})
	for attempt := 1; attempt <= 3; attempt++ {
		err := w.WaitForRateLimit(t.Context(), taxonomy.RecoveryRequest{Attempt: attempt})
		assert.Equal(t, attempt > 2, err != nil)
	}
	r := w.last(t)
	assert.Equal(t, "Gave up: the maximum of 2 recovery attempts is exceeded", r.Message)
	assert.Equal(t, []int{3, 2}, []int{r.Attempts, r.MaxAttempts})
	assert.Len(t, clock.sleeps, 2)
}
