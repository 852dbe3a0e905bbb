package breaker_test

import (
	"container/heap"
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/retry/breaker"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const s = time.Second

var began = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// clock is a clock that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(_ context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	return nil
}

// bench is breakers with one lane in use.
type bench struct {
	t *testing.T
	*breaker.Breakers
	clock *clock
}

func newBench(t *testing.T) bench {
	c := &clock{now: began}
	return bench{t, breaker.New(breaker.Options{Clock: c}), c}
}

// acquire returns the release of a call, or nil and how long it is refused.
func (b bench) acquire() (release func(retry.Result), wait time.Duration) {
	b.t.Helper()
	release, err := b.Acquire(b.t.Context(), "lane")
	if err != nil {
		wait, refused := retry.RefusedFor(err)
		require.True(b.t, refused, err)
		return nil, wait
	}
	return release, 0
}

// call makes a call that must be permitted.
func (b bench) call(r retry.Result) {
	b.t.Helper()
	release, wait := b.acquire()
	require.Zero(b.t, wait)
	release(r)
}

func (b bench) refused() time.Duration {
	b.t.Helper()
	_, wait := b.acquire()
	return wait
}

func (b bench) sleep(d time.Duration) { _ = b.clock.Sleep(b.t.Context(), d) }

func (b bench) state() breaker.State {
	b.t.Helper()
	all := b.Status()
	require.Len(b.t, all, 1)
	return all[0].State
}

func policy(name string, rule taxonomy.Breaker) *taxonomy.Policy {
	return &taxonomy.Policy{Name: name, Budget: &taxonomy.Budget{Retries: -1, Breaker: &rule}}
}

func bad(p *taxonomy.Policy) retry.Result { return retry.Result{Failed: true, Policy: p} }

var (
	good      = retry.Result{}
	cancelled = retry.Result{Failed: true, Cancelled: true}
	other     = retry.Result{Failed: true}
	once      = taxonomy.Breaker{Failures: 1, Of: 1, Probe: 5 * s, Successes: 1}
)

func TestOpen(t *testing.T) {
	five := taxonomy.Breaker{Failures: 3, Of: 5, Probe: 5 * s, Successes: 1}
	for _, tt := range []struct {
		name  string
		rule  taxonomy.Breaker
		calls string // f a failure under the policy, s a success, c cancelled, o another failure
		want  breaker.State
	}{
		{"enough in a row", five, "fff", breaker.Open},
		{"too few", five, "ff", breaker.Closed},
		{"enough of five", five, "fsfsf", breaker.Open},
		{"too far apart", five, "fssfssf", breaker.Closed},
		{"cancelled calls do not count", five, "fcccccfcf", breaker.Open},
		{"other failures do not count", five, "fooooofof", breaker.Open},
		{"other failures do not open", five, "ffooooo", breaker.Closed},
		{"of is failures by default", taxonomy.Breaker{Failures: 2}, "fsf", breaker.Closed},
		{"zero rule", taxonomy.Breaker{}, "f", breaker.Open},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, p := newBench(t), policy("p", tt.rule)
			for _, c := range tt.calls {
				b.call(map[rune]retry.Result{'f': bad(p), 's': good, 'c': cancelled, 'o': other}[c])
			}
			assert.Equal(t, tt.want, b.state())
			if tt.want == breaker.Open {
				assert.Equal(t, 5*s, b.refused())
			}
		})
	}
}

func TestProbe(t *testing.T) {
	b, p := newBench(t), policy("p", once)
	b.call(bad(p))
	b.sleep(2 * s)
	assert.Equal(t, 3*s, b.refused())
	b.sleep(3 * s)
	probe, _ := b.acquire()
	assert.Equal(t, breaker.HalfOpen, b.state())
	assert.Equal(t, 5*s, b.refused(), "one probe at a time")
	b.sleep(s)
	probe(bad(p))
	assert.Equal(t, breaker.Open, b.state())
	assert.Equal(t, 5*s, b.refused(), "an interval after it failed")
	b.sleep(5 * s)
	b.call(good)
	assert.Equal(t, breaker.Closed, b.state())
}

// A probe without a result leaves the next one to another caller, an interval after it began.
func TestProbeWithoutResult(t *testing.T) {
	for name, end := range map[string]func(func(retry.Result)){
		"cancelled":     func(release func(retry.Result)) { release(cancelled) },
		"other failure": func(release func(retry.Result)) { release(other) },
		"hangs":         func(func(retry.Result)) {},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.call(bad(policy("p", once)))
			for range 20 {
				b.sleep(5 * s)
				probe, wait := b.acquire()
				require.Zero(t, wait)
				end(probe)
				assert.Equal(t, breaker.HalfOpen, b.state())
				assert.Equal(t, 5*s, b.refused())
			}
			b.sleep(5 * s)
			b.call(good)
			assert.Equal(t, breaker.Closed, b.state())
		})
	}
}

func TestSuccessesInARow(t *testing.T) {
	rule := once
	rule.Successes = 3
	b, p := newBench(t), policy("p", rule)
	b.call(bad(p))
	for i, r := range []retry.Result{good, good, bad(p), good, cancelled, good, other, good} {
		assert.NotEqual(t, breaker.Closed, b.state(), i)
		b.sleep(5 * s)
		b.call(r)
	}
	assert.Equal(t, breaker.Closed, b.state())
}

// The results of calls that began before the circuit breaker opened do not count while it is open.
func TestLateResults(t *testing.T) {
	b, p := newBench(t), policy("p", once)
	slow, _ := b.acquire()
	slower, _ := b.acquire()
	b.call(bad(p))
	slow(good)
	assert.Equal(t, breaker.Open, b.state())
	b.sleep(5 * s)
	probe, _ := b.acquire()
	slower(bad(p))
	assert.Equal(t, breaker.HalfOpen, b.state())
	probe(good)
	assert.Equal(t, breaker.Closed, b.state())
}

// Each policy has its own circuit breaker. A call must pass all of them.
func TestSeveralPolicies(t *testing.T) {
	b, slow := newBench(t), once
	slow.Probe = 8 * s
	x, y := policy("x", once), policy("y", slow)
	first, _ := b.acquire()
	second, _ := b.acquire()
	first(bad(x))
	second(good)
	b.sleep(5 * s)
	b.call(bad(y))
	assert.Equal(t, 8*s, b.refused())
	b.sleep(8 * s)
	b.call(good)
	for _, st := range b.Status() {
		assert.Equal(t, breaker.Closed, st.State, st.Policy)
	}
	assert.Len(t, b.Status(), 2)
}

func TestRefusal(t *testing.T) {
	b := newBench(t)
	b.call(bad(policy("p", once)))
	_, err := b.Acquire(t.Context(), "lane")
	ev, ok := errtree.As[*taxonomy.Evidence](err)
	require.True(t, ok)
	require.ErrorIs(t, err, retry.ErrRefused)
	assert.Equal(t, []any{"breaker", "call", "open", taxonomy.Some(5 * s), "lane", "p"},
		[]any{ev.Source, ev.Op, ev.Type, ev.RetryAfter, ev.Attribute("lane"), ev.Attribute("policy")})
	_, err = b.Acquire(t.Context(), "another lane")
	require.NoError(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("quit"))
	_, err = b.Acquire(ctx, "another lane")
	require.EqualError(t, err, "quit")
}

func TestRetryBudget(t *testing.T) {
	for _, tt := range []struct {
		name   string
		budget taxonomy.Budget
		calls  int
		want   int // retries
	}{
		{"a fifth of the calls", taxonomy.Budget{Retries: 0.2}, 100, 20},
		{"and a reserve", taxonomy.Budget{Retries: 0.2, Reserve: 3}, 100, 23},
		{"a reserve only", taxonomy.Budget{Reserve: 3}, 100, 3},
		{"unlimited", taxonomy.Budget{Retries: -1}, 1, 1000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, p := newBench(t), &taxonomy.Policy{Name: "p", Budget: &tt.budget}
			for range tt.calls {
				b.call(good)
			}
			permitted := func() (n int) {
				for n < 1000 && b.Retry("lane", p) {
					b.call(good)
					n++
				}
				return n
			}
			assert.Equal(t, tt.want, permitted())
			b.sleep(20 * s)
			assert.Equal(t, min(tt.want, max(tt.budget.Reserve, 1000*int(-tt.budget.Retries))), permitted(),
				"the window has passed")
		})
	}
	t.Run("without a budget", func(t *testing.T) {
		b := newBench(t)
		assert.True(t, b.Retry("lane", nil))
		assert.True(t, b.Retry("lane", &taxonomy.Policy{}))
		assert.Empty(t, b.Status())
	})
}

// Refused callers get separate turns, in the order of their requests: five a second at first, and
// twice as many after ten seconds.
func TestSlowStart(t *testing.T) {
	b := newBench(t)
	b.call(bad(policy("p", once)))
	b.sleep(5 * s)
	b.call(good)
	b.call(good)
	for i := range 49 {
		assert.Equal(t, time.Duration(i+1)*s/5, b.refused())
	}
	assert.Equal(t, 10*s, b.refused())
	assert.Equal(t, 10*s+s/10, b.refused(), "the rate has doubled")
	t.Run("a deadline before the turn", func(t *testing.T) {
		ctx, cancel := context.WithDeadline(t.Context(), b.clock.Now().Add(s))
		defer cancel()
		for range 3 {
			_, err := b.Acquire(ctx, "lane")
			if wait, refused := retry.RefusedFor(err); refused {
				assert.Equal(t, 10*s+2*s/10, wait, "it takes no turn")
			}
		}
	})
	b.sleep(10*s + s/10)
	b.call(good)
	b.sleep(11 * s)
	for range 1000 {
		b.call(good)
	}
}

// event is a caller that acts at an instant.
type event struct {
	at     time.Time
	caller int
	act    func(now time.Time)
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	if e[i].at.Equal(e[j].at) {
		return e[i].caller < e[j].caller
	}
	return e[i].at.Before(e[j].at)
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// A thousand callers call a provider every ten seconds, and again after each failure or refusal.
// The provider is down for the second minute. Meanwhile it sees one probe each five seconds;
// afterwards at most five calls a second, twice as many each ten seconds; and all callers are
// served again.
func TestStorm(t *testing.T) {
	const callers, pause, latency = 1000, 10 * s, 100 * time.Millisecond
	down, up, end := began.Add(60*s), began.Add(120*s), began.Add(300*s)
	rule := taxonomy.Breaker{Failures: 5, Of: 5, Probe: 5 * s, Successes: 1}
	c, p := &clock{now: began}, policy("p", rule)
	var opened time.Time
	b := breaker.New(breaker.Options{Clock: c})
	var queue events
	requests, served := make([]int, 301), make([]time.Time, callers)
	var call func(caller int, now time.Time)
	call = func(caller int, now time.Time) {
		later := func(d time.Duration, act func(time.Time)) { heap.Push(&queue, event{now.Add(d), caller, act}) }
		release, err := b.Acquire(context.Background(), "lane")
		if wait, refused := retry.RefusedFor(err); refused {
			later(wait, func(now time.Time) { call(caller, now) })
			return
		}
		requests[now.Sub(began)/s]++
		later(latency, func(ended time.Time) {
			next := pause
			if now.Before(down) || !now.Before(up) {
				release(good)
				served[caller] = ended
				if opened.IsZero() && !now.Before(up) && b.Status()[0].State == breaker.Closed {
					opened = ended
				}
			} else {
				release(bad(p))
				next = s
			}
			heap.Push(&queue, event{ended.Add(next), caller, func(now time.Time) { call(caller, now) }})
		})
	}
	for caller := range callers {
		heap.Push(&queue, event{began.Add(time.Duration(caller) * pause / callers), caller,
			func(now time.Time) { call(caller, now) }})
	}
	for {
		e := heap.Pop(&queue).(event)
		if !e.at.Before(end) {
			break
		}
		c.now = e.at
		e.act(e.at)
	}

	outage, first := 0, int(opened.Sub(began)/s)
	for _, n := range requests[70:first] {
		outage += n
	}
	assert.LessOrEqual(t, outage, (first-70)/5+1)
	for second := first; second < 300; second++ {
		rate := 5 << ((second - first) / 10)
		if rate > 2*callers {
			break
		}
		assert.LessOrEqual(t, requests[second], 2*rate+2, "%d s after it closed", second-first)
	}
	assert.Less(t, slices.Max(requests[first:]), 250, "no wave: normal is 100 a second")
	for caller, at := range served {
		assert.Greater(t, at, end.Add(-20*s), caller)
	}
	t.Logf("opened after %v; requests a second: %v", opened.Sub(up), requests[first:])
}

func TestLanesAreBounded(t *testing.T) {
	c := &clock{now: began}
	b := breaker.New(breaker.Options{Clock: c})
	p := policy("p", once)
	for i := range 4200 {
		c.now = c.now.Add(time.Millisecond)
		release, err := b.Acquire(t.Context(), strconv.Itoa(i))
		require.NoError(t, err)
		if i == 0 {
			release(bad(p))
		} else {
			release(retry.Result{Failed: true, Policy: &taxonomy.Policy{Budget: &taxonomy.Budget{}}})
		}
	}
	all := b.Status()
	assert.Len(t, all, 4096)
	assert.Equal(t, "0", all[0].Lane, "an open lane is dropped last")
}

func TestConcurrentUse(t *testing.T) {
	b := breaker.New(breaker.Options{})
	p := policy("p", taxonomy.Breaker{Failures: 3, Of: 5, Probe: time.Microsecond})
	p.Budget.Retries = 0.5
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			for j := range 200 {
				lane := strconv.Itoa(j % 3)
				if release, err := b.Acquire(t.Context(), lane); err == nil {
					release(map[bool]retry.Result{true: bad(p), false: good}[(i+j)%3 == 0])
				}
				b.Retry(lane, p)
				b.Status()
			}
		})
	}
	wg.Wait()
}

func TestDoWithBreaker(t *testing.T) {
	b := newBench(t)
	p := policy("p", once)
	p.MaxAttempts, p.InitialDelay = 3, s
	n := 0
	require.NoError(t, retry.Do(t.Context(), func(context.Context) error {
		if n++; n < 3 {
			return errors.New("down")
		}
		return nil
	}, retry.ByPolicy(*p), retry.WithBreaker(b, "lane"), retry.WithClock(b.clock)))
	assert.Equal(t, 10*s, b.clock.Now().Sub(began), "each retry waited for a probe")
}

func TestAcquireAllocatesNothing(t *testing.T) {
	b := newBench(t)
	assert.Zero(t, testing.AllocsPerRun(100, func() { b.call(good) }))
}

func BenchmarkAcquire(b *testing.B) {
	breakers := breaker.New(breaker.Options{})
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		release, _ := breakers.Acquire(ctx, "lane")
		release(good)
	}
}
