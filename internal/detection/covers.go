package detection

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/stdlib"
	"github.com/errgen/errgen/runtime/detect"
)

// meetsAll reports whether the conditions of narrow cannot hold without those of wide: each of
// wide's follows from the one that narrow has on the same part of evidence.
func meetsAll(narrow, wide *model.Rule) bool {
	for i := range wide.Conditions {
		if !followsFrom(&wide.Conditions[i], narrow.Conditions) {
			return false
		}
	}
	return true
}

func followsFrom(wide *detect.Condition, conditions []detect.Condition) bool {
	for i := range conditions {
		if implies(&conditions[i], wide) {
			return true
		}
	}
	return false
}

// implies reports whether whatever meets narrow meets wide. It is exact for conditions on the same
// part that anything meets at all, but for what the error types of the standard library hold in
// their chains.
func implies(narrow, wide *detect.Condition) bool {
	if narrow.Key != wide.Key || narrow.Name != wide.Name {
		return false
	}
	if narrow.Presence == detect.Absent || wide.Presence == detect.Absent {
		return narrow.Presence == wide.Presence
	}
	switch narrow.Key {
	case detect.Status, detect.ExitCode:
		return impliesNumber(narrow, wide)
	case detect.Is, detect.As:
		return impliesError(narrow, wide)
	}
	return impliesText(narrow, wide)
}

func impliesNumber(narrow, wide *detect.Condition) bool {
	meetsWide := func(n int) bool { return numberMeets(wide, n) }
	if len(narrow.AnyNumber) > 0 {
		return !slices.ContainsFunc(
			narrow.AnyNumber, func(n int) bool { return numberMeets(narrow, n) && !meetsWide(n) })
	}
	low, high := limits(narrow)
	if len(wide.AnyNumber) > 0 {
		return high-low <= float64(len(wide.AnyNumber)+len(narrow.NotNumber)) &&
			eachBetween(low, high, func(n int) bool {
				return !numberMeets(narrow, n) || meetsWide(n)
			})
	}
	return (wide.Bounds&detect.HasMin == 0 || low >= wide.Min) &&
		(wide.Bounds&detect.HasMax == 0 || high <= wide.Max) &&
		!slices.ContainsFunc(wide.NotNumber, func(n int) bool { return numberMeets(narrow, n) })
}

// limits returns the least and the greatest number that meets a condition without a list, infinite
// where there is none.
func limits(c *detect.Condition) (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	if c.Bounds&detect.HasMin != 0 {
		low = beyond(c.NotNumber, c.Min, 1)
	}
	if c.Bounds&detect.HasMax != 0 {
		high = beyond(c.NotNumber, c.Max, -1)
	}
	return low, high
}

// beyond returns the first number from n on that is not excluded.
func beyond(excluded []int, n, step float64) float64 {
	for range excluded {
		if !slices.Contains(excluded, int(n)) {
			break
		}
		n += step
	}
	return n
}

func eachBetween(low, high float64, holds func(int) bool) bool {
	for i := 0.0; i <= high-low; i++ {
		if !holds(int(low + i)) {
			return false
		}
	}
	return true
}

func numberMeets(c *detect.Condition, n int) bool {
	return (len(c.AnyNumber) == 0 || slices.Contains(c.AnyNumber, n)) && !slices.Contains(c.NotNumber, n) &&
		within(c, float64(n))
}

func within(c *detect.Condition, n float64) bool {
	return (c.Bounds&detect.HasMin == 0 || n >= c.Min) && (c.Bounds&detect.HasMax == 0 || n <= c.Max)
}

func impliesText(narrow, wide *detect.Condition) bool {
	if len(narrow.Any) > 0 {
		return !slices.ContainsFunc(
			narrow.Any, func(s string) bool { return textMeets(narrow, s) && !textMeets(wide, s) })
	}
	if len(wide.Any) > 0 || slices.ContainsFunc(wide.Not, func(s string) bool { return textMeets(narrow, s) }) {
		return false
	}
	return impliesPrefix(narrow.Prefix, wide.Prefix) && impliesBounds(narrow, wide)
}

func impliesPrefix(narrow, wide []string) bool {
	if len(wide) == 0 {
		return true
	}
	return len(narrow) > 0 && !slices.ContainsFunc(narrow, func(p string) bool { return !hasPrefix(p, wide) })
}

func impliesBounds(narrow, wide *detect.Condition) bool {
	if wide.Bounds&^narrow.Bounds != 0 {
		return false
	}
	return (wide.Bounds&detect.HasMin == 0 || narrow.Min >= wide.Min) &&
		(wide.Bounds&detect.HasMax == 0 || narrow.Max <= wide.Max)
}

func textMeets(c *detect.Condition, s string) bool {
	if len(c.Any) > 0 && !slices.Contains(c.Any, s) || slices.Contains(c.Not, s) || len(c.Prefix) > 0 &&
		!hasPrefix(s, c.Prefix) {
		return false
	}
	if c.Bounds == 0 {
		return true
	}
	n, ok := decimal(s)
	return ok && within(c, n)
}

func hasPrefix(s string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// decimal reads a number as attributes are read between bounds.
func decimal(s string) (float64, bool) {
	if strings.Trim(s, "+-.0123456789eE") != "" {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil
}

// impliesError is for conditions on errors, which can be several of the names at once.
func impliesError(narrow, wide *detect.Condition) bool {
	if len(wide.Any) > 0 && len(narrow.Any) == 0 {
		return false
	}
	for _, name := range narrow.Any {
		if len(wide.Any) > 0 && !slices.ContainsFunc(wide.Any, func(w string) bool { return sameError(name, w) }) {
			return false
		}
	}
	return !slices.ContainsFunc(wide.Not, func(w string) bool {
		return !slices.ContainsFunc(narrow.Not, func(n string) bool { return sameError(w, n) })
	})
}

// sameError reports whether an error that is a is b, too: some errors of the standard library have
// two names.
func sameError(a, b string) bool {
	if a == b {
		return true
	}
	err, ok := stdlib.Make(a)
	return ok && stdlib.Is(err, b)
}
