package detect

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	// maxMatches is the number of matches of a pattern whose preceding text is tested.
	maxMatches = 16
	// maxLead bounds in bytes the part of a line before a match that is tested.
	maxLead = 256
	// maxEnd bounds in bytes the last line of a text in which a short statement is searched.
	maxEnd = 512
)

// program is a compiled pattern and the properties of its matches.
type program struct {
	re *regexp.Regexp // nil for an invalid expression, which is never found
	// oneLine reports that no match contains a line feed.
	oneLine bool
	// atEnd reports that a match is in the last line, of at most maxEnd bytes, that is not empty.
	atEnd bool
	// must are literals that every match contains. The literal that the scanner finds is not among
	// them.
	must []literal
	// lead must match the part of the line before a match. If it is nil, that part is not tested.
	lead func() *regexp.Regexp
}

// programOf returns the program of a pattern.
func programOf(p *Pattern, leads []func() *regexp.Regexp) *program {
	expr := p.Expr
	if p.Plain != "" {
		expr = "(?i)" + regexp.QuoteMeta(p.Plain)
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return &program{}
	}
	tree, _ := syntax.Parse(expr, syntax.Perl) // it compiles
	c := &program{re: re, oneLine: !matchesLineEnd(tree)}
	c.require(tree)
	if len(p.Literals) == 1 {
		found := p.Literals[0]
		c.must = slices.DeleteFunc(c.must, func(l literal) bool { return l.text == found.Text && l.fold == found.Fold })
	}
	if p.Lead > 0 && int(p.Lead) <= len(leads) {
		c.lead = leads[p.Lead-1]
		c.atEnd = strings.HasSuffix(expr, `\z`)
	}
	return c
}

// require adds the literals that every match of an expression contains to c.must.
func (c *program) require(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		if text := string(re.Rune); isASCII(text) {
			fold := re.Flags&syntax.FoldCase != 0
			if fold {
				text = strings.ToLower(text)
			}
			c.must = append(c.must, literal{text: text, fold: fold})
		}
	case syntax.OpRepeat:
		if re.Min > 0 {
			c.require(re.Sub[0])
		}
	case syntax.OpCapture, syntax.OpPlus, syntax.OpConcat:
		for _, sub := range re.Sub {
			c.require(sub)
		}
	}
}

// matchesLineEnd reports whether a match of an expression may contain the end of a line.
func matchesLineEnd(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar:
		return true
	case syntax.OpLiteral:
		return strings.Contains(string(re.Rune), "\n")
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			if re.Rune[i] <= '\n' && '\n' <= re.Rune[i+1] {
				return true
			}
		}
	}
	for _, sub := range re.Sub {
		if matchesLineEnd(sub) {
			return true
		}
	}
	return false
}

// literal is a literal of one or more patterns.
type literal struct {
	text     string
	fold     bool
	patterns []uint16
}

// at reports whether the literal is at i.
func (l *literal) at(text string, i int) bool {
	if i < 0 || len(text)-i < len(l.text) {
		return false
	}
	t := text[i : i+len(l.text)]
	if (t[0]^l.text[0])&^caseBit != 0 {
		return false // most places end here
	}
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
	first := l.text[0]
	for _, c := range [...]byte{first, first &^ caseBit} { // the other case, if first is a letter
		for i := 0; ; i++ {
			n := strings.IndexByte(text[i:], c)
			if n < 0 {
				break
			}
			if i += n; l.at(text, i) {
				return true
			}
		}
	}
	return false
}

// search reports whether the text contains a pattern. If the pattern has literals and matches
// within a line, search runs the expression only on the lines in which the scanner found a literal.
func (e *engine) search(p *pattern, text string, s *scratch) bool {
	c := p.program()
	if len(p.literals) == 0 || s.folded || !c.oneLine {
		return c.run(text, s)
	}
	for _, id := range p.literals {
		if len(s.places[id]) == maxPlaces { // there may be more places
			return c.run(text, s)
		}
		to := 0
		for _, place := range s.places[id] {
			i := int(place)
			if i < to {
				continue
			}
			from := max(0, strings.LastIndexByte(text[:i], '\n'))
			if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
				to = i + n + 1
			} else {
				to = len(text)
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
	if c.re == nil {
		return false
	}
	for i := range c.must {
		if !s.folded && !c.must[i].in(text) {
			return false
		}
	}
	if c.atEnd {
		text = text[strings.LastIndexByte(strings.TrimRight(text, "\r\n\t "), '\n')+1:]
		if len(text) > maxEnd {
			return false
		}
	}
	s.work.runs++
	s.work.bytes += len(text)
	if c.lead == nil {
		return c.re.MatchString(text)
	}
	_, _, found := c.find(text)
	return found
}

// find returns the place of the first match in a text. If the program has a lead, it must match the
// beginning of the line before the match.
func (c *program) find(text string) (from, to int, ok bool) {
	for at, n := 0, 0; c.re != nil && n < maxMatches && at <= len(text); n++ {
		match := c.re.FindStringIndex(text[at:])
		if match == nil {
			break
		}
		start := at + match[0]
		line := strings.LastIndexByte(text[:start], '\n') + 1
		if c.lead == nil || c.lead().MatchString(text[max(line, start-maxLead):start]) {
			return start, at + match[1], true
		}
		_, size := utf8.DecodeRuneInString(text[start:])
		at = start + max(size, 1)
	}
	return 0, 0, false
}

// leadsOf returns functions that compile leads on first use.
func leadsOf(r *Rules) []func() *regexp.Regexp {
	var leads []func() *regexp.Regexp
	for _, expr := range r.Leads {
		leads = append(leads, sync.OnceValue(func() *regexp.Regexp {
			return regexp.MustCompile(`^(?:` + expr + `)$`) // the generator has checked it
		}))
	}
	return leads
}
