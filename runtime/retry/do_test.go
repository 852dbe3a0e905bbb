package retry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var (
	errFlaky = errors.New("flaky")
	errOther = errors.New("other")
	thrice   = taxonomy.Policy{MaxAttempts: 3, InitialDelay: s, MaxDelay: m}
)

// clock is a clock on which sleeping takes no time.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) Now() time.Time { return c.now }

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	c.now = c.now.Add(max(0, d))
	return nil
}

// story returns an operation that returns the errors in turn, the last one repeatedly, and counts
// its calls.
func story(errs ...error) (op func(context.Context) error, calls *int) {
	calls = new(int)
	return func(context.Context) error {
		err := errs[min(*calls, len(errs)-1)]
		*calls++
		return err
	}, calls
}

func rateLimit(wait time.Duration) error { return errs.NewProviderRateLimit("p").WithRetryAfter(wait) }

func TestDoByPolicy(t *testing.T) {
	jittered := taxonomy.Policy{MaxAttempts: 2, InitialDelay: s, JitterKind: taxonomy.JitterFull}
	for _, tt := range []struct {
		name   string
		policy taxonomy.Policy
		story  []error
		opts   []retry.Option
		calls  int
		took   time.Duration
		why    retry.Stop // StoppedNot is success
	}{
		{"success", thrice, []error{nil}, nil, 1, 0, 0},
		{"success after two failures", thrice, []error{errFlaky, errOther, nil}, nil, 3, 3 * s, 0},
		{"zero policy", taxonomy.Policy{}, []error{errFlaky}, nil, 1, 0, retry.StoppedAttempts},
		{"exhausted", thrice, []error{errFlaky}, nil, 3, 3 * s, retry.StoppedAttempts},
		{"elapsed", taxonomy.Policy{InitialDelay: s, MaxElapsed: 5 * s}, []error{errFlaky}, nil, 3, 3 * s,
			retry.StoppedElapsed},
		{"permanent", thrice, []error{errFlaky, fmt.Errorf("open: %w", retry.Permanent(errOther))}, nil, 2, s,
			retry.StoppedPermanent},
		{"retryable code", thrice, []error{errs.NewProviderCrash("p", ""), nil}, nil, 2, s, 0},
		{"code that is not retryable", thrice, []error{errs.NewConfigMissing("c")}, nil, 1, 0, retry.StoppedPermanent},
		{"cancelled elsewhere", thrice, []error{context.Canceled}, nil, 1, 0, retry.StoppedCancelled},
		{"deadline elsewhere", thrice, []error{context.DeadlineExceeded, nil}, nil, 2, s, 0},
		{"hint of the error", thrice, []error{rateLimit(20 * s), nil}, nil, 2, 20 * s, 0},
		{"hint above max_retry_after", thrice, []error{rateLimit(2 * m)}, nil, 1, 0, retry.StoppedRetryAfter},
		{"hint of zero", thrice, []error{rateLimit(0), rateLimit(0), nil}, nil, 3, 3 * s, 0},
		{"negative hint", thrice, []error{rateLimit(-9 * s), nil}, nil, 2, s, 0},
		{"jitter", jittered, []error{errFlaky, nil}, []retry.Option{retry.WithRandom(always(0.25))}, 2, 250 * ms, 0},
		{"no jitter", jittered, []error{errFlaky, nil}, []retry.Option{retry.WithRandom(nil)}, 2, s, 0},
		{"what is retryable", thrice, []error{errFlaky, errOther},
			[]retry.Option{retry.WithRetryable(func(err error) bool { return err == errFlaky })}, 2, s,
			retry.StoppedPermanent},
	} {
		t.Run(tt.name, func(t *testing.T) {
			op, calls := story(tt.story...)
			c := newClock()
			began := c.now
			err := retry.Do(t.Context(), op, append(tt.opts, retry.ByPolicy(tt.policy), retry.WithClock(c))...)
			assert.Equal(t, tt.calls, *calls)
			assert.Equal(t, tt.took, c.now.Sub(began))
			if tt.why == retry.StoppedNot {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, tt.story[len(tt.story)-1])
			e, ok := errors.AsType[*retry.Error](err)
			require.True(t, ok)
			assert.Equal(t, []any{tt.why, tt.calls, tt.took}, []any{e.Why, e.Calls, e.Waited})
			assert.Equal(t, taxonomy.Abort, e.Reaction.Action)
		})
	}
}

func TestDoWithoutPolicyCallsOnce(t *testing.T) {
	op, calls := story(errFlaky)
	require.ErrorIs(t, retry.Do(t.Context(), op), errFlaky)
	assert.Equal(t, 1, *calls)
}

func TestValue(t *testing.T) {
	n := 0
	got, err := retry.Value(t.Context(), func(context.Context) (int, error) {
		if n++; n < 3 {
			return -n, errFlaky
		}
		return n, nil
	}, retry.ByPolicy(taxonomy.Policy{MaxAttempts: 3}))
	require.NoError(t, err)
	assert.Equal(t, 3, got)
	got, err = retry.Value(t.Context(), func(context.Context) (int, error) { return 7, errFlaky })
	require.ErrorIs(t, err, errFlaky)
	assert.Equal(t, 7, got, "the value of the last call")
}

// A wait that would pass the deadline is not begun.
func TestDoDeadline(t *testing.T) {
	for limit, calls := range map[time.Duration]int{900 * ms: 1, s: 1, 2 * s: 2} {
		c := &clock{time.Now()}
		ctx, cancel := context.WithDeadline(t.Context(), c.now.Add(limit+time.Hour))
		c.now = c.now.Add(time.Hour)
		op, got := story(errFlaky)
		err := retry.Do(ctx, op, retry.ByPolicy(thrice), retry.WithClock(c))
		cancel()
		require.ErrorIs(t, err, errFlaky)
		require.NotErrorIs(t, err, context.DeadlineExceeded)
		e, _ := errors.AsType[*retry.Error](err)
		assert.Equal(t, []any{calls, retry.StoppedDeadline}, []any{*got, e.Why})
	}
}

func TestDoCancelled(t *testing.T) {
	errQuit := errors.New("asked to quit")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	calls := 0
	for _, name := range []string{"during a call", "before the first call"} {
		err := retry.Do(ctx, func(context.Context) error {
			calls++
			cancel(errQuit)
			return errFlaky
		}, retry.ByPolicy(thrice))
		require.ErrorIs(t, err, errQuit, name)
		require.ErrorIs(t, err, context.Canceled, name)
		assert.Equal(t, name == "during a call", errors.Is(err, errFlaky))
		e, _ := errors.AsType[*retry.Error](err)
		assert.Equal(t, retry.StoppedCancelled, e.Why, name)
	}
	assert.Equal(t, 1, calls)
}

func TestDoNested(t *testing.T) {
	twice := retry.ByPolicy(taxonomy.Policy{MaxAttempts: 2})
	for err, want := range map[error]int{errFlaky: 4, retry.Permanent(errOther): 1} {
		op, calls := story(err)
		inner := func(ctx context.Context) error { return retry.Do(ctx, op, twice) }
		require.ErrorIs(t, retry.Do(t.Context(), inner, twice), err)
		assert.Equal(t, want, *calls)
	}
}

// D106, D112, B-D18: each call is reported, the first without a delay, the last also if it
// succeeds. The delays are those that were waited, jitter included.
func TestDoNotifies(t *testing.T) {
	limited := rateLimit(5 * s)
	policy := thrice
	policy.JitterKind, policy.Jitter = taxonomy.JitterProportional, 0.1
	c := newClock()
	began := c.now
	for _, tt := range []struct {
		name  string
		story []error
		want  []retry.Attempt
	}{
		{"success", []error{nil}, []retry.Attempt{{Number: 1, Began: began, Last: true}}},
		{"jitter", []error{errFlaky, nil}, []retry.Attempt{
			{Number: 1, Began: began, Err: errFlaky, Wait: 1050 * ms},
			{Number: 2, Began: began.Add(1050 * ms), Delay: 1050 * ms, Last: true},
		}},
		{"hint, then exhausted", []error{limited, errFlaky, errOther}, []retry.Attempt{
			{Number: 1, Began: began, Err: limited, Wait: 5375 * ms, Hinted: true},
			{Number: 2, Began: began.Add(5375 * ms), Delay: 5375 * ms, Err: errFlaky, Wait: 2100 * ms},
			{Number: 3, Began: began.Add(7475 * ms), Delay: 2100 * ms, Err: errOther, Last: true},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c.now = began
			var got []retry.Attempt
			op, _ := story(tt.story...)
			_ = retry.Do(t.Context(), op, retry.ByPolicy(policy), retry.WithClock(c), retry.WithRandom(always(0.75)),
				retry.WithNotify(func(a retry.Attempt) { got = append(got, a) }))
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestNotifyAll(t *testing.T) {
	var got []string
	note := func(name string) retry.Option {
		return retry.WithNotify(func(a retry.Attempt) { got = append(got, fmt.Sprint(name, a.Number)) })
	}
	op, _ := story(errFlaky, nil)
	require.NoError(t, retry.Do(t.Context(), op, retry.ByPolicy(thrice), retry.WithClock(newClock()), note("a"),
		note("b"), retry.WithNotify(nil), note("c")))
	assert.Equal(t, []string{"a1", "b1", "c1", "a2", "b2", "c2"}, got)
}

// D113: a log by operation is a map. It can be read and cleared, and has no calls of an unknown
// operation.
func ExampleWithNotify() {
	log := make(map[string][]retry.Attempt)
	record := func(operation string) retry.Option {
		return retry.WithNotify(func(a retry.Attempt) { log[operation] = append(log[operation], a) })
	}
	call, _ := story(errFlaky, nil)
	err := retry.Do(context.Background(), call, retry.ByPolicy(thrice), retry.WithClock(newClock()), record("fetch"))
	for _, a := range log["fetch"] {
		fmt.Println(a.Number, a.Delay, a.Err)
	}
	delete(log, "fetch")
	fmt.Println(err, len(log["fetch"]), len(log["unknown"]))
	// Output:
	// 1 0s flaky
	// 2 1s <nil>
	// <nil> 0 0
}

func TestDoPanics(t *testing.T) {
	assert.PanicsWithValue(t, "boom", func() {
		_ = retry.Do(t.Context(), func(context.Context) error { panic("boom") }, retry.ByPolicy(thrice))
	})
}

func TestDoAllocatesNothing(t *testing.T) {
	ctx, op := t.Context(), func(context.Context) error { return nil }
	value := func(context.Context) (int, error) { return 1, nil }
	failed := false
	once := func(context.Context) error {
		if failed = !failed; failed {
			return errFlaky
		}
		return nil
	}
	for name, f := range map[string]func(){
		"policy":  func() { _ = retry.Do(ctx, op, retry.ByPolicy(thrice)) },
		"table":   func() { _ = retry.Do(ctx, op, retry.ByTable(errs.Table)) },
		"value":   func() { _, _ = retry.Value(ctx, value, retry.ByPolicy(thrice)) },
		"clock":   func() { _ = retry.Do(ctx, op, retry.ByPolicy(thrice), retry.WithClock(retry.System)) },
		"retried": func() { _ = retry.Do(ctx, once, retry.ByPolicy(taxonomy.Policy{MaxAttempts: 2})) },
	} {
		assert.Zero(t, testing.AllocsPerRun(100, f), name)
	}
}

// gate is a breaker that refuses once for the wait, after some calls, and permits a number of
// retries.
type gate struct {
	wait    time.Duration
	refused time.Duration
	after   int
	fails   error
	retries int
	results []retry.Result
	inside  int
}

func (g *gate) Acquire(context.Context, string) (func(retry.Result), error) {
	if g.fails != nil {
		return nil, g.fails
	}
	if wait := g.wait; wait > 0 && len(g.results) >= g.after {
		g.wait, g.refused = 0, wait
		return nil, &taxonomy.Evidence{Source: "breaker", RetryAfter: taxonomy.Some(wait), Err: retry.ErrRefused}
	}
	g.inside++
	return func(r retry.Result) { g.inside--; g.results = append(g.results, r) }, nil
}

func (g *gate) Retry(string, *taxonomy.Policy) bool { g.retries--; return g.retries >= 0 }

func TestDoBreaker(t *testing.T) {
	named := thrice
	named.Name = "thrice"
	bad, ok := retry.Result{Failed: true, Policy: &named}, retry.Result{}
	for _, tt := range []struct {
		name    string
		story   []error
		budget  int
		results []retry.Result
		why     retry.Stop
	}{
		{"success", []error{nil}, 9, []retry.Result{ok}, 0},
		{"one retry", []error{errFlaky, nil}, 9, []retry.Result{bad, ok}, 0},
		{"budget exhausted", []error{errFlaky}, 1, []retry.Result{bad, bad}, retry.StoppedBudget},
		{"timeout elsewhere", []error{context.DeadlineExceeded, nil}, 9, []retry.Result{bad, ok}, 0},
		{"permanent", []error{retry.Permanent(errFlaky)}, 9, []retry.Result{{Failed: true}}, retry.StoppedPermanent},
		{"not retryable", []error{errs.NewConfigMissing("c")}, 9, []retry.Result{{Failed: true}},
			retry.StoppedPermanent},
		{"cancelled", []error{context.Canceled}, 9, []retry.Result{{Failed: true, Cancelled: true}},
			retry.StoppedCancelled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, c := &gate{wait: 20 * s, retries: tt.budget}, newClock()
			began := c.now
			op, _ := story(tt.story...)
			err := retry.Do(t.Context(), op, retry.ByPolicy(named), retry.WithBreaker(g, "lane"), retry.WithClock(c))
			if e, ok := errors.AsType[*retry.Error](err); ok {
				assert.Equal(t, tt.why, e.Why)
			} else {
				require.NoError(t, err)
			}
			assert.Equal(t, tt.results, g.results)
			assert.GreaterOrEqual(t, c.now.Sub(began), 20*s, "it waited for the breaker")
		})
	}
	t.Run("panic", func(t *testing.T) {
		g := &gate{}
		assert.Panics(t, func() {
			_ = retry.Do(t.Context(), func(context.Context) error { panic("boom") }, retry.WithBreaker(g, "lane"))
		})
		assert.Equal(t, []retry.Result{{Cancelled: true}}, g.results)
	})
	t.Run("timeout of the context", func(t *testing.T) {
		g := &gate{}
		ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
		defer cancel()
		_ = retry.Do(t.Context(), func(context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}, retry.ByPolicy(named), retry.WithBreaker(g, "lane"))
		assert.Equal(t, []retry.Result{bad}, g.results)
	})
	t.Run("fail fast", func(t *testing.T) {
		op, calls := story(nil)
		err := retry.Do(t.Context(), op, retry.WithBreaker(&gate{wait: s}, "lane"), retry.FailFast())
		require.ErrorIs(t, err, retry.ErrRefused)
		wait, refused := retry.RefusedFor(err)
		assert.Equal(t, []any{s, true, 0}, []any{wait, refused, *calls})
	})
	t.Run("wait past the deadline", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), m)
		defer cancel()
		op, calls := story(nil)
		err := retry.Do(ctx, op, retry.WithBreaker(&gate{wait: time.Hour}, "lane"))
		require.ErrorIs(t, err, retry.ErrRefused)
		assert.Zero(t, *calls)
	})
	t.Run("failure", func(t *testing.T) {
		op, _ := story(nil)
		err := retry.Do(t.Context(), op, retry.WithBreaker(&gate{fails: io.EOF}, "lane"))
		require.ErrorIs(t, err, io.EOF)
	})
}
