package detect

import (
	"math/bits"
	"slices"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// certain returns the rule that wins if that follows from source and status and from what the
// evidence does not have, and otherwise [NoRule]. It is what [Rules.match] says, too, but for most
// of what is classified it spares half of the time.
func (r *Rules) certain(ev *taxonomy.Evidence) int {
	x := r.tables.index.Load()
	if x == nil || !x.certain || ev.Status == 0 || ev.StatusDerived || len(ev.Text) > DefaultTextLimit {
		return NoRule
	}
	n := &x.nodes[x.sources.find(ev.Source)]
	l, unless := n.statuses.find(ev.Status), parts(0)
	if l == nil || l.to == 0 {
		l, unless = x.every.statuses.find(ev.Status), n.unless
	}
	if l == nil || !l.final {
		return NoRule
	}
	if unless |= l.unless; unless != 0 && present(ev)&unless != 0 {
		return NoRule
	}
	return int(l.first)
}

// rivals are the rules of a node that may be better than one that is found by source and status:
// all others.
type rivals struct {
	ranks []uint16
	// needs are, for each of them, the parts of which evidence has one if it or one before it can
	// match.
	needs []parts
	// open is the first rank that may match without any such part.
	open int
}

// rivals returns the rivals of the given ranks, which rise.
func (x *index) rivals(ranks []uint16, rules []Rule) rivals {
	r := rivals{ranks: ranks, open: noRank}
	var all parts
	for _, rank := range ranks {
		rule := &x.rules[rank]
		p := telling(rule.needs, rules[rule.rule].onText())
		if p == 0 {
			r.open = int(rank)
			break
		}
		all |= p
		r.needs = append(r.needs, all)
	}
	return r
}

// telling returns one of the parts that a rule needs beside source and status, one that evidence
// seldom has.
func telling(needs parts, onText bool) parts {
	if onText {
		needs |= textPart
	}
	for _, p := range [...]parts{
		part(Signal), part(Errno), part(ExitCode), part(Is) | part(As), part(Code), part(Attribute), part(Type),
		textPart, part(Op),
	} {
		if needs&p != 0 {
			return 1 << bits.TrailingZeros16(uint16(needs&p))
		}
	}
	return 0
}

// before returns the parts of which evidence has one if a rival better than rank can match; false
// if one may match without.
func (r *rivals) before(rank int) (parts, bool) {
	if r.open < rank {
		return 0, false
	}
	n := len(r.ranks)
	if rank != noRank {
		n, _ = slices.BinarySearch(r.ranks, uint16(rank))
	}
	if n == 0 {
		return 0, true
	}
	return r.needs[n-1], true
}

// settle notes for which statuses it follows from source and status which rule wins, and unless
// what.
func (b *builder) settle() {
	x := b.x
	every := x.rivals(b.rivals[0], b.r.Rules)
	for i := range x.every.statuses.lists {
		l := &x.every.statuses.lists[i]
		l.unless, l.final = every.before(int(l.first))
		l.final = l.final && l.sure
		x.certain = x.certain || l.final
	}
	for id := 1; id < len(x.nodes); id++ {
		n := &x.nodes[id]
		own := x.rivals(b.rivals[id], b.r.Rules)
		clear := false
		if n.unless, clear = own.before(noRank); !clear {
			n.unless = anyPart
		}
		for i := range n.statuses.lists {
			x.settle(&n.statuses.lists[i], n.statuses.least+i, &own, &every)
		}
	}
}

// settle notes of a list of a node whether it is final; own and every are the rivals under the node
// and under all.
func (x *index) settle(l *list, status int, own, every *rivals) {
	if l.to == 0 || !l.sure {
		return
	}
	if other := x.every.statuses.find(status); other != nil && other.to != 0 && other.first < l.first {
		return
	}
	p, ok := own.before(int(l.first))
	q, too := every.before(int(l.first))
	l.unless, l.final = p|q, ok && too
	x.certain = x.certain || l.final
}
