package executor

import (
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Bounds in bytes on what is kept of others' texts.
const (
	maxMessage = 4 << 10
	maxAnswer  = 16 << 10
	maxDetails = 64 << 10
	// margin is how much beside what is kept is looked at, so that a secret that the cut splits is seen as one.
	margin   = 4 << 10
	ellipsis = "…"
)

// beginningOf returns the beginning of s, secrets masked, of at most n bytes.
func beginningOf(s string, n int) string {
	s = scrubbed(s[:min(len(s), n+margin)])
	if len(s) <= n {
		return s
	}
	if n < len(ellipsis) {
		return ""
	}
	return whole(s[:n-len(ellipsis)]) + ellipsis
}

// endOf returns the end of s, secrets masked, of at most n bytes.
func endOf(s string, n int) string {
	s = scrubbed(s[max(0, len(s)-n-margin):])
	if len(s) <= n {
		return s
	}
	if n < len(ellipsis) {
		return ""
	}
	s = s[len(s)-(n-len(ellipsis)):]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return ellipsis + s
}

// bothEnds returns the first quarter and the end of s, secrets masked, of at most n bytes in all.
func bothEnds(s string, n int) string {
	if len(s) <= n {
		return beginningOf(s, n)
	}
	head := n / 4
	if head < len(ellipsis) {
		return endOf(s, n)
	}
	return beginningOf(s, head) + "\n" + endOf(s, n-head-1)
}

func scrubbed(s string) string {
	return strings.Clone(taxonomy.Scrub(strings.ToValidUTF8(s, "\uFFFD")))
}

// whole returns s without the rune that a cut at its end has split.
func whole(s string) string {
	for len(s) > 0 {
		if r, size := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || size != 1 {
			break
		}
		s = s[:len(s)-1]
	}
	return s
}
