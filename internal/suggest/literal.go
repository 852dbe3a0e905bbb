package suggest

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/detect"
)

const (
	// minLiteral is how many bytes a text that a rule searches for has at least; shorter ones are
	// found anywhere.
	minLiteral = 3
	// maxLiteral is how many it has at most.
	maxLiteral = 80
	// head is how much of a text is looked at first: what failed stands there, and where stands
	// below.
	head = 400
	// enough is how long a literal of the head has to be for the rest not to be looked at.
	enough       = 8
	maxCandidate = 32
)

// candidates returns the parts of a text that a rule might search for, the best first: what is long
// and does not change from one failure to the next, in whole and word by word.
func candidates(text string) []string {
	literals := detect.Literals(text[:min(len(text), head)])
	if !slices.ContainsFunc(literals, func(s string) bool { return len(s) >= enough }) {
		literals = detect.Literals(text)
	}
	var all []string
	for _, literal := range literals {
		all = append(all, atMost(literal, maxLiteral))
	}
	for _, literal := range literals {
		all = append(all, strings.Fields(literal)...)
	}
	all = slices.DeleteFunc(
		all, func(s string) bool { return len(s) < minLiteral || len(s) > maxLiteral || hidesSecret(s) })
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return all[:min(len(all), maxCandidate)]
}

// atMost returns the first words of s that fit.
func atMost(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if i := strings.LastIndexByte(s[:n+1], ' '); i > 0 {
		return s[:i]
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// contains reports whether a rule that searches for literal finds it.
func contains(text, literal string) bool {
	if strings.Contains(text, literal) {
		return true
	}
	return regexp.MustCompile("(?i)" + regexp.QuoteMeta(literal)).MatchString(text)
}
