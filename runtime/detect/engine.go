package detect

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// minLiteral is how long a literal must be for texts to be searched for it.
const minLiteral = 3

// engine finds the patterns that a text may hold, in one pass over it for all of them. It looks up
// a few neighbouring bytes of each literal in a bitmap, so that nearly all places of a text cost
// one look each; where they are found the literal is compared, and where it stands the pattern's
// regular expression is run on a window around it. What it finds is what the regular expressions
// would find by themselves.
type engine struct {
	patterns []pattern
	literals []literal
	scanners []*scanner
	// tried are the rules with a pattern that has no literal.
	tried []uint16
	pool  sync.Pool // of *scratch
	// watch, where there is one, is told how much was done for a text.
	watch func(work)
}

// pattern is a pattern as the engine has it, at the same index as in [Rules.Patterns].
type pattern struct {
	*Pattern
	rules    []uint16
	literals []uint32
	// always reports that the pattern has no literal to find it by.
	always bool
	// plain reports that finding the literal is finding the pattern.
	plain   bool
	program atomic.Pointer[program]
}

// literal is a literal of one or more patterns.
type literal struct {
	text     string
	fold     bool
	patterns []uint16
}

func newEngine(r *Rules) *engine {
	e := &engine{patterns: make([]pattern, len(r.Patterns))}
	known := map[Literal]uint32{}
	for i := range r.Patterns {
		p := &e.patterns[i]
		p.Pattern = &r.Patterns[i]
		literals, plain := p.search()
		p.plain, p.always = plain, len(literals) == 0
		for _, l := range literals {
			p.literals = append(p.literals, e.literal(l, known))
		}
		p.literals = distinct(p.literals)
		for _, id := range p.literals {
			e.literals[id].patterns = append(e.literals[id].patterns, uint16(i))
		}
	}
	for i := range r.Rules {
		e.rule(uint16(i), &r.Rules[i])
	}
	e.scanners = newScanners(e.literals)
	e.pool.New = func() any { return newScratch(e, len(r.Rules)) }
	return e
}

// literal returns the id of a literal.
func (e *engine) literal(l Literal, known map[Literal]uint32) uint32 {
	id, ok := known[l]
	if !ok {
		id = uint32(len(e.literals))
		known[l] = id
		e.literals = append(e.literals, literal{text: l.Text, fold: l.Fold})
	}
	return id
}

// rule notes which patterns a rule has. A pattern that does not exist is never found.
func (e *engine) rule(i uint16, r *Rule) {
	tried := false
	for _, list := range [][]uint16{r.Text, r.Contains} {
		for _, id := range list {
			if int(id) >= len(e.patterns) {
				continue
			}
			p := &e.patterns[id]
			if n := len(p.rules); n == 0 || p.rules[n-1] != i {
				p.rules = append(p.rules, i)
			}
			tried = tried || p.always
		}
	}
	if tried {
		e.tried = append(e.tried, i)
	}
}

// search returns the literals to find a pattern by; none when it must be tried on every text. plain
// reports that the only literal is all of the pattern.
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

// unsearchable reports whether a literal is of no help: it is too short, or its characters are not
// all found as they are written.
func unsearchable(l Literal) bool {
	switch {
	case len(l.Text) < minLiteral:
		return true
	case strings.Contains(l.Text, "\uFFFD"):
		// To an expression this is also any byte that is no UTF-8.
		return true
	case l.Fold:
		return l.Text != strings.ToLower(l.Text) || strings.Contains(l.Text, longS) ||
			strings.Contains(l.Text, kelvinSign)
	}
	return false
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
