// Package prefilter finds the literals of patterns. Every match of a pattern contains one of them,
// so the text engine runs an expression only where one of its literals is.
package prefilter

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/detect"
)

const (
	// MinLiteral is the minimum length of a literal in bytes.
	MinLiteral = 3
	// maxLiteral is the length at which a literal is cut.
	maxLiteral = 32
	// maxLength limits the texts that are still joined with the ones that follow.
	maxLength = 64
	// maxTexts limits the texts that an expression is expanded to, and maxLiterals the literals of
	// a pattern.
	maxTexts    = 32
	maxLiterals = 256
	// maxCopies limits the copies of a repetition that are expanded.
	maxCopies = 16
)

// Pattern returns the pattern of a regular expression.
func Pattern(expr string) (detect.Pattern, error) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return detect.Pattern{}, fmt.Errorf("parse expression: %w", err)
	}
	return detect.Pattern{Expr: expr, Literals: Shorten(analyse(re).best, maxLiteral)}, nil
}

// PlainPattern returns the pattern of a text that is searched literally, in any case.
func PlainPattern(text string) detect.Pattern {
	p, _ := Pattern("(?i)" + regexp.QuoteMeta(text)) // it fails only for a text that is not UTF-8
	p.Expr, p.Plain = "", text
	return p
}

// set is a list of texts. Every match contains one of them. A text that folds has its ASCII letters
// in lower case.
type set []detect.Literal

// empty is the set of the empty text.
var empty = set{{}}

// known is the knowledge about all matches of an expression.
type known struct {
	exact set // all matches; nil if they are too many
	best  set // every match contains one of these; nil if nothing useful is known
}

func exactly(s set) known { return known{exact: s, best: better(nil, s)} }

func analyse(re *syntax.Regexp) known {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return exactly(empty)
	case syntax.OpLiteral:
		var parts []known
		for _, r := range re.Rune {
			parts = append(parts, oneRune(r, re.Flags&syntax.FoldCase != 0))
		}
		return concat(parts)
	case syntax.OpCharClass:
		return class(re.Rune)
	case syntax.OpCapture:
		return analyse(re.Sub[0])
	case syntax.OpQuest:
		return alternate([]known{exactly(empty), analyse(re.Sub[0])})
	case syntax.OpPlus:
		return known{best: analyse(re.Sub[0]).best}
	case syntax.OpRepeat:
		if re.Min == 0 {
			return known{}
		}
		out := concat(slices.Repeat([]known{analyse(re.Sub[0])}, min(re.Min, maxCopies)))
		if re.Max != re.Min || re.Min > maxCopies {
			out.exact = nil
		}
		return out
	case syntax.OpConcat, syntax.OpAlternate:
		var parts []known
		for _, sub := range re.Sub {
			parts = append(parts, analyse(sub))
		}
		if re.Op == syntax.OpConcat {
			return concat(parts)
		}
		return alternate(parts)
	}
	return known{}
}

// oneRune leaves out U+FFFD, which matches any byte that is not UTF-8, and letters beyond ASCII in
// any case, because the engine folds ASCII only.
func oneRune(r rune, fold bool) known {
	switch {
	case r == utf8.RuneError || !utf8.ValidRune(r):
		return known{}
	case fold && r < utf8.RuneSelf:
		return exactly(set{{Text: string(unicode.ToLower(r)), Fold: unicode.IsLetter(r)}})
	case fold && unicode.SimpleFold(r) != r:
		return known{}
	}
	return exactly(set{{Text: string(r)}})
}

// class expands a small class to its runes.
func class(ranges []rune) known {
	var parts []known
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			if parts = append(parts, oneRune(r, false)); len(parts) > maxTexts {
				return known{}
			}
		}
	}
	return alternate(parts)
}

// concat returns the knowledge about expressions that follow each other.
func concat(parts []known) known {
	run, exact := empty, true
	var best set
	for _, p := range parts {
		best = better(best, p.best)
		if joined := cross(run, p.exact); joined != nil {
			run = joined
			continue
		}
		best, run, exact = better(best, run), p.exact, false
		if run == nil {
			run = empty
		}
	}
	best = better(best, run)
	if !exact {
		run = nil
	}
	return known{exact: run, best: best}
}

// cross returns every text of a followed by every text of b, or nil if these are too many or too
// long.
func cross(a, b set) set {
	if len(a)*len(b) > maxTexts {
		return nil
	}
	var out set
	for _, l := range a {
		for _, m := range b {
			if len(l.Text)+len(m.Text) > maxLength {
				return nil
			}
			if l.Fold || m.Fold {
				out = append(out, detect.Literal{Text: lowerASCII(l.Text + m.Text), Fold: true})
			} else {
				out = append(out, detect.Literal{Text: l.Text + m.Text})
			}
		}
	}
	return out
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// alternate returns the knowledge about alternatives.
func alternate(parts []known) known {
	var out known
	allExact, allBest := true, true
	for _, p := range parts {
		out.exact, out.best = append(out.exact, p.exact...), append(out.best, p.best...)
		allExact, allBest = allExact && p.exact != nil, allBest && p.best != nil
	}
	if !allExact || len(out.exact) > maxTexts {
		out.exact = nil
	}
	if !allBest || len(out.best) > maxLiterals {
		out.best = nil
	}
	return out
}

// better returns the set that is likely to be rarer in texts: long literals, and few.
func better(a, b set) set {
	if b.shortest() < MinLiteral || a != nil && b.shortest()-len(b) <= a.shortest()-len(a) {
		return a
	}
	return b
}

func (s set) shortest() int {
	if len(s) == 0 {
		return 0
	}
	n := maxLiteral
	for _, l := range s {
		n = min(n, len(l.Text))
	}
	return n
}

// Shorten returns the literals, cut to size bytes, without those that contain another one.
func Shorten(list []detect.Literal, size int) []detect.Literal {
	var out []detect.Literal
	for _, l := range list {
		if len(l.Text) > size {
			end := size
			for !utf8.RuneStart(l.Text[end]) {
				end--
			}
			l.Text = l.Text[:end]
		}
		l.Fold = l.Fold && strings.ContainsAny(l.Text, "abcdefghijklmnopqrstuvwxyz")
		if !slices.ContainsFunc(out, func(other detect.Literal) bool { return contains(l, other) }) {
			out = append(slices.DeleteFunc(out, func(other detect.Literal) bool { return contains(other, l) }), l)
		}
	}
	return out
}

// contains reports whether each text with the literal l contains part.
func contains(l, part detect.Literal) bool {
	if part.Fold {
		return strings.Contains(lowerASCII(l.Text), part.Text)
	}
	return (!l.Fold || !strings.ContainsAny(part.Text, "abcdefghijklmnopqrstuvwxyz")) &&
		strings.Contains(l.Text, part.Text)
}

const patternSeparator = "\t\t"

// Pack returns patterns in the compact form of [detect.Patterns]. It replaces the leads in
// expressions by references. Neither an expression nor a literal may contain a tab or a line feed.
func Pack(list []detect.Pattern, leads []string) detect.Patterns {
	packed := make([]string, len(list))
	for i, p := range list {
		expr := p.Expr
		if p.Plain != "" {
			expr = "(?i)" + regexp.QuoteMeta(p.Plain)
		}
		packed[i] = fmt.Sprintf("%d %s", p.Lead, references(expr, leads, 0))
		for _, l := range p.Literals {
			mark := "="
			if l.Fold {
				mark = "~"
			}
			packed[i] += "\t" + mark + l.Text
		}
	}
	return detect.Patterns(strings.Join(packed, patternSeparator))
}

// PackLeads returns leads, with each later lead in them replaced by a reference.
func PackLeads(leads []string) []string {
	out := slices.Clone(leads)
	for i := range out {
		out[i] = references(out[i], leads, i+1)
	}
	return out
}

// references returns an expression with the leads from a place on replaced by references, the last
// lead first.
func references(expr string, leads []string, from int) string {
	for i := len(leads) - 1; i >= from; i-- {
		expr = strings.ReplaceAll(expr, leads[i], "(?"+strconv.Itoa(i+1)+")")
	}
	return expr
}
