package recovery

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// New refuses numbers that cannot work, all at once.
func TestNumbersThatCannotWork(t *testing.T) {
	for _, tt := range []struct {
		field string
		o     Options
	}{
		{"ValidateLimit", Options{ValidateLimit: -1}},
		{"RateLimitWait", Options{RateLimitWait: -5}},
		{"MaxWait", Options{MaxWait: -1}},
		{"MaxAttempts", Options{MaxAttempts: -1}},
		{"RateLimitWait", Options{RateLimitWait: time.Hour, MaxWait: time.Minute}},
		{"RateLimitWait", Options{RateLimitWait: 16 * time.Minute}},
		{"Backoff.InitialDelay", Options{Backoff: &taxonomy.Policy{InitialDelay: -1}}},
		{"Backoff.MaxDelay", Options{Backoff: &taxonomy.Policy{MaxDelay: -1}}},
		{"Backoff.MaxElapsed", Options{Backoff: &taxonomy.Policy{MaxElapsed: -1}}},
		{"Backoff.MaxRetryAfter", Options{Backoff: &taxonomy.Policy{MaxRetryAfter: -1}}},
		{"Backoff.MaxAttempts", Options{Backoff: &taxonomy.Policy{MaxAttempts: -4}}},
		{"Backoff.Multiplier", Options{Backoff: &taxonomy.Policy{Multiplier: math.NaN()}}},
		{"Backoff.Multiplier", Options{Backoff: &taxonomy.Policy{Multiplier: math.Inf(1)}}},
		{"Backoff.Multiplier", Options{Backoff: &taxonomy.Policy{Multiplier: 0.5}}},
		{"Backoff.Jitter", Options{Backoff: &taxonomy.Policy{Jitter: math.NaN()}}},
		{"Backoff.Jitter", Options{Backoff: &taxonomy.Policy{Jitter: 1.5}}},
	} {
		_, err := New(tt.o)
		var ev *taxonomy.Evidence
		require.ErrorAs(t, err, &ev, tt.field)
		assert.Equal(t, tt.field, ev.Attribute("field"), err)
		assert.NotEmpty(t, ev.Attribute("expected"))
	}
	_, err := New(Options{MaxAttempts: -1, MaxWait: -1, RateLimitWait: -1})
	assert.Len(t, err.(interface{ Unwrap() []error }).Unwrap(), 3)
	_, err = New(Options{LockWait: -1, RateLimitWait: time.Minute, MaxWait: time.Minute, Backoff: &taxonomy.Policy{}})
	assert.NoError(t, err)
}

// The wait of a host is not told as if the failure had asked for it, and is no longer than the host
// waits at all.
func TestDefaultWaitIsNoFact(t *testing.T) {
	clock := newManual()
	w := newWorld(t, Options{Clock: clock})
	short := taxonomy.Reaction{Policy: &taxonomy.Policy{MaxRetryAfter: 5 * time.Second}}
	err := w.WaitForRateLimit(t.Context(), taxonomy.RecoveryRequest{Err: errors.New("slow down"), Reaction: short})
	assert.EqualError(
		t, err, "Nobody says when the rate limit is reset, and the 1m0s that are waited then are longer than the "+
			"5s that are waited at most")
	w = newWorld(t, Options{Clock: clock, MaxWait: 5 * time.Second})
	require.NoError(t, w.WaitForRateLimit(t.Context(), says("slow down")))
	assert.Equal(t, []time.Duration{5 * time.Second}, clock.sleeps)
}

// What the evidence says of a failure counts where the failure's own fields say nothing, and before
// any text; texts count only where they may be searched.
func TestWaitsOfEvidence(t *testing.T) {
	now := newManual().now
	typed := taxonomy.Evidence{ResetAt: now.Add(3 * time.Second)}
	waits := taxonomy.Evidence{RetryAfter: taxonomy.Some(7 * time.Second), Text: "Retry-After: 30"}
	both := taxonomy.Evidence{ResetAt: now.Add(3 * time.Second), Text: "Retry-After: 30"}
	derived := taxonomy.Evidence{RetryAfter: taxonomy.Some(30 * time.Second), RetryAfterDerived: true,
		Text: "Retry-After: 30"}
	text := taxonomy.Evidence{Text: "limited\nRetry-After: 30"}
	plain, said := &coded{text: "limited"}, &coded{text: "limited, retry in 4s"}
	own := &coded{text: "limited", hints: taxonomy.Hints{RetryAfter: taxonomy.Some(time.Second)}}
	for _, tt := range []struct {
		name         string
		err          error
		ev           *taxonomy.Evidence
		want, noText time.Duration
	}{
		{"a reset time", plain, &typed, 3 * time.Second, 3 * time.Second},
		{"a wait", plain, &waits, 7 * time.Second, 7 * time.Second},
		{"before its text", plain, &both, 3 * time.Second, 3 * time.Second},
		{"before the text of the failure", said, &both, 3 * time.Second, 3 * time.Second},
		{"after the failure's own", own, &both, time.Second, time.Second},
		{"a wait that was read out of a text", plain, &derived, 30 * time.Second, time.Minute},
		{"the text of the failure", said, nil, 4 * time.Second, time.Minute},
		{"the text of the failure first", said, &derived, 4 * time.Second, time.Minute},
		{"a text of which the failure has a line", plain, &text, 30 * time.Second, time.Minute},
		{"the text of an error", errors.New("retry in 4s"), nil, 4 * time.Second, time.Minute},
		{"evidence that is the error", &both, &both, 3 * time.Second, 3 * time.Second},
		{"evidence that is the error, with a text", &derived, &derived, 30 * time.Second, time.Minute},
	} {
		for noText, want := range map[bool]time.Duration{false: tt.want, true: tt.noText} {
			clock := newManual()
			w := newWorld(t, Options{Clock: clock})
			require.NoError(
				t, w.WaitForRateLimit(
					t.Context(), taxonomy.RecoveryRequest{Err: tt.err, Evidence: tt.ev, NoText: noText}))
			assert.Equal(t, []time.Duration{want}, clock.sleeps, "%s, %v", tt.name, noText)
		}
	}
}
