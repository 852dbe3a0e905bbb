package detect_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/detect"
)

func TestStatusInText(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"404 Not Found", 404},
		{"404 not found: /repos/x", 404},
		{"  503 Service Unavailable\nretry", 503},
		{"429: Too Many Requests, slow down", 429},
		{"404: not found", 404},
		{"404 - Not Found", 404},
		{"502{\"error\":1}", 502},
		{"502 {\"error\":1}", 502},
		{"529", 529},
		{"529\n", 529},
		{"500\r\nx", 500},
		{"503 Service Temporarily Unavailable", 503},
		{"422 Unprocessable Content", 422},
		{"HTTP 503", 503},
		{"HTTP/1.1 503 Whatever", 503},
		{"HTTP/2 429", 429},
		{"http: 418", 418},
		{"status 502", 502},
		{"status: 404, 3 retries", 404},
		{"(HTTP 503); giving up", 503},
		{"HTTP 404: Not Found (https://api.example.com/x)", 404},
		{"gh: Not Found (HTTP 404)", 404},
		{"got 'status 502'", 502},
		{"status 502 Bad Gateway from upstream", 502},
		{"HTTP 503: no healthy upstream", 503},
		{"HTTP/1.1 503: no healthy upstream", 503},
		{"HTTP status 500 for /x", 500},
		{"http status: 500 for /x", 500},
		{"status code 500: oops", 500},
		{"HTTP error 500: oops", 500},
		{"request failed with status code 429", 429},
		{"request failed (status code: 429)", 429},
		{"got statusCode=500, giving up", 500},
		{"the server answered (status 502)", 502},
		{"HTTP error 503", 503},
		{"HTTP status code: 404", 404},
		{"HTTP error code 404", 404},
		{`{"status": 403, "message": "no"}`, 403},
		{"line 120, then HTTP 404", 404},

		{"", 0},
		{"4", 0},
		{"429: slow down", 0},
		{"429: syntax error", 0},
		{"429:{", 0},
		{"429: has 3 items", 0},
		{"disk status: 450 MB free", 0},
		{"status 500 of 600 tests passed", 0},
		{"Test status: 404 passed, 0 failed", 0},
		{"git status 503 files changed", 0},
		{"status 500 ms", 0},
		{"status=500ms", 0},
		{"Status: 502 from upstream", 0},
		{"status 404 of the task", 0},
		{"HTTP 500 requests sent", 0},
		{"HTTP 404/500", 0},
		{"status 503: no healthy upstream", 503},
		{"the status is 404", 0},
		{"exited with status code 42", 0},
		{"exit status code: 429", 0},
		{"exit-status 429", 0},
		{"HTTP/2 stream 500", 0},
		{"status 429-430", 0},
		{"status +500", 0},
		{"status -500", 0},
		{"429 tests passed", 0},
		{"404 files changed", 0},
		{"404 Not Foundation", 0},
		{"404 Service Unavailable", 0},
		{"line 404", 0},
		{"error on line 500: oops", 0},
		{"took 503 ms", 0},
		{"status code", 0},
		{"exit status 404", 0},
		{"the process exited with status 404", 0},
		{"exited with HTTP status code 503", 0},
		{"unexpected status 502: bad upstream", 502},
		{"429 Too Many Requests handling added", 0},
		{"404 Not Found page was designed", 0},
		{"500 Internal Server Error tests passed", 0},
		{"HTTP/1.1 429 appears in docs", 0},
		{"status code 500 rows written", 0},
		{"404 Not Found for url: https://example.org", 404},
		{"HTTP/1.1 503 Backend fetch failed", 503},
		{"request failed with status code 429 while calling", 429},
		{"status code 502 (upstream)", 502},
		{"exit status: 500", 0},
		{"status 4040", 0},
		{"status 200", 0},
		{"status 399", 0},
		{"HTTP 600", 0},
		{"status 500,000", 0},
		{"status 500.5", 0},
		{"status 450ms", 0},
		{"status404", 0},
		{"HTTPS 404", 0},
		{"https://host:404/x", 0},
		{"http/x 404", 0},
		{"error 404", 0},
		{"code 404", 0},
		{"error code 404", 0},
		{"a404", 0},
		{"1404 Not Found", 0},
		{"-404", 0},
		{"1.404", 0},
		{"404é", 0},
		{"404-beta", 0},
		{"127.0.0.1:503 refused", 0},
		{"12:04:04.500 all is well", 0},
		{"not here\n404 Not Found", 0},
		{"not here\nHTTP 503", 0},
		{strings.Repeat(" x", 140) + " HTTP 503", 0},
		{strings.Repeat("x", 247) + " HTTP 503", 503},
		{strings.Repeat("x", 247) + " HTTP 5031", 0},
		{strings.Repeat("x", 247) + " HTTP 503 requests", 0},
	} {
		assert.Equal(t, c.want, detect.DerivedStatus(c.text), c.text)
	}
}

// The rest of a cut line begins with text from the middle of the line.
func TestStatusInATextThatWasCut(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"took 1|500 Internal Server Error", 0},
		{"line |500", 0},
		{"log\n|500", 500},
		{"log\nstat|us 500", 0},
	} {
		before, after, _ := strings.Cut(c.text, "|")
		after += "\n" + strings.Repeat("x", detect.DefaultTextLimit-len(after)-1)
		e := mailRules().Explain(before+after, nil)
		assert.Equal(t, c.want, e.Evidence.Status, c.text)
	}
}

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
