package detect

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Header fills what ev lacks from the headers of an error response. What cannot be read, or is
// negative, counts as absent. A wait that is longer than a [time.Duration] can be is the longest,
// and a time after the year 9999 the end of that year: who asks for so much is not to be called
// early.
//
// RetryAfter is, of these, the first that is there:
//
//   - Retry-After-Ms, in milliseconds;
//   - Retry-After: seconds, also with a fraction, or a date, counted from the response's own Date;
//   - the longest X-Ratelimit-Reset-Requests or -Tokens ("6m0s") of a limit of which nothing
//     remains;
//   - X-Ratelimit-Reset, or another of the names below, as seconds or "6m0s".
//
// ResetAt is, of these, the first that is there:
//
//   - Retry-After as a date, in a response without a Date;
//   - X-Ratelimit-Reset, Ratelimit-Reset or X-Rate-Limit-Reset as a time in RFC 3339, in seconds
//     since 1970 (a number of at least 1e8) or in milliseconds (at least 1e11), unless the header
//     that goes with it says that something remains;
//   - the latest Anthropic-Ratelimit-…-Reset of a limit of which nothing remains, and
//     Anthropic-Ratelimit-Unified-Reset where the -Status that goes with it is rejected.
//
// The attributes retry-after, ratelimit-limit, -remaining, -used, -reset and -resource, those two
// with -requests and
// -tokens, should-retry, and request-id are kept, by these names; no other header is, because many hold secrets.
// Of more than 1024 headers only those are looked at that have a fixed name here, written as
// net/http writes it.
func Header(ev *taxonomy.Evidence, h http.Header) {
	f := filler{ev: ev}
	f.header(h)
}

// header is Header.
func (f *filler) header(h http.Header) {
	h = canonicalHeader(h)
	f.retryAfterHeader(h)
	f.spentLimits(h)
	f.resetHeader(h)
	f.anthropicLimits(h)
	for _, kept := range keptHeaders {
		for _, header := range kept.headers {
			f.attribute(kept.attribute, strings.TrimSpace(h.Get(header)))
		}
	}
}

// maxHeaders bounds the headers that are looked at one by one. No server needs as many; of more,
// only those are looked up whose name is known.
const maxHeaders = 1024

// canonicalHeader returns h with the names that [http.Header.Get] looks for. What came by net/http
// has them.
func canonicalHeader(h http.Header) http.Header {
	if len(h) > maxHeaders {
		return h
	}
	odd := false
	for key := range h {
		if odd = key != http.CanonicalHeaderKey(key); odd {
			break
		}
	}
	if !odd {
		return h
	}
	mended := make(http.Header, len(h))
	for _, key := range slices.Sorted(maps.Keys(h)) {
		name := http.CanonicalHeaderKey(key)
		mended[name] = append(mended[name], h[key]...)
	}
	return mended
}

// keptHeaders are the headers that become attributes. Of several for one attribute the first
// counts.
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

// retryAfterHeader fills from Retry-After-Ms and Retry-After.
func (f *filler) retryAfterHeader(h http.Header) {
	if d, ok := readNumber(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		f.retryAfter(d)
	}
	value := h.Get("Retry-After")
	if d, ok := readSeconds(value); ok {
		f.retryAfter(d)
		return
	}
	at, err := http.ParseTime(strings.TrimSpace(value))
	if err != nil {
		return
	}
	if now, err := http.ParseTime(h.Get("Date")); err == nil {
		f.retryAfter(max(at.Sub(now), 0))
		return
	}
	f.resetAt(at)
}

// spentLimits fills from OpenAI's limits of which nothing remains.
func (f *filler) spentLimits(h http.Header) {
	longest, found := time.Duration(0), false
	for _, limit := range []string{"Requests", "Tokens"} {
		if strings.TrimSpace(h.Get("X-Ratelimit-Remaining-"+limit)) != "0" {
			continue
		}
		if d, ok := readDuration(strings.TrimSpace(h.Get("X-Ratelimit-Reset-" + limit))); ok {
			longest, found = max(longest, d), true
		}
	}
	if found {
		f.retryAfter(longest)
	}
}

// resetHeader fills from the reset of a limit of which nothing is said to remain. Servers send
// these headers with every response, also with a failure that has nothing to do with the limit.
func (f *filler) resetHeader(h http.Header) {
	for _, prefix := range []string{"X-Ratelimit-", "Ratelimit-", "X-Rate-Limit-"} {
		value := strings.TrimSpace(h.Get(prefix + "Reset"))
		if left := strings.TrimSpace(h.Get(prefix + "Remaining")); value == "" || left != "" && left != "0" {
			continue
		}
		if at, ok := readInstant(value); ok {
			f.resetAt(at)
		} else if d, ok := readWait(value); ok {
			f.retryAfter(d)
		}
	}
}

// anthropicLimits fills from the latest reset among Anthropic's limits of which nothing remains.
func (f *filler) anthropicLimits(h http.Header) {
	const prefix = "Anthropic-Ratelimit-"
	if len(h) > maxHeaders {
		return
	}
	var latest time.Time
	for key := range h {
		limit, ok := strings.CutPrefix(key, prefix)
		if !ok {
			continue
		}
		if limit, ok = strings.CutSuffix(limit, "-Reset"); !ok {
			continue
		}
		spent := strings.TrimSpace(h.Get(prefix+limit+"-Remaining")) == "0" ||
			h.Get(prefix+limit+"-Status") == "rejected"
		if at, ok := readInstant(strings.TrimSpace(h.Get(key))); ok && spent && at.After(latest) {
			latest = at
		}
	}
	if !latest.IsZero() {
		f.resetAt(latest)
	}
}
