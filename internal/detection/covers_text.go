package detection

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/errgen/errgen/internal/model"
)

// searched is what a rule searches texts for.
type searched struct {
	text, contains []needle
}

// needle is something that texts are searched for.
type needle struct {
	written string // as the rule has it
	expr    bool   // it is a regular expression
	literal bool   // it is nothing but a literal, all of it in any case or none
	anyCase bool
	folded  string // the literal with letters that differ in case made one
	exact   string // the literal with a byte that is in no text for each letter that stands for several
}

func searchedBy(r *model.Rule) searched {
	var s searched
	for _, expr := range r.Text {
		s.text = append(s.text, expression(expr))
	}
	for _, text := range r.Contains {
		s.contains = append(s.contains, needle{written: text}.with([]rune(text), true))
	}
	return s
}

func expression(expr string) needle {
	n := needle{written: expr, expr: true}
	re, err := syntax.Parse(expr, syntax.Perl)
	for err == nil && re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	if err != nil || re.Op != syntax.OpLiteral || slices.ContainsFunc(
		re.Rune, func(r rune) bool { return !utf8.ValidRune(r) }) {
		return n
	}
	return n.with(re.Rune, re.Flags&syntax.FoldCase != 0)
}

// with gives a needle its literal.
func (n needle) with(runes []rune, anyCase bool) needle {
	var folded, exact strings.Builder
	for _, r := range runes {
		folded.WriteRune(leastFold(r))
		if anyCase && unicode.SimpleFold(r) != r {
			exact.WriteByte(0xff)
			continue
		}
		exact.WriteRune(r)
	}
	n.literal, n.anyCase, n.folded, n.exact = true, anyCase, folded.String(), exact.String()
	return n
}

// leastFold returns one of the letters that differ from r in case only: the same for all of them.
func leastFold(r rune) rune {
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}

// finds reports whether whatever narrow searches for is not found without something that wide
// searches for. Each of wide's lists must follow from one of narrow's.
func finds(narrow, wide *searched) bool {
	return narrow.findsOne(wide.text) && narrow.findsOne(wide.contains)
}

func (s *searched) findsOne(wide []needle) bool {
	return len(wide) == 0 || allHold(s.text, wide) || allHold(s.contains, wide)
}

// allHold reports whether there are needles in narrow and each of them holds one of wide.
func allHold(narrow, wide []needle) bool {
	for i := range narrow {
		if !narrow[i].holdsOne(wide) {
			return false
		}
	}
	return len(narrow) > 0
}

func (n *needle) holdsOne(wide []needle) bool {
	for i := range wide {
		if n.holds(&wide[i]) {
			return true
		}
	}
	return false
}

// holds reports whether w is found wherever n is, as far as that can be told from literals.
func (n *needle) holds(w *needle) bool {
	switch {
	case n.expr == w.expr && n.written == w.written:
		return true
	case !n.literal || !w.literal:
		return false
	case w.anyCase:
		return strings.Contains(n.folded, w.folded)
	}
	return strings.Contains(n.exact, w.exact)
}
