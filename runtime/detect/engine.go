package detect

import (
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// maxPlaces is the number of places of a literal that are noted. If a literal has that many, the
// complete text is searched.
const maxPlaces = 64

// engine finds the patterns that a text contains, in one pass over the text for all patterns. A
// [scanner] finds the places of literals. Then the expression of each found literal's pattern is
// run on the line around it. The result is the same as if every expression were run on the text.
type engine struct {
	patterns []pattern
	literals []literal
	scanner  *scanner
	// always are the rules with a pattern without a literal.
	always []uint16
	pool   sync.Pool // of *scratch
	// watch receives how much was done for a text. Tests set it.
	watch func(work)
}

// pattern is a pattern with the index that it has in [Rules.Patterns].
type pattern struct {
	rules    []uint16
	literals []uint32 // if empty, the pattern is run on every text
	// plain reports that a place of the literal is a place of the pattern.
	plain   bool
	program func() *program // compiles the pattern on first use
}

// newEngine returns the engine for the patterns of rules.
func newEngine(r *Rules) *engine {
	e := &engine{patterns: make([]pattern, len(r.Patterns))}
	leads := leadsOf(r)
	ids := map[Literal]uint32{}
	for i := range r.Patterns {
		p := &e.patterns[i]
		p.program = sync.OnceValue(func() *program { return programOf(&r.Patterns[i], leads) })
		p.plain = r.Patterns[i].isLiteral()
		for _, l := range r.Patterns[i].Literals {
			id, ok := ids[l]
			if !ok {
				id = uint32(len(e.literals))
				ids[l] = id
				e.literals = append(e.literals, literal{text: l.Text, fold: l.Fold})
			}
			if !slices.Contains(p.literals, id) {
				p.literals = append(p.literals, id)
				e.literals[id].patterns = append(e.literals[id].patterns, uint16(i))
			}
		}
	}
	for i := range r.Rules {
		always := false
		for group := range r.Rules[i].groups() {
			for _, id := range group {
				if int(id) < len(e.patterns) { // a pattern that does not exist is never found
					p := &e.patterns[id]
					p.rules = append(p.rules, uint16(i))
					always = always || len(p.literals) == 0
				}
			}
		}
		if always {
			e.always = append(e.always, uint16(i))
		}
	}
	e.scanner = newScanner(e.literals)
	e.pool.New = func() any {
		return &scratch{findings: make([]finding, len(e.patterns)), places: make([][]uint32, len(e.literals)),
			ranks: make([]uint64, (len(r.Rules)+63)/64)}
	}
	return e
}

// isLiteral reports whether a text with the pattern's only literal contains the pattern.
func (p *Pattern) isLiteral() bool {
	return p.Plain != "" && p.Lead == 0 && len(p.Literals) == 1 && len(p.Literals[0].Text) == len(p.Plain)
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// The letters beyond ASCII that a case-insensitive expression folds to s and k.
const (
	longS      = "\u017F"
	kelvinSign = "\u212A"
)

func foldsToASCII(s string) bool {
	return strings.Contains(s, longS) || strings.Contains(s, kelvinSign)
}

// finding is the state of the search for a pattern in a text.
type finding uint8

const (
	unknown   finding = iota // no literal of the pattern was found
	candidate                // a literal was found
	found                    // the pattern is in the text
	missing                  // the pattern is not in the text
)

// work counts the expressions that were run for a text.
type work struct {
	runs  int
	bytes int // sum of the lengths of the searched texts
}

// scratch holds the findings about one text.
type scratch struct {
	findings []finding  // by pattern
	places   [][]uint32 // by literal, its first maxPlaces places
	found    []uint32   // the literals with a place
	ranks    []uint64   // bits: the rules that have a candidate
	// folded reports that the text has letters beyond ASCII that fold to ASCII. Then places are not
	// valid in the original text.
	folded bool
	work   work
}

// next returns the first rank of a rule with a candidate from rank on, or noRank.
func (s *scratch) next(rank int) int {
	for i := rank >> 6; i < len(s.ranks); i++ {
		w := s.ranks[i]
		if i == rank>>6 {
			w &= ^uint64(0) << (rank & 63)
		}
		if w != 0 {
			return i<<6 + bits.TrailingZeros64(w)
		}
	}
	return noRank
}

// release clears the scratch for the next text.
func (e *engine) release(s *scratch) {
	if e.watch != nil {
		e.watch(s.work)
	}
	for _, id := range s.found {
		s.places[id] = s.places[id][:0]
	}
	clear(s.findings)
	clear(s.ranks)
	s.found, s.folded, s.work = s.found[:0], false, work{}
	e.pool.Put(s)
}

// best returns the best rank of the rules on text that the evidence meets. If that is not better
// than the given rank, it returns the given rank.
func (e *engine) best(x *index, ev *taxonomy.Evidence, text string, best int) int {
	s := e.candidates(x, text, best)
	if s == nil {
		return best
	}
	for rank := s.next(0); rank < best; rank = s.next(rank + 1) {
		rule := &x.owner.Rules[x.rules[rank].rule]
		if x.owner.holds(rule.Conditions, ev) && e.contains(rule, text, s) {
			best = rank
		}
	}
	e.release(s)
	return best
}

// contains reports whether the text contains the patterns of a rule.
func (e *engine) contains(r *Rule, text string, s *scratch) bool {
	return e.any(r.Text, text, s) && e.any(r.Contains, text, s) && e.any(r.LikeText, text, s) &&
		e.any(r.LikeContains, text, s)
}

// any reports whether the text contains one of the patterns. If there are no patterns, it returns
// true.
func (e *engine) any(patterns []uint16, text string, s *scratch) bool {
	for _, id := range patterns {
		if int(id) < len(e.patterns) && e.finds(id, text, s) {
			return true
		}
	}
	return len(patterns) == 0
}

// finds reports whether the text contains a pattern.
func (e *engine) finds(id uint16, text string, s *scratch) bool {
	p := &e.patterns[id]
	if f := s.findings[id]; f == candidate || f == unknown && len(p.literals) == 0 {
		s.findings[id] = missing
		if e.search(p, text, s) {
			s.findings[id] = found
		}
	}
	return s.findings[id] == found
}

// candidates returns the patterns that the text may contain. It marks the rules with such a pattern
// whose rank is better than best. If it finds nothing, it returns nil.
func (e *engine) candidates(x *index, text string, best int) *scratch {
	c := collector{e: e, x: x, best: best}
	for _, rule := range e.always {
		c.mark(rule)
	}
	if ascii := e.scanner.scan(text, &c); !ascii && foldsToASCII(text) {
		c.scratch().folded = true
		e.scanner.scan(strings.NewReplacer(longS, "s", kelvinSign, "k").Replace(text), &c)
	}
	return c.s
}

// collector notes the literals that a text contains.
type collector struct {
	e    *engine
	x    *index
	best int
	s    *scratch // nil until there is something to note
}

func (c *collector) scratch() *scratch {
	if c.s == nil {
		c.s = c.e.pool.Get().(*scratch)
	}
	return c.s
}

// mark notes that a rule has a candidate.
func (c *collector) mark(rule uint16) {
	if rank := int(c.x.rank[rule]); rank < c.best {
		c.scratch().ranks[rank>>6] |= 1 << (rank & 63)
	}
}

// pass checks which literals with a gram are around the place where it was found.
//
//go:noinline
func (c *collector) pass(s *scanner, text string, i int, gram uint32) {
	for _, at := range s.sites[gram] {
		if start := i - int(at.offset); c.e.literals[at.literal].at(text, start) {
			c.hit(at.literal, start)
		}
	}
}

// hit notes the place of a literal.
func (c *collector) hit(id uint32, i int) {
	s := c.scratch()
	known := len(s.places[id])
	if known < maxPlaces {
		s.places[id] = append(s.places[id], uint32(i))
	}
	if known > 0 {
		return
	}
	s.found = append(s.found, id)
	for _, n := range c.e.literals[id].patterns {
		p := &c.e.patterns[n]
		if s.findings[n] != unknown {
			continue
		}
		s.findings[n] = candidate
		if p.plain {
			s.findings[n] = found
		}
		for _, rule := range p.rules {
			c.mark(rule)
		}
	}
}
