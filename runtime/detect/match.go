package detect

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// noRank is greater than every rank.
const noRank = math.MaxInt

// tables are the lookup tables of rules. They are built on first use, so the zero tables are valid.
type tables struct {
	onIndex, onDerived, onEngine sync.Once

	index, derived *index // derived is for evidence whose status was read in the text
	engine         *engine
}

// engine returns the engine for texts.
func (r *Rules) engine() *engine {
	t := &r.tables
	t.onEngine.Do(func() { t.engine = newEngine(r) })
	return t.engine
}

// index returns the index for evidence. Derived is true if the status was read in the text.
func (r *Rules) index(derived bool) *index {
	t := &r.tables
	if derived {
		t.onDerived.Do(func() { t.derived = newIndex(r, true) })
		return t.derived
	}
	t.onIndex.Do(func() { t.index = newIndex(r, false) })
	return t.index
}

// Match returns the index of the rule that wins for the evidence, or [NoRule]. It does not check
// whether there is a failure; see [Rules.Decide]. Once the tables are built it allocates nothing,
// except for a text with one of the letters ſ (U+017F) and K (U+212A), which fold to s and k.
func (r *Rules) Match(ev *taxonomy.Evidence, opts []Option) int {
	if ev == nil {
		return NoRule
	}
	var room taxonomy.Evidence
	o := merge(opts)
	as, text := r.prepare(ev, &room, &o)
	return r.match(as, text)
}

// prepare returns the evidence that the rules test, and the text that they search. The evidence is
// ev, or room as a copy if options or the text change it. Its text is complete; the searched text
// is the end of it.
func (r *Rules) prepare(ev, room *taxonomy.Evidence, o *Option) (as *taxonomy.Evidence, text string) {
	as = o.fill(ev, room)
	if o.noText || ev.Text == "" {
		return as, ""
	}
	text = tail(ev.Text, DefaultTextLimit)
	cut := len(ev.Text) - len(text)
	// The rest of a line that was cut has no status.
	if as.Status == 0 && (cut == 0 || ev.Text[cut-1] == '\n') && r.index(false).testsStatus {
		if status := proseStatus(text); status != 0 {
			as = copyTo(as, room)
			as.Status, as.StatusDerived = status, true
		}
	}
	return as, text
}

// match returns the index of the rule that wins, or NoRule.
func (r *Rules) match(ev *taxonomy.Evidence, text string) int {
	x := r.index(ev.StatusDerived && ev.Status != 0)
	best := x.find(ev)
	if text != "" && x.textRank(ev.Source) < best {
		best = r.engine().best(x, ev, text, best)
	}
	if best == noRank {
		return NoRule
	}
	return x.rules[best].rule
}

// matching returns all rules whose conditions the evidence meets, best first.
func (r *Rules) matching(ev *taxonomy.Evidence, text string) (rules []int) {
	x, e := r.index(ev.StatusDerived && ev.Status != 0), r.engine()
	var s *scratch // nil if the text contains no pattern
	if text != "" {
		if s = e.candidates(x, text, noRank); s != nil {
			defer e.release(s)
		}
	}
	for _, ranked := range x.rules {
		rule := &r.Rules[ranked.rule]
		if r.holds(rule.Conditions, ev) && (!rule.onText() || s != nil && e.contains(rule, text, s)) {
			rules = append(rules, ranked.rule)
		}
	}
	return rules
}

// holds reports whether the evidence meets all conditions.
func (r *Rules) holds(conditions []Condition, ev *taxonomy.Evidence) bool {
	for i := range conditions {
		if !r.meets(&conditions[i], ev) {
			return false
		}
	}
	return true
}

// meets reports whether the evidence meets a condition.
func (r *Rules) meets(c *Condition, ev *taxonomy.Evidence) bool {
	switch c.Key {
	case Status, ExitCode:
		n, present := numberOf(c.Key, ev)
		return c.meetsNumber(n, present)
	case Is, As:
		is := func(err error, name string) bool { return r.is(err, name) }
		t := Test[error, string]{Presence: c.Presence, Any: c.Any, Not: c.Not, Equal: is}
		return t.Holds(ev.Err, ev.Err != nil)
	}
	v := textOfKey(c.Key, c.Name, ev)
	t := Test[string, string]{Presence: c.Presence, Any: c.Any, Not: c.Not, Prefix: c.Prefix, Equal: same[string],
		Text: func(v string) string { return v }}
	if c.Bounds != 0 {
		t.Within = func(v string) bool {
			n, err := strconv.ParseFloat(v, 64)
			return err == nil && strings.Trim(v, "0123456789.eE+-") == "" && !math.IsInf(n, 0) && c.within(n)
		}
	}
	return t.Holds(v, v != "")
}

func (c *Condition) meetsNumber(n int, present bool) bool {
	t := Test[int, int]{Presence: c.Presence, Any: c.AnyNumber, Not: c.NotNumber, Equal: same[int]}
	if c.Bounds != 0 {
		t.Within = func(n int) bool { return c.within(float64(n)) }
	}
	return t.Holds(n, present)
}

func same[T comparable](a, b T) bool { return a == b }

// Test is the test of one value, of evidence or of a field. Generated packages do not need it, but
// errgen decides `when` by it.
type Test[V, W any] struct {
	Presence Presence
	Any, Not []W
	Prefix   []string
	// Equal compares the value with one of Any or Not.
	Equal func(v V, w W) bool
	// Within tests the bounds of the value. Nil means that the test has none.
	Within func(v V) bool
	// Text returns the text that may begin with one of Prefix.
	Text func(v V) string
}

// Holds reports whether a value meets all parts of the test. An absent value meets only a test that
// consists of [Absent]. It does not meet Not.
func (t *Test[V, W]) Holds(v V, present bool) bool {
	if !present || t.Presence == Absent {
		return !present && t.Presence == Absent && t.Within == nil && len(t.Any)+len(t.Not)+len(t.Prefix) == 0
	}
	equal := func(w W) bool { return t.Equal(v, w) }
	return (len(t.Any) == 0 || slices.ContainsFunc(t.Any, equal)) && !slices.ContainsFunc(t.Not, equal) &&
		(t.Within == nil || t.Within(v)) && (len(t.Prefix) == 0 || hasPrefix(t.Text(v), t.Prefix))
}

func hasPrefix(text string, any []string) bool {
	return slices.ContainsFunc(any, func(prefix string) bool { return strings.HasPrefix(text, prefix) })
}

// numberOf returns the number of the evidence under a key.
func numberOf(k Key, ev *taxonomy.Evidence) (int, bool) {
	if k == Status {
		return ev.Status, ev.Status != 0
	}
	return ev.ExitCode.Get()
}

// textOfKey returns the text of the evidence under a key. Signals and system errors are
// [Canonical].
func textOfKey(k Key, name string, ev *taxonomy.Evidence) string {
	switch k {
	case Source:
		return ev.Source
	case Op:
		return ev.Op
	case Type:
		return ev.Type
	case Code:
		return ev.Code
	case Signal:
		return Canonical(ev.Signal)
	case Errno:
		return Canonical(ev.Errno)
	case Attribute:
		return ev.Attributes[name]
	}
	return ""
}

func (c *Condition) within(n float64) bool {
	return (c.Bounds&HasMin == 0 || n >= c.Min) && (c.Bounds&HasMax == 0 || n <= c.Max)
}

// is calls r.Is. It returns false if a method of an error panics, or if the tree of errors is
// infinite, because errors.Is would not return.
func (r *Rules) is(err error, name string) (yes bool) {
	if r.Is != nil {
		try(func() { yes = errtree.Ends(err) && r.Is(err, name) })
	}
	return yes
}

// Canonical returns the one name of a system error or a signal that has several: EAGAIN for
// EWOULDBLOCK, SIGABRT for SIGIOT. Any other text is returned unchanged.
func Canonical(name string) string {
	switch name {
	case "EWOULDBLOCK":
		return "EAGAIN"
	case "EDEADLOCK":
		return "EDEADLK"
	case "EFSCORRUPTED":
		return "EUCLEAN"
	case "ENOTSUP":
		return "EOPNOTSUPP"
	case "SIGIOT":
		return "SIGABRT"
	case "SIGPOLL":
		return "SIGIO"
	case "SIGCLD":
		return "SIGCHLD"
	}
	return name
}
