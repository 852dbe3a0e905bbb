package suggest

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// maxGroups limits the groups, and with them the memory. Further entries are only counted.
	maxGroups = 1000
	// maxVariants limits the texts that are kept of a group, maxText their length in bytes.
	maxVariants = 5
	maxText     = 8 << 10
)

// Groups are entries by what they have in common.
type Groups struct {
	byKey   map[groupKey]*group
	groups  []*group // in the order of their first entries
	entries int
	// excess are the entries without a group because there are too many groups.
	excess int
}

type groupKey struct {
	facts
	normal string // normalised text in lower case; "" if the facts are specific
}

// group has the entries that one rule should match.
type group struct {
	key         groupKey
	count       int
	first, last time.Time // zero if no entry has a time
	variants    []*variant
	literals    []string // that every text contains, best first
}

// variant has the entries of a group with one normalised text.
type variant struct {
	normal  string
	count   int
	example taxonomy.Evidence // the first
}

// NewGroups returns an empty set of groups.
func NewGroups() *Groups { return &Groups{byKey: make(map[groupKey]*group)} }

// Add adds an entry to its group.
func (g *Groups) Add(e detect.Entry) {
	g.entries++
	ev := e.Evidence
	if ev.Text == "" && ev.Err != nil {
		ev.Text = ev.Err.Error()
	}
	text := taxonomy.Redact(ev.Text)
	ev.Text = strings.Clone(text[max(0, len(text)-maxText):]) // rules search the end of a text
	ev.Output, ev.Files, ev.Err = "", nil, nil
	normal := detect.Normalize(ev.Text)
	key := keyOf(&ev, normal)
	in := g.byKey[key]
	if in == nil {
		if len(g.groups) >= maxGroups {
			g.excess++
			return
		}
		in = &group{key: key, literals: candidates(ev.Text), first: e.Time}
		g.byKey[key] = in
		g.groups = append(g.groups, in)
	}
	in.add(&ev, normal, e.Time)
}

// keyOf returns the group of evidence: by its facts if these are specific, otherwise by its text,
// or if it has none by its exit code or operation.
func keyOf(ev *taxonomy.Evidence, normal string) groupKey {
	f := factsOf(ev)
	k := groupKey{facts: f}
	switch {
	case f.specific() || normal != "":
		k.exit, k.op = "", ""
		if !f.specific() {
			k.normal = strings.ToLower(normal)
		}
	case f.exit != "":
		k.op = ""
	}
	return k
}

func (g *group) add(ev *taxonomy.Evidence, normal string, at time.Time) {
	g.count++
	if !at.IsZero() {
		if g.first.IsZero() || at.Before(g.first) {
			g.first = at
		}
		if at.After(g.last) {
			g.last = at
		}
	}
	g.literals = slices.DeleteFunc(g.literals, func(literal string) bool { return !contains(ev.Text, literal) })
	i := slices.IndexFunc(g.variants, func(v *variant) bool { return v.normal == normal })
	if i < 0 {
		if i = len(g.variants); i >= maxVariants {
			return
		}
		g.variants = append(g.variants, &variant{normal: normal, example: *ev})
	}
	g.variants[i].count++
}

// sorted returns the variants, the most frequent first.
func (g *group) sorted() []*variant {
	return slices.SortedStableFunc(slices.Values(g.variants), func(a, b *variant) int {
		return cmp.Compare(b.count, a.count)
	})
}

const (
	// minLiteral and maxLiteral limit the length of a text that a rule searches for. Shorter ones
	// are found anywhere.
	minLiteral = 3
	maxLiteral = 80
	// head is the part of a text that is searched for literals first, because it says what failed.
	// The rest is searched if head has no literal of enough bytes.
	head   = 400
	enough = 8
	// maxCandidates limits the literals that are kept for a group.
	maxCandidates = 32
)

// candidates returns the parts of a text that do not change from one failure to the next, and their
// words, the longest first.
func candidates(text string) []string {
	literals := detect.Literals(text[:min(len(text), head)])
	if !slices.ContainsFunc(literals, func(s string) bool { return len(s) >= enough }) {
		literals = detect.Literals(text)
	}
	var all []string
	for _, literal := range literals {
		all = append(all, atMost(literal, maxLiteral))
	}
	for _, literal := range literals {
		all = append(all, strings.Fields(literal)...)
	}
	all = slices.DeleteFunc(
		all, func(s string) bool { return len(s) < minLiteral || len(s) > maxLiteral || hidesSecret(s) })
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return all[:min(len(all), maxCandidates)]
}

// atMost returns the first words of s that fit.
func atMost(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if i := strings.LastIndexByte(s[:n+1], ' '); i > 0 {
		return s[:i]
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// contains reports whether a rule that searches for literal finds it.
func contains(text, literal string) bool {
	return strings.Contains(text, literal) ||
		regexp.MustCompile("(?i)"+regexp.QuoteMeta(literal)).MatchString(text)
}
