package executor

import (
	"strings"

	"github.com/errgen/errgen/runtime/internal/excerpt"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Bounds in bytes on what is kept of others' texts.
const (
	maxName    = 256
	maxMessage = 4 << 10
	maxAnswer  = 16 << 10
	maxDetails = 64 << 10
	ellipsis   = "…"
)

// beginningOf returns the beginning of s, secrets masked, of at most n bytes.
func beginningOf(s string, n int) string { return excerpt.Beginning(s, n, scrubbed) }

// endOf returns the end of s, secrets masked, of at most n bytes.
func endOf(s string, n int) string { return excerpt.Ending(s, n, scrubbed) }

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
