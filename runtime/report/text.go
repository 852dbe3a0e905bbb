package report

import (
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/internal/excerpt"
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

// text returns s, secrets masked, in valid UTF-8, of at most n bytes. It is s itself where that is
// so already.
func text(s string, n int) string {
	if s == "" {
		return ""
	}
	if len(s) <= n {
		if masked := taxonomy.Scrub(s); len(masked) <= n && utf8.ValidString(masked) {
			return masked
		}
	}
	return excerpt.Beginning(s, n, masked)
}

// kept is [text] for what may be part of something greater, which shall not stay in memory because
// of it.
func kept(s string, n int) string { return strings.Clone(text(s, n)) }

func masked(s string) string { return taxonomy.Scrub(strings.ToValidUTF8(s, "\uFFFD")) }
