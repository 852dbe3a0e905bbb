package check

import (
	"cmp"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/model"
)

// order compares two values of one type that has an order.
func order(a, b model.Value) int {
	switch a.Type {
	case model.Int, model.Int64:
		return cmp.Compare(a.Int, b.Int)
	case model.Uint64:
		return cmp.Compare(a.Uint, b.Uint)
	case model.Float64:
		return cmp.Compare(a.Float, b.Float)
	case model.Duration:
		return cmp.Compare(a.Duration, b.Duration)
	case model.Time:
		return a.Time.Compare(b.Time)
	}
	return strings.Compare(a.Str, b.Str)
}

func equal(a, b model.Value) bool {
	if a.Type == model.Bool {
		return a.Bool == b.Bool
	}
	return order(a, b) == 0
}

func contains(list []model.Value, v model.Value) bool {
	return slices.ContainsFunc(list, func(w model.Value) bool { return equal(v, w) })
}

// satisfies reports whether a field that holds v passes a test.
func satisfies(v model.Value, c model.Cond) bool {
	switch {
	case c.Present != nil && !*c.Present,
		len(c.Values) > 0 && !contains(c.Values, v),
		c.Min != nil && order(v, *c.Min) < 0,
		c.Max != nil && order(v, *c.Max) > 0,
		contains(c.Not, v):
		return false
	}
	return len(c.Prefix) == 0 ||
		slices.ContainsFunc(c.Prefix, func(p string) bool { return strings.HasPrefix(v.Str, p) })
}

// wantsAbsent reports whether the test holds for an absent field, which is when it asks for
// absence.
func wantsAbsent(c model.Cond) bool { return c.Present != nil && !*c.Present }

// contradiction says why no value passes the test, or returns "".
func contradiction(c model.Cond) string {
	wantsValue := len(c.Values) > 0 || c.Min != nil || c.Max != nil || len(c.Not) > 0 || len(c.Prefix) > 0
	switch {
	case wantsAbsent(c) && wantsValue:
		return c.Field.Wire + " cannot be absent and have a value"
	case wantsAbsent(c):
		return ""
	case c.Min != nil && c.Max != nil && order(*c.Min, *c.Max) > 0:
		return "min is above max"
	}
	if all, finite := values(c); finite && len(all) == 0 {
		return "no value of " + c.Field.Wire + " is left"
	}
	return ""
}

// values lists all values that pass a test, where they are few enough to be listed.
func values(c model.Cond) (list []model.Value, finite bool) {
	candidates, finite := domain(c)
	if !finite || tooMany(len(candidates), c) {
		return nil, false
	}
	return slices.DeleteFunc(candidates, func(v model.Value) bool { return !satisfies(v, c) }), true
}

// tooMany reports whether trying n values would take too long: a hostile file must not hang.
func tooMany(n int, c model.Cond) bool {
	return n*(len(c.Values)+len(c.Not)+len(c.Prefix)+1) > 1<<20
}

func domain(c model.Cond) ([]model.Value, bool) {
	switch {
	case len(c.Values) > 0:
		return slices.Clone(c.Values), true
	case c.Field.Type == model.Bool:
		return []model.Value{{Type: model.Bool}, {Type: model.Bool, Bool: true}}, true
	case c.Field.Type == model.EnumType:
		var all []model.Value
		for i, w := range c.Field.Enum.Values {
			all = append(all, model.Value{Type: model.EnumType, Str: w.Wire, Index: i + 1})
		}
		return all, true
	case c.Min != nil && c.Max != nil && (c.Field.Type == model.Int || c.Field.Type == model.Int64):
		return span(*c.Min, *c.Max)
	}
	return nil, false
}

// maxSpan bounds how many whole numbers between two bounds are listed one by one.
const maxSpan = 1000

func span(low, high model.Value) ([]model.Value, bool) {
	if high.Int < low.Int || uint64(high.Int)-uint64(low.Int) >= maxSpan {
		return nil, false
	}
	var all []model.Value
	for n := low.Int; ; n++ {
		all = append(all, model.Value{Type: low.Type, Int: n})
		if n == high.Int {
			return all, true
		}
	}
}

// implies reports whether whatever passes narrow also passes wide. It may miss some cases, and
// never claims one that is not so.
func implies(narrow, wide model.Cond) bool {
	if wantsAbsent(narrow) || wantsAbsent(wide) {
		return wantsAbsent(narrow) && wantsAbsent(wide)
	}
	if all, finite := values(narrow); finite {
		if tooMany(len(all), wide) {
			return false
		}
		return !slices.ContainsFunc(all, func(v model.Value) bool { return !satisfies(v, wide) })
	}
	return len(wide.Values) == 0 &&
		(wide.Min == nil || narrow.Min != nil && order(*narrow.Min, *wide.Min) >= 0) &&
		(wide.Max == nil || narrow.Max != nil && order(*narrow.Max, *wide.Max) <= 0) &&
		!slices.ContainsFunc(wide.Not, func(v model.Value) bool { return satisfies(v, narrow) }) &&
		impliesPrefix(narrow.Prefix, wide.Prefix)
}

func impliesPrefix(narrow, wide []string) bool {
	if len(wide) == 0 {
		return true
	}
	if len(narrow) == 0 {
		return false
	}
	return !slices.ContainsFunc(narrow, func(n string) bool {
		return !slices.ContainsFunc(wide, func(w string) bool { return strings.HasPrefix(n, w) })
	})
}
