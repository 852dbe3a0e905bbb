package prefilter

import (
	"regexp/syntax"
	"unicode"
	"unicode/utf8"
)

// reachOf returns the length of the longest match in bytes, if there is a bound up to [MaxReach].
func reachOf(re *syntax.Regexp) (n int, bounded bool) {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			n += widest(r, re.Flags&syntax.FoldCase != 0)
		}
	case syntax.OpCharClass:
		if len(re.Rune) > 0 {
			n = width(re.Rune[len(re.Rune)-1])
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		n = utf8.UTFMax
	case syntax.OpCapture, syntax.OpQuest:
		return reachOf(re.Sub[0])
	case syntax.OpStar, syntax.OpPlus:
		return repeated(re.Sub[0], -1)
	case syntax.OpRepeat:
		return repeated(re.Sub[0], re.Max)
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			m, ok := reachOf(sub)
			if !ok || n+m > MaxReach {
				return 0, false
			}
			n += m
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			m, ok := reachOf(sub)
			if !ok {
				return 0, false
			}
			n = max(n, m)
		}
	}
	return n, n <= MaxReach
}

// repeated returns the reach of up to times copies; a negative number is no bound.
func repeated(re *syntax.Regexp, times int) (int, bool) {
	n, bounded := reachOf(re)
	switch {
	case !bounded:
		return 0, false
	case n == 0 || times == 0:
		return 0, true
	case times < 0 || times > MaxReach/n:
		return 0, false
	}
	return n * times, true
}

// widest returns the bytes of a rune, or of the longest that it folds to. U+FFFD stands for an
// invalid byte too, which is shorter.
func widest(r rune, fold bool) int {
	n := width(r)
	if !fold {
		return n
	}
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		n = max(n, width(f))
	}
	return n
}

// width is at least one: a surrogate, which no text holds, counts as the runes around it do.
func width(r rune) int {
	if n := utf8.RuneLen(r); n > 0 {
		return n
	}
	return utf8.RuneLen(utf8.RuneError)
}
