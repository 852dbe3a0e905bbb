package retry_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

var learning = taxonomy.Policy{
	Name: "learning", MaxAttempts: 3, InitialDelay: s, MaxDelay: m, Multiplier: 2,
	Adapt: &taxonomy.Adapt{MinAttempts: 1, MaxAttempts: 6, MinDelay: 100 * ms, MaxDelay: m, Target: 0.8, Window: 50},
}

// Do learns from its own calls, for each code apart, and acts on it.
func TestDoAdapts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := retry.NewAdaptive(1)
		codeOf := func(err error) string {
			if err == io.EOF {
				return ""
			}
			return err.Error()
		}
		calls := func(fails error) int {
			op, n := story(fails)
			err := retry.Do(t.Context(), learning, op, retry.WithAdaptive(a, codeOf), retry.WithRandom(nil))
			require.ErrorIs(t, err, fails)
			return *n
		}
		hopeless := errors.New("hopeless")
		assert.Equal(t, 3, calls(hopeless))
		few, many := 0, 0
		for range 200 {
			switch calls(hopeless) {
			case 1:
				few++
			case 6:
				many++
			}
		}
		assert.Greater(t, few, 100, "given up")
		assert.NotZero(t, many, "but explored")
		assert.Equal(t, 3, calls(errors.New("another")))
		assert.Equal(t, 3, calls(io.EOF))
		assert.Less(t, a.Policy(&learning, "hopeless").MaxAttempts, 3)
		for range 40 {
			calls(io.EOF)
		}
		assert.Less(t, a.Policy(&learning, "uncategorized").MaxAttempts, 3, "all errors without a code")
	})
}

// A provider that is back after twenty seconds is asked after that time, in the end.
func TestDoAdaptsTheDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := retry.NewAdaptive(1)
		policy := learning
		policy.MaxAttempts, policy.Adapt = 6, &taxonomy.Adapt{MinDelay: 100 * ms, MaxDelay: m, Target: 0.8, Window: 50}
		for range 50 {
			begun := time.Now()
			require.NoError(t, retry.Do(t.Context(), policy, func(context.Context) error {
				if time.Since(begun) < 20*s {
					return errs.NewConfigMissing("c.yaml")
				}
				return nil
			}, retry.WithAdaptive(a, nil), retry.WithRandom(nil),
				retry.WithRetryable(func(error) bool { return true })))
		}
		delay := a.Policy(&policy, errs.CodeConfigMissing.String()).InitialDelay
		assert.InDelta(t, 20, delay.Seconds(), 10)
	})
}

// A call that was given up teaches nothing, and without what adapts nothing is different.
func TestDoAdaptsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := retry.NewAdaptive(1)
		before, err := a.MarshalJSON()
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		require.Error(
			t, retry.Do(ctx, learning, func(context.Context) error { cancel(); return errFlaky },
				retry.WithAdaptive(a, nil)))
		plain := learning
		plain.Adapt = nil
		op, calls := story(errFlaky)
		require.Error(t, retry.Do(t.Context(), plain, op, retry.WithAdaptive(a, nil)))
		require.Error(t, retry.Do(t.Context(), learning, op, retry.WithAdaptive(nil, nil)))
		assert.Equal(t, 6, *calls)
		after, err := a.MarshalJSON()
		require.NoError(t, err)
		assert.JSONEq(t, string(before), string(after))
	})
}

// Delays stay within the bounds to the nanosecond, and below a millisecond too.
func TestAdaptiveDelayIsExact(t *testing.T) {
	for _, tt := range []struct{ initial, least, most, longest time.Duration }{
		{500 * time.Microsecond, 100 * time.Microsecond, 800 * time.Microsecond, 800 * time.Microsecond},
		{s + ms, s + ms, 2 * s, time.Hour},
		{123456789, 123456789, 123456790, time.Hour},
		{0, 0, 800 * time.Microsecond, 800 * time.Microsecond},
		{0, 0, m, m},
		{1, 1, 1, 1},
	} {
		for _, works := range []bool{false, true} {
			policy := taxonomy.Policy{
				Name: "p", MaxAttempts: 5, InitialDelay: tt.initial, MaxDelay: tt.longest, Multiplier: 2,
				Adapt: &taxonomy.Adapt{MinDelay: tt.least, MaxDelay: tt.most, Target: 0.5, Window: 50},
			}
			a := retry.NewAdaptive(1)
			assert.Equal(t, tt.initial, a.Policy(&policy, "C").InitialDelay, "before anything is learned")
			for range 100 {
				wait := a.Policy(&policy, "C").InitialDelay
				outcome := retry.Outcome{After: "C", Policy: "p", Attempt: 2, Wait: wait}
				if !works {
					a.Learn(func(o retry.Outcome) retry.Outcome { o.Code = "C"; return o }(outcome))
					outcome.Attempt = 3
				}
				a.Learn(outcome)
				got := a.Policy(&policy, "C").InitialDelay
				assert.GreaterOrEqual(t, got, tt.least)
				assert.LessOrEqual(t, got, tt.most)
			}
		}
	}
}
