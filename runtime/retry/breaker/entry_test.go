package breaker_test

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/retry/breaker"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// reopen shuts the lane for a minute, and has a probe open it.
func (b bench) reopen() {
	b.t.Helper()
	p := policy("p", once)
	b.call("breaks", bad(p))
	b.sleep(m)
	b.call("probe", good)
}

// What is asked about a lane changes nothing, and callers that enter one after the other are done
// when nobody asks any more.
func TestWhy(t *testing.T) {
	bubble(t, func(b bench) {
		assert.Equal(t, breaker.Closed, b.State("lane"))
		require.NoError(t, b.Why("lane"))
		assert.Empty(t, b.Status())
		p := policy("p", once)
		b.call("a", bad(p))
		assert.Equal(t, breaker.Open, b.State("lane"))
		assert.Equal(t, breaker.Closed, b.State("another"))
		require.ErrorIs(t, b.Why("lane"), retry.ErrShut)
		require.EqualError(t, b.Why("lane"), `lane "lane": the gate is shut: the breaker of policy "p" is open`)
		b.sleep(m)
		require.Zero(t, b.wait("probe"))
		assert.Equal(t, breaker.HalfOpen, b.State("lane"))
		b.Leave("lane", "probe", good)
		assert.Equal(t, breaker.Closed, b.State("lane"))
		require.EqualError(
			t, b.Why("lane"),
			`lane "lane": the gate is shut: callers enter one after the other, since it has opened again`)
		assert.NotZero(t, b.wait("b"))
		assert.True(t, b.Status()[0].Entering)
		b.sleep(30 * m)
		assert.False(t, b.Status()[0].Entering)
		require.NoError(t, b.Why("lane"))
	})
}

// Who cannot wait for its turn is told when that would be, and keeps nobody waiting.
func TestNoPlaceForTheImpatient(t *testing.T) {
	bubble(t, func(b bench) {
		b.reopen()
		ctx, cancel := context.WithTimeout(b.t.Context(), 500*ms)
		defer cancel()
		for i := range 1000 {
			now := time.Now()
			at, err := b.Enter(ctx, "lane", strconv.Itoa(i), now)
			require.NoError(t, err)
			require.Equal(t, s, at.Sub(now))
			at, err = b.TryEnter(b.t.Context(), "lane", "try "+strconv.Itoa(i), now)
			require.NoError(t, err)
			require.Equal(t, s, at.Sub(now))
		}
		assert.Equal(t, s, b.wait("patient"))
		b.sleep(s)
		assert.Zero(t, b.wait("patient"))
	})
}

// Callers who take a place and never come, more than there are places, do not keep the others out.
func TestPlacesAreLost(t *testing.T) {
	bubble(t, func(b bench) {
		b.reopen()
		for i := range 5000 {
			require.NotZero(t, b.wait("lost "+strconv.Itoa(i)))
		}
		waited := time.Duration(0)
		for d := b.wait("comes"); d > 0; d = b.wait("comes") {
			waited += d
			b.sleep(d)
		}
		assert.Less(t, waited, 2*m)
	})
}

// With a negative step everybody enters at once.
func TestNoRamp(t *testing.T) {
	bubble(t, func(b bench) {
		b.Gates = breaker.New(breaker.Options{Ramp: retry.Ramp{Step: -1}})
		b.reopen()
		for i := range 100 {
			assert.Zero(t, b.wait(strconv.Itoa(i)))
		}
		assert.False(t, b.Status()[0].Entering)
	})
}

// With FailFast a Do does not wait for the breaker, and takes no place.
func TestDoFailFast(t *testing.T) {
	bubble(t, func(b bench) {
		calls := 0
		do := func() error {
			return retry.Do(b.t.Context(), taxonomy.Policy{MaxAttempts: 1},
				func(context.Context) error { calls++; return nil },
				retry.WithGate(b, "lane", ""), retry.FailFast())
		}
		require.NoError(t, do())
		b.call("a", bad(policy("p", once)))
		begun := time.Now()
		err := do()
		require.EqualError(
			t, err, `0 calls, not let in (lane "lane": the gate is shut: the breaker of policy "p" is open)`)
		require.ErrorIs(t, err, retry.ErrShut)
		require.NotErrorIs(t, err, context.DeadlineExceeded)
		b.sleep(5 * s)
		require.NoError(t, do(), "the probe")
		require.ErrorIs(t, do(), retry.ErrShut, "one after the other")
		assert.Equal(t, s, b.wait("waits"))
		assert.Equal(t, 5*s, time.Since(begun))
		assert.Equal(t, 2, calls)
	})
}

func (b bench) asks(caller string) time.Duration {
	now := time.Now()
	at, err := b.Enter(b.t.Context(), "lane", caller, now)
	assert.NoError(b.t, err)
	return at.Sub(now)
}

// enter has callers enter at once, and returns when each of them was let in.
func (b bench) enter(callers int) []time.Time {
	in := make([]time.Time, callers)
	var wg sync.WaitGroup
	for i := range in {
		wg.Go(func() {
			caller := strconv.Itoa(i)
			for d := b.asks(caller); d > 0; d = b.asks(caller) {
				b.sleep(d)
			}
			in[i] = time.Now()
			b.Leave("lane", caller, good)
		})
	}
	wg.Wait()
	slices.SortFunc(in, time.Time.Compare)
	return in
}

// Those who come when all who waited are in, maybe the same callers once more, come no faster than
// twice the normal rate: at once a few, then half as fast again as normal. That is not for ever.
func TestNobodyRushesInAfterThoseWhoWaited(t *testing.T) {
	bubble(t, func(b bench) {
		const normal = 20
		for i := range normal * 60 {
			b.call(strconv.Itoa(i), good)
			b.sleep(s / normal)
		}
		b.reopen()
		b.enter(normal)
		b.sleep(5 * s)
		require.False(t, b.Status()[0].Entering)
		require.NoError(t, b.Why("lane"))
		begun := time.Now()
		in := b.enter(normal * 10)
		assert.Zero(t, in[4].Sub(begun), "a few")
		for i := range len(in) - 2*normal {
			assert.Greater(t, in[i+2*normal].Sub(in[i]), s, "twice normal")
		}
		assert.Less(t, time.Since(begun), 10*s)
		b.sleep(10 * m)
		begun = time.Now()
		assert.Equal(t, begun, b.enter(100)[99], "nobody waits in the end")
	})
}

// Who fails fast is told why also when it is only a few that may enter at once.
func TestWhyWhenNobodyWaits(t *testing.T) {
	bubble(t, func(b bench) {
		b.reopen()
		b.sleep(7 * s)
		for i := range 5 {
			require.NoError(t, b.Why("lane"))
			b.call(strconv.Itoa(i), good)
		}
		require.ErrorIs(t, b.Why("lane"), retry.ErrShut)
		assert.NotZero(t, b.wait("next"))
		assert.False(t, b.Status()[0].Entering)
	})
}

// The budget counts calls from the first use of the lane, whatever its window is and before
// anything has failed.
func TestBudgetCountsFromTheFirstUse(t *testing.T) {
	for _, tt := range []struct {
		name   string
		window time.Duration
		first  int // calls in the window
	}{
		{"as the language has it", 0, 20},
		{"short", s, 2},
		{"long", 30 * s, 60},
		{"longer than anybody has called", m, 100},
		{"long beyond measure", 1000 * time.Hour, 100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(b bench) {
				for i := range 100 {
					b.sleep(500 * ms)
					b.call(strconv.Itoa(i), good)
				}
				p := &taxonomy.Policy{Name: "p", Budget: &taxonomy.Budget{Retries: 1, Window: tt.window}}
				granted := 0
				for b.Retry("lane", p) {
					granted++
				}
				assert.InDelta(t, tt.first, 2*granted, float64(tt.first)/5, "what is granted is no first call")
			})
		})
	}
}

func TestBudgetOfABurst(t *testing.T) {
	bubble(t, func(b bench) {
		p := &taxonomy.Policy{Name: "p", Budget: &taxonomy.Budget{Retries: 0.5, Reserve: 4, Window: 10 * s}}
		for i := range 900 {
			b.call(strconv.Itoa(i), good)
			b.sleep(9 * ms)
		}
		for i := range 100 {
			require.Zero(t, b.wait(strconv.Itoa(i)))
		}
		granted := 0
		for i := range 100 {
			b.Leave("lane", strconv.Itoa(i), bad(p))
			if b.Retry("lane", p) {
				granted++
			}
		}
		assert.Equal(t, 100, granted)
	})
}
