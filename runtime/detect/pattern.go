package detect

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxMatches is how many matches of a pattern are tested for what precedes them.
	maxMatches = 16
	// maxLead bounds in bytes the part of a line before a match that is tested.
	maxLead = 256
	// maxLed is how many beginnings of lines are remembered for a text.
	maxLed = 256
)

// program is a compiled pattern and the properties of its matches.
type program struct {
	re *regexp.Regexp // nil for an invalid expression, which is never found
	// lines is the number of ends of lines that a match contains at most, or manyLines.
	lines int
	// anchored and bounded report that the expression tests for ends of lines and of words.
	anchored, bounded bool
	// whole reports that the expression tests for ends of the text.
	whole bool
	// must are literals that every match contains, without the one that was found.
	must []literal
	// literal reports that the pattern is a literal.
	literal bool
	// lead matches the line before a match; nil is no test.
	lead *regexp.Regexp
}

// compiled returns the program of the pattern. It is compiled on first use.
func (p *pattern) compiled(leads []func() *regexp.Regexp) *program {
	c := p.program.Load()
	if c == nil {
		c = compile(p.Pattern)
		if p.Lead > 0 && int(p.Lead) <= len(leads) {
			c.lead = leads[p.Lead-1]()
		}
		p.program.Store(c)
	}
	return c
}

func compile(p *Pattern) *program {
	expr := p.Expr
	if p.Plain != "" {
		expr = "(?i)" + regexp.QuoteMeta(p.Plain)
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return &program{}
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return &program{}
	}
	c := &program{re: re, lines: linesOf(tree)}
	c.inspect(tree, true)
	if c.whole && c.lines > 0 { // the beginning of a window may look like that of the text
		c.lines = manyLines
	}
	c.literal = tree.Op == syntax.OpLiteral && len(c.must) == 1
	if len(p.Literals) == 1 {
		found := p.Literals[0]
		c.must = slices.DeleteFunc(c.must, func(l literal) bool { return l.text == found.Text && l.fold == found.Fold })
	}
	return c
}

// inspect reads the properties of an expression. required reports that every match contains it.
func (c *program) inspect(re *syntax.Regexp, required bool) {
	switch re.Op {
	case syntax.OpBeginText, syntax.OpEndText:
		c.anchored, c.whole = true, true
	case syntax.OpBeginLine, syntax.OpEndLine:
		c.anchored = true
	case syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		c.bounded = true
	case syntax.OpLiteral:
		text := string(re.Rune)
		if required && isASCII(text) {
			l := literal{text: text}
			if re.Flags&syntax.FoldCase != 0 {
				l.text, l.fold = strings.ToLower(text), true
			}
			c.must = append(c.must, l)
		}
	}
	switch re.Op {
	case syntax.OpCapture, syntax.OpPlus, syntax.OpConcat:
	case syntax.OpRepeat:
		required = required && re.Min > 0
	default:
		required = false
	}
	for _, sub := range re.Sub {
		c.inspect(sub, required)
	}
}

// manyLines is a number of lines without a bound.
const manyLines = 4

// linesOf returns the number of ends of lines that a match contains at most, or manyLines.
func linesOf(re *syntax.Regexp) int {
	n := 0
	switch re.Op {
	case syntax.OpAnyChar:
		n = 1
	case syntax.OpLiteral:
		n = strings.Count(string(re.Rune), "\n")
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i] <= '\n' && '\n' <= re.Rune[i+1] {
				n = 1
			}
		}
	}
	for _, sub := range re.Sub {
		m := linesOf(sub)
		switch {
		case re.Op == syntax.OpAlternate:
			n = max(n, m)
		case m == 0:
		case re.Op == syntax.OpStar, re.Op == syntax.OpPlus, re.Op == syntax.OpRepeat && re.Max < 0:
			n = manyLines
		case re.Op == syntax.OpRepeat:
			n += m * re.Max
		default:
			n += m
		}
	}
	return min(n, manyLines)
}

// mayMatch reports whether the text contains all literals that a match must contain.
func (c *program) mayMatch(text string) bool {
	for i := range c.must {
		if !c.must[i].in(text) {
			return false
		}
	}
	return true
}

// at reports whether the literal is at i.
func (l *literal) at(text string, i int) bool {
	if i < 0 || len(text)-i < len(l.text) {
		return false
	}
	t := text[i : i+len(l.text)]
	if !l.fold {
		return t == l.text
	}
	for j := 0; j < len(t) && j < len(l.text); j++ {
		c := t[j]
		if c-'A' < 26 {
			c |= caseBit
		}
		if c != l.text[j] {
			return false
		}
	}
	return true
}

// in reports whether the text contains the literal.
func (l *literal) in(text string) bool {
	if !l.fold {
		return strings.Contains(text, l.text)
	}
	first := l.text[0] | caseBit
	for i := 0; i+len(l.text) <= len(text); i++ {
		if text[i]|caseBit == first && l.at(text, i) {
			return true
		}
	}
	return false
}

// search reports whether the text contains a pattern that has no literal, or a literal that was
// found. It runs the expression on windows around the literals, or on the text if that is shorter.
func (e *engine) search(p *pattern, text string, s *scratch) bool {
	c := p.compiled(e.leads)
	switch {
	case c.re == nil:
		return false
	case p.always || s.folded:
		return c.run(text, s)
	}
	sum := 0
	for _, id := range p.literals {
		places, end, size := s.places[id], 0, len(e.literals[id].text)
		if len(places) == maxPlaces { // there may be others
			return c.run(text, s)
		}
		for _, at := range places {
			i := int(at)
			if p.Reach > 0 && !c.mayMatch(text[max(0, i+size-p.Reach):min(len(text), i+p.Reach)]) {
				continue
			}
			from, to := c.window(text, i, size, p.Reach)
			if to <= end {
				continue
			}
			end = to
			if sum += to - from; sum > len(text) {
				return c.run(text, s)
			}
			if c.run(text[from:to], s) {
				return true
			}
		}
	}
	return false
}

// run reports whether there is a match in a text.
func (c *program) run(text string, s *scratch) bool {
	if !s.folded {
		if !c.mayMatch(text) {
			return false
		}
		if c.literal && c.lead == nil {
			return true
		}
	}
	s.work.runs++
	s.work.bytes += len(text)
	if c.lead != nil {
		_, _, found := c.find(text, s)
		return found
	}
	return c.re.MatchString(text)
}

// find returns the place of the first match in a text, after the beginning of a line that matches
// lead if there is one. It remembers in s, if s is not nil, which beginnings match.
func (c *program) find(text string, s *scratch) (from, to int, ok bool) {
	if c.re == nil {
		return 0, 0, false
	}
	for at, n := 0, 0; n < maxMatches; n++ {
		match := c.re.FindStringIndex(text[at:])
		if match == nil {
			return 0, 0, false
		}
		start := at + match[0]
		line := strings.LastIndexByte(text[:start], '\n') + 1
		if c.lead == nil || s.follows(c.lead, text[max(line, start-maxLead):start]) {
			return start, at + match[1], true
		}
		_, size := utf8.DecodeRuneInString(text[start:])
		at = start + max(size, 1)
		if at > len(text) {
			return 0, 0, false
		}
	}
	return 0, 0, false
}

// led is a beginning of a line, with an expression that it may match.
type led struct {
	lead *regexp.Regexp
	line string
}

// follows reports whether a beginning of a line matches lead. Many patterns have the same lead.
func (s *scratch) follows(lead *regexp.Regexp, line string) bool {
	if s == nil {
		return lead.MatchString(line)
	}
	known, ok := s.led[led{lead, line}]
	if !ok {
		known = lead.MatchString(line)
		if s.led == nil {
			s.led = map[led]bool{}
		}
		if len(s.led) < maxLed {
			s.led[led{lead, line}] = known
		}
	}
	return known
}

// window returns a part of the text in which the program finds every match that contains the
// literal of a size at i, and nothing that it would not find in the text. No match is longer than
// reach bytes, unless that is 0.
func (c *program) window(text string, i, size, reach int) (from, to int) {
	to = len(text)
	if c.lines < manyLines { // one end of a line more than a match contains is in the window, on each side
		from, to = i, i+size
		for range c.lines + 1 {
			from = max(0, strings.LastIndexByte(text[:from], '\n'))
			if n := strings.IndexByte(text[to:], '\n'); n >= 0 {
				to += n + 1
			} else {
				to = len(text)
			}
		}
	}
	if reach > 0 && !c.anchored {
		for from = max(from, i+size-reach); from > 0 && (splits(text, from) || c.bounded && isWord(text[from-1])); {
			from--
		}
		for to = min(to, i+reach); to < len(text) && (splits(text, to) || c.bounded && isWord(text[to])); {
			to++
		}
	}
	return from, to
}
