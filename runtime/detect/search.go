package detect

import (
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// best returns the best rank of the rules on text that the evidence meets, if it is better than
// best.
func (e *engine) best(x *index, ev *taxonomy.Evidence, q *query, best int) int {
	s := e.candidates(x, q, best)
	if s == nil {
		return best
	}
	for rank := s.next(0); rank < best; rank = s.next(rank + 1) {
		if e.meets(x, ev, q, s, rank) {
			best = rank
		}
	}
	e.release(s)
	return best
}

// all appends the ranks of all rules on text that the evidence meets to ranks.
func (e *engine) all(x *index, ev *taxonomy.Evidence, q *query, ranks []int) []int {
	s := e.candidates(x, q, noRank)
	if s == nil {
		return ranks
	}
	for rank := s.next(0); rank < noRank; rank = s.next(rank + 1) {
		if e.meets(x, ev, q, s, rank) {
			ranks = append(ranks, rank)
		}
	}
	e.release(s)
	return ranks
}

func (e *engine) release(s *scratch) {
	if e.watch != nil {
		e.watch(s.work)
	}
	s.clear()
	e.pool.Put(s)
}

// meets reports whether the evidence meets the rule at rank.
func (e *engine) meets(x *index, ev *taxonomy.Evidence, q *query, s *scratch, rank int) bool {
	rule := &x.owner.Rules[x.rules[rank].rule]
	if x.rules[rank].needs&^q.parts(ev) != 0 || !x.owner.holds(rule.Conditions, ev, q) {
		return false
	}
	return e.any(rule.Text, q.text, s) && e.any(rule.Contains, q.text, s)
}

// any reports whether one of the patterns stands in the text; of no patterns that is true.
func (e *engine) any(patterns []uint16, text string, s *scratch) bool {
	for _, id := range patterns {
		if int(id) < len(e.patterns) && e.finds(id, text, s) {
			return true
		}
	}
	return len(patterns) == 0
}

// finds reports whether a pattern stands in the text.
func (e *engine) finds(id uint16, text string, s *scratch) bool {
	p := &e.patterns[id]
	switch f := s.findings[id]; {
	case f == found, f == missing:
		return f == found
	case f == unknown && !p.always:
		return false
	}
	f := missing
	if p.in(text, s) {
		f = found
	}
	s.set(id, f)
	return f == found
}

// candidates returns which patterns may stand in the text, and marks the rules that have one and a
// better rank than best; nil when there are none.
func (e *engine) candidates(x *index, q *query, best int) *scratch {
	c := collector{e: e, x: x, best: best}
	if len(e.tried) > 0 {
		s := c.scratch()
		for _, rule := range e.tried {
			s.mark(int(x.rank[rule]))
		}
	}
	c.collect(q.text)
	if strings.Contains(q.text, longS) || strings.Contains(q.text, kelvinSign) {
		c.scratch().whole = true
		c.collect(folded(q.text))
	}
	return c.s
}

// collector notes what literals a text holds.
type collector struct {
	e    *engine
	x    *index
	best int
	s    *scratch // nil as long as there is nothing to note
}

func (c *collector) scratch() *scratch {
	if c.s == nil {
		c.s = c.e.pool.Get().(*scratch)
	}
	return c.s
}

func (c *collector) collect(text string) {
	for _, s := range c.e.scanners {
		s.scan(text, c)
	}
}

// pass looks whether literals with a gram stand around the place where it was found.
//
//go:noinline
func (c *collector) pass(s *scanner, text string, i int, gram uint32) {
	for _, at := range s.lookup(gram) {
		if start := i - int(at.offset); c.e.literals[at.literal].at(text, start) {
			c.hit(at.literal, start)
		}
	}
}

// hit notes that a literal was found.
func (c *collector) hit(id uint32, i int) {
	s := c.scratch()
	if !s.hit(id, &c.e.literals[id], i) {
		return
	}
	for _, n := range c.e.literals[id].patterns {
		p := &c.e.patterns[n]
		if s.findings[n] != unknown {
			continue
		}
		s.set(n, p.finding(s))
		for _, rule := range p.rules {
			if rank := int(c.x.rank[rule]); rank < c.best {
				s.mark(rank)
			}
		}
	}
}

// finding is what a literal of the pattern says of it.
func (p *pattern) finding(s *scratch) finding {
	if p.plain {
		return found
	}
	return candidate
}
