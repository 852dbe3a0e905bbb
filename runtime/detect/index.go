package detect

import (
	"cmp"
	"iter"
	"slices"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// index finds the rules that evidence may meet by the values that the rules list, so that the time
// does not grow with the number of rules. It identifies a rule by its rank. The engine finds the
// rules on text; the index has only their best ranks.
type index struct {
	owner *Rules
	rules []rankedRule
	rank  []uint16 // of each rule in [Rules.Rules]

	statuses [][]uint16 // ranks by status
	keys     []keyIndex
	rest     []uint16 // the ranks of rules that list no values

	anyText   int            // the best rank of a rule on text that does not list sources
	textRanks map[string]int // the best ranks of rules on text, by listed source
	// testsStatus reports whether a rule tests the status. Only then is a status read in texts.
	testsStatus bool
}

// rankedRule is the rule of a rank.
type rankedRule struct {
	rule   int
	source string // the only source of the rule, or ""
	// conditions are those that neither source nor the place of the rule in the index implies.
	conditions []Condition
}

// keyIndex has the rules that are found by the value of one key.
type keyIndex struct {
	key   Key
	name  string
	best  int
	ranks map[string][]uint16
}

// textRank returns the best rank of a rule on text for a source.
func (x *index) textRank(source string) int {
	if rank, ok := x.textRanks[source]; ok {
		return min(rank, x.anyText)
	}
	return x.anyText
}

// find returns the best rank of the rules that the evidence meets, or noRank.
func (x *index) find(ev *taxonomy.Evidence) int {
	best := noRank
	if i := uint(ev.Status); i < uint(len(x.statuses)) {
		best = x.first(x.statuses[i], ev, best)
	}
	for i := range x.keys {
		k := &x.keys[i]
		if k.best >= best {
			continue
		}
		if v := textOfKey(k.key, k.name, ev); v != "" {
			best = x.first(k.ranks[v], ev, best)
		}
	}
	if len(x.rest) > 0 {
		best = x.first(x.rest, ev, best)
	}
	return best
}

// first returns the first rank of a list whose rule the evidence meets, if it is better than best.
func (x *index) first(ranks []uint16, ev *taxonomy.Evidence, best int) int {
	for _, rank := range ranks {
		if int(rank) >= best {
			break
		}
		r := &x.rules[rank]
		if (r.source == "" || r.source == ev.Source) && (len(r.conditions) == 0 || x.owner.holds(r.conditions, ev)) {
			return int(rank)
		}
	}
	return best
}

// newIndex returns the index of rules. The rank of a rule is its place in [Rules.Rules]. If derived
// is true, it is the rank for evidence whose status was read in the text.
func newIndex(r *Rules, derived bool) *index {
	x := &index{owner: r, rules: make([]rankedRule, len(r.Rules)), rank: make([]uint16, len(r.Rules)),
		anyText: noRank, textRanks: map[string]int{}}
	order := make([]int, len(r.Rules))
	for i := range order {
		order[i] = i
	}
	if derived {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(r.Rules[a].Derived, r.Rules[b].Derived) })
	}
	for rank, rule := range order {
		x.rank[rule] = uint16(rank)
		x.add(rank, rule)
	}
	return x
}

// selective are the keys that the index uses, the most selective one first: few rules are likely to
// share its values.
var selective = [...]Key{Code, Type, Status, Errno, Signal, Attribute, Op, Source}

// add adds the rule of a rank under one key. Ranks are added in their order.
func (x *index) add(rank, rule int) {
	r, ranked := &x.owner.Rules[rule], &x.rules[rank]
	ranked.rule, ranked.conditions = rule, r.Conditions
	for i := range r.Conditions {
		x.testsStatus = x.testsStatus || r.Conditions[i].Key == Status
	}
	if r.onText() {
		x.addText(r, rank)
		return
	}
	for _, k := range selective {
		i := listed(ranked.conditions, k)
		if i < 0 {
			continue
		}
		c := &ranked.conditions[i]
		ranked.conditions = slices.Concat(ranked.conditions[:i], ranked.conditions[i+1:])
		x.addValues(c, rank)
		if i := listed(ranked.conditions, Source); i >= 0 && len(ranked.conditions[i].Any) == 1 {
			ranked.source = ranked.conditions[i].Any[0]
			ranked.conditions = slices.Delete(ranked.conditions, i, i+1)
		}
		return
	}
	x.rest = append(x.rest, uint16(rank))
}

// listed returns the place of a condition on a key whose values can be listed, or -1.
func listed(conditions []Condition, k Key) int {
	return slices.IndexFunc(conditions, func(c Condition) bool { return c.Key == k && c.listable() })
}

// addText notes the rank of a rule on text under its sources.
func (x *index) addText(r *Rule, rank int) {
	i := listed(r.Conditions, Source)
	if i < 0 {
		x.anyText = min(x.anyText, rank)
		return
	}
	for _, source := range r.Conditions[i].Any {
		if _, known := x.textRanks[source]; !known {
			x.textRanks[source] = rank
		}
	}
}

// addValues adds a rule under the values that meet its condition.
func (x *index) addValues(c *Condition, rank int) {
	if c.Key == Status {
		for _, status := range c.statuses() {
			for len(x.statuses) <= status {
				x.statuses = append(x.statuses, nil)
			}
			x.statuses[status] = append(x.statuses[status], uint16(rank))
		}
		return
	}
	i := slices.IndexFunc(x.keys, func(k keyIndex) bool { return k.key == c.Key && k.name == c.Name })
	if i < 0 {
		i = len(x.keys)
		x.keys = append(x.keys, keyIndex{key: c.Key, name: c.Name, best: rank, ranks: map[string][]uint16{}})
	}
	for _, v := range c.Any {
		x.keys[i].ranks[v] = append(x.keys[i].ranks[v], uint16(rank))
	}
}

// onText reports whether the rule searches texts.
func (r *Rule) onText() bool {
	return len(r.Text)+len(r.Contains)+len(r.LikeText)+len(r.LikeContains) > 0
}

// groups returns the lists of patterns. The text must contain one pattern of each list.
func (r *Rule) groups() iter.Seq[[]uint16] {
	return slices.Values([][]uint16{r.Text, r.Contains, r.LikeText, r.LikeContains})
}

// listable reports whether all values that meet a condition can be listed.
func (c *Condition) listable() bool {
	if c.Key == Status {
		return len(c.statuses()) > 0
	}
	return len(c.Any) > 0 && len(c.Not) == 0 && len(c.Prefix) == 0 && c.Bounds == 0 && c.Presence != Absent
}

// statuses returns all statuses that meet a condition. It returns nil if the condition has neither
// numbers nor both bounds, or permits a status outside 1 to 1023.
func (c *Condition) statuses() (all []int) {
	const most = 1023
	least, greatest := c.Min, c.Max
	if len(c.AnyNumber) > 0 {
		least, greatest = float64(slices.Min(c.AnyNumber)), float64(slices.Max(c.AnyNumber))
	} else if c.Bounds != HasMin|HasMax {
		return nil
	}
	if c.Presence == Absent || least < 1 || greatest > most {
		return nil
	}
	for n := int(least); n <= int(greatest); n++ {
		if c.meetsNumber(n, true) {
			all = append(all, n)
		}
	}
	return all
}
