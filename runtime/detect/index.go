package detect

import (
	"cmp"
	"iter"
	"math/bits"
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
	bySize  [][]namedNode // by the length of a source's name, a hash table of nodes
	any     node          // the rules for every source
	// testsStatus reports whether a rule tests the status, so that one is read in texts.
	testsStatus bool
	// testsKeys reports whether a rule needs more than its place in the index.
	testsKeys bool
}

// rankedRule is the rule of a rank.
type rankedRule struct {
	rule int
	// conditions are those that the place of the rule in the index does not imply.
	conditions []Condition
	// needs are the keys that must have a value in the evidence.
	needs keySet
}

// keySet is a set of keys of evidence, a bit for each.
type keySet uint16

// keysOf returns the keys that have a value in the evidence.
func keysOf(ev *taxonomy.Evidence) keySet {
	hasErr := bit(ev.Err != nil)
	return bit(ev.Source != "")<<Source | bit(ev.Op != "")<<Op | bit(ev.Status != 0)<<Status |
		bit(ev.Type != "")<<Type | bit(ev.Code != "")<<Code | bit(!ev.ExitCode.IsZero())<<ExitCode |
		bit(ev.Signal != "")<<Signal | bit(ev.Errno != "")<<Errno | hasErr<<Is | hasErr<<As |
		bit(len(ev.Attributes) > 0)<<Attribute
}

// bit returns 1 for true. It compiles to no branch.
func bit(is bool) keySet {
	if is {
		return 1
	}
	return 0
}

func neededBy(conditions []Condition) (set keySet) {
	for i := range conditions {
		if conditions[i].Presence != Absent {
			set |= 1 << conditions[i].Key
		}
	}
	return set
}

func newNode() node { return node{best: noRank, text: noRank, others: noRank} }

// namedNode is a slot of a hash table. A free slot has no node.
type namedNode struct {
	name string
	node *node
}

// node has the rules for one source.
type node struct {
	best      int           // the best rank of a rule that is not on text
	statuses  []statusRanks // by status, from minStatus on
	minStatus int
	others    int // the best rank of a rule that is not found by a status
	keys      []keyed
	keySet    keySet  // of keys
	rest      []group // the rules that list no values
	text      int     // the best rank of a rule on text
}

// statusRanks are the ranks of the rules for a status.
type statusRanks struct {
	ranks []uint16
	// sure reports that evidence with the status meets the first rule.
	sure bool
}

// group has the rules that need the same keys.
type group struct {
	needs keySet
	ranks []uint16
}

// keyed has the rules that are found by the value of one key.
type keyed struct {
	key   Key
	name  string
	best  int
	ranks map[string][]uint16
}

// source returns the rules for a source, or nil.
func (x *index) source(name string) *node {
	if len(name) >= len(x.bySize) {
		return nil
	}
	slots := x.bySize[len(name)]
	if len(slots) == 0 {
		return nil
	}
	for i := placeOf(name); ; i++ {
		if s := &slots[i&uint32(len(slots)-1)]; s.node == nil || s.name == name {
			return s.node
		}
	}
}

// placeOf returns a hash of a name. Names of one length rarely have the same.
func placeOf(name string) uint32 {
	if len(name) < 8 {
		return (uint32(name[0]) | uint32(name[len(name)/2])<<8 | uint32(name[len(name)-1])<<16) * gramMul >> 16
	}
	return uint32((word64(name) ^ word64(name[len(name)-8:])<<1) * 0x9E3779B97F4A7C15 >> 40)
}

// place adds the nodes of the sources to the hash tables.
func (x *index) place() {
	count := map[int]int{}
	for name := range x.sources {
		count[len(name)]++
	}
	for name, n := range x.sources {
		for len(x.bySize) <= len(name) {
			x.bySize = append(x.bySize, nil)
		}
		if x.bySize[len(name)] == nil {
			x.bySize[len(name)] = make([]namedNode, 1<<bits.Len(uint(2*count[len(name)])))
		}
		slots := x.bySize[len(name)]
		i := placeOf(name)
		for slots[i&uint32(len(slots)-1)].node != nil {
			i++
		}
		slots[i&uint32(len(slots)-1)] = namedNode{name, n}
	}
}

// find returns the best rank of the rules of a node that the evidence meets, if it is better than
// best.
func (x *index) find(n *node, ev *taxonomy.Evidence, has keySet, best int) int {
	if i := uint(ev.Status - n.minStatus); i < uint(len(n.statuses)) {
		if s := &n.statuses[i]; s.sure {
			best = min(best, int(s.ranks[0]))
		} else {
			best = x.first(s.ranks, ev, has, best)
		}
	}
	if best <= n.others {
		return best
	}
	for i := range n.keys {
		if has&n.keySet == 0 {
			break
		}
		k := &n.keys[i]
		if k.best >= best || has>>k.key&1 == 0 {
			continue
		}
		if v := textOfKey(k.key, k.name, ev); v != "" {
			best = x.first(k.ranks[v], ev, has, best)
		}
	}
	for i := range n.rest {
		if g := &n.rest[i]; g.needs&^has == 0 && int(g.ranks[0]) < best {
			best = x.first(g.ranks, ev, has, best)
		}
	}
	return best
}

// first returns the first rank of a list whose rule the evidence meets, if it is better than best.
func (x *index) first(ranks []uint16, ev *taxonomy.Evidence, has keySet, best int) int {
	for _, rank := range ranks {
		if int(rank) >= best {
			break
		}
		r := &x.rules[rank]
		if r.needs&^has == 0 && (len(r.conditions) == 0 || x.owner.holds(r.conditions, ev)) {
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
	x.place()
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
		x.rules[rank] = rankedRule{rule, conditions, neededBy(conditions)}
		x.testsKeys = x.testsKeys || k != Status || len(conditions) > 0
		for _, n := range nodes {
			n.add(&c, rank, len(conditions) == 0)
		}
		return
	}
	x.rules[rank] = rankedRule{rule, conditions, neededBy(conditions)}
	x.testsKeys = x.testsKeys || len(conditions) > 0
	for _, n := range nodes {
		n.others = min(n.others, rank)
		i := slices.IndexFunc(n.rest, func(g group) bool { return g.needs == x.rules[rank].needs })
		if i < 0 {
			i = len(n.rest)
			n.rest = append(n.rest, group{needs: x.rules[rank].needs})
		}
		n.rest[i].ranks = append(n.rest[i].ranks, uint16(rank))
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
func (c *Condition) statuses() []int {
	const most = 1023
	candidates := slices.Clone(c.AnyNumber)
	if len(candidates) == 0 {
		if c.Bounds != HasMin|HasMax || c.Min < 1 || c.Max > most {
			return nil
		}
		for n := int(c.Min); float64(n) <= c.Max; n++ {
			candidates = append(candidates, n)
		}
	}
	slices.Sort(candidates)
	candidates = slices.DeleteFunc(slices.Compact(candidates), func(n int) bool { return n == 0 || !c.meetsNumber(n) })
	if c.Presence == Absent || len(candidates) > 0 && (candidates[0] < 1 || candidates[len(candidates)-1] > most) {
		return nil
	}
	return candidates
}

// add adds a rule under the values that meet its condition. sure reports that it has no other
// condition.
func (n *node) add(c *Condition, rank int, sure bool) {
	if c.Key == Status {
		n.addStatuses(c.statuses(), rank, sure)
		return
	}
	n.others = min(n.others, rank)
	i := slices.IndexFunc(n.keys, func(k keyed) bool { return k.key == c.Key && k.name == c.Name })
	if i < 0 {
		i = len(n.keys)
		n.keySet |= 1 << c.Key
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
func (n *node) addStatuses(statuses []int, rank int, sure bool) {
	least, most := statuses[0], statuses[len(statuses)-1]
	if len(n.statuses) == 0 {
		n.minStatus = least
	}
	if more := n.minStatus - least; more > 0 {
		n.statuses, n.minStatus = append(make([]statusRanks, more), n.statuses...), least
	}
	if more := most + 1 - n.minStatus - len(n.statuses); more > 0 {
		n.statuses = append(n.statuses, make([]statusRanks, more)...)
	}
	for _, status := range statuses {
		s := &n.statuses[status-n.minStatus]
		s.sure = s.sure || sure && s.ranks == nil
		s.ranks = append(s.ranks, uint16(rank))
	}
}
