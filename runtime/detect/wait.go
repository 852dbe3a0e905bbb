package detect

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// maxWait is the longest wait that is believed.
const maxWait = 366 * 24 * time.Hour

// Bounds that tell apart what a number says: below the first it is seconds from now, below the second seconds since
// 1970, below the third milliseconds since then.
const (
	leastEpoch   = 1e8
	leastMillis  = 1e11
	beyondMillis = 1e14
)

// readSeconds reads a number of seconds.
func readSeconds(s string) (time.Duration, bool) { return readNumber(s, time.Second) }

// readNumber reads a decimal number of units: digits, perhaps with a point among them.
func readNumber(s string, unit time.Duration) (time.Duration, bool) {
	n, ok := readDecimal(s)
	if !ok || n > float64(maxWait)/float64(unit) {
		return 0, false
	}
	return time.Duration(math.Round(n * float64(unit))), true
}

// readDecimal reads digits, perhaps with a point among them. Nothing else that [strconv.ParseFloat] reads is a number here.
func readDecimal(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > maxDigits || strings.Trim(s, "0123456789.") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil
}

const maxDigits = 32

// readInstant reads a time: RFC 3339, or a number since 1970.
func readInstant(s string) (time.Time, bool) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, true
	}
	n, ok := readDecimal(s)
	switch {
	case !ok || n < leastEpoch || n >= beyondMillis:
		return time.Time{}, false
	case n < leastMillis:
		return time.UnixMilli(int64(n * 1000)), true
	}
	return time.UnixMilli(int64(n)), true
}

// readWait reads a wait: seconds, or a duration as Go writes it.
func readWait(s string) (time.Duration, bool) {
	if d, ok := readSeconds(s); ok {
		return d, true
	}
	d, err := time.ParseDuration(s)
	return d, err == nil && d >= 0
}
