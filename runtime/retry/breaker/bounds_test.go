package breaker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/retry/breaker"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestOnState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []string
		var b bench
		b = bench{t, breaker.New(breaker.Options{OnState: func(c breaker.Change) {
			assert.Equal(t, time.Now(), c.At)
			assert.NotNil(t, b.Status(), "the gates may be used")
			told = append(told, fmt.Sprint(c.Lane, " ", c.Policy, ": ", c.From, " to ", c.To))
		}})}
		p := policy("p", once)
		b.call("a", bad(p))
		b.sleep(5 * s)
		b.call("b", bad(p))
		b.sleep(5 * s)
		b.call("c", good)
		assert.Equal(t, []string{
			"lane p: closed to open", "lane p: open to half-open", "lane p: half-open to open",
			"lane p: open to half-open",
			"lane p: half-open to closed",
		}, told)
	})
}

func TestStatus(t *testing.T) {
	bubble(t, func(b bench) {
		assert.Empty(t, b.Status())
		p := policy("p", taxonomy.Breaker{Failures: 2, Of: 4, Probe: 5 * s, Successes: 1})
		p.Budget.Retries, p.Budget.Reserve = 0, 1
		b.call("a", bad(p))
		b.call("b", good)
		assert.True(t, b.Retry("lane", p))
		assert.False(t, b.Retry("lane", p))
		begun := time.Now()
		want := breaker.Status{Lane: "lane", Policy: "p", Since: begun, Calls: 2, Failures: 1, Retries: 1, Refused: 1}
		assert.Equal(t, []breaker.Status{want}, b.Status())
		b.sleep(s)
		b.call("c", bad(p))
		got := b.Status()[0]
		assert.Equal(t, []any{breaker.Open, begun.Add(s), begun.Add(6 * s)}, []any{got.State, got.Since, got.Next})
		text, err := json.Marshal(got)
		require.NoError(t, err)
		assert.Contains(t, string(text), `"state":"open"`)
		b.sleep(5 * s)
		b.call("d", good)
		assert.True(t, b.Status()[0].Entering)
		assert.Equal(
			t, "closed half-open State(9)", fmt.Sprint(breaker.Closed, " ", breaker.HalfOpen, " ", breaker.State(9)))
	})
}

// Lanes that nobody uses are forgotten, and of too many those that nobody has used for longest,
// closed ones first.
func TestLanesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := breaker.New(breaker.Options{MaxLanes: 3, Idle: m})
		lanes := func() (names []string) {
			for _, st := range g.Status() {
				names = append(names, st.Lane)
			}
			return names
		}
		fail := func(lane string, rule taxonomy.Breaker) {
			_, err := g.Enter(t.Context(), lane, "a", time.Now())
			require.NoError(t, err)
			g.Leave(lane, "a", bad(policy("p", rule)))
			_ = retry.System.Sleep(t.Context(), s)
		}
		often := taxonomy.Breaker{Failures: 99}
		fail("open", once)
		fail("b", often)
		fail("c", often)
		fail("d", often)
		assert.Equal(t, []string{"c", "d", "open"}, lanes())
		fail("e", once)
		fail("f", once)
		assert.Equal(t, []string{"e", "f", "open"}, lanes())
		fail("g", once)
		assert.Equal(t, []string{"e", "f", "g"}, lanes(), "when all are open, the oldest")
		_ = retry.System.Sleep(t.Context(), 10*m)
		fail("h", often)
		_ = retry.System.Sleep(t.Context(), 10*m)
		fail("i", often)
		assert.Equal(t, []string{"f", "g", "i"}, lanes(), "one that nobody uses goes before one that is open")
	})
}

func TestPoliciesAreBounded(t *testing.T) {
	bubble(t, func(b bench) {
		for i := range 100 {
			b.call(strconv.Itoa(i), bad(policy(strconv.Itoa(i), taxonomy.Breaker{Failures: 2})))
			b.sleep(ms)
		}
		assert.Len(t, b.Status(), 32)
		for i := range 40 {
			p := policy("nan "+strconv.Itoa(i), taxonomy.Breaker{Failures: 99})
			p.Name, p.Budget.Retries = "nan", math.NaN()
			b.call(strconv.Itoa(i), cancelled)
			b.Leave("lane", "a", bad(p))
		}
		nan := 0
		for _, st := range b.Status() {
			if st.Policy == "nan" {
				nan++
			}
		}
		assert.Equal(t, 1, nan)
	})
}

// Callers of all kinds use the gates at once.
func TestAtOnce(t *testing.T) {
	g := breaker.New(breaker.Options{MaxLanes: 4, Ramp: retry.Ramp{Step: -1}, OnState: func(breaker.Change) {}})
	p := policy("p", taxonomy.Breaker{Failures: 3, Probe: time.Microsecond})
	p.Budget.Retries = 0.5
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			caller := strconv.Itoa(i)
			for j := range 500 {
				lane, now := strconv.Itoa(j%6), time.Now()
				at, err := g.Enter(t.Context(), lane, caller, now)
				if err != nil || at.After(now) {
					continue
				}
				g.Leave(lane, caller, []retry.CallEnd{good, bad(p), cancelled, other}[(i+j)%4])
				g.Retry(lane, p)
				if j%50 == 0 {
					g.Status()
				}
			}
		})
	}
	wg.Wait()
	assert.LessOrEqual(t, len(g.Status()), 4)
}

// Retries are a share of first calls: what is refused ends the Do.
func TestBudget(t *testing.T) {
	bubble(t, func(b bench) {
		p := taxonomy.Policy{Name: "p", MaxAttempts: 10,
			Budget: &taxonomy.Budget{Retries: 0.2, Reserve: 3, Window: 10 * s}}
		calls, out := 0, 0
		for range 1000 {
			err := retry.Do(b.t.Context(), p, func(context.Context) error { calls++; return errDown },
				retry.WithGate(b, "lane", ""))
			e, ok := errors.AsType[*retry.Error](err)
			require.True(t, ok)
			require.ErrorIs(t, err, errDown)
			if e.Why == retry.StoppedBudget {
				out++
			}
			b.sleep(100 * ms)
		}
		assert.InDelta(t, 1000*1.2, calls, 10*3+5, "a fifth more than a thousand, and three in each window")
		assert.Equal(t, 1000, out)
		b.sleep(10 * s)
		granted := 0
		for b.Retry("lane", &p) {
			granted++
		}
		assert.Equal(t, 3, granted, "the reserve")
	})
}

func TestBudgetForgets(t *testing.T) {
	bubble(t, func(b bench) {
		p := &taxonomy.Policy{Name: "p", Budget: &taxonomy.Budget{Retries: 0.5}}
		for i := range 10 {
			b.call(strconv.Itoa(i), bad(p))
		}
		granted := func() (n int) {
			for b.Retry("lane", p) {
				n++
			}
			return n
		}
		assert.Equal(t, 4, granted(), "half as many as first calls, where what is granted is none")
		b.sleep(5 * s)
		assert.Zero(t, granted())
		b.sleep(5 * s)
		assert.Zero(t, granted(), "the window of ten seconds is empty")
		b.call("a", bad(p))
		b.call("b", bad(p))
		assert.Equal(t, 1, granted())
	})
}
