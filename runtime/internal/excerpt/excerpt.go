// Package excerpt takes the beginning or the end of a text whose secrets are masked, without a part of one at the cut.
package excerpt

import (
	"strings"
	"unicode/utf8"
)

const (
	// Margin is how many bytes beside what is kept are looked at, so that a secret that the cut splits is seen as one.
	Margin   = 4 << 10
	ellipsis = "…"
)

// Beginning returns the beginning of s, masked, of at most n bytes. Mask returns a text as it may be kept, in valid UTF-8.
func Beginning(s string, n int, mask func(string) string) string {
	seen := s[:min(len(s), n+Margin)]
	out := mask(seen)
	if len(seen) < len(s) && len(out) < n+Margin/2 {
		// What is masked has made so much room that the end of what was seen, and half of a secret there, would be kept.
		return begun(out[:agreeing(out, mask(s[:n]))], n)
	}
	if len(out) <= n {
		return strings.Clone(out)
	}
	return begun(out, n)
}

// Ending returns the end of s, masked, of at most n bytes.
func Ending(s string, n int, mask func(string) string) string {
	seen := s[max(0, len(s)-n-Margin):]
	out := mask(seen)
	if len(seen) < len(s) && len(out) < n+Margin/2 {
		return ended(out[len(out)-agreeingAtEnd(out, mask(s[len(s)-n:])):], n)
	}
	if len(out) <= n {
		return strings.Clone(out)
	}
	return ended(out, n)
}

// begun returns so much of s that it has n bytes with an ellipsis, which says that there is more.
func begun(s string, n int) string {
	if n < len(ellipsis) {
		return ""
	}
	s = s[:min(len(s), n-len(ellipsis))]
	for len(s) > 0 {
		if r, size := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || size != 1 {
			break
		}
		s = s[:len(s)-1]
	}
	return s + ellipsis
}

func ended(s string, n int) string {
	if n < len(ellipsis) {
		return ""
	}
	s = s[max(0, len(s)-(n-len(ellipsis))):]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return ellipsis + s
}

// agreeing returns how many bytes a and b begin with that are the same.
func agreeing(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func agreeingAtEnd(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
