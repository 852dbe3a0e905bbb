package suggest

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// maxGroups bounds the groups, and with them the memory. What comes later and belongs to none
	// is only counted.
	maxGroups = 1000
	// maxVariants bounds the texts that are kept of a group, maxText their length in bytes.
	maxVariants = 5
	maxText     = 8 << 10
)

// Groups are entries by what they have in common.
type Groups struct {
	groups  map[groupKey]*group
	entries int
	// beyond are the entries that belong to no group because there are too many.
	beyond int
}

type groupKey struct {
	facts
	normal string // normalised text in small letters; "" where the facts tell
}

// group are entries that one rule should match.
type group struct {
	key      groupKey
	count    int
	seen     span
	variants map[string]*variant // by normalised text
	literals []string            // parts that each text so far holds, best first
}

// variant are the entries of a group with one normalised text.
type variant struct {
	normal  string
	count   int
	example taxonomy.Evidence // the first
}

// NewGroups returns no groups.
func NewGroups() *Groups { return &Groups{groups: make(map[groupKey]*group)} }

// Add adds an entry to the group that it belongs to.
func (g *Groups) Add(e detect.Entry) {
	g.entries++
	ev := e.Evidence
	ev.Text = taxonomy.Scrub(saidBy(&ev))
	ev.Text = strings.Clone(ev.Text[max(0, len(ev.Text)-maxText):]) // rules search the end of a text
	ev.Output, ev.Files, ev.Err = "", nil, nil
	normal := detect.Normalize(ev.Text)
	key := keyOf(&ev, normal)
	in := g.groups[key]
	if in == nil {
		if len(g.groups) >= maxGroups {
			g.beyond++
			return
		}
		in = &group{key: key, variants: make(map[string]*variant), literals: candidates(ev.Text)}
		g.groups[key] = in
	}
	in.add(&ev, normal)
	in.seen.add(e.Time)
}

func saidBy(ev *taxonomy.Evidence) string {
	if ev.Text == "" && ev.Err != nil {
		return ev.Err.Error()
	}
	return ev.Text
}

// keyOf says which group evidence belongs to: that of its facts where they tell what failed, else
// that of its text, and where there is none that of the facts that tell least.
func keyOf(ev *taxonomy.Evidence, normal string) groupKey {
	f := factsOf(ev)
	switch {
	case f.telling():
		return groupKey{facts: f.exactly()}
	case normal != "":
		return groupKey{facts: f.exactly(), normal: strings.ToLower(normal)}
	case f.hasExit:
		f.op = ""
	}
	return groupKey{facts: f}
}

func (g *group) add(ev *taxonomy.Evidence, normal string) {
	g.count++
	g.literals = slices.DeleteFunc(g.literals, func(literal string) bool { return !contains(ev.Text, literal) })
	v := g.variants[normal]
	if v == nil {
		if len(g.variants) >= maxVariants {
			return
		}
		v = &variant{normal: normal, example: *ev}
		g.variants[normal] = v
	}
	v.count++
}

// sorted returns the variants, the most frequent first.
func (g *group) sorted() []*variant {
	return slices.SortedFunc(maps.Values(g.variants), func(a, b *variant) int {
		return cmp.Or(cmp.Compare(b.count, a.count), strings.Compare(a.normal, b.normal))
	})
}

// sorted returns the groups of at least so many entries, the largest first.
func (g *Groups) sorted(least int) (groups []*group, entries int) {
	for _, one := range g.groups {
		if one.count >= least {
			groups = append(groups, one)
			entries += one.count
		}
	}
	slices.SortFunc(groups, func(a, b *group) int {
		return cmp.Or(cmp.Compare(b.count, a.count), a.key.compare(b.key))
	})
	return groups, entries
}

func (k groupKey) compare(other groupKey) int {
	has := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	return cmp.Or(
		strings.Compare(k.source, other.source), cmp.Compare(k.status, other.status),
		strings.Compare(k.kind, other.kind),
		strings.Compare(k.code, other.code), strings.Compare(k.errno, other.errno),
		strings.Compare(k.signal, other.signal),
		cmp.Compare(has(k.hasExit), has(other.hasExit)), cmp.Compare(k.exit, other.exit),
		strings.Compare(k.op, other.op),
		strings.Compare(k.normal, other.normal),
	)
}
