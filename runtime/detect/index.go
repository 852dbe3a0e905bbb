package detect

import (
	"math"
	"math/bits"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// noRank is behind every rank.
const noRank = math.MaxInt

// index finds the rules that evidence may meet by what they require exactly, so that the time does
// not grow with their number. It names rules by rank. Rules on text are not in its lists: the
// engine finds them.
type index struct {
	owner   *Rules
	rules   []ranked
	rank    []uint16 // of each rule in [Rules.Rules]
	sources sources
	table   table
	nodes   []node // the first is for rules that require no source, the others for one source each
	every   *node  // the first node
	lists   []uint16
	// asksStatus reports whether any rule asks for a status, so that looking for one in a text is
	// worth its time.
	asksStatus bool
	// certain reports that there are lists which are final.
	certain bool
}

// ranked is a rule at its rank.
type ranked struct {
	rule  int
	needs parts // what must be present
	// remain are the conditions that the way to the rule in the index does not show.
	remain []Condition
}

// node is what rules ask of one source.
type node struct {
	id       uint32
	statuses statuses
	keys     parts       // the other keys by which rules can be found
	names    []attribute // the attributes by which rules can be found
	other    int         // the best rank of a rule that is found in another way than by status
	rest     list        // the rules that can only be tried
	first    int         // the best rank of a rule without text
	unless   parts       // the parts of which evidence has one if any rule but those by status can match
	text     int         // the best rank of a rule on text
}

// attribute is the name of an attribute, and the kind of its values.
type attribute struct {
	name string
	kind uint32
}

// source returns the node of the evidence's source; without one of its own, that for all.
func (x *index) source(q *query) *node {
	if q.source == "" {
		return x.every
	}
	return &x.nodes[x.sources.find(q.source)]
}

// bestText returns the best rank that a rule on text can have; n is the source's node.
func (x *index) bestText(n *node) int { return min(n.text, x.every.text) }

// under returns the best rank of the rules under a node, if it is better than best.
func (x *index) under(n *node, ev *taxonomy.Evidence, q *query, best int) int {
	if l := n.statuses.find(q.status); l != nil && l.to != 0 {
		best = x.among(l, ev, q, best)
	}
	if n.other >= best {
		return best
	}
	for keys := n.keys; keys != 0; keys &= keys - 1 {
		if e := x.value(n.id, Key(bits.TrailingZeros16(uint16(keys))), ev, q); e != nil {
			best = x.among(&e.ranks, ev, q, best)
		}
	}
	if len(n.names) > 0 && len(ev.Attributes) > 0 {
		best = x.underAttributes(n, ev, q, best)
	}
	if n.rest.to == 0 {
		return best
	}
	return x.among(&n.rest, ev, q, best)
}

// value returns the entry of the evidence's value under a key, or nil.
func (x *index) value(id uint32, k Key, ev *taxonomy.Evidence, q *query) *entry {
	s := scopeOf(id, uint32(k))
	if k == ExitCode {
		if n, ok := ev.ExitCode.Get(); ok {
			return x.table.find(s, "", n)
		}
		return nil
	}
	if v := q.value(k, ev); v != "" {
		return x.table.find(s, v, 0)
	}
	return nil
}

// underAttributes goes through the attributes that rules name or those of the evidence, whichever
// are fewer.
func (x *index) underAttributes(n *node, ev *taxonomy.Evidence, q *query, best int) int {
	if len(n.names) <= len(ev.Attributes) {
		for i := range n.names {
			best = x.attribute(n, n.names[i].kind, ev.Attributes[n.names[i].name], ev, q, best)
		}
		return best
	}
	for name, v := range ev.Attributes {
		if e := x.table.find(ofAttributes, name, 0); e != nil {
			best = x.attribute(n, e.kind, v, ev, q, best)
		}
	}
	return best
}

func (x *index) attribute(n *node, kind uint32, v string, ev *taxonomy.Evidence, q *query, best int) int {
	if v == "" {
		return best
	}
	e := x.table.find(scopeOf(n.id, kind), v, 0)
	if e == nil {
		return best
	}
	return x.among(&e.ranks, ev, q, best)
}

// among returns the first rank of a list whose rule the evidence meets, if it is better than best.
func (x *index) among(l *list, ev *taxonomy.Evidence, q *query, best int) int {
	switch {
	case int(l.first) >= best:
		return best
	case l.sure:
		return int(l.first)
	}
	return x.try(l, ev, q, best)
}

func (x *index) try(l *list, ev *taxonomy.Evidence, q *query, best int) int {
	for _, n := range x.lists[l.from:l.to] {
		rank := int(n)
		if rank >= best {
			return best
		}
		if rule := &x.rules[rank]; rule.needs&^q.parts(ev) == 0 && x.owner.holds(rule.remain, ev, q) {
			return rank
		}
	}
	return best
}
