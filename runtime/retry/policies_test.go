package retry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/retry"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// known are four policies that are common elsewhere: D114, D115, D116, D117.
var known = map[string]taxonomy.Policy{
	"llm":          tenPercent("llm", 3, 1000*ms, 30000*ms),
	"github":       tenPercent("github", 5, 1000*ms, 60000*ms),
	"tool":         tenPercent("tool", 3, 500*ms, 10000*ms),
	"verification": tenPercent("verification", 3, 2000*ms, 30000*ms),
}

func tenPercent(name string, attempts int, initial, most time.Duration) taxonomy.Policy {
	return taxonomy.Policy{
		Name: name, MaxAttempts: attempts, InitialDelay: initial, MaxDelay: most, Multiplier: 2,
		JitterKind: taxonomy.JitterProportional, Jitter: 0.1,
	}
}

// D107, D109, D111, D114 to D117, B-D15, D168: the number of calls, the last error, and delays that
// double after each failure, with ten percent of jitter.
func TestKnownPolicies(t *testing.T) {
	for _, tt := range []struct {
		name   string
		calls  int
		delays []time.Duration
	}{
		{"llm", 3, []time.Duration{1000 * ms, 2000 * ms}},
		{"github", 5, []time.Duration{1000 * ms, 2000 * ms, 4000 * ms, 8000 * ms}},
		{"tool", 3, []time.Duration{500 * ms, 1000 * ms}},
		{"verification", 3, []time.Duration{2000 * ms, 4000 * ms}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for roll, share := range map[float64]float64{0: 0.9, 0.5: 1, 1: 1.1} {
					var attempts []retry.Attempt
					calls := 0
					err := retry.Do(t.Context(), func(context.Context) error {
						calls++
						return errors.New("failure " + string(rune('0'+calls)))
					}, retry.ByPolicy(known[tt.name]), retry.WithRandom(always(roll)),
						retry.WithNotify(func(a retry.Attempt) { attempts = append(attempts, a) }))
					require.EqualError(t, lastError(t, err), "failure "+string(rune('0'+tt.calls)))
					assert.Equal(t, tt.calls, calls)
					for i, a := range attempts[1:] {
						assert.InDelta(t, float64(tt.delays[i])*share, a.Delay, 1)
					}
				}
			})
		})
	}
}

// lastError returns the error of the last call.
func lastError(t *testing.T, err error) error {
	t.Helper()
	e, ok := errors.AsType[*retry.Error](err)
	require.True(t, ok)
	assert.Equal(t, retry.StoppedAttempts, e.Why)
	return e.Err
}

// D111: no delay is above the policy's greatest one, whatever the jitter.
func TestKnownPoliciesAreCapped(t *testing.T) {
	for name, most := range map[string]time.Duration{
		"llm": 30000 * ms, "github": 60000 * ms, "tool": 10000 * ms, "verification": 30000 * ms,
	} {
		p := known[name]
		for _, roll := range []float64{0, 0.5, 1} {
			late := retry.State{Calls: 60}
			p.MaxAttempts = retry.Unlimited
			next := late.Next(&p, noHint, always(roll))
			assert.LessOrEqual(t, next.Wait, most, name)
			assert.GreaterOrEqual(t, next.Wait, most*9/10, name)
		}
	}
}

// D172: fails twice and then succeeds, with the policy for models: the result after three calls.
func TestFailsTwiceThenSucceeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, calls := time.Now(), 0
		got, err := retry.Value(t.Context(), func(context.Context) (string, error) {
			if calls++; calls < 3 {
				return "", errs.NewProviderCrash("p", "")
			}
			return "success", nil
		}, retry.ByPolicy(known["llm"]), retry.WithRandom(nil))
		require.NoError(t, err)
		assert.Equal(t, []any{"success", 3, 3 * s}, []any{got, calls, time.Since(begun)})
	})
}

// D108, D167, D173: a permanent error is returned immediately.
func TestNotFoundIsNotRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		errNotFound := errors.New("Not found")
		begun, calls := time.Now(), 0
		err := retry.Do(t.Context(), func(context.Context) error {
			calls++
			return retry.Permanent(errNotFound)
		}, retry.ByPolicy(known["llm"]))
		require.ErrorIs(t, err, errNotFound)
		assert.Equal(t, []any{1, time.Duration(0)}, []any{calls, time.Since(begun)})
	})
}

// D110: an error is retried if its category is listed, or if it is retryable.
func TestRetryableByCategoryOrItself(t *testing.T) {
	listed := func(err error) bool {
		return taxonomy.CategoryOf(err) == "config" || retry.Retryable(err)
	}
	for _, tt := range []struct {
		name  string
		err   error
		calls int
	}{
		{"listed", errs.NewConfigMissing("c"), 3},
		{"says so itself", errs.NewProviderCrash("p", ""), 3},
		{"neither", errs.NewPermissionSkipDenied("r"), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			op, calls := story(tt.err)
			require.ErrorIs(t, retry.Do(t.Context(), op, retry.ByPolicy(taxonomy.Policy{MaxAttempts: 3}),
				retry.WithRetryable(listed)),
				tt.err)
			assert.Equal(t, tt.calls, *calls)
		})
	}
}
