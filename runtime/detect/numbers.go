package detect

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// maxWait is the longest wait. A longer one becomes maxWait. If it were ignored, the caller would
// try too early.
const maxWait time.Duration = math.MaxInt64

// Bounds between the meanings of a number: below the first it is seconds from now, below the second
// seconds since 1970, below the third milliseconds since then.
const (
	minEpoch  = 1e8
	minMillis = 1e11
	maxMillis = 1e14
)

// readNumber reads a decimal number of units.
func readNumber(s string, unit time.Duration) (time.Duration, bool) {
	n, ok := readDecimal(s)
	if !ok {
		return 0, false
	}
	return nanoseconds(n * float64(unit)), true
}

// nanoseconds returns a number of nanoseconds that is not negative as a duration.
func nanoseconds(n float64) time.Duration {
	if n >= float64(maxWait) {
		return maxWait
	}
	return time.Duration(math.Round(n))
}

// readDecimal reads a decimal number that is not negative, perhaps with a point and an exponent.
// A number that is too large becomes infinity.
func readDecimal(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if s == "" || s[0] != '.' && !isDigit(s[0]) || strings.Trim(s, "0123456789.eE+-") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil || math.IsInf(n, 1)
}

// readInstant reads a time: RFC 3339, or a number of seconds or milliseconds since 1970.
func readInstant(s string) (time.Time, bool) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, true
	}
	n, ok := readDecimal(s)
	switch {
	case !ok || !(minEpoch <= n && n < maxMillis): // also for NaN
		return time.Time{}, false
	case n < minMillis:
		return time.UnixMilli(int64(n * 1000)), true
	}
	return time.UnixMilli(int64(n)), true
}

// readDuration reads a duration in Go's form that is not negative.
func readDuration(s string) (time.Duration, bool) {
	d, err := time.ParseDuration(s)
	return d, err == nil && d >= 0
}
