package detect

import (
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/errgen/errgen/runtime/taxonomy"
)

const (
	// minLiteral is the least length of a literal that texts are searched for.
	minLiteral = 3
	// maxPlaces is how many places of a literal are noted. With so many the complete text is
	// searched.
	maxPlaces = 64
)

// engine finds the patterns that a text may contain in one pass over the text for all of them. A
// [scanner] finds the places of literals; where a literal is found, the expression of its pattern
// is run on a window around it. The result is that of running every expression on the text.
type engine struct {
	patterns []pattern
	literals []literal
	leads    []func() *regexp.Regexp // compiled on first use; nil for an invalid expression
	scanner  *scanner
	// always are the rules with a pattern without a literal.
	always []uint16
	pool   sync.Pool // of *scratch
	// watch receives how much was done for a text. Tests set it.
	watch func(work)
}

// pattern is a pattern with the index that it has in [Rules.Patterns].
type pattern struct {
	*Pattern
	rules    []uint16
	literals []uint32
	// always reports that the pattern has no literal.
	always bool
	// plain reports that a place of the literal is a place of the pattern.
	plain   bool
	program atomic.Pointer[program]
}

// literal is a literal of one or more patterns.
type literal struct {
	text     string
	fold     bool
	patterns []uint16
}

// newEngine returns the engine for the patterns of rules.
func newEngine(r *Rules) *engine {
	e := &engine{patterns: make([]pattern, len(r.Patterns))}
	for _, expr := range r.Leads {
		e.leads = append(e.leads, sync.OnceValue(func() *regexp.Regexp {
			re, _ := regexp.Compile(`^(?:` + expr + `)$`) // the generator has checked it
			return re
		}))
	}
	ids := map[Literal]uint32{}
	for i := range r.Patterns {
		p := &e.patterns[i]
		p.Pattern = &r.Patterns[i]
		var literals []Literal
		literals, p.plain = p.search()
		p.always = len(literals) == 0
		for _, l := range literals {
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
					always = always || p.always
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

// search returns the literals to find a pattern by, or none if it must be run on every text. plain
// reports that the only literal is the complete pattern.
func (p *Pattern) search() (literals []Literal, plain bool) {
	if p.Plain != "" && isASCII(p.Plain) {
		if len(p.Plain) < minLiteral {
			return nil, false
		}
		return []Literal{{Text: strings.ToLower(p.Plain), Fold: true}}, true
	}
	if slices.ContainsFunc(p.Literals, unsearchable) {
		return nil, false
	}
	return p.Literals, false
}

// unsearchable reports whether a match may not contain a literal as it is written, or the literal
// is too short. In an expression U+FFFD also matches a byte that is not UTF-8.
func unsearchable(l Literal) bool {
	return len(l.Text) < minLiteral || strings.Contains(l.Text, "\uFFFD") ||
		l.Fold && (l.Text != strings.ToLower(l.Text) || foldsToASCII(l.Text))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// The letters beyond ASCII that an expression without case takes for an s and a k.
const (
	longS      = "\u017F"
	kelvinSign = "\u212A"
)

func foldsToASCII(s string) bool {
	return strings.Contains(s, longS) || strings.Contains(s, kelvinSign)
}

// finding is the knowledge about a pattern in a text.
type finding uint8

const (
	unknown   finding = iota // no literal of it was found
	candidate                // a literal was found
	found                    // the pattern is in the text
	missing                  // the pattern is not in the text
)

// work is how much was done for a text beyond the pass over it.
type work struct {
	runs  int // of expressions
	bytes int // that they were run on
}

// scratch holds the findings about one text.
type scratch struct {
	findings []finding  // by pattern
	changed  []uint16   // the patterns whose finding is not unknown
	places   [][]uint32 // by literal, its first maxPlaces places
	found    []uint32   // the literals with a place
	ranks    []uint64   // bits: the rules that have a candidate
	// folded reports that letters beyond ASCII replace letters of literals, so that windows are of
	// no use.
	folded bool
	led    map[led]bool // the beginnings of lines that were matched with a lead
	work   work
}

// set notes a finding.
func (s *scratch) set(id uint16, f finding) {
	if s.findings[id] == unknown {
		s.changed = append(s.changed, id)
	}
	s.findings[id] = f
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
	for _, id := range s.changed {
		s.findings[id] = unknown
	}
	for _, id := range s.found {
		s.places[id] = s.places[id][:0]
	}
	clear(s.ranks)
	clear(s.led)
	s.changed, s.found, s.folded, s.work = s.changed[:0], s.found[:0], false, work{}
	e.pool.Put(s)
}

// best returns the best rank of the rules on text that the evidence meets, if it is better than
// best.
func (e *engine) best(x *index, ev *taxonomy.Evidence, text string, best int) int {
	s := e.candidates(x, text, best)
	if s == nil {
		return best
	}
	for rank := s.next(0); rank < best; rank = s.next(rank + 1) {
		if e.meets(x, ev, text, s, rank) {
			best = rank
		}
	}
	e.release(s)
	return best
}

// all appends the ranks of all rules on text that the evidence meets to ranks.
func (e *engine) all(x *index, ev *taxonomy.Evidence, text string, ranks []int) []int {
	s := e.candidates(x, text, noRank)
	if s == nil {
		return ranks
	}
	for rank := s.next(0); rank < noRank; rank = s.next(rank + 1) {
		if e.meets(x, ev, text, s, rank) {
			ranks = append(ranks, rank)
		}
	}
	e.release(s)
	return ranks
}

// meets reports whether the evidence meets the rule of a rank.
func (e *engine) meets(x *index, ev *taxonomy.Evidence, text string, s *scratch, rank int) bool {
	rule := &x.owner.Rules[x.rules[rank].rule]
	return x.owner.holds(rule.Conditions, ev) && e.any(rule.Text, text, s) && e.any(rule.Contains, text, s) &&
		e.any(rule.LikeText, text, s) && e.any(rule.LikeContains, text, s)
}

// any reports whether the text contains one of the patterns, or there are none.
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
	f := s.findings[id]
	if f == candidate || f == unknown && p.always {
		f = missing
		if e.search(p, text, s) {
			f = found
		}
		s.set(id, f)
	}
	return f == found
}

// candidates returns the patterns that the text may contain, and marks the rules that have one and
// a better rank than best. It returns nil if there are none.
func (e *engine) candidates(x *index, text string, best int) *scratch {
	c := collector{e: e, x: x, best: best}
	for _, rule := range e.always {
		c.mark(rule)
	}
	e.scanner.scan(text, &c)
	if foldsToASCII(text) {
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
	for _, at := range s.lookup(gram) {
		if start := i - int(at.offset); c.e.literals[at.literal].at(text, start) {
			c.hit(at.literal, start)
		}
	}
}

// hit notes the place of a literal.
func (c *collector) hit(id uint32, i int) {
	s := c.scratch()
	if n := len(s.places[id]); n > 0 {
		if n < maxPlaces {
			s.places[id] = append(s.places[id], uint32(i))
		}
		return
	}
	s.places[id] = append(s.places[id], uint32(i))
	s.found = append(s.found, id)
	for _, n := range c.e.literals[id].patterns {
		p := &c.e.patterns[n]
		if s.findings[n] != unknown {
			continue
		}
		if p.plain {
			s.set(n, found)
		} else {
			s.set(n, candidate)
		}
		for _, rule := range p.rules {
			c.mark(rule)
		}
	}
}
