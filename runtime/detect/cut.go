package detect

import (
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/internal/text"
)

// CutMasked returns s, or at most the last n bytes of a longer s. It masks the secrets of a longer
// s, because the rest of a secret that the cut splits could not be recognised later. Then the
// result does not share the memory of s.
func CutMasked(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return text.Tail(s, n)
}

// bounded returns the end of a text, secrets masked if the text is longer than [maxBody].
func bounded(s string) string { return CutMasked(s, maxBody) }

// boundedBytes is bounded for bytes. It copies only their end.
func boundedBytes(b []byte) string { return bounded(string(b[max(0, len(b)-maxBody-text.Margin-1):])) }

// tail returns the last n bytes of s, or fewer, without half a character at the beginning.
func tail(s string, n int) string {
	start := max(0, len(s)-max(n, 0))
	for splits(s, start) {
		start++
	}
	return s[start:]
}

// head returns the first n bytes of s, or fewer, without half a character at the end.
func head(s string, n int) string {
	n = min(n, len(s))
	for splits(s, n) {
		n--
	}
	return s[:n]
}

// splits reports whether i is between two bytes of one character of s. A byte that is not UTF-8 is
// a character.
func splits(s string, i int) bool {
	for start := i - 1; i < len(s) && start >= 0 && i-start < utf8.UTFMax && !utf8.RuneStart(s[i]); start-- {
		if utf8.RuneStart(s[start]) {
			_, size := utf8.DecodeRuneInString(s[start:])
			return start+size > i
		}
	}
	return false
}
