package detect

import (
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// scrubContext is how many bytes beyond a cut are searched for secrets that the cut splits.
const scrubContext = 8 << 10

// CutMasked returns the last n bytes of s, or fewer, without half a character at the beginning. If
// s is longer, its secrets are masked, because the rest of a secret that the cut splits could not
// be recognised any more, and the result does not share the memory of s.
func CutMasked(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return maskedEnd(s, n)
}

// bounded returns the end of a text, secrets masked if the text is longer than [maxBody].
func bounded(s string) string { return CutMasked(s, maxBody) }

// boundedBytes is bounded for bytes, of which it copies only the end.
func boundedBytes(b []byte) string {
	return bounded(string(b[max(0, len(b)-maxBody-scrubContext-1):]))
}

// maskedEnd returns at most the last n bytes of s, secrets masked.
func maskedEnd(s string, n int) string {
	window := tail(s, n+scrubContext)
	masked := taxonomy.Scrub(window)
	if len(window) < len(s) && len(masked) != len(window) {
		// The window may begin inside a secret. Masks shorten the text, which must not reveal the
		// beginning of the window.
		n = min(n, len(masked)-len(taxonomy.Scrub(window[:len(window)-n])))
	}
	if n <= 0 {
		return taxonomy.Redacted
	}
	return strings.Clone(tail(masked, n))
}

// maskedBeginning returns at most the first n bytes of s, secrets masked.
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

// tail returns the last n bytes of s, or fewer, without half a character at the beginning.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	start := len(s) - max(n, 0)
	for start < len(s) && splits(s, start) {
		start++
	}
	return s[start:]
}

// head returns the first n bytes of s, or fewer, without half a character at the end.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && splits(s, n) {
		n--
	}
	return s[:n]
}

// splits reports whether i is between two bytes of one character of s. A byte that is not UTF-8 is
// a character.
func splits(s string, i int) bool {
	if i <= 0 || i >= len(s) || utf8.RuneStart(s[i]) {
		return false
	}
	for start := i - 1; start >= 0 && i-start < utf8.UTFMax; start-- {
		if utf8.RuneStart(s[start]) {
			_, size := utf8.DecodeRuneInString(s[start:])
			return start+size > i
		}
	}
	return false
}
