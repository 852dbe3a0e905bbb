package report

import (
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Bounds in bytes on what an occurrence holds.
const (
	maxName    = 256
	maxAddress = 1 << 10
	maxMessage = 4 << 10
	maxStack   = 16 << 10
	maxContext = 16 << 10
	// maxMetadata bounds all texts of the metadata together, maxEntries each map and list in it,
	// maxNested their depth.
	maxMetadata = 16 << 10
	maxEntries  = 64
	maxNested   = 8
	// maxCauses is how many causes there are of a cause.
	maxCauses = 8
)

// boundedText is [text.Beginning], and returns s itself if nothing of it changes.
func boundedText(s string, n int) string {
	if s == "" {
		return ""
	}
	if len(s) <= n {
		if masked := taxonomy.Redact(s); len(masked) <= n && utf8.ValidString(masked) {
			return masked
		}
	}
	return text.Beginning(s, n)
}

// kept is [boundedText] for a part of a greater text, which it does not keep in memory.
func kept(s string, n int) string { return strings.Clone(boundedText(s, n)) }
