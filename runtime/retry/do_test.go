package retry_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
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

// story returns an operation that returns the errors in turn, the last one for ever, and counts its
// calls.
func story(errs ...error) (op func(context.Context) error, calls *int) {
	calls = new(int)
	return func(context.Context) error {
		err := errs[min(*calls, len(errs)-1)]
		*calls++
		return err
	}, calls
}

func rateLimit(wait time.Duration) error {
	return errs.NewProviderRateLimit("p").WithRetryAfter(wait)
}

func TestDo(t *testing.T) {
	for _, tt := range []struct {
		name   string
		policy taxonomy.Policy
		story  []error
		opts   []retry.Option
		calls  int
		took   time.Duration
		text   string // of the error; empty for success
		is     error
		why    retry.Stop
	}{
		{"succeeds", thrice, []error{nil}, nil, 1, 0, "", nil, 0},
		{"succeeds after two", thrice, []error{errFlaky, errOther, nil}, nil, 3, 3 * s, "", nil, 0},
		{"used up", thrice, []error{errFlaky, errFlaky, errOther}, nil, 3, 3 * s, "3 calls, no calls left: other",
			errOther, retry.StoppedAttempts},
		{"no pause", taxonomy.Policy{MaxAttempts: 5}, []error{errFlaky}, nil, 5, 0, "5 calls, no calls left: flaky",
			errFlaky, retry.StoppedAttempts},
		{"one call", taxonomy.Policy{MaxAttempts: 1}, []error{errFlaky}, nil, 1, 0, "1 call, no calls left: flaky",
			errFlaky, retry.StoppedAttempts},
		{"elapsed", taxonomy.Policy{InitialDelay: s, MaxDelay: m, MaxElapsed: 5 * s}, []error{errFlaky}, nil, 3, 3 * s,
			"3 calls, waited long enough: flaky", errFlaky, retry.StoppedElapsed},
		{"permanent", thrice, []error{errFlaky, retry.Permanent(errOther)}, nil, 2, s, "2 calls, not retryable: other",
			errOther, retry.StoppedPermanent},
		{"permanent inside", thrice, []error{fmt.Errorf("open: %w", retry.Permanent(io.EOF))}, nil, 1, 0,
			"1 call, not retryable: open: EOF", io.EOF, retry.StoppedPermanent},
		{"retryable of a taxonomy", thrice, []error{errs.NewProviderCrash("p", ""), nil}, nil, 2, s, "", nil, 0},
		{"not retryable of a taxonomy", thrice, []error{errs.NewConfigMissing("c.yaml")}, nil, 1, 0,
			"1 call, not retryable: " + errs.NewConfigMissing("c.yaml").Error(), errs.CodeConfigMissing,
			retry.StoppedPermanent},
		{"cancelled by somebody else", thrice, []error{fmt.Errorf("call: %w", context.Canceled)}, nil, 1, 0,
			"1 call, not retryable: call: context canceled", context.Canceled, retry.StoppedPermanent},
		{"a deadline of its own", thrice, []error{context.DeadlineExceeded, nil}, nil, 2, s, "", nil, 0},
		{"hint", taxonomy.Policy{MaxAttempts: 3, InitialDelay: s, MaxRetryAfter: m}, []error{rateLimit(20 * s), nil},
			nil, 2, 20 * s, "", nil, 0},
		{"hint too long", thrice, []error{rateLimit(2 * m)}, nil, 1, 0,
			"1 call, asked to wait for too long: " + rateLimit(2*m).Error(), errs.CodeProviderRateLimit,
			retry.StoppedRetryAfter},
		{"reset", thrice,
			[]error{errs.NewProviderRateLimit("p").WithResetAt(time.Date(2000, 1, 1, 0, 0, 7, 0, time.UTC)), nil}, nil,
			2, 7 * s, "", nil, 0},
		{"other hints", thrice, []error{errFlaky, nil}, []retry.Option{retry.WithHints(func(error) taxonomy.Hints {
			return taxonomy.Hints{RetryAfter: taxonomy.Some(9 * s)}
		})}, 2, 9 * s, "", nil, 0},
		{"what is retryable", thrice, []error{errFlaky, errOther},
			[]retry.Option{retry.WithRetryable(func(err error) bool { return err == errFlaky })}, 2, s,
			"2 calls, not retryable: other", errOther, retry.StoppedPermanent},
		{"permanent outweighs it", thrice, []error{retry.Permanent(errFlaky)},
			[]retry.Option{retry.WithRetryable(func(error) bool { return true })}, 1, 0, "1 call, not retryable: flaky",
			errFlaky, retry.StoppedPermanent},
		{"jitter", taxonomy.Policy{MaxAttempts: 2, InitialDelay: s, MaxDelay: m, JitterKind: taxonomy.JitterFull},
			[]error{errFlaky, nil}, []retry.Option{retry.WithRandom(always(0.25))}, 2, 250 * ms, "", nil, 0},
		{"no jitter", taxonomy.Policy{MaxAttempts: 2, InitialDelay: s, MaxDelay: m, JitterKind: taxonomy.JitterFull},
			[]error{errFlaky, nil}, []retry.Option{retry.WithRandom(nil)}, 2, s, "", nil, 0},
		{"options that are nil", thrice, []error{errFlaky, nil},
			[]retry.Option{retry.WithClock(nil), retry.WithHints(nil), retry.WithRetryable(nil), retry.WithNotify(nil),
				retry.WithLane(nil, "")}, 2, s, "", nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				op, calls := story(tt.story...)
				begun := time.Now()
				err := retry.Do(t.Context(), tt.policy, op, tt.opts...)
				assert.Equal(t, tt.calls, *calls)
				assert.Equal(t, tt.took, time.Since(begun))
				if tt.text == "" {
					require.NoError(t, err)
					return
				}
				require.EqualError(t, err, tt.text)
				require.ErrorIs(t, err, tt.is)
				e, ok := errors.AsType[*retry.Error](err)
				require.True(t, ok)
				assert.Equal(t, []any{tt.why, tt.calls, tt.took}, []any{e.Why, e.Calls, e.Waited})
			})
		})
	}
}

func TestValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		got, err := retry.Value(t.Context(), thrice, func(context.Context) (int, error) {
			if n++; n < 3 {
				return -n, errFlaky
			}
			return n, nil
		})
		require.NoError(t, err)
		assert.Equal(t, 3, got)

		got, err = retry.Value(t.Context(), thrice, func(context.Context) (int, error) { return 7, errFlaky })
		require.ErrorIs(t, err, errFlaky)
		assert.Equal(t, 7, got, "what the last call returned")
	})
}

func TestDoDeadline(t *testing.T) {
	for _, tt := range []struct {
		name  string
		limit time.Duration
		calls int
		took  time.Duration
	}{
		{"passes the first wait", 900 * ms, 1, 0},
		{"ends with the first wait", s, 1, 0},
		{"passes the second wait", 2 * s, 2, s},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), tt.limit)
				defer cancel()
				op, calls := story(errFlaky)
				begun := time.Now()
				err := retry.Do(ctx, thrice, op)
				require.ErrorIs(t, err, errFlaky)
				assert.NotErrorIs(t, err, context.DeadlineExceeded, "it has not passed")
				assert.ErrorContains(t, err, "the next wait would pass the deadline: flaky")
				assert.Equal(t, []any{tt.calls, tt.took}, []any{*calls, time.Since(begun)})
			})
		})
	}
}

func TestDoCancelled(t *testing.T) {
	errQuit := errors.New("asked to quit")
	for _, tt := range []struct {
		name   string
		cancel func(cancel context.CancelCauseFunc)
		cause  error
		text   string
	}{
		{"plainly", func(cancel context.CancelCauseFunc) { cancel(nil) }, context.Canceled,
			"1 call, the context ended (context canceled): flaky"},
		{"with a cause", func(cancel context.CancelCauseFunc) { cancel(errQuit) }, errQuit,
			"1 call, the context ended (asked to quit): flaky"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				begun := time.Now()
				go func() {
					_ = retry.System.Sleep(t.Context(), 400*ms)
					tt.cancel(cancel)
				}()
				op, calls := story(errFlaky)
				err := retry.Do(ctx, thrice, op)
				require.EqualError(t, err, tt.text)
				for _, target := range []error{tt.cause, context.Canceled, errFlaky} {
					assert.ErrorIs(t, err, target)
				}
				assert.Equal(t, []any{1, 400 * ms}, []any{*calls, time.Since(begun)})
			})
		})
	}
	t.Run("before the first call", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errQuit)
		op, calls := story(nil)
		err := retry.Do(ctx, thrice, op)
		require.EqualError(t, err, "0 calls, the context ended (asked to quit)")
		require.ErrorIs(t, err, errQuit)
		require.ErrorIs(t, err, context.Canceled)
		assert.Zero(t, *calls)
	})
	t.Run("during a call", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		err := retry.Do(ctx, taxonomy.Policy{}, func(context.Context) error {
			cancel()
			return context.Canceled
		})
		require.EqualError(t, err, "1 call, the context ended: context canceled", "said once")
	})
	t.Run("a call that succeeds all the same", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		require.NoError(t, retry.Do(ctx, thrice, func(context.Context) error { cancel(); return nil }))
	})
}

// A Do in a Do: what is permanent to the inner one is so to the outer, and calls are counted apart.
func TestDoNested(t *testing.T) {
	inner := func(err error) (func(context.Context) error, *int) {
		op, calls := story(err)
		return func(ctx context.Context) error { return retry.Do(ctx, taxonomy.Policy{MaxAttempts: 2}, op) }, calls
	}
	op, calls := inner(retry.Permanent(errFlaky))
	require.ErrorIs(t, retry.Do(t.Context(), taxonomy.Policy{MaxAttempts: 3}, op), errFlaky)
	assert.Equal(t, 1, *calls)
	op, calls = inner(errFlaky)
	require.EqualError(t, retry.Do(t.Context(), taxonomy.Policy{MaxAttempts: 3}, op),
		"3 calls, no calls left: 2 calls, no calls left: flaky")
	assert.Equal(t, 6, *calls)
}

func TestDoNotifies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []retry.Attempt
		op, _ := story(errFlaky, rateLimit(5*s), errOther)
		err := retry.Do(t.Context(), thrice, op, retry.WithNotify(func(a retry.Attempt) { got = append(got, a) }))
		require.ErrorIs(t, err, errOther)
		assert.Equal(t, []retry.Attempt{
			{Number: 1, Err: errFlaky, Wait: s},
			{Number: 2, Err: got[1].Err, Wait: 5 * s, Hinted: true},
			{Number: 3, Err: errOther, Last: true},
		}, got)
	})
}

func TestDoPanics(t *testing.T) {
	assert.PanicsWithValue(t, "boom", func() {
		_ = retry.Do(t.Context(), thrice, func(context.Context) error { panic("boom") })
	})
}

func TestPermanent(t *testing.T) {
	assert.NoError(t, retry.Permanent(nil))
	err := retry.Permanent(errFlaky)
	assert.EqualError(t, err, "flaky")
	assert.ErrorIs(t, err, errFlaky)
}

func TestErrorText(t *testing.T) {
	for _, tt := range []struct {
		err  retry.Error
		want string
	}{
		{retry.Error{}, "0 calls, nothing"},
		{retry.Error{Calls: 1, Why: retry.StoppedLane, Cause: io.EOF}, "1 call, the lane failed (EOF)"},
		{retry.Error{Calls: 2, Why: 99, Err: io.EOF}, "2 calls, Stop(99): EOF"},
	} {
		assert.EqualError(t, &tt.err, tt.want)
	}
	assert.Empty(t, (&retry.Error{}).Unwrap())
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
		"do":            func() { _ = retry.Do(ctx, thrice, op) },
		"value":         func() { _, _ = retry.Value(ctx, thrice, value) },
		"with a clock":  func() { _ = retry.Do(ctx, thrice, op, retry.WithClock(retry.System)) },
		"that failed":   func() { _ = retry.Do(ctx, taxonomy.Policy{MaxAttempts: 2}, once) },
		"of a taxonomy": func() { _ = retry.Retryable(errs.CodeProviderCrash) },
	} {
		assert.Zero(t, testing.AllocsPerRun(100, f), name)
	}
}

// One policy and one set of options serve many at once.
func TestDoAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policy := taxonomy.Policy{MaxAttempts: 4, InitialDelay: s, MaxDelay: m, JitterKind: taxonomy.JitterDecorrelated}
		lanes := retry.NewLanes(retry.Ramp{}, nil)
		opts := []retry.Option{retry.WithLane(lanes, "key"), retry.WithNotify(func(retry.Attempt) {})}
		var calls atomic.Int64
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				n := 0
				assert.NoError(t, retry.Do(t.Context(), policy, func(context.Context) error {
					calls.Add(1)
					if n++; n < 4 {
						return rateLimit(time.Duration(n) * s)
					}
					return nil
				}, opts...))
			})
		}
		wg.Wait()
		assert.EqualValues(t, 400, calls.Load())
	})
}
