package detect

import (
	"maps"
	"slices"
)

// maxEntries bounds how many values an index lists in all; rules beyond that are tried one by one.
const maxEntries = 1 << 16

// builder makes an index.
type builder struct {
	r       *Rules
	x       *index
	names   []string          // of sources
	sources map[string]uint32 // nodes
	kinds   map[string]uint32 // of attributes
	drafts  []draft           // by rank
	uses    map[value]int
	ranks   map[value][]uint16
	order   []value            // of ranks
	rivals  [][]uint16         // by node
	rest    [][]uint16         // by node
	status  []map[int][]uint16 // by node
	entries int
}

// draft is a rule on its way into the index.
type draft struct {
	rule   *Rule
	source *Condition // the condition that nodes stand for, or nil
	nodes  []uint32
	keys   []key
}

// value is a value under a scope.
type value struct {
	scope  scope
	text   string
	number int
}

// newIndex makes the index of rules in the given order: the rule of each rank.
func newIndex(r *Rules, order []int) *index {
	b := &builder{
		r:       r,
		x:       &index{owner: r, rules: make([]ranked, len(order)), rank: make([]uint16, len(order))},
		sources: map[string]uint32{},
		kinds:   map[string]uint32{},
		drafts:  make([]draft, len(order)),
		uses:    map[value]int{},
		ranks:   map[value][]uint16{},
	}
	b.node()
	for rank, rule := range order {
		b.draft(rank, rule)
	}
	for rank := range b.drafts {
		b.place(rank)
	}
	b.finish()
	return b.x
}

// node adds a node and returns its id.
func (b *builder) node() uint32 {
	id := uint32(len(b.x.nodes))
	b.x.nodes = append(b.x.nodes, node{id: id, first: noRank, text: noRank, other: noRank})
	b.rest = append(b.rest, nil)
	b.rivals = append(b.rivals, nil)
	b.status = append(b.status, map[int][]uint16{})
	return id
}

// draft takes up a rule: what it needs, which nodes it stands under, and by what it could be found.
func (b *builder) draft(rank, rule int) {
	d := &b.drafts[rank]
	d.rule = &b.r.Rules[rule]
	conditions := d.rule.Conditions
	b.x.rank[rule] = uint16(rank)
	b.x.rules[rank] = ranked{rule: rule, needs: needs(conditions), remain: conditions}
	b.underSources(d)
	for _, id := range d.nodes {
		b.x.nodes[id].note(rank, d.rule.onText())
	}
	for i := range conditions {
		c := &conditions[i]
		if c.Key == Status {
			b.x.asksStatus = true
		}
		if k := b.key(c); k.size() > 0 {
			d.keys = append(d.keys, k)
		}
	}
	for i := range d.keys {
		for v := range d.values(&d.keys[i]) {
			b.uses[v]++
		}
	}
}

// note takes up that a rule of a rank stands under the node.
func (n *node) note(rank int, onText bool) {
	if onText {
		n.text = min(n.text, rank)
	} else {
		n.first = min(n.first, rank)
	}
}

// onText reports whether the rule searches texts.
func (r *Rule) onText() bool { return len(r.Text)+len(r.Contains) > 0 }

// needs returns the parts that conditions want present.
func needs(conditions []Condition) parts {
	var p parts
	for i := range conditions {
		if !conditions[i].wantsNothing() {
			p |= part(conditions[i].Key)
		}
	}
	return p
}

func (b *builder) underSources(d *draft) {
	i := slices.IndexFunc(d.rule.Conditions, func(c Condition) bool { return c.Key == Source && c.onlyTexts() })
	if i < 0 {
		d.nodes = []uint32{0}
		return
	}
	d.source = &d.rule.Conditions[i]
	for _, name := range distinct(d.source.Any) {
		id, ok := b.sources[name]
		if !ok {
			id = b.node()
			b.sources[name] = id
			b.names = append(b.names, name)
		}
		d.nodes = append(d.nodes, id)
	}
}

// place puts a rule where it is found: under the key that it shares with the fewest rules, or among
// the rest.
func (b *builder) place(rank int) {
	d := &b.drafts[rank]
	if d.rule.onText() {
		for _, id := range d.nodes {
			b.rivals[id] = append(b.rivals[id], uint16(rank))
		}
		return
	}
	k := b.rarest(d)
	b.x.rules[rank].remain = d.remain(k)
	if k == nil || k.kind != uint32(Status) {
		for _, id := range d.nodes {
			n := &b.x.nodes[id]
			n.other = min(n.other, rank)
			b.rivals[id] = append(b.rivals[id], uint16(rank))
		}
	}
	if k == nil {
		for _, id := range d.nodes {
			b.rest[id] = append(b.rest[id], uint16(rank))
		}
		return
	}
	b.entries += k.size() * len(d.nodes)
	if k.kind == uint32(Status) {
		for _, id := range d.nodes {
			for _, n := range k.numbers {
				b.status[id][n] = append(b.status[id][n], uint16(rank))
			}
		}
		return
	}
	for v := range d.values(k) {
		b.add(v)
		b.ranks[v] = append(b.ranks[v], uint16(rank))
	}
	for _, id := range d.nodes {
		b.x.nodes[id].foundBy(k)
	}
}

// foundBy notes that rules of the node are found by the key.
func (n *node) foundBy(k *key) {
	if k.kind < uint32(Attribute) {
		n.keys |= part(Key(k.kind))
		return
	}
	if !slices.ContainsFunc(n.names, func(a attribute) bool { return a.kind == k.kind }) {
		n.names = append(n.names, attribute{k.condition.Name, k.kind})
	}
}

// rarest returns the key that the draft shares with the fewest rules, or nil when there is none.
func (b *builder) rarest(d *draft) *key {
	var best *key
	fewest := 0
	for i := range d.keys {
		k, most := &d.keys[i], 0
		for v := range d.values(k) {
			most = max(most, b.uses[v])
		}
		if b.entries+k.size()*len(d.nodes) <= maxEntries && (best == nil || most < fewest) {
			best, fewest = k, most
		}
	}
	return best
}

// remain returns the conditions that neither the draft's nodes nor the key stand for.
func (d *draft) remain(k *key) []Condition {
	var out []Condition
	for i := range d.rule.Conditions {
		if c := &d.rule.Conditions[i]; c != d.source && (k == nil || c != k.condition) {
			out = append(out, *c)
		}
	}
	return out
}

// add makes v a value of the table.
func (b *builder) add(v value) {
	if _, ok := b.ranks[v]; !ok {
		b.ranks[v] = nil
		b.order = append(b.order, v)
	}
}

// finish lays out the lists and the table.
func (b *builder) finish() {
	x := b.x
	x.sources, x.every = newSources(b.names, b.sources), &x.nodes[0]
	for id := range x.nodes {
		n := &x.nodes[id]
		n.rest, n.statuses = x.list(b.rest[id]), x.statuses(b.status[id])
	}
	b.settle()
	for _, name := range slices.Sorted(maps.Keys(b.kinds)) {
		b.add(value{scope: ofAttributes, text: name})
	}
	x.table.grow(len(b.order))
	for _, v := range b.order {
		e := entry{scope: v.scope, text: v.text, number: v.number, ranks: x.list(b.ranks[v])}
		if v.scope == ofAttributes {
			e.kind = b.kinds[v.text]
		}
		x.table.add(e)
	}
}

// list adds a list of ranks.
func (x *index) list(ranks []uint16) list {
	if len(ranks) == 0 {
		return list{}
	}
	l := list{from: uint32(len(x.lists)), first: ranks[0], sure: len(x.rules[ranks[0]].remain) == 0}
	x.lists = append(x.lists, ranks...)
	l.to = uint32(len(x.lists))
	return l
}
