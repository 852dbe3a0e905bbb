package retry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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

var (
	epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	ramp  = retry.Ramp{}
)

// in returns how long after epoch t is.
func in(t time.Time) time.Duration { return t.Sub(epoch) }

func TestLaneRamp(t *testing.T) {
	var l retry.Lane
	assert.Equal(t, epoch, l.Opens("a", epoch, ramp), "open")
	assert.Empty(t, l.Places)
	l.Pause(epoch.Add(10*s), epoch, ramp)
	var got []time.Duration
	for i := range 8 {
		got = append(got, in(l.Opens(strconv.Itoa(i), epoch.Add(s), ramp)).Round(ms))
	}
	assert.Equal(t, []time.Duration{10 * s, 11 * s, 11585 * ms, 12 * s, 12322 * ms, 12585 * ms, 12807 * ms, 13 * s},
		got)
	assert.Equal(t, 11*s, in(l.Opens("1", epoch.Add(2*s), ramp)), "who asks again keeps its instant")

	l.Pause(epoch.Add(9*s), epoch.Add(2*s), ramp)
	assert.Equal(t, 11*s, in(l.Opens("1", epoch.Add(2*s), ramp)), "an earlier end changes nothing")
	l.Pause(epoch.Add(20*s), epoch.Add(2*s), ramp)
	assert.Equal(t, 21*s, in(l.Opens("1", epoch.Add(2*s), ramp)), "a later one moves everybody")
}

// Who has entered is behind those who wait when the lane is closed again, and free until then.
func TestLaneOrder(t *testing.T) {
	var l retry.Lane
	l.Pause(epoch.Add(10*s), epoch, ramp)
	for _, caller := range []string{"a", "b", "c"} {
		l.Opens(caller, epoch, ramp)
	}
	require.Equal(t, 10*s, in(l.Opens("a", epoch.Add(10*s), ramp)))
	require.Equal(t, 10*s, in(l.Opens("a", epoch.Add(10500*ms), ramp)), "free")
	l.Pause(epoch.Add(20*s), epoch.Add(10500*ms), ramp)
	for caller, want := range map[string]time.Duration{"b": 20 * s, "c": 21 * s} {
		assert.Equal(t, want, in(l.Opens(caller, epoch.Add(11*s), ramp)), caller)
	}
	assert.Equal(t, 21585*ms, in(l.Opens("a", epoch.Add(11*s), ramp)).Round(ms))
}

func TestLaneLate(t *testing.T) {
	var l retry.Lane
	l.Pause(epoch.Add(10*s), epoch, ramp)
	l.Opens("late", epoch, ramp)
	l.Opens("gone", epoch, ramp)
	l.Pause(epoch.Add(20*s), epoch.Add(15*s), ramp)
	assert.Equal(t, []string{"late", "gone"}, callers(&l), "who is a little late stays in front")
	l.Pause(epoch.Add(200*s), epoch.Add(80500*ms), ramp)
	assert.Equal(t, []string{"gone"}, callers(&l), "who does not come is forgotten")
}

func callers(l *retry.Lane) []string {
	var out []string
	for _, p := range l.Places {
		out = append(out, p.Caller)
	}
	return out
}

func TestLaneIsOver(t *testing.T) {
	var l retry.Lane
	assert.True(t, l.Over(epoch, ramp))
	l.Pause(epoch, epoch, ramp)
	assert.Equal(t, retry.Lane{}, l, "a pause that is over is none")
	l.Pause(epoch.Add(10*s), epoch, ramp)
	l.Opens("a", epoch, ramp)
	assert.False(t, l.Over(epoch.Add(21*s), ramp), "those who come late have their places, too")
	assert.True(t, l.Over(epoch.Add(23*s), ramp))
	assert.Equal(t, 23*s, in(l.Opens("b", epoch.Add(23*s), ramp)))
	assert.Equal(t, retry.Lane{}, l)
}

func TestLaneSteps(t *testing.T) {
	for _, tt := range []struct {
		name string
		ramp retry.Ramp
		want []time.Duration
	}{
		{"none", retry.Ramp{Step: -1}, []time.Duration{0, 0, 0}},
		{"two seconds", retry.Ramp{Step: 2 * s}, []time.Duration{0, 2 * s, 3170 * ms}},
		{"random, least", retry.Ramp{Random: always(0)}, []time.Duration{0, s, 1585 * ms}},
		{"random, most", retry.Ramp{Random: always(1)}, []time.Duration{0, 1292 * ms, 1792 * ms}},
		{"absurd", retry.Ramp{Step: 1 << 62}, []time.Duration{0, time.Hour, 95 * m}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var l retry.Lane
			l.Pause(epoch.Add(s), epoch, tt.ramp)
			for i, want := range tt.want {
				got := in(l.Opens(strconv.Itoa(i), epoch, tt.ramp)) - s
				assert.InDelta(t, want, got, float64(max(want/100, ms)))
			}
		})
	}
}

func TestLaneIsBounded(t *testing.T) {
	var l retry.Lane
	l.Pause(epoch.Add(s), epoch, ramp)
	last := time.Duration(0)
	for i := range 4096 {
		at := in(l.Opens(strconv.Itoa(i), epoch, ramp))
		require.Greater(t, at, last)
		last = at
	}
	assert.Equal(t, 13*s, in(l.Opens("one more", epoch, ramp)).Round(ms))
	assert.Equal(t, 13*s, in(l.Opens("one more", epoch.Add(5*s), ramp)).Round(ms))
	assert.Len(t, l.Places, 4096)
}

func TestLaneIsKept(t *testing.T) {
	var l, back retry.Lane
	b, err := json.Marshal(l)
	require.NoError(t, err)
	assert.JSONEq(t, `{}`, string(b))
	l.Pause(epoch.Add(s), epoch, ramp)
	l.Opens("a", epoch.Add(s), ramp)
	b, err = json.Marshal(l)
	require.NoError(t, err)
	assert.JSONEq(t, `{"until":"2026-01-02T03:04:06Z","places":[{"caller":"a","at":"2026-01-02T03:04:06Z","in":true}]}`,
		string(b))
	require.NoError(t, json.Unmarshal(b, &back))
	assert.Equal(t, l, back)
}

func TestMemoryLanesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lanes := retry.NewLanes(retry.Ramp{}, nil)
		for i := range 3000 {
			require.NoError(t, lanes.Pause(t.Context(), strconv.Itoa(i), time.Now().Add(m+time.Duration(i))))
		}
		open := func(lane int) bool {
			at, err := lanes.Opens(t.Context(), strconv.Itoa(lane), "me", time.Now())
			require.NoError(t, err)
			return !at.After(time.Now())
		}
		assert.True(t, open(0), "what opens first is forgotten")
		assert.False(t, open(2999))
		assert.False(t, open(2999-1023))
		assert.True(t, open(2999-1024))
		assert.True(t, open(4000), "never closed")
		require.NoError(t, retry.System.Sleep(t.Context(), 2*m))
		assert.True(t, open(2999))
		require.NoError(t, lanes.Pause(t.Context(), "new", time.Now().Add(s)))
		require.NoError(t, lanes.Pause(t.Context(), "old", time.Now().Add(-s)))
		at, err := lanes.Opens(t.Context(), "new", "me", time.Now())
		require.NoError(t, err)
		assert.Equal(t, time.Now().Add(s), at)
		at, err = lanes.Opens(t.Context(), "old", "me", time.Now())
		require.NoError(t, err)
		assert.Equal(t, time.Now(), at, "a pause that is over is none")
	})
}

// enter waits until the lane lets the caller in, as a run does.
func enter(ctx context.Context, lanes retry.Lanes, lane, caller string) error {
	for {
		now := time.Now()
		at, err := lanes.Opens(ctx, lane, caller, now)
		if err != nil || !at.After(now) {
			return err
		}
		if err := retry.System.Sleep(ctx, at.Sub(now)); err != nil {
			return err
		}
	}
}

// A thousand runs share a credential that takes ten calls a second and closes for five seconds when
// there are more. Everybody gets in, in the order in which they came, and nobody enters while the
// lane is closed.
func TestLanesStarveNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const runs, perSecond = 1000, 10
		ctx, lanes := t.Context(), retry.NewLanes(retry.Ramp{}, nil)
		var mu sync.Mutex
		var window, closed time.Time
		inWindow, pauses := 0, 0
		call := func() bool {
			mu.Lock()
			defer mu.Unlock()
			now := time.Now()
			assert.False(t, now.Before(closed), "entered a closed lane")
			if now.Sub(window) >= s {
				window, inWindow = now, 0
			}
			if inWindow++; inWindow <= perSecond {
				return true
			}
			pauses++
			closed = now.Add(5 * s)
			assert.NoError(t, lanes.Pause(ctx, "key", closed))
			return false
		}
		begun := time.Now()
		require.NoError(t, lanes.Pause(ctx, "key", begun.Add(5*s)))
		refused, took := make([]int, runs), make([]time.Duration, runs)
		var wg sync.WaitGroup
		for i := range runs {
			wg.Go(func() {
				for {
					if !assert.NoError(t, enter(ctx, lanes, "key", strconv.Itoa(i))) {
						return
					}
					if call() {
						took[i] = time.Since(begun)
						return
					}
					refused[i]++
				}
			})
		}
		wg.Wait()
		assert.LessOrEqual(t, pauses, 100)
		assert.LessOrEqual(t, slices.Max(refused), 3, "refused in turn, not always the same")
		assert.Less(t, slices.Max(took), 20*m)
	})
}

// Everybody who waits for one instant comes in at an instant of its own.
func TestLanesSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lanes := retry.NewLanes(retry.Ramp{Random: always(0.5)}, nil)
		begun := time.Now()
		require.NoError(t, lanes.Pause(t.Context(), "key", begun.Add(m)))
		var mu sync.Mutex
		at := map[time.Duration]int{}
		var wg sync.WaitGroup
		for i := range 1000 {
			wg.Go(func() {
				assert.NoError(t, enter(t.Context(), lanes, "key", fmt.Sprint("run ", i)))
				mu.Lock()
				defer mu.Unlock()
				at[time.Since(begun)]++
			})
		}
		wg.Wait()
		assert.Len(t, at, 1000)
		assert.Equal(t, 1, at[m], "the first at the opening")
		for took := range at {
			assert.True(t, m <= took && took <= m+10*s, took)
		}
	})
}

func TestDoLane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lanes := retry.NewLanes(retry.Ramp{}, nil)
		policy := taxonomy.Policy{MaxAttempts: 3, InitialDelay: s, MaxRetryAfter: m}
		begun := time.Now()
		op, _ := story(rateLimit(20*s), nil)
		require.NoError(t, retry.Do(t.Context(), policy, op, retry.WithLane(lanes, "key")))
		assert.Equal(t, 20*s, time.Since(begun), "whoever closes the lane is the first in it")

		require.NoError(t, lanes.Pause(t.Context(), "key", time.Now().Add(10*s)))
		op, calls := story(errFlaky, nil)
		begun = time.Now()
		require.NoError(t, retry.Do(t.Context(), policy, op, retry.WithLane(lanes, "key")))
		assert.Equal(t, 11*s, time.Since(begun), "waits for the lane, and after a failure on its own")
		assert.Equal(t, 2, *calls)

		at, err := lanes.Opens(t.Context(), "key", "another", time.Now())
		require.NoError(t, err)
		assert.False(t, at.After(time.Now()), "a plain failure closes no lane")
	})
}

func TestDoLaneDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lanes := retry.NewLanes(retry.Ramp{}, nil)
		require.NoError(t, lanes.Pause(t.Context(), "key", time.Now().Add(m)))
		ctx, cancel := context.WithTimeout(t.Context(), 10*s)
		defer cancel()
		begun := time.Now()
		op, calls := story(nil)
		err := retry.Do(ctx, thrice, op, retry.WithLane(lanes, "key"))
		require.EqualError(t, err, "0 calls, the next wait would pass the deadline")
		assert.Equal(t, []any{0, time.Duration(0)}, []any{*calls, time.Since(begun)})
	})
}

// broken are lanes whose store fails, when asked or when closed.
type broken struct{ opens, pause error }

func (b broken) Pause(context.Context, string, time.Time) error { return b.pause }

func (b broken) Opens(_ context.Context, _, _ string, now time.Time) (time.Time, error) {
	return now, b.opens
}

func TestDoLaneFails(t *testing.T) {
	errDisk := errors.New("disk full")
	op, calls := story(rateLimit(s))
	err := retry.Do(t.Context(), thrice, op, retry.WithLane(broken{opens: errDisk}, "key"))
	require.EqualError(t, err, "0 calls, the lane failed (disk full)")
	require.ErrorIs(t, err, errDisk)
	assert.Zero(t, *calls)
	err = retry.Do(t.Context(), thrice, op, retry.WithLane(broken{pause: errDisk}, "key"))
	require.ErrorIs(t, err, errDisk)
	require.ErrorContains(t, err, "1 call, the lane failed (disk full): ")
}
