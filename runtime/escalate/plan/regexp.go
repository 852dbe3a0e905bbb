package plan

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"

	"github.com/errgen/errgen/runtime/internal/text"
)

// Bounds on regular expressions: their length in bytes, and how many characters and classes they
// have when repetitions are written out, of which each may cost a step for each byte that is
// searched.
const (
	maxExpression = 1000
	maxWeight     = 5000
)

// Regexp compiles Text as a regular expression of Go's, which takes time that grows with what it
// searches only. An expression of more than 1000 bytes, or one that repeats so much that searching
// a file with it would take minutes, is an error.
func (c Criterion) Regexp() (*regexp.Regexp, error) {
	if len(c.Text) > maxExpression {
		return nil, fmt.Errorf("it is longer than %d bytes: use a shorter one", maxExpression)
	}
	parsed, err := syntax.Parse(c.Text, syntax.Perl)
	if err != nil {
		var of *syntax.Error
		if errors.As(err, &of) {
			return nil, fmt.Errorf("%s: %s", of.Code, text.Quote(of.Expr, maxShown))
		}
		return nil, errors.New("it cannot be read")
	}
	if weight(parsed) > maxWeight {
		return nil, errors.New("it repeats too much: use smaller numbers of repetitions")
	}
	return regexp.Compile(c.Text)
}

// weight returns how large an expression is when its repetitions are written out. It is looked at
// before that is done.
func weight(r *syntax.Regexp) int {
	n := max(1, len(r.Sub))
	if r.Op == syntax.OpLiteral {
		n = len(r.Rune)
	}
	for _, sub := range r.Sub {
		n += weight(sub)
	}
	if r.Op == syntax.OpRepeat {
		n *= max(1, r.Min, r.Max)
	}
	return n
}

// matchesAll reports whether an expression matches nothing at all anywhere, and so every text.
func matchesAll(text string) bool {
	parsed, err := syntax.Parse(text, syntax.Perl)
	return err == nil && nothing(parsed)
}

// nothing reports whether an expression matches the empty text wherever it stands.
func nothing(r *syntax.Regexp) bool {
	switch r.Op {
	case syntax.OpEmptyMatch, syntax.OpStar, syntax.OpQuest:
		return true
	case syntax.OpRepeat:
		return r.Min == 0 || nothing(r.Sub[0])
	case syntax.OpPlus, syntax.OpCapture:
		return nothing(r.Sub[0])
	case syntax.OpConcat:
		return !slices.ContainsFunc(r.Sub, func(sub *syntax.Regexp) bool { return !nothing(sub) })
	case syntax.OpAlternate:
		return slices.ContainsFunc(r.Sub, nothing)
	}
	return false
}
