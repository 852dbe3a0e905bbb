package detect_test

import (
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestOfResponse(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Ratelimit-Remaining", "0")
		w.Header().Set("Retry-After", "5")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"message":"API rate limit exceeded"}`)
	}))
	defer server.Close()
	r, err := http.Get(server.URL)
	require.NoError(t, err)
	defer func() { _ = r.Body.Close() }()
	assert.Equal(
		t, taxonomy.Evidence{Status: 403, Text: "API rate limit exceeded", RetryAfter: taxonomy.Some(5 * time.Second),
			Attributes: attributes("ratelimit-remaining", "0", "retry-after", "5", "host", "127.0.0.1")}, detect.Of(r))
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	assert.Equal(t, `{"message":"API rate limit exceeded"}`, string(body))
}

// body is a response body that counts the bytes read, fails or panics at its end, and can be
// closed.
type body struct {
	io.Reader
	read   int
	err    error
	closed bool
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if b.read += n; err == io.EOF && b.err != nil {
		err = b.err
	}
	return n, err
}

func (b *body) Close() error {
	b.closed = true
	return nil
}

func TestOfResponseBodies(t *testing.T) {
	long := strings.Repeat("x", 5<<20)
	broken := errors.New("broken pipe")
	for _, c := range []struct {
		name string
		body *body
		text string
		rest string
		err  error
	}{
		{"empty", &body{Reader: strings.NewReader("")}, "", "", nil},
		{"short", &body{Reader: strings.NewReader("said")}, "said", "said", nil},
		{"long", &body{Reader: strings.NewReader(long)}, long[:1<<20], long, nil},
		{"failing", &body{Reader: strings.NewReader("said"), err: broken}, "said", "said", broken},
	} {
		r := &http.Response{StatusCode: 500, Body: c.body}
		assert.Equal(t, taxonomy.Evidence{Status: 500, Text: c.text}, detect.Of(r), c.name)
		assert.LessOrEqual(t, c.body.read, 1<<20, c.name)
		assert.Equal(t, c.text, detect.Of(r).Text, "again, "+c.name)
		rest, err := io.ReadAll(r.Body)
		assert.Equal(t, c.rest, string(rest), c.name)
		assert.Equal(t, c.err, err, c.name)
		require.NoError(t, r.Body.Close())
		assert.True(t, c.body.closed, c.name)
	}
}

func TestOfOddResponses(t *testing.T) {
	for _, c := range []struct {
		raw  any
		want taxonomy.Evidence
	}{
		{&http.Response{}, taxonomy.Evidence{}},
		{&http.Response{StatusCode: 404, Body: http.NoBody}, taxonomy.Evidence{Status: 404}},
		{&http.Response{StatusCode: 9999}, taxonomy.Evidence{}},
		{answer(502, "\x1f\x8b", "Content-Encoding", "gzip"), taxonomy.Evidence{Status: 502}},
		{answer(101, "hijacked"), taxonomy.Evidence{Status: 101}},
		{*answer(404, "said", "Set-Cookie", "s=1"), taxonomy.Evidence{Status: 404}},
		{answer(429, "try again in 20s"), taxonomy.Evidence{Status: 429, Text: "try again in 20s"}},
		{answer(429, "try again in 20s", "Retry-After", "1"),
			taxonomy.Evidence{Status: 429, Text: "try again in 20s", RetryAfter: taxonomy.Some(time.Second),
				Attributes: attributes("retry-after", "1")}},
	} {
		assert.Equal(t, c.want, detect.Of(c.raw))
	}
}

const (
	someDate  = "Wed, 21 Oct 2026 07:28:00 GMT"
	laterDate = "Wed, 21 Oct 2026 07:30:00 GMT"
)

func TestHeaderWaits(t *testing.T) {
	after := func(d time.Duration) taxonomy.Evidence { return taxonomy.Evidence{RetryAfter: taxonomy.Some(d)} }
	at := func(unix int64) taxonomy.Evidence { return taxonomy.Evidence{ResetAt: time.Unix(unix, 0).UTC()} }
	later := time.Date(2026, 10, 21, 7, 30, 0, 0, time.UTC).Unix()
	const endOfTime = 253_402_300_799 // the last second of the year 9999
	both := at(1_800_000_000)
	both.RetryAfter = taxonomy.Some(3 * time.Second)
	for _, c := range []struct {
		headers []string
		want    taxonomy.Evidence
	}{
		{nil, taxonomy.Evidence{}},
		{[]string{"Retry-After", "30"}, after(30 * time.Second)},
		{[]string{"Retry-After", " 1.5 "}, after(1500 * time.Millisecond)},
		{[]string{"Retry-After", "0"}, after(0)},
		{[]string{"Retry-After", "-1"}, taxonomy.Evidence{}},
		{[]string{"Retry-After", "NaN"}, taxonomy.Evidence{}},
		{[]string{"Retry-After", "Inf"}, taxonomy.Evidence{}},
		{[]string{"Retry-After", "1e3"}, after(1000 * time.Second)},
		{[]string{"Retry-After", "1e9"}, after(1e9 * time.Second)},
		{[]string{"Retry-After", "1e20"}, after(math.MaxInt64)},
		{[]string{"Retry-After", "1e308"}, after(math.MaxInt64)},
		{[]string{"Retry-After", "1e999"}, after(math.MaxInt64)},
		{[]string{"Retry-After", "-1e999"}, taxonomy.Evidence{}},
		{[]string{"Retry-After", strings.Repeat("9", 1000)}, after(math.MaxInt64)},
		{[]string{"Retry-After", "e3"}, taxonomy.Evidence{}},
		{[]string{"Retry-After", "1e"}, taxonomy.Evidence{}},
		{[]string{"Retry-After", "0x10"}, taxonomy.Evidence{}},
		{[]string{"Retry-After", "99999999999999999999999"}, after(math.MaxInt64)},
		{[]string{"Retry-After", "40000000"}, after(4e7 * time.Second)},
		{[]string{"Retry-After", "soon"}, taxonomy.Evidence{}},
		{[]string{"Retry-After", laterDate}, at(later)},
		{[]string{"Retry-After", laterDate, "Date", someDate}, after(2 * time.Minute)},
		{[]string{"Retry-After", someDate, "Date", laterDate}, after(0)},
		{[]string{"Retry-After", laterDate, "Date", "now"}, at(later)},
		{[]string{"Retry-After", "Fri, 01 Jan 2100 00:00:00 GMT"}, at(4_102_444_800)},
		{[]string{"Retry-After", "Fri, 01 Jan 2100 00:00:00 GMT", "Date", "Thu, 01 Jan 2099 00:00:00 GMT"},
			after(365 * 24 * time.Hour)},
		{[]string{"Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT"}, at(endOfTime)},
		{[]string{"Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT", "Date", someDate}, after(math.MaxInt64)},
		{[]string{"Retry-After-Ms", "250", "Retry-After", "1"}, after(250 * time.Millisecond)},
		{[]string{"Retry-After-Ms", "x", "Retry-After", "1"}, after(time.Second)},
		{[]string{"X-Ratelimit-Reset-Requests", "1s", "X-Ratelimit-Reset-Tokens", "6m0s"}, taxonomy.Evidence{}},
		{[]string{"X-Ratelimit-Reset-Requests", "-1s", "X-Ratelimit-Remaining-Requests", "0"}, taxonomy.Evidence{}},
		{[]string{"Anthropic-Ratelimit-Tokens-Reset", "2027-01-15T08:00:00Z", "Anthropic-Ratelimit-Tokens-Remaining",
			"9"}, taxonomy.Evidence{}},
		{[]string{"Anthropic-Ratelimit-Unified-Reset", "1800000000", "Anthropic-Ratelimit-Unified-Status", "rejected"},
			at(1_800_000_000)},
		{[]string{"Anthropic-Ratelimit-Unified-Reset", "1800000000", "Anthropic-Ratelimit-Unified-Status", "allowed"},
			taxonomy.Evidence{}},
		{[]string{"X-Ratelimit-Reset", "1800000000"}, at(1_800_000_000)},
		{[]string{"X-Rate-Limit-Reset", "1800000000"}, at(1_800_000_000)},
		{[]string{"X-Ratelimit-Reset", "1800000000", "X-Ratelimit-Remaining", "0", "Retry-After", "3"}, both},
		{[]string{"X-Ratelimit-Reset", strconv.FormatInt(later, 10), "Date", someDate},
			taxonomy.Evidence{RetryAfter: taxonomy.Some(2 * time.Minute), ResetAt: time.Unix(later, 0).UTC()}},
		{[]string{"X-Ratelimit-Reset", "1700000000", "Date", someDate}, at(1_700_000_000)},
		{[]string{"X-Ratelimit-Reset", "1800000000000"}, at(1_800_000_000)},
		{[]string{"X-Ratelimit-Reset", "2027-01-15T08:00:00Z"}, at(1_800_000_000)},
		{[]string{"Ratelimit-Reset", "50"}, after(50 * time.Second)},
		{[]string{"Ratelimit-Reset", "6m0s"}, after(6 * time.Minute)},
		{[]string{"Ratelimit-Reset", "50", "Ratelimit-Remaining", "3"}, taxonomy.Evidence{}},
		{[]string{"X-Ratelimit-Reset", "99999999999999999"}, after(math.MaxInt64)},
		{[]string{"X-Ratelimit-Reset", "50000000"}, after(5e7 * time.Second)},
		{[]string{"X-Ratelimit-Reset", "9999-12-31T23:59:59-01:00"}, taxonomy.Evidence{}},
		{[]string{"X-Ratelimit-Reset", "-5"}, taxonomy.Evidence{}},
	} {
		h := http.Header{}
		for i := 0; i < len(c.headers); i += 2 {
			h[c.headers[i]] = append(h[c.headers[i]], c.headers[i+1])
		}
		var ev taxonomy.Evidence
		detect.Header(&ev, h)
		ev.Attributes = nil
		assert.Equal(t, c.want, ev, "of %v", c.headers)
	}
}

func TestHeaderExhaustedLimits(t *testing.T) {
	var ev taxonomy.Evidence
	detect.Header(&ev, http.Header{
		"X-Ratelimit-Remaining-Requests": {"0"}, "X-Ratelimit-Reset-Requests": {"1s"},
		"X-Ratelimit-Remaining-Tokens": {"0"}, "X-Ratelimit-Reset-Tokens": {"6m0s"},
		"Anthropic-Ratelimit-Requests-Remaining": {"0"}, "Anthropic-Ratelimit-Requests-Reset": {"2027-01-15T08:00:00Z"},
		"Anthropic-Ratelimit-Input-Tokens-Remaining": {"0"},
		"Anthropic-Ratelimit-Input-Tokens-Reset":     {"2027-01-15T09:00:00+01:00"},
		"Anthropic-Ratelimit-Tokens-Remaining":       {"1"},
		"Anthropic-Ratelimit-Tokens-Reset":           {"2028-01-15T08:00:00Z"},
	})
	assert.Equal(t, taxonomy.Some(6*time.Minute), ev.RetryAfter)
	assert.Equal(t, time.Unix(1_800_000_000, 0).UTC(), ev.ResetAt)
}

func TestHeaderAttributes(t *testing.T) {
	h := http.Header{
		"X-Ratelimit-Limit": {"60"}, "X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"1800000000"},
		"X-Ratelimit-Used":     {"60"},
		"X-Ratelimit-Resource": {"core"}, "X-Should-Retry": {"false"}, "Retry-After": {"60"},
		"X-Github-Request-Id": {"A:1"}, "X-Ratelimit-Remaining-Tokens": {"5"},
		"Set-Cookie": {"session=1"}, "Authorization": {"Bearer x"}, "X-Api-Key": {"k"}, "Server": {"s"},
	}
	ev := taxonomy.Evidence{Attributes: attributes("ratelimit-limit", "kept")}
	detect.Header(&ev, h)
	assert.Equal(
		t, attributes("ratelimit-limit", "kept", "ratelimit-remaining", "0", "ratelimit-reset", "1800000000",
			"ratelimit-used", "60",
			"ratelimit-resource", "core", "should-retry", "false", "retry-after", "60", "request-id", "A:1",
			"ratelimit-remaining-tokens", "5"), ev.Attributes)
	assert.NotPanics(t, func() { detect.Header(&ev, nil) })
}

func TestHeaderAttributesAreBounded(t *testing.T) {
	var ev taxonomy.Evidence
	detect.Header(&ev, http.Header{"X-Request-Id": {strings.Repeat("é", 1000)}})
	assert.Equal(t, strings.Repeat("é", 512), ev.Attribute("request-id"))
	detect.Header(&ev, http.Header{"X-Should-Retry": {"x" + strings.Repeat("é", 1000)}})
	assert.Equal(t, "x"+strings.Repeat("é", 511), ev.Attribute("should-retry"))
}

func FuzzHeader(f *testing.F) {
	f.Add("Retry-After", "30", "Date", someDate)
	f.Add("x-ratelimit-reset", "1800000000", "X-Ratelimit-Remaining", "0")
	f.Add("Anthropic-Ratelimit-Tokens-Reset", "9999-12-31T23:59:59-23:59", "Anthropic-Ratelimit-Tokens-Remaining", "0")
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		var ev taxonomy.Evidence
		detect.Header(&ev, http.Header{a: {b}, c: {d, b}, "": nil})
		if d, ok := ev.RetryAfter.Get(); ok {
			assert.GreaterOrEqual(t, d, time.Duration(0))
		}
		if !ev.ResetAt.IsZero() {
			assert.True(t, ev.ResetAt.Year() >= 1999 && ev.ResetAt.Year() <= 9999)
		}
		b2, err := ev.MarshalJSON()
		assert.NoError(t, err)
		assert.NoError(t, new(taxonomy.Evidence).UnmarshalJSON(b2))
	})
}
