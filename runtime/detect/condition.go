package detect

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// holds reports whether all conditions hold.
func (r *Rules) holds(conditions []Condition, ev *taxonomy.Evidence, q *query) bool {
	for i := range conditions {
		if !r.met(&conditions[i], ev, q) {
			return false
		}
	}
	return true
}

// met reports whether a condition holds.
func (r *Rules) met(c *Condition, ev *taxonomy.Evidence, q *query) bool {
	switch c.Key {
	case Status, ExitCode:
		n, ok := q.number(c.Key, ev)
		if !ok {
			return c.wantsNothing()
		}
		return c.Presence != Absent && c.numberMeets(n)
	case Is, As:
		if ev.Err == nil {
			return c.wantsNothing()
		}
		return c.Presence != Absent && r.errorMeets(c, ev.Err)
	}
	v := ""
	if c.Key == Attribute {
		v = ev.Attributes[c.Name]
	} else {
		v = q.value(c.Key, ev)
	}
	if v == "" {
		return c.wantsNothing()
	}
	return c.Presence != Absent && c.textMeets(v)
}

// wantsNothing reports whether the condition holds for what is absent.
func (c *Condition) wantsNothing() bool {
	return c.Presence == Absent && len(c.Any) == 0 && len(c.Not) == 0 && len(c.Prefix) == 0 &&
		len(c.AnyNumber) == 0 && len(c.NotNumber) == 0 && c.Bounds == 0
}

func (c *Condition) numberMeets(n int) bool {
	if len(c.AnyNumber) > 0 && !slices.Contains(c.AnyNumber, n) {
		return false
	}
	if len(c.NotNumber) > 0 && slices.Contains(c.NotNumber, n) {
		return false
	}
	return c.Bounds == 0 || c.within(float64(n))
}

func (c *Condition) textMeets(v string) bool {
	if len(c.Any) > 0 && !c.lists(c.Any, v) {
		return false
	}
	if len(c.Not) > 0 && c.lists(c.Not, v) {
		return false
	}
	if len(c.Prefix) > 0 && !slices.ContainsFunc(c.Prefix, func(p string) bool { return strings.HasPrefix(v, p) }) {
		return false
	}
	if c.Bounds == 0 {
		return true
	}
	n, ok := decimal(v)
	return ok && c.within(n)
}

func (c *Condition) lists(list []string, v string) bool {
	for _, s := range list {
		if canonicalValue(c.Key, s) == v {
			return true
		}
	}
	return false
}

func (c *Condition) within(n float64) bool {
	return (c.Bounds&HasMin == 0 || n >= c.Min) && (c.Bounds&HasMax == 0 || n <= c.Max)
}

func (r *Rules) errorMeets(c *Condition, err error) bool {
	if len(c.Any) > 0 && !slices.ContainsFunc(c.Any, func(name string) bool { return r.is(err, name) }) {
		return false
	}
	return !slices.ContainsFunc(c.Not, func(name string) bool { return r.is(err, name) })
}

// is asks r.Is. Methods of errors are not ours: one that panics means no, and so does a tree of
// errors without end, in which errors.Is could be lost.
func (r *Rules) is(err error, name string) (yes bool) {
	if r.Is == nil {
		return false
	}
	defer func() {
		if recover() != nil {
			yes = false
		}
	}()
	return errtree.Ends(err) && r.Is(err, name)
}

// decimal reads a finite decimal number. It looks before it parses, because a failure of strconv
// allocates.
func decimal(s string) (float64, bool) {
	if !isDecimal(s) {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil && !math.IsInf(n, 0)
}

func isDecimal(s string) bool {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	whole := digits(s)
	s = s[whole:]
	fraction := 0
	if s != "" && s[0] == '.' {
		fraction = digits(s[1:])
		s = s[1+fraction:]
	}
	if whole+fraction == 0 {
		return false
	}
	if s == "" {
		return true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return false
	}
	s = s[1:]
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	return s != "" && digits(s) == len(s)
}

// digits returns how many digits s begins with.
func digits(s string) int {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return i
		}
	}
	return len(s)
}
