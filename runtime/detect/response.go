package detect

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// keptHeaders are the headers that become attributes. The first header of an attribute wins. Other
// headers are dropped, because many hold secrets.
var keptHeaders = [...]struct {
	attribute string
	headers   []string
}{
	{"retry-after", []string{"Retry-After"}},
	{"ratelimit-limit", []string{"X-Ratelimit-Limit", "Ratelimit-Limit", "X-Rate-Limit-Limit"}},
	{"ratelimit-remaining", []string{"X-Ratelimit-Remaining", "Ratelimit-Remaining", "X-Rate-Limit-Remaining"}},
	{"ratelimit-reset", []string{"X-Ratelimit-Reset", "Ratelimit-Reset", "X-Rate-Limit-Reset"}},
	{"ratelimit-used", []string{"X-Ratelimit-Used"}},
	{"ratelimit-resource", []string{"X-Ratelimit-Resource"}},
	{"ratelimit-limit-requests", []string{"X-Ratelimit-Limit-Requests", "Anthropic-Ratelimit-Requests-Limit"}},
	{"ratelimit-limit-tokens", []string{"X-Ratelimit-Limit-Tokens", "Anthropic-Ratelimit-Tokens-Limit"}},
	{"ratelimit-remaining-requests",
		[]string{"X-Ratelimit-Remaining-Requests", "Anthropic-Ratelimit-Requests-Remaining"}},
	{"ratelimit-remaining-tokens", []string{"X-Ratelimit-Remaining-Tokens", "Anthropic-Ratelimit-Tokens-Remaining"}},
	{"should-retry", []string{"X-Should-Retry"}},
	{"request-id",
		[]string{"Request-Id", "X-Request-Id", "X-Github-Request-Id", "X-Amzn-Requestid", "X-Amz-Request-Id"}},
}

// Header fills what ev lacks from the headers of an error response, whose names are canonical as
// net/http makes them. A negative value and one that cannot be read are ignored. A wait that is
// longer than a [time.Duration] becomes the longest one.
//
// RetryAfter is the first of these:
//
//   - Retry-After-Ms, in milliseconds;
//   - Retry-After: seconds, also with a fraction, or a date, relative to the Date of the response;
//   - the longest X-Ratelimit-Reset-Requests or -Tokens ("6m0s") of an exhausted limit;
//   - X-Ratelimit-Reset, or another of the names below, as seconds or "6m0s";
//   - the time until X-Ratelimit-Reset, in a response with a Date.
//
// ResetAt is the first of these:
//
//   - Retry-After as a date, in a response without a Date;
//   - X-Ratelimit-Reset, Ratelimit-Reset or X-Rate-Limit-Reset as a time in RFC 3339, in seconds
//     since 1970 (at least 1e8) or in milliseconds (at least 1e11), unless the corresponding header
//     reports that something remains;
//   - the latest Anthropic-Ratelimit-…-Reset of an exhausted limit, and
//     Anthropic-Ratelimit-Unified-Reset if the corresponding -Status is rejected.
//
// These headers become attributes: retry-after, ratelimit-limit, -remaining, -used, -reset and
// -resource, ratelimit-limit and -remaining with -requests and -tokens, should-retry and
// request-id.
func Header(ev *taxonomy.Evidence, h http.Header) {
	b := builder{ev: ev}
	b.header(h)
}

// header implements [Header].
func (b *builder) header(h http.Header) {
	get := func(name string) string { return strings.TrimSpace(h.Get(name)) }
	b.retryHeader(get)
	b.resetHeader(get)
	b.anthropicLimits(h, get)
	for _, kept := range keptHeaders {
		for _, header := range kept.headers {
			b.attribute(kept.attribute, get(header))
		}
	}
}

// retryHeader fills from Retry-After-Ms, from Retry-After and from OpenAI's exhausted limits.
func (b *builder) retryHeader(get func(string) string) {
	if d, ok := readNumber(get("Retry-After-Ms"), time.Millisecond); ok {
		b.retryAfter(d)
	}
	value := get("Retry-After")
	if d, ok := readNumber(value, time.Second); ok {
		b.retryAfter(d)
	} else if at, err := http.ParseTime(value); err == nil {
		if now, err := http.ParseTime(get("Date")); err == nil {
			b.retryAfter(max(at.Sub(now), 0))
		} else {
			b.resetAt(at)
		}
	}
	longest := time.Duration(-1)
	for _, limit := range [...]string{"Requests", "Tokens"} {
		if get("X-Ratelimit-Remaining-"+limit) == "0" {
			if d, ok := readDuration(get("X-Ratelimit-Reset-" + limit)); ok {
				longest = max(longest, d)
			}
		}
	}
	b.retryAfter(longest)
}

// resetHeader fills from the reset of an exhausted limit. Servers also send these headers with
// successful responses, while something remains of the limit.
func (b *builder) resetHeader(get func(string) string) {
	for _, prefix := range [...]string{"X-Ratelimit-", "Ratelimit-", "X-Rate-Limit-"} {
		value := get(prefix + "Reset")
		if left := get(prefix + "Remaining"); value == "" || left != "" && left != "0" {
			continue
		}
		if at, ok := readInstant(value); ok {
			b.resetAt(at)
			if now, err := http.ParseTime(get("Date")); err == nil && at.After(now) {
				b.retryAfter(at.Sub(now))
			}
		} else if d, ok := readNumber(value, time.Second); ok {
			b.retryAfter(d)
		} else if d, ok := readDuration(value); ok {
			b.retryAfter(d)
		}
	}
}

// anthropicLimits fills from the latest reset among Anthropic's exhausted limits.
func (b *builder) anthropicLimits(h http.Header, get func(string) string) {
	const prefix, suffix = "Anthropic-Ratelimit-", "-Reset"
	var latest time.Time
	for name := range h {
		if !strings.HasPrefix(name, prefix) || !strings.HasSuffix(name, suffix) {
			continue
		}
		limit := strings.TrimSuffix(name, suffix)
		exhausted := get(limit+"-Remaining") == "0" || get(limit+"-Status") == "rejected"
		if at, ok := readInstant(get(name)); ok && exhausted && at.After(latest) {
			latest = at
		}
	}
	if !latest.IsZero() {
		b.resetAt(latest)
	}
}

// head fills status, headers and the requested host of a response.
func (b *builder) head(r *http.Response) {
	b.status(r.StatusCode, minStatus)
	b.header(r.Header)
	if r.Request != nil && r.Request.URL != nil {
		b.attribute("host", r.Request.URL.Hostname())
	}
}

// responseBody fills from the first MiB of the body of a response, which can still be read
// completely. A compressed body is ignored.
func (b *builder) responseBody(r *http.Response) {
	if r.Body == nil || r.Body == http.NoBody || r.StatusCode == http.StatusSwitchingProtocols {
		return
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return
	}
	var read bytes.Buffer
	body := r.Body
	try(func() { _, _ = io.CopyN(&read, body, maxBody) }) // the owner of the body meets the same error
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(read.Bytes()), body), body}
	Body(b.ev, read.Bytes())
}
