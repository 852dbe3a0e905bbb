package typescript

import (
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode"
)

// expression returns the source of a JavaScript expression with the flag u that matches what an
// expression of RE2 matches. It has no other flags: letters in any case are classes, and the ends
// of lines are look-arounds.
func expression(expr string) (string, error) {
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	writeExpression(&b, tree)
	return b.String(), nil
}

var assertions = map[syntax.Op]string{
	syntax.OpNoMatch: `[]`, syntax.OpEmptyMatch: `(?:)`, syntax.OpAnyCharNotNL: `[^\n]`, syntax.OpAnyChar: `[^]`,
	syntax.OpBeginLine: `(?<![^\n])`, syntax.OpEndLine: `(?![^\n])`, syntax.OpBeginText: `(?<![^])`,
	syntax.OpEndText: `(?![^])`, syntax.OpWordBoundary: `\b`, syntax.OpNoWordBoundary: `\B`,
}

func writeExpression(b *strings.Builder, re *syntax.Regexp) {
	if s, ok := assertions[re.Op]; ok {
		b.WriteString(s)
		return
	}
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			writeRune(b, r, re.Flags&syntax.FoldCase != 0)
		}
	case syntax.OpCharClass:
		b.WriteString("[")
		for i := 0; i+1 < len(re.Rune); i += 2 {
			b.WriteString(escaped(re.Rune[i]))
			if re.Rune[i] < re.Rune[i+1] {
				b.WriteString("-" + escaped(re.Rune[i+1]))
			}
		}
		b.WriteString("]")
	case syntax.OpCapture:
		b.WriteString("(")
		writeExpression(b, re.Sub[0])
		b.WriteString(")")
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			writeExpression(b, sub)
		}
	case syntax.OpAlternate:
		b.WriteString("(?:")
		for i, sub := range re.Sub {
			if i > 0 {
				b.WriteString("|")
			}
			writeExpression(b, sub)
		}
		b.WriteString(")")
	default:
		b.WriteString("(?:")
		writeExpression(b, re.Sub[0])
		b.WriteString(")" + quantifier(re))
	}
}

func quantifier(re *syntax.Regexp) string {
	q := ""
	switch re.Op {
	case syntax.OpStar:
		q = "*"
	case syntax.OpPlus:
		q = "+"
	case syntax.OpQuest:
		q = "?"
	case syntax.OpRepeat:
		switch {
		case re.Max < 0:
			q = fmt.Sprintf("{%d,}", re.Min)
		case re.Max == re.Min:
			q = fmt.Sprintf("{%d}", re.Min)
		default:
			q = fmt.Sprintf("{%d,%d}", re.Min, re.Max)
		}
	}
	if re.Flags&syntax.NonGreedy != 0 {
		q += "?"
	}
	return q
}

// writeRune writes a character, or the class of all its cases.
func writeRune(b *strings.Builder, r rune, fold bool) {
	if !fold || unicode.SimpleFold(r) == r {
		b.WriteString(escaped(r))
		return
	}
	b.WriteString("[" + escaped(r))
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		b.WriteString(escaped(other))
	}
	b.WriteString("]")
}

// escaped returns a character as it is written in an expression, in a class or outside of one.
func escaped(r rune) string {
	switch {
	case strings.ContainsRune(`\^$.*+?()[]{}|/-`, r):
		if r == '-' {
			return `\x2d`
		}
		return `\` + string(r)
	case r < ' ' || r == 0x7f || r > 0x7e:
		return fmt.Sprintf(`\u{%x}`, r)
	}
	return string(r)
}
