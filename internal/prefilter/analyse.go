package prefilter

import (
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// known is what is certain about every match of an expression. Texts in sets are certain up to the
// folding that the package speaks of.
type known struct {
	exact bool // the match is one of first, which is last
	first set  // the match begins with one of these
	last  set  // the match ends with one of these
	best  set  // the match holds one of these; nil when none is of use
}

// anything is known of an expression that nothing is known of.
func anything() known { return known{first: empty, last: empty} }

func exactly(s set) known { return known{exact: true, first: s, last: s, best: better(nil, s)} }

func analyse(re *syntax.Regexp) known {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return exactly(empty)
	case syntax.OpNoMatch:
		return exactly(set{})
	case syntax.OpLiteral:
		return literal(re.Rune, re.Flags&syntax.FoldCase != 0)
	case syntax.OpCharClass:
		return class(re.Rune)
	case syntax.OpCapture:
		return analyse(re.Sub[0])
	case syntax.OpQuest:
		return optional(analyse(re.Sub[0]))
	case syntax.OpPlus:
		return repeat(analyse(re.Sub[0]), 1, -1)
	case syntax.OpRepeat:
		return repeat(analyse(re.Sub[0]), re.Min, re.Max)
	case syntax.OpConcat:
		var c concat
		for _, sub := range re.Sub {
			c.add(analyse(sub))
		}
		return c.known()
	case syntax.OpAlternate:
		out := exactly(set{})
		for _, sub := range re.Sub {
			out = either(out, analyse(sub))
		}
		return out
	}
	return anything()
}

func literal(runes []rune, fold bool) known {
	var c concat
	for _, r := range runes {
		c.add(oneRune(r, fold))
	}
	return c.known()
}

// oneRune leaves U+FFFD out, which any invalid byte of a text matches, and what is no rune of a
// text.
func oneRune(r rune, fold bool) known {
	switch {
	case r == utf8.RuneError || !utf8.ValidRune(r):
		return anything()
	case !fold:
		return exactly(set{{text: string(r)}})
	case r < utf8.RuneSelf:
		return exactly(set{{text: string(unicode.ToLower(r)), fold: isLetter(r)}})
	}
	orbit := set{{text: string(r)}}
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		orbit = append(orbit, lit{text: string(f)})
	}
	return exactly(orbit)
}

// class expands a small class to its runes.
func class(ranges []rune) known {
	var runes []rune
	for i := 0; i+1 < len(ranges); i += 2 {
		if int(ranges[i+1])-int(ranges[i]) > maxRunes || len(runes) > maxRunes {
			return anything()
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			runes = append(runes, r)
		}
	}
	members := make(map[rune]bool, len(runes))
	for _, r := range runes {
		members[r] = true
	}
	var out set
	for _, r := range runes {
		switch {
		case r == utf8.RuneError || !utf8.ValidRune(r):
			return anything()
		case foldedElsewhere(r, members):
		case 'A' <= r && r <= 'Z' && members[r+'a'-'A']:
			out = append(out, lit{text: string(r + 'a' - 'A'), fold: true})
		default:
			out = append(out, lit{text: string(r)})
		}
	}
	if len(out) > maxCross {
		return anything()
	}
	return exactly(out)
}

// foldedElsewhere reports whether a literal that folds ASCII stands for r: of a letter in both
// cases the upper one does.
func foldedElsewhere(r rune, members map[rune]bool) bool {
	switch r {
	case 'ſ':
		return members['s'] && members['S']
	case '\u212a':
		return members['k'] && members['K']
	}
	return 'a' <= r && r <= 'z' && members[r-('a'-'A')]
}

// either knows what is certain of both alternatives.
func either(a, b known) known {
	switch {
	case a.never():
		return b
	case b.never():
		return a
	}
	out := known{first: union(a.first, b.first), last: union(a.last, b.last)}
	out.exact = a.exact && b.exact && len(out.first) <= maxUnion
	if len(out.first) > maxUnion {
		out.first = empty
	}
	if len(out.last) > maxUnion {
		out.last = empty
	}
	if a.best != nil && b.best != nil {
		out.best = union(a.best, b.best)
	}
	if len(out.best) > maxUnion {
		out.best = nil
	}
	return out
}

// never reports whether the expression matches nothing.
func (k known) never() bool { return k.exact && len(k.first) == 0 }

func optional(k known) known { return either(exactly(empty), k) }

func repeat(k known, least, most int) known {
	switch {
	case least == 0 && most == 1:
		return optional(k)
	case least == 0:
		return anything()
	}
	var c concat
	for range min(least, maxCopies) {
		c.add(k)
	}
	out := c.known()
	out.exact = out.exact && least == most && least <= maxCopies
	return out
}
