package escalate

import (
	"strings"
	"unicode"

	"github.com/errgen/errgen/runtime/internal/excerpt"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// beginning returns the beginning of s, secrets masked, of at most n bytes.
func beginning(s string, n int) string { return excerpt.Beginning(s, n, scrubbed) }

// bothEnds returns s, secrets masked; of one with more than n bytes the first quarter and the end.
func bothEnds(s string, n int) string {
	if len(s) <= n {
		return beginning(s, n)
	}
	head := n / 4
	return beginning(s, head) + "\n" + excerpt.Ending(s, n-head-1, scrubbed)
}

// oneLine returns the beginning of s, secrets masked, without anything that breaks a line or
// commands a terminal.
func oneLine(s string, n int) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return ' '
	}, beginning(strings.TrimSpace(s), n))
}

// printable returns a text, secrets masked, in which nothing but line feeds and tabs cannot be
// printed.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		if c == '\n' || c == '\t' || unicode.IsPrint(c) {
			return c
		}
		return ' '
	}, scrubbed(s))
}

// scrubbed returns valid UTF-8 with secrets masked.
func scrubbed(s string) string { return taxonomy.Scrub(strings.ToValidUTF8(s, "\uFFFD")) }
