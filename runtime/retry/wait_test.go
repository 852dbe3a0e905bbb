package retry_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestSystemSleep(t *testing.T) {
	require.NoError(t, retry.System.Sleep(t.Context(), -s))
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		require.NoError(t, retry.System.Sleep(t.Context(), s))
		assert.Equal(t, s, time.Since(began))
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(s, func() { cancel(errOther) })
		require.ErrorIs(t, retry.System.Sleep(ctx, m), errOther)
		require.ErrorIs(t, retry.System.Sleep(ctx, m), errOther)
		assert.Equal(t, 2*s, time.Since(began))
	})
}

func TestJitterOfSharedWait(t *testing.T) {
	c, ctx := newClock(), t.Context()
	for _, tt := range []struct {
		name           string
		wait, min, max time.Duration
	}{
		{"a tenth of the wait", 10 * s, 10 * s, 11 * s},
		{"at most ten seconds", time.Hour, time.Hour, time.Hour + 10*s},
	} {
		for _, random := range []retry.Random{always(0), always(1), nil} {
			waits := retry.NewSharedWait(c, random)
			require.NoError(t, waits.Pause(ctx, "lane", c.now.Add(tt.wait)))
			at, err := waits.Until(ctx, "lane")
			require.NoError(t, err)
			wait := at.Sub(c.now)
			assert.True(t, tt.min <= wait && wait <= tt.max, "%s: %v", tt.name, wait)
			if random != nil {
				assert.Contains(t, []time.Duration{tt.min, tt.max}, wait, tt.name)
			}
			c.now = c.now.Add(tt.wait + s)
			opened, err := waits.Until(ctx, "lane")
			require.NoError(t, err)
			assert.Equal(t, -s, opened.Sub(c.now), "no jitter after it opened")
		}
	}
}

func TestSharedWait(t *testing.T) {
	c := newClock()
	waits, began, ctx := retry.NewSharedWait(c, always(0)), c.now, t.Context()
	until := func(lane string) time.Duration {
		at, err := waits.Until(ctx, lane)
		require.NoError(t, err)
		return max(0, at.Sub(c.now))
	}
	pause := func(lane string, d time.Duration) { require.NoError(t, waits.Pause(ctx, lane, began.Add(d))) }
	pause("x", 10*s)
	assert.Equal(t, []time.Duration{10 * s, 0}, []time.Duration{until("x"), until("y")})
	pause("x", 5*s)
	assert.Equal(t, 10*s, until("x"), "an earlier instant changes nothing")
	pause("x", 20*s)
	assert.Equal(t, 20*s, until("x"))
	c.now = began.Add(20 * s)
	assert.Zero(t, until("x"))
	pause("x", 20*s)
	assert.Zero(t, until("x"), "an instant that has passed")
}

func TestSharedWaitOfManyLanes(t *testing.T) {
	c := newClock()
	waits, ctx := retry.NewSharedWait(c, always(0)), t.Context()
	for i := range 3000 {
		require.NoError(t, waits.Pause(ctx, strconv.Itoa(i), c.now.Add(m)))
		c.now = c.now.Add(s)
	}
	for lane, closed := range map[int]bool{0: false, 2930: false, 2950: true, 2999: true} {
		at, err := waits.Until(ctx, strconv.Itoa(lane))
		require.NoError(t, err)
		assert.Equal(t, closed, at.After(c.now), lane)
	}
}

// A thousand callers wait for a lane that is paused again while they wait. None of them calls while
// it is closed, and they do not start together.
func TestSharedWaitOfManyCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		waits, began := retry.NewSharedWait(nil, nil), time.Now()
		require.NoError(t, waits.Pause(t.Context(), "lane", began.Add(30*s)))
		time.AfterFunc(20*s, func() { _ = waits.Pause(context.Background(), "lane", began.Add(m)) })
		var mu sync.Mutex
		at := map[time.Duration]bool{}
		var wg sync.WaitGroup
		for range 1000 {
			wg.Go(func() {
				assert.NoError(t, retry.Do(t.Context(), func(context.Context) error {
					mu.Lock()
					defer mu.Unlock()
					at[time.Since(began)] = true
					return nil
				}, retry.WithSharedWait(waits, "lane")))
			})
		}
		wg.Wait()
		assert.Greater(t, len(at), 900)
		for took := range at {
			assert.True(t, m <= took && took <= m+6*s, took)
		}
	})
}

func TestDoSharedWait(t *testing.T) {
	policy := taxonomy.Policy{MaxAttempts: 3, InitialDelay: s, MaxRetryAfter: m}
	c := newClock()
	waits, began := retry.NewSharedWait(c, always(0)), c.now
	do := func(op func(context.Context) error) error {
		return retry.Do(t.Context(), op, retry.ByPolicy(policy), retry.WithSharedWait(waits, "lane"),
			retry.WithClock(c))
	}
	op, _ := story(rateLimit(20*s), nil)
	require.NoError(t, do(op))
	assert.Equal(t, 20*s, c.now.Sub(began))
	require.NoError(t, waits.Pause(t.Context(), "lane", c.now.Add(10*s)))
	op, calls := story(errFlaky, nil)
	require.NoError(t, do(op))
	assert.Equal(t, 31*s, c.now.Sub(began), "it waits for the lane, and after its own failure")
	assert.Equal(t, 2, *calls)
	at, err := waits.Until(t.Context(), "lane")
	require.NoError(t, err)
	assert.Equal(t, 30*s, at.Sub(began), "a failure without a hint does not close the lane")
}

type brokenWait struct{ until, pause error }

func (b brokenWait) Pause(context.Context, string, time.Time) error { return b.pause }

func (b brokenWait) Until(context.Context, string) (time.Time, error) { return time.Time{}, b.until }

func TestDoSharedWaitFails(t *testing.T) {
	errDisk := errors.New("disk full")
	for calls, waits := range []brokenWait{{until: errDisk}, {pause: errDisk}} {
		op, got := story(rateLimit(s))
		err := retry.Do(t.Context(), op, retry.ByPolicy(thrice), retry.WithSharedWait(waits, "lane"))
		require.ErrorIs(t, err, errDisk)
		e, _ := errors.AsType[*retry.Error](err)
		assert.Equal(t, []any{calls, retry.StoppedWait}, []any{*got, e.Why})
	}
}
