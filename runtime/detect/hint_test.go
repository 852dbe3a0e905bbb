package detect_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/detect"
)

func TestRetryHint(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"retry after 30":                               30 * time.Second,
		"Rate limited. Retry-After: 30\nmore":          30 * time.Second,
		"RETRY AFTER 30.":                              30 * time.Second,
		"Retry after 30 seconds, please":               30 * time.Second,
		"please try again in 20s.":                     20 * time.Second,
		"Please try again in 6m0s. Visit":              6 * time.Minute,
		"TRY AGAIN AFTER 1.5 HOURS":                    90 * time.Minute,
		"retry in 500 ms":                              500 * time.Millisecond,
		"retry in 2 minutes 5 seconds":                 125 * time.Second,
		"retry in 1h2m3s":                              3723 * time.Second,
		"Please retry in 34.074824224s.":               34074824224,
		`"retryDelay": "34s"`:                          34 * time.Second,
		`{"retry_after": 1.25}`:                        1250 * time.Millisecond,
		`{"retry_after_ms": 250}`:                      250 * time.Millisecond,
		`{"retryAfterSeconds":7}`:                      7 * time.Second,
		"retry after (seconds): 7":                     7 * time.Second,
		"retrying failed; entry 5; retry after 7":      7 * time.Second,
		"retry after lunch, or try again in 1 day":     24 * time.Hour,
		"retry after 0":                                0,
		"(retry after 30)":                             30 * time.Second,
		strings.Repeat("x", 1<<20) + " retry after 30": 30 * time.Second,
		"retry after 3 attempts. try again in 4s":      4 * time.Second,
		"retry after 30 \nmore":                        30 * time.Second,
		"retry after 1e9":                              1e9 * time.Second,
		`{"retry_after": 1E+308}`:                      math.MaxInt64,
		"retry after 400 days":                         400 * 24 * time.Hour,
		"retry after 9999999999":                       math.MaxInt64,
		"retry after 99999999h 5m":                     math.MaxInt64,
		"retry after " + strings.Repeat("9", 1000):     math.MaxInt64,
		"retry_after_ms: 99999999999999999999":         math.MaxInt64,
	} {
		got, ok := detect.RetryHint(text)
		assert.True(t, ok, "of %.80q", text)
		assert.Equal(t, want, got, "of %.80q", text)
	}
	for _, text := range []string{
		"", "retry", "try again", "retry after", "retry after a while", "try again in", "retry after 3 attempts",
		"retry after 10:30",
		"retry after 2026-10-21", "retry after 30 and reduce the load", "retry in 5 minutely steps",
		"try again in 2/3 of cases",
		"retry after 99999999999999999999 years", "retry after -5", "retry after NaN", "retry after -1e308",
		"retry after 1e", "retry after 1e+",
		"country after 30", "wait 30 seconds", "retried after 30", "rate limit: 30", "retry after 1.2.3",
		"retry after 5x", "entry in 30 days",
		"retry after Wed, 21 Oct 2026 07:28:00 GMT",
		"retry after 30" + strings.Repeat(" ", 1<<20),
	} {
		got, ok := detect.RetryHint(text)
		assert.False(t, ok, "of %.80q: %v", text, got)
	}
}

func FuzzRetryHint(f *testing.F) {
	f.Add("Please retry in 34.07s")
	f.Add("retry_after_ms: 1h2m")
	f.Fuzz(func(t *testing.T, text string) {
		d, ok := detect.RetryHint(text)
		assert.GreaterOrEqual(t, d, time.Duration(0))
		if !ok {
			assert.Zero(t, d)
		}
	})
}
