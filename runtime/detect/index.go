package detect

import (
	"cmp"
	"iter"
	"slices"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// index finds the rules that evidence may meet by the values that they list, so that the time does
// not grow with the number of rules. It names rules by their rank. It has no rules on text: the
// engine finds them.
type index struct {
	owner   *Rules
	rules   []rankedRule
	rank    []uint16 // of each rule in [Rules.Rules]
	sources map[string]*node
	few     []namedNode // the sources, if they are a few
	any     node        // the rules for every source
	// testsStatus reports whether a rule tests the status, so that one is read in texts.
	testsStatus bool
}

// rankedRule is the rule of a rank.
type rankedRule struct {
	rule int
	// conditions are those that the place of the rule in the index does not imply.
	conditions []Condition
}

// node has the rules for one source.
type node struct {
	best      int        // the best rank of a rule that is not on text
	statuses  [][]uint16 // ranks by status, from minStatus on
	minStatus int
	others    int // the best rank of a rule that is not found by a status
	keys      []keyed
	rest      []uint16 // the ranks of rules that list no values
	text      int      // the best rank of a rule on text
}

type namedNode struct {
	name string
	node *node
}

// keyed has the rules that are found by the value of one key.
type keyed struct {
	key   Key
	name  string
	best  int
	ranks map[string][]uint16
}

// maxFew is how many sources are a few.
const maxFew = 12

func newNode() node { return node{best: noRank, text: noRank, others: noRank} }

// source returns the rules for a source, or nil. A few names are faster to compare than to hash.
func (x *index) source(name string) *node {
	for i := range x.few {
		if x.few[i].name == name {
			return x.few[i].node
		}
	}
	if x.few != nil {
		return nil
	}
	return x.sources[name]
}

// find returns the best rank of the rules of a node that the evidence meets, if it is better than
// best.
func (x *index) find(n *node, ev *taxonomy.Evidence, best int) int {
	if best <= n.best {
		return best
	}
	if i := uint(ev.Status - n.minStatus); i < uint(len(n.statuses)) {
		best = x.first(n.statuses[i], ev, best)
	}
	if best <= n.others {
		return best
	}
	for i := range n.keys {
		k := &n.keys[i]
		if k.best >= best {
			continue
		}
		if v := textOfKey(k.key, k.name, ev); v != "" {
			best = x.first(k.ranks[v], ev, best)
		}
	}
	return x.first(n.rest, ev, best)
}

// first returns the first rank of a list whose rule the evidence meets, if it is better than best.
func (x *index) first(ranks []uint16, ev *taxonomy.Evidence, best int) int {
	for _, rank := range ranks {
		if int(rank) >= best {
			break
		}
		if c := x.rules[rank].conditions; len(c) == 0 || x.owner.holds(c, ev) {
			return int(rank)
		}
	}
	return best
}

// newIndex returns the index of rules by their places in [Rules.Rules].
func newIndex(r *Rules) *index { return indexOf(r, func(a, b int) int { return a - b }) }

// newDerivedIndex returns the index of rules by their ranks for a status that was read in the text.
func newDerivedIndex(r *Rules) *index {
	return indexOf(r, func(a, b int) int {
		return cmp.Or(cmp.Compare(r.Rules[a].Derived, r.Rules[b].Derived), a-b)
	})
}

// indexOf returns the index of rules in an order.
func indexOf(r *Rules, compare func(a, b int) int) *index {
	x := &index{owner: r, rules: make([]rankedRule, len(r.Rules)), rank: make([]uint16, len(r.Rules)),
		sources: map[string]*node{}, any: newNode()}
	order := make([]int, len(r.Rules))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, compare)
	for rank, rule := range order {
		x.rank[rule] = uint16(rank)
		x.add(rank, rule)
	}
	for name, n := range x.sources {
		if len(x.sources) <= maxFew {
			x.few = append(x.few, namedNode{name, n})
		}
	}
	return x
}

// add adds the rule of a rank under its sources, and there under one key.
func (x *index) add(rank, rule int) {
	r := &x.owner.Rules[rule]
	conditions := slices.Clone(r.Conditions)
	nodes := []*node{&x.any}
	x.testsStatus = x.testsStatus || slices.ContainsFunc(conditions, func(c Condition) bool { return c.Key == Status })
	if i := slices.IndexFunc(conditions, func(c Condition) bool { return c.Key == Source && c.onlyListed() }); i >= 0 {
		nodes = x.nodesOf(conditions[i].Any)
		conditions = slices.Delete(conditions, i, i+1)
	}
	if r.onText() {
		for _, n := range nodes {
			n.text = min(n.text, rank)
		}
		x.rules[rank] = rankedRule{rule: rule, conditions: r.Conditions}
		return
	}
	for _, n := range nodes {
		n.best = min(n.best, rank)
	}
	// A rule is under the key whose values are likely to be shared with the fewest rules.
	for _, k := range [...]Key{Code, Type, Status, Errno, Signal, Attribute, Op} {
		i := slices.IndexFunc(conditions, func(c Condition) bool { return c.Key == k && c.listable() })
		if i < 0 {
			continue
		}
		c := conditions[i]
		conditions = slices.Delete(conditions, i, i+1)
		x.rules[rank] = rankedRule{rule, conditions}
		for _, n := range nodes {
			n.add(&c, rank)
		}
		return
	}
	x.rules[rank] = rankedRule{rule, conditions}
	for _, n := range nodes {
		n.others = min(n.others, rank)
		n.rest = append(n.rest, uint16(rank))
	}
}

// nodesOf returns the nodes of sources.
func (x *index) nodesOf(sources []string) []*node {
	var nodes []*node
	for _, name := range sources {
		if name == "" {
			continue
		}
		n := x.sources[name]
		if n == nil {
			n = new(newNode())
			x.sources[name] = n
		}
		if !slices.Contains(nodes, n) {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// onText reports whether the rule searches texts.
func (r *Rule) onText() bool {
	return len(r.Text)+len(r.Contains)+len(r.LikeText)+len(r.LikeContains) > 0
}

// groups returns the lists of patterns. The text must contain one pattern of each list.
func (r *Rule) groups() iter.Seq[[]uint16] {
	return slices.Values([][]uint16{r.Text, r.Contains, r.LikeText, r.LikeContains})
}

// onlyListed reports whether a condition tests only whether a text is one of a list.
func (c *Condition) onlyListed() bool {
	return len(c.Any) > 0 && len(c.Not) == 0 && len(c.Prefix) == 0 && c.Bounds == 0 && c.Presence != Absent
}

// listable reports whether all values that meet a condition can be listed.
func (c *Condition) listable() bool {
	if c.Key == Status {
		return len(c.statuses()) > 0
	}
	return c.onlyListed()
}

// statuses returns all statuses that meet a condition, or nil if they are not a few that servers
// send.
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
		if c.meetsNumber(n) {
			all = append(all, n)
		}
	}
	return all
}

// add adds a rule under the values that meet its condition.
func (n *node) add(c *Condition, rank int) {
	if c.Key == Status {
		n.addStatuses(c.statuses(), rank)
		return
	}
	n.others = min(n.others, rank)
	i := slices.IndexFunc(n.keys, func(k keyed) bool { return k.key == c.Key && k.name == c.Name })
	if i < 0 {
		i = len(n.keys)
		n.keys = append(n.keys, keyed{key: c.Key, name: c.Name, best: rank, ranks: map[string][]uint16{}})
	}
	ranks := n.keys[i].ranks
	for _, v := range c.Any {
		v = c.canonical(v)
		if list := ranks[v]; len(list) == 0 || list[len(list)-1] != uint16(rank) {
			ranks[v] = append(list, uint16(rank))
		}
	}
}

// addStatuses adds a rule under sorted statuses.
func (n *node) addStatuses(statuses []int, rank int) {
	least, most := statuses[0], statuses[len(statuses)-1]
	if len(n.statuses) == 0 {
		n.minStatus = least
	}
	if more := n.minStatus - least; more > 0 {
		n.statuses, n.minStatus = append(make([][]uint16, more), n.statuses...), least
	}
	if more := most + 1 - n.minStatus - len(n.statuses); more > 0 {
		n.statuses = append(n.statuses, make([][]uint16, more)...)
	}
	for _, status := range statuses {
		n.statuses[status-n.minStatus] = append(n.statuses[status-n.minStatus], uint16(rank))
	}
}
