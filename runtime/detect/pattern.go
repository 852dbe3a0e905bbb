package detect

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// glance is how much of a text is searched on each side of a literal before all of it is, if
	// matches have no bound.
	glance = 256
	// maxRead is how many times the length of a text may be searched for literals before the
	// expression is run on all of it.
	maxRead = 8
	// maxMatches is how many matches of a pattern are tested for what precedes them.
	maxMatches = 16
	// maxLead bounds in bytes the part of a line before a match that is tested.
	maxLead = 256
)

// program is a compiled pattern and the properties of its matches.
type program struct {
	re *regexp.Regexp // nil for an invalid expression, which is never found
	// line reports that no match contains the end of a line.
	line bool
	// What the expression tests before and after a match.
	textEnds, lineEnds, wordEnds bool
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
	c := &program{re: re, line: true}
	c.inspect(tree, true)
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
		c.textEnds = true
	case syntax.OpBeginLine, syntax.OpEndLine:
		c.lineEnds = true
	case syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		c.wordEnds = true
	case syntax.OpAnyChar:
		c.line = false
	case syntax.OpLiteral:
		text := string(re.Rune)
		c.line = c.line && !strings.Contains(text, "\n")
		if required && isASCII(text) {
			l := literal{text: text}
			if re.Flags&syntax.FoldCase != 0 {
				l.text, l.fold = strings.ToLower(text), true
			}
			c.must = append(c.must, l)
		}
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			c.line = c.line && (re.Rune[i] > '\n' || re.Rune[i+1] < '\n')
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

// may reports whether the text contains all literals that a match must contain.
func (c *program) may(text string) bool {
	for i := range c.must {
		if c.must[i].after(text, 0) < 0 {
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

// after returns the first place of the literal from i on, or -1.
func (l *literal) after(text string, i int) int {
	if !l.fold {
		if at := strings.Index(text[i:], l.text); at >= 0 {
			return i + at
		}
		return -1
	}
	first := l.text[0] | caseBit
	for ; i+len(l.text) <= len(text); i++ {
		if text[i]|caseBit == first && l.at(text, i) {
			return i
		}
	}
	return -1
}

// search reports whether the text contains a pattern that has no literal, or of which a literal was
// found. It runs the expression on windows around the literals until these are more than the text.
func (e *engine) search(p *pattern, text string, s *scratch) bool {
	c := p.compiled(e.leads)
	switch {
	case c.re == nil:
		return false
	case p.always || s.folded || c.textEnds && !c.line:
		return c.run(text, s)
	}
	w := windowRun{c: c, text: text, reach: p.Reach, s: s}
	for _, id := range p.literals {
		l, places := &e.literals[id], s.places[id]
		size := len(l.text)
		if len(places) > 0 && p.Reach == 0 && !c.line {
			from, to := c.window(text, int(places[0]), size, size+glance)
			return c.run(text[from:to], s) || c.run(text, s)
		}
		i := -1
		for n := 0; !w.exhausted; n++ {
			switch {
			case n < len(places):
				i = int(places[n])
			case n < maxPlaces:
				i = -1
			default:
				i = l.after(text, i+1)
			}
			if i < 0 {
				break
			}
			if w.add(i, size) {
				return true
			}
		}
		if w.close() {
			return true
		}
	}
	return w.exhausted && c.run(text, s)
}

// windowRun runs a program on windows around literals.
type windowRun struct {
	c     *program
	text  string
	reach int
	s     *scratch
	// from and to are the open window. to is 0 if there is none.
	from, to int
	// read and run are how many bytes were searched for literals, and by the program.
	read, run int
	// exhausted reports that all windows together are more than the text.
	exhausted bool
}

// add adds the window around a literal of a size at i, and reports whether there is a match. A
// window is run once the next one begins after it, because windows that overlap become one.
func (w *windowRun) add(i, size int) bool {
	if w.reach > 0 {
		lo, hi := reached(w.text, i, size, w.reach)
		if w.read += hi - lo; w.read > maxRead*len(w.text) {
			w.exhausted = true
			return false
		}
		if !w.c.may(w.text[lo:hi]) {
			return false
		}
	}
	from, to := w.c.window(w.text, i, size, w.reach)
	if w.to > 0 && from <= w.to {
		w.to = max(w.to, to)
		return false
	}
	matches := w.close()
	w.from, w.to = from, to
	return matches
}

// close reports whether there is a match in the open window, and closes it.
func (w *windowRun) close() bool {
	from, to := w.from, w.to
	w.to = 0
	if w.run += to - from; to == 0 || w.run > len(w.text) {
		w.exhausted = w.exhausted || to > 0
		return false
	}
	return w.c.run(w.text[from:to], w.s)
}

// reached returns the bounds of matches of at most reach bytes around a literal of a size at i. A
// reach of 0 is no bound.
func reached(text string, i, size, reach int) (from, to int) {
	if reach == 0 {
		return 0, len(text)
	}
	return max(0, i+size-reach), min(len(text), i+reach)
}

// run reports whether there is a match in a text.
func (c *program) run(text string, s *scratch) bool {
	if !s.folded {
		if !c.may(text) {
			return false
		}
		if c.literal {
			return true
		}
	}
	s.work.runs++
	s.work.bytes += len(text)
	if c.lead != nil {
		return c.leads(text)
	}
	return c.re.MatchString(text)
}

// leads reports whether there is a match in a text behind the beginning of a line that matches lead.
func (c *program) leads(text string) bool {
	for at, n := 0, 0; n < maxMatches; n++ {
		match := c.re.FindStringIndex(text[at:])
		if match == nil {
			return false
		}
		start := at + match[0]
		line := strings.LastIndexByte(text[:start], '\n') + 1
		if c.lead.MatchString(text[max(line, start-maxLead):start]) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[start:])
		at = start + max(size, 1)
		if at > len(text) {
			return false
		}
	}
	return false
}

// window returns a part of the text in which the program finds every match of at most reach bytes
// around a literal of a size at i, and nothing that it would not find in the text. A reach of 0 is
// no bound.
func (c *program) window(text string, i, size, reach int) (from, to int) {
	lo, hi := reached(text, i, size, reach)
	from, to = -1, -1
	if c.line {
		// The ends of the line are in the window. A match cannot contain them.
		if n := strings.LastIndexByte(text[lo:i], '\n'); n >= 0 {
			from = lo + n
		}
		if n := strings.IndexByte(text[i+size:max(hi, i+size)], '\n'); n >= 0 {
			to = i + size + n + 1
		}
	}
	if from < 0 {
		from = c.begin(text, lo)
	}
	if to < 0 {
		to = c.end(text, hi)
	}
	return from, to
}

// begin returns the last place at or before i at which a window can begin: the expression tests
// there what it would test in the text.
func (c *program) begin(text string, i int) int {
	switch {
	case c.textEnds: // only if no match contains the end of a line
		return max(0, strings.LastIndexByte(text[:i], '\n'))
	case c.lineEnds:
		return strings.LastIndexByte(text[:i], '\n') + 1
	}
	for i > 0 && (c.wordEnds && isWord(text[i-1]) || splits(text, i)) {
		i--
	}
	return i
}

// end returns the first place at or after i at which a window can end.
func (c *program) end(text string, i int) int {
	if c.textEnds || c.lineEnds {
		n := strings.IndexByte(text[i:], '\n')
		switch {
		case n < 0:
			return len(text)
		case c.textEnds:
			return i + n + 1
		}
		return i + n
	}
	for i < len(text) && (c.wordEnds && isWord(text[i]) || splits(text, i)) {
		i++
	}
	return i
}
