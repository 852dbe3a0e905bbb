package detect

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// program is a pattern ready to be run, and what its matches look like.
type program struct {
	re *regexp.Regexp // nil of a pattern that is no regular expression: it is never found
	// line reports that no match holds the end of a line.
	line bool
	// What the pattern asks of what stands before and after a match.
	textEnds, lineEnds, wordEnds bool
	// must are literals that every match holds, all of them; they tell most near misses apart at
	// little cost. Not among them is the one that brought the text here.
	must []literal
	// literal reports that the pattern is a literal, so that the text need not be searched again.
	literal bool
}

// compiled returns the pattern's program, made on first use.
func (p *pattern) compiled() *program {
	c := p.program.Load()
	if c == nil {
		c = compile(p.Pattern)
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
	c.look(tree)
	c.require(tree)
	c.literal = tree.Op == syntax.OpLiteral && len(c.must) == 1
	if len(p.Literals) == 1 {
		known := p.Literals[0]
		c.must = slices.DeleteFunc(c.must, func(l literal) bool { return l.text == known.Text && l.fold == known.Fold })
	}
	return c
}

// look goes through the parts of the pattern.
func (c *program) look(re *syntax.Regexp) {
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
		c.line = c.line && !strings.ContainsRune(string(re.Rune), '\n')
	case syntax.OpCharClass:
		for i := 0; i+1 < len(re.Rune); i += 2 {
			c.line = c.line && (re.Rune[i] > '\n' || re.Rune[i+1] < '\n')
		}
	}
	for _, sub := range re.Sub {
		c.look(sub)
	}
}

// require collects the literals that every match of re holds. Those beyond ASCII are left out.
func (c *program) require(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		if text := string(re.Rune); isASCII(text) {
			l := literal{text: text}
			if re.Flags&syntax.FoldCase != 0 {
				l.text, l.fold = strings.ToLower(text), true
			}
			c.must = append(c.must, l)
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

// may reports whether the text holds all literals that a match must hold.
func (c *program) may(text string) bool {
	for i := range c.must {
		if c.must[i].after(text, 0) < 0 {
			return false
		}
	}
	return true
}

// after returns the first place of the literal at or after i, or -1.
func (l *literal) after(text string, i int) int {
	if !l.fold {
		at := strings.Index(text[i:], l.text)
		if at < 0 {
			return -1
		}
		return i + at
	}
	first := l.text[0] | 0x20
	for ; i+len(l.text) <= len(text); i++ {
		if text[i]|0x20 == first && l.at(text, i) {
			return i
		}
	}
	return -1
}
