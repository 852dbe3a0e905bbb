package breaker_test

import (
	"context"
	"io"
	"math"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/retry/breaker"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var (
	good      = retry.CallEnd{}
	cancelled = retry.CallEnd{Failed: true, Cancelled: true}
	other     = retry.CallEnd{Failed: true}
)

func policy(name string, rule taxonomy.Breaker) *taxonomy.Policy {
	return &taxonomy.Policy{Name: name, Budget: &taxonomy.Budget{Retries: -1, Breaker: &rule}}
}

func bad(p *taxonomy.Policy) retry.CallEnd { return retry.CallEnd{Failed: true, Policy: p} }

// bench is gates and a lane, in a bubble.
type bench struct {
	t *testing.T
	*breaker.Gates
}

// wait returns how long the caller has to wait; 0 is that it is in.
func (b bench) wait(caller string) time.Duration {
	b.t.Helper()
	now := time.Now()
	at, err := b.Enter(b.t.Context(), "lane", caller, now)
	require.NoError(b.t, err)
	return at.Sub(now)
}

// call makes a call that must be let in.
func (b bench) call(caller string, end retry.CallEnd) {
	b.t.Helper()
	require.Zero(b.t, b.wait(caller), "let in")
	b.Leave("lane", caller, end)
}

func (b bench) state() breaker.State {
	b.t.Helper()
	all := b.Status()
	require.Len(b.t, all, 1)
	return all[0].State
}

func (b bench) sleep(d time.Duration) { _ = retry.System.Sleep(b.t.Context(), d) }

func bubble(t *testing.T, f func(b bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(bench{t, breaker.New(breaker.Options{})}) })
}

func TestOpens(t *testing.T) {
	five := taxonomy.Breaker{Failures: 3, Of: 5, Probe: 5 * s, Successes: 1}
	for _, tt := range []struct {
		name string
		rule taxonomy.Breaker
		ends string // f a failure under the policy, s a success, c cancelled, o another failure
		want breaker.State
	}{
		{"enough in a row", five, "fff", breaker.Open},
		{"too few", five, "ff", breaker.Closed},
		{"enough of five", five, "fsfsf", breaker.Open},
		{"too far apart", five, "fssfssf", breaker.Closed},
		{"cancelled calls are none", five, "fcccccfcf", breaker.Open},
		{"nor do they open", five, "fffc"[:2] + "ccccc", breaker.Closed},
		{"other failures are none", five, "fooooofof", breaker.Open},
		{"nor do those open", five, "ffooooo", breaker.Closed},
		{"in a row, of not said", taxonomy.Breaker{Failures: 2}, "fsf", breaker.Closed},
		{"in a row", taxonomy.Breaker{Failures: 2}, "fsff", breaker.Open},
		{"of below failures", taxonomy.Breaker{Failures: 3, Of: 1}, "fff", breaker.Open},
		{"nothing said", taxonomy.Breaker{}, "f", breaker.Open},
		{"less than nothing", taxonomy.Breaker{Failures: -1, Of: -1, Probe: -s, Successes: -1}, "f", breaker.Open},
		{"absurd", taxonomy.Breaker{Failures: math.MaxInt, Of: math.MaxInt, Successes: math.MaxInt}, "ffff",
			breaker.Closed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(b bench) {
				p := policy("p", tt.rule)
				ends := map[rune]retry.CallEnd{'f': bad(p), 's': good, 'c': cancelled, 'o': other}
				for i, c := range tt.ends {
					b.call(strconv.Itoa(i), ends[c])
				}
				assert.Equal(t, tt.want, b.state())
				if tt.want == breaker.Open {
					assert.Equal(t, 5*s, b.wait("next"))
				}
			})
		})
	}
}

var once = taxonomy.Breaker{Failures: 1, Of: 1, Probe: 5 * s, Successes: 1}

func TestProbe(t *testing.T) {
	bubble(t, func(b bench) {
		p := policy("p", once)
		b.call("a", bad(p))
		b.sleep(2 * s)
		assert.Equal(t, 3*s, b.wait("b"))
		b.sleep(3 * s)
		assert.Zero(t, b.wait("b"), "the probe")
		assert.Equal(t, breaker.HalfOpen, b.state())
		assert.Equal(t, 5*s, b.wait("c"), "one at a time")
		b.sleep(s)
		b.Leave("lane", "b", bad(p))
		assert.Equal(t, breaker.Open, b.state())
		assert.Equal(t, 5*s, b.wait("c"), "an interval after it has failed")
		b.sleep(5 * s)
		b.call("c", good)
		assert.Equal(t, breaker.Closed, b.state())
		assert.Equal(t, s, b.wait("d"), "one after the other")
	})
}

// A probe that says nothing leaves its turn to the next caller, who has it an interval after it
// began.
func TestProbeSaysNothing(t *testing.T) {
	for name, end := range map[string]retry.CallEnd{"cancelled": cancelled, "another failure": other} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(b bench) {
				p := policy("p", once)
				b.call("a", bad(p))
				b.sleep(5 * s)
				for range 20 {
					b.call("b", end)
					assert.Equal(t, breaker.HalfOpen, b.state())
					assert.Equal(t, 5*s, b.wait("c"))
					b.sleep(5 * s)
				}
				b.call("c", good)
				assert.Equal(t, breaker.Closed, b.state())
			})
		})
	}
}

// A probe that never ends does not keep everybody out for ever.
func TestProbeIsLost(t *testing.T) {
	bubble(t, func(b bench) {
		p := policy("p", once)
		b.call("a", bad(p))
		b.sleep(5 * s)
		require.Zero(t, b.wait("lost"))
		waited := time.Duration(0)
		for {
			d := b.wait("b")
			if d == 0 {
				break
			}
			waited += d
			b.sleep(d)
		}
		assert.Equal(t, 50*s, waited)
		b.Leave("lane", "lost", bad(p))
		assert.Equal(t, breaker.HalfOpen, b.state(), "which says nothing any more")
		b.Leave("lane", "b", good)
		assert.Equal(t, breaker.Closed, b.state())
	})
}

// Several successes close it, one in each interval; what is cancelled between them is not counted.
func TestProbesInARow(t *testing.T) {
	bubble(t, func(b bench) {
		rule := once
		rule.Successes = 3
		p := policy("p", rule)
		b.call("a", bad(p))
		b.sleep(5 * s)
		for i, end := range []retry.CallEnd{good, good, bad(p), good, cancelled, good, other, good} {
			assert.NotEqual(t, breaker.Closed, b.state(), i)
			b.call(strconv.Itoa(i), end)
			if b.state() != breaker.Closed {
				assert.Equal(t, 5*s, b.wait("impatient"), i)
				b.sleep(5 * s)
			}
		}
		assert.Equal(t, breaker.Closed, b.state())
	})
}

// What was begun before the breaker opened does not count when it ends afterwards.
func TestLateEnds(t *testing.T) {
	bubble(t, func(b bench) {
		p := policy("p", once)
		for _, caller := range []string{"slow", "slower"} {
			require.Zero(t, b.wait(caller))
		}
		b.call("a", bad(p))
		b.Leave("lane", "slow", good)
		assert.Equal(t, breaker.Open, b.state())
		b.sleep(5 * s)
		require.Zero(t, b.wait("probe"))
		b.Leave("lane", "slower", bad(p))
		assert.Equal(t, breaker.HalfOpen, b.state())
		b.Leave("lane", "probe", good)
		assert.Equal(t, breaker.Closed, b.state())
	})
}

// Each policy has a breaker of its own; a call must pass them all, and a failure says nothing about
// the others'.
func TestSeveralPolicies(t *testing.T) {
	bubble(t, func(b bench) {
		slow := once
		slow.Probe = 8 * s
		x, y, z := policy("x", once), policy("y", slow), policy("x", slow)
		for _, caller := range []string{"1", "2", "3"} {
			require.Zero(t, b.wait(caller))
		}
		b.Leave("lane", "1", bad(x))
		b.Leave("lane", "2", bad(y))
		b.Leave("lane", "3", bad(z))
		require.Len(t, b.Status(), 3, "other numbers make another breaker, whatever its name")
		assert.Equal(t, 8*s, b.wait("a"))
		b.sleep(8 * s)
		b.call("a", bad(y))
		states := map[string]breaker.State{}
		for _, st := range b.Status() {
			states[st.Policy+time.Until(st.Next).String()] = st.State
		}
		assert.Equal(t, map[string]breaker.State{"x5s": breaker.HalfOpen, "x8s": breaker.HalfOpen, "y8s": breaker.Open},
			states)
		b.sleep(8 * s)
		b.call("b", good)
		for _, st := range b.Status() {
			assert.Equal(t, breaker.Closed, st.State)
		}
	})
}

func TestLanesAreApart(t *testing.T) {
	bubble(t, func(b bench) {
		b.call("a", bad(policy("p", once)))
		now := time.Now()
		at, err := b.Enter(b.t.Context(), "another", "a", now)
		require.NoError(t, err)
		assert.Equal(t, now, at)
	})
}

// The time that Enter is given may be that of another clock.
func TestEnterCountsFromNow(t *testing.T) {
	bubble(t, func(b bench) {
		b.call("a", bad(policy("p", once)))
		now := time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)
		at, err := b.Enter(b.t.Context(), "lane", "b", now)
		require.NoError(t, err)
		assert.Equal(t, now.Add(5*s), at)
		ctx, cancel := context.WithCancelCause(b.t.Context())
		cancel(io.EOF)
		_, err = b.Enter(ctx, "lane", "b", now)
		assert.Equal(t, io.EOF, err)
	})
}

func TestWithoutBudget(t *testing.T) {
	bubble(t, func(b bench) {
		p := &taxonomy.Policy{Name: "p"}
		for i := range 100 {
			b.call(strconv.Itoa(i), bad(p))
			assert.True(t, b.Retry("lane", p))
			assert.True(t, b.Retry("lane", nil))
		}
		assert.Empty(t, b.Status())
	})
}

// With the gate in Do: a panic gives the probe back, and so does who gives up.
func TestDoGivesProbesBack(t *testing.T) {
	bubble(t, func(b bench) {
		p := *policy("p", once)
		p.MaxAttempts = 1
		gate := retry.WithGate(b, "lane", "")
		call := func(f func(context.Context) error) error { return retry.Do(b.t.Context(), p, f, gate) }
		require.Error(t, call(func(context.Context) error { return errDown }))
		assert.Equal(t, breaker.Open, b.state())
		assert.PanicsWithValue(t, "boom", func() { _ = call(func(context.Context) error { panic("boom") }) })
		assert.Equal(t, breaker.HalfOpen, b.state())
		require.ErrorIs(t, call(func(context.Context) error { return context.Canceled }), context.Canceled)
		require.ErrorIs(t, call(func(context.Context) error { return retry.Permanent(io.EOF) }), io.EOF)
		assert.Equal(t, breaker.HalfOpen, b.state())
		begun := time.Now()
		require.NoError(t, call(func(context.Context) error { return nil }))
		assert.Equal(t, 5*s, time.Since(begun))
		assert.Equal(t, breaker.Closed, b.state())
	})
}

// A deadline that would pass in the wait for the gate ends the waiting before it begins.
func TestDoDeadline(t *testing.T) {
	bubble(t, func(b bench) {
		b.call("a", bad(policy("p", once)))
		ctx, cancel := context.WithTimeout(b.t.Context(), 4*s)
		defer cancel()
		begun := time.Now()
		err := retry.Do(ctx, taxonomy.Policy{}, func(context.Context) error { return nil },
			retry.WithGate(b, "lane", "me"))
		require.EqualError(t, err, `0 calls, the next wait would pass the deadline `+
			`(lane "lane": the gate is shut: the breaker of policy "p" is open)`)
		require.ErrorIs(t, err, retry.ErrShut)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Zero(t, time.Since(begun))
	})
}

// Looking at a gate takes nothing, and says what entering would.
func TestOpensTakesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := breaker.New(breaker.Options{})
		p := &taxonomy.Policy{Name: "p",
			Budget: &taxonomy.Budget{Retries: -1,
				Breaker: &taxonomy.Breaker{Failures: 1, Of: 1, Probe: 10 * time.Second, Successes: 1}}}
		now := time.Now()
		require.Equal(t, now, g.Opens("l", now), "nobody has called")
		_, err := g.Enter(t.Context(), "l", "a", now)
		require.NoError(t, err)
		g.Leave("l", "a", retry.CallEnd{Failed: true, Policy: p})
		require.Equal(t, now.Add(10*time.Second), g.Opens("l", now))
		require.Equal(t, now, g.Opens("other", now))
		time.Sleep(10 * time.Second)
		now = time.Now()
		for range 3 {
			require.Equal(t, now, g.Opens("l", now), "the probe is still to be had")
		}
		at, err := g.Enter(t.Context(), "l", "b", now)
		require.NoError(t, err)
		require.Equal(t, now, at)
		require.True(t, g.Opens("l", now).After(now), "it was taken")
	})
}
