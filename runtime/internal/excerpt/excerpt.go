// Package excerpt takes the beginning or the end of a text whose secrets are masked, without a part
// of one at the cut.
package excerpt

import (
	"strings"
	"unicode/utf8"
)

const (
	// Margin is how many bytes beside what is kept are looked at, so that a secret that the cut
	// splits is seen as one. Private keys take up to 7 KiB.
	Margin   = 8 << 10
	ellipsis = "…"
)

// Beginning returns the beginning of s, masked, of at most n bytes with an ellipsis where it was
// cut. Mask returns a text as it may be kept, in valid UTF-8.
func Beginning(s string, n int, mask func(string) string) string {
	out, whole := head(s, n, mask)
	if whole {
		return strings.Clone(out)
	}
	return begun(out, n)
}

// Ending returns the end of s, masked, of at most n bytes with an ellipsis where it was cut.
func Ending(s string, n int, mask func(string) string) string {
	out, whole := tail(s, n, mask)
	if whole {
		return strings.Clone(out)
	}
	return ended(out, n)
}

// Head is [Beginning] without the ellipsis.
func Head(s string, n int, mask func(string) string) string {
	out, _ := head(s, n, mask)
	return strings.Clone(firstOf(out, n))
}

// Tail is [Ending] without the ellipsis.
func Tail(s string, n int, mask func(string) string) string {
	out, _ := tail(s, n, mask)
	return strings.Clone(lastOf(out, n))
}

// head returns the beginning of s, masked. It is no longer than n if it is the whole; otherwise n
// bytes of it may be kept.
func head(s string, n int, mask func(string) string) (out string, whole bool) {
	seen := s[:min(len(s), n+Margin)]
	out = mask(seen)
	if len(seen) < len(s) && len(out) < n+Margin/2 {
		// What is masked has made so much room that the end of what was seen, and half of a secret
		// there, would be kept.
		return out[:agreeing(out, mask(s[:n]))], false
	}
	return out, len(out) <= n
}

func tail(s string, n int, mask func(string) string) (out string, whole bool) {
	seen := s[max(0, len(s)-n-Margin):]
	out = mask(seen)
	if len(seen) < len(s) && len(out) < n+Margin/2 {
		return out[len(out)-agreeingAtEnd(out, mask(s[len(s)-n:])):], false
	}
	return out, len(out) <= n
}

// begun returns so much of s that it has n bytes with an ellipsis, which says that there is more.
func begun(s string, n int) string {
	if n < len(ellipsis) {
		return ""
	}
	return firstOf(s, n-len(ellipsis)) + ellipsis
}

func ended(s string, n int) string {
	if n < len(ellipsis) {
		return ""
	}
	return ellipsis + lastOf(s, n-len(ellipsis))
}

// firstOf returns at most n bytes of s, which is valid UTF-8, from its beginning.
func firstOf(s string, n int) string {
	s = s[:min(len(s), n)]
	for len(s) > 0 {
		if r, size := utf8.DecodeLastRuneInString(s); r != utf8.RuneError || size != 1 {
			break
		}
		s = s[:len(s)-1]
	}
	return s
}

func lastOf(s string, n int) string {
	s = s[max(0, len(s)-n):]
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	return s
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
