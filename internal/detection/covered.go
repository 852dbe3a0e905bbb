package detection

import (
	"slices"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/detect"
)

// Covered returns, for each rule of m that an earlier one covers, the first that does. A rule
// covers another when each of its conditions follows from one of the other's, what it searches
// texts for is the same or within what the other does, and it ranks before the other whether or not
// the status was read out of the text. Regular expressions that are no plain literals cover only
// themselves. A pair of rules with very long lists is not decided, and counts as not covered.
func Covered(m *model.Package) map[*model.Rule]*model.Rule {
	ranked := Ranked(m)
	c := newCoverage(ranked, derivedRanks(m))
	out := make(map[*model.Rule]*model.Rule)
	for i, r := range ranked {
		if by := c.firstOver(i); by >= 0 {
			out[r] = ranked[by]
			continue // what it covers, the other one covers
		}
		c.add(i)
	}
	return out
}

// coverage finds the rules that can cover another one without trying them all: a rule that asks for
// certain values can only cover rules that ask for one of these, and one with a range only those
// that stay in it.
type coverage struct {
	ranked   []*model.Rule
	derived  []int // by rank: the rank where the status was read out of the text
	searched []searched
	common   map[trait]int
	byTrait  map[trait][]int // ranks, ascending
	ranges   map[subject]*ranges
	any      []int // rules without conditions
	size     []int
	work     int // how much may still be compared
}

// trait is a value that a condition lists, or that a condition lists none.
type trait struct {
	key    detect.Key
	name   string
	listed bool
	text   string
	number int
	span   span // of one that lists none
}

func newCoverage(ranked []*model.Rule, derived map[*model.Rule]int) *coverage {
	c := &coverage{
		ranked: ranked, derived: make([]int, len(ranked)), searched: make([]searched, len(ranked)),
		size:   make([]int, len(ranked)),
		common: make(map[trait]int), byTrait: make(map[trait][]int), ranges: rangesOf(ranked), work: maxWork,
	}
	for i, r := range ranked {
		c.searched[i], c.size[i], c.derived[i] = searchedBy(r), size(r), derived[r]
		for j := range r.Conditions {
			for _, t := range traits(&r.Conditions[j]) {
				c.common[t]++
			}
		}
	}
	return c
}

// maxWork bounds how many values are compared in all: a hostile file must not hang.
const maxWork = 1 << 27

// traits are what a condition lists; one that lists nothing has one trait, with its range.
func traits(c *detect.Condition) []trait {
	var out []trait
	if c.Key != detect.Is && c.Key != detect.As { // these have several names
		for _, s := range c.Any {
			out = append(out, trait{key: c.Key, name: c.Name, listed: true, text: s})
		}
		for _, n := range c.AnyNumber {
			out = append(out, trait{key: c.Key, name: c.Name, listed: true, number: n})
		}
	}
	if len(out) == 0 {
		s, _ := spanOf(c)
		out = append(out, trait{key: c.Key, name: c.Name, span: s})
	}
	return out
}

// add makes a rule known under the traits of the condition that is rarest.
func (c *coverage) add(rank int) {
	var rarest []trait
	var asked *detect.Condition
	least := 0
	for i := range c.ranked[rank].Conditions {
		own := traits(&c.ranked[rank].Conditions[i])
		count := 0
		for _, t := range own {
			count += c.common[t]
		}
		if rarest == nil || count < least {
			rarest, least, asked = own, count, &c.ranked[rank].Conditions[i]
		}
	}
	if asked != nil {
		if s, ok := spanOf(asked); ok {
			c.ranges[subject{asked.Key, asked.Name}].add(rank, s)
			return
		}
	}
	for _, t := range rarest {
		c.byTrait[t] = append(c.byTrait[t], rank)
	}
	if rarest == nil {
		c.any = append(c.any, rank)
	}
}

// firstOver returns the first of the known rules that covers a rule, or -1.
func (c *coverage) firstOver(rank int) int {
	best := -1
	try := func(candidates ...int) {
		for _, i := range candidates {
			if best >= 0 && i >= best || c.work < 0 {
				return
			}
			if c.covers(i, rank) {
				best = i
				return
			}
		}
	}
	try(c.any...)
	for i := range c.ranked[rank].Conditions {
		asked := &c.ranked[rank].Conditions[i]
		for _, t := range askedOf(asked) {
			try(c.byTrait[t]...)
		}
		if asked.Presence != detect.Absent {
			c.ranges[subject{asked.Key, asked.Name}].holding(staysIn(asked), func(i int) { try(i) })
		}
	}
	return best
}

// askedOf returns traits of which a condition that follows from c has one: either it lists nothing,
// or it lists whatever meets c, of which one is enough. Conditions with a range are found by
// [ranges].
func askedOf(c *detect.Condition) []trait {
	out := []trait{{key: c.Key, name: c.Name}}
	if i := slices.IndexFunc(c.Any, func(s string) bool { return textMeets(c, s) }); i >= 0 {
		out = append(out, trait{key: c.Key, name: c.Name, listed: true, text: c.Any[i]})
	}
	if i := slices.IndexFunc(c.AnyNumber, func(n int) bool { return numberMeets(c, n) }); i >= 0 {
		out = append(out, trait{key: c.Key, name: c.Name, listed: true, number: c.AnyNumber[i]})
	}
	if len(c.AnyNumber) == 0 && c.Bounds&detect.HasMin != 0 {
		low, _ := limits(c)
		out = append(out, trait{key: c.Key, name: c.Name, listed: true, number: int(low)})
	}
	return out
}

func (c *coverage) covers(wide, narrow int) bool {
	if c.derived[wide] > c.derived[narrow] {
		return false
	}
	if c.work -= c.size[wide] * c.size[narrow]; c.work < 0 {
		return false
	}
	return meetsAll(c.ranked[narrow], c.ranked[wide]) && finds(&c.searched[narrow], &c.searched[wide])
}

// size is how many values a rule lists, and one.
func size(r *model.Rule) int {
	n := 1 + len(r.Text) + len(r.Contains)
	for i := range r.Conditions {
		c := &r.Conditions[i]
		n += len(c.Any) + len(c.Not) + len(c.Prefix) + len(c.AnyNumber) + len(c.NotNumber)
	}
	return n
}
