package detect

import "unicode/utf8"

// CutText returns the last n bytes of s, or fewer, so that no character is cut in two. It shares
// s's memory.
func CutText(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if n <= 0 {
		return ""
	}
	start := len(s) - n
	for end := start + utf8.UTFMax - 1; start < len(s) && start < end && inside(s, start); {
		start++
	}
	return s[start:]
}

// inside reports whether i is between two bytes of one character of s. Bytes that are no UTF-8
// count as one each.
func inside(s string, i int) bool {
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
