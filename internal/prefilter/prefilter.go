package prefilter

import (
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/errgen/errgen/runtime/detect"
)

const (
	// MinLiteral is how many bytes a literal must have to be of use.
	MinLiteral = 3
	// MaxReach is the longest match, in bytes, that counts as bounded.
	MaxReach = 512
	// maxLiteral is where a literal is cut: more of it would hardly ever decide.
	maxLiteral = 32
)

// Analyse returns literals such that every match of expr (RE2, as package regexp reads it) holds
// one of them, and how many bytes the longest match can have. There are no literals when none is
// certain or one would be shorter than [MinLiteral]; reach is 0 when there is no bound, when it is
// above [MaxReach], and when all matches are empty. The error is that of an expression which does
// not compile.
func Analyse(expr string) (literals []detect.Literal, reach int, err error) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, 0, fmt.Errorf("analyse expression: %w", err)
	}
	reach, bounded := reachOf(re)
	if !bounded {
		reach = 0
	}
	return analyse(re).literals(), reach, nil
}

// Plain returns literals such that every text which holds text, in any case, holds one of them.
func Plain(text string) []detect.Literal {
	return PlainPattern(text).Literals
}

// Pattern returns the pattern of a regular expression.
func Pattern(expr string) (detect.Pattern, error) {
	literals, reach, err := Analyse(expr)
	if err != nil {
		return detect.Pattern{}, err
	}
	return detect.Pattern{Expr: expr, Literals: literals, Reach: reach}, nil
}

// PlainPattern returns the pattern of a text that is searched as it stands, in any case.
func PlainPattern(text string) detect.Pattern {
	p := detect.Pattern{Plain: text}
	literals, reach, err := Analyse("(?i)" + regexp.QuoteMeta(text))
	if err == nil { // it fails for a text that is not UTF-8 only
		p.Literals, p.Reach = literals, reach
	}
	return p
}
