package detect

import (
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// scrubContext is how many bytes beyond a cut are looked at, so that a secret that the cut splits
// is seen whole.
const scrubContext = 8 << 10

// CutMasked is [CutText] for a text that is kept or shown: of one that is too long secrets are
// masked, because what is left of a secret that the cut goes through could not be known for one any
// more. It does not share s's memory then.
func CutMasked(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return maskedEnd(s, n)
}

// maskedEnd returns the last n bytes of s, or fewer, secrets masked as they are seen where nothing
// is cut.
func maskedEnd(s string, n int) string {
	window := CutText(s, n+scrubContext)
	masked := taxonomy.Scrub(window)
	if len(window) < len(s) && len(masked) != len(window) {
		// What masks spare must not bring to light where the window begins, as that may be inside a
		// secret.
		n = min(n, len(masked)-len(taxonomy.Scrub(window[:len(window)-n])))
	}
	if n <= 0 {
		return taxonomy.Redacted
	}
	return strings.Clone(CutText(masked, n))
}

// maskedBeginning is maskedEnd for the first n bytes.
func maskedBeginning(s string, n int) string {
	window := s[:min(len(s), n+scrubContext)]
	masked := taxonomy.Scrub(window)
	if len(window) < len(s) && len(masked) != len(window) {
		n = min(n, len(masked)-len(taxonomy.Scrub(window[n:])))
	}
	if n <= 0 {
		return taxonomy.Redacted
	}
	return strings.Clone(masked[:min(len(masked), n)])
}
