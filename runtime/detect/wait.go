package detect

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// maxWait is the longest wait there is. A longer one is taken as it, and not as none: who asks for
// so much is not to be called early.
const maxWait time.Duration = math.MaxInt64

// farthest is the last instant that RFC 3339 can say, for one that is beyond it.
func farthest() time.Time { return time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC) }

// Bounds that tell apart what a number says: below the first it is seconds from now, below the
// second seconds since 1970, below the third milliseconds since then.
const (
	leastEpoch   = 1e8
	leastMillis  = 1e11
	beyondMillis = 1e14
)

// readSeconds reads a number of seconds.
func readSeconds(s string) (time.Duration, bool) { return readNumber(s, time.Second) }

// readNumber reads a decimal number of units.
func readNumber(s string, unit time.Duration) (time.Duration, bool) {
	n, ok := readDecimal(s)
	if !ok {
		return 0, false
	}
	return nanoseconds(n * float64(unit)), true
}

// nanoseconds returns a number of them that is not negative as a duration.
func nanoseconds(n float64) time.Duration {
	if n >= float64(maxWait) {
		return maxWait
	}
	return time.Duration(math.Round(n))
}

// readDecimal reads digits, perhaps with a point among them and an exponent; infinity is a number
// that is too great. Nothing else that [strconv.ParseFloat] reads is a number here.
func readDecimal(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if s == "" || s[0] != '.' && !isDigit(s[0]) || strings.Trim(s, "0123456789.eE+-") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil || math.IsInf(n, 1)
}

// instantOf returns the time that a number of seconds or milliseconds since 1970 says, and whether
// it says one. One after the year 9999 is the end of that year.
func instantOf(n float64) (time.Time, bool) {
	switch {
	case !(n >= leastEpoch): // NaN too
		return time.Time{}, false
	case n < leastMillis:
		return time.UnixMilli(int64(n * 1000)), true
	case n < beyondMillis:
		return time.UnixMilli(int64(n)), true
	}
	return farthest(), true
}

// readInstant reads a time: RFC 3339, or a number since 1970.
func readInstant(s string) (time.Time, bool) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, true
	}
	n, ok := readDecimal(s)
	if !ok {
		return time.Time{}, false
	}
	return instantOf(n)
}

// readWait reads a wait: seconds, or a duration as Go writes it.
func readWait(s string) (time.Duration, bool) {
	if d, ok := readSeconds(s); ok {
		return d, true
	}
	return readDuration(s)
}

// readDuration reads a duration as Go writes it; one that is too long for Go is the longest.
func readDuration(s string) (time.Duration, bool) {
	if d, err := time.ParseDuration(s); err == nil {
		return d, d >= 0
	}
	p := phrase{s}
	d, ok := p.wait()
	return d, ok && d == maxWait && p.s == ""
}
