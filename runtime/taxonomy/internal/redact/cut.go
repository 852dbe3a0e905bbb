package redact

import (
	"strings"
	"unicode/utf8"
)

// Ellipsis replaces the part of a text that was cut.
const Ellipsis = "…"

const (
	// maxMoves bounds how often a cut is moved.
	maxMoves = 32
	// maxPrefix bounds the distance from the beginning of a secret to its trigger, except in what is
	// left of a private key.
	maxPrefix = 16
)

// Cut returns s, a masked text of more than limit bytes, cut to at most limit: its beginning or, if
// tail is set, its end, and an ellipsis in place of the rest. It splits no rune and no mask, and the
// result has no secrets. If limit has no room for the ellipsis, it is left out.
func Cut(s string, limit int, tail bool) string {
	before, kept, after := Kept(s, limit, tail)
	return before + kept + after
}

// Kept returns the three parts of [Cut]; before or after is the ellipsis.
func Kept(s string, limit int, tail bool) (before, kept, after string) {
	return parts(s, limit, tail, func(string, int, int) (int, int) { return -1, 0 })
}

// KeptPlain is [Kept] for a text that is not masked. The secrets in the result are those that it
// has in s, so masking it later leaves no part of one in clear.
func KeptPlain(s string, limit int, tail bool) (before, kept, after string) {
	return parts(s, limit, tail, func(s string, i, limit int) (int, int) { return next(s, i, limit, i) })
}

// A finder returns the bounds of the next secret of a text from an index to a limit.
type finder func(s string, i, limit int) (start, end int)

func parts(s string, limit int, tail bool, secret finder) (before, kept, after string) {
	mark := Ellipsis
	if limit <= len(mark) {
		mark = ""
	}
	keep := limit - len(mark)
	if tail {
		return mark, s[tailStart(s, len(s)-keep, secret):], ""
	}
	return "", s[:headEnd(s, keep, secret)], mark
}

// headEnd returns the greatest index up to end such that s[:index] has the same secrets as s.
func headEnd(s string, end int, secret finder) int {
	if start, _, ok := splitMask(s, end); ok {
		end = start
	}
	for end > 0 && end < len(s) && !utf8.RuneStart(s[end]) {
		end--
	}
	for range maxMoves {
		changed := firstChange(s, end, secret)
		if changed < 0 {
			return end
		}
		end = changed
	}
	return 0
}

// firstChange returns the start of the first secret that is only in one of s and s[:end], or that
// reaches end, because the text after it may be what ends it; -1 if there is none.
func firstChange(s string, end int, secret finder) int {
	limit := lookahead(s, end)
	for i := 0; ; {
		start, stop := secret(s, i, limit)
		found, foundStop := next(s[:end], i, end, i)
		switch {
		case start < 0 || start >= end:
			return found
		case found < 0 || start < found:
			return start
		case found < start || foundStop != stop || stop >= end:
			return found
		}
		i = stop
	}
}

// tailStart returns the least index from start such that s[index:] has the same secrets as s.
func tailStart(s string, start int, secret finder) int {
	if _, end, ok := splitMask(s, start); ok {
		start = end
	}
	for range maxMoves {
		for start < len(s) && !utf8.RuneStart(s[start]) {
			start++
		}
		old, oldEnd := secret(s, max(0, start-maxPEM), len(s))
		for old >= 0 && oldEnd <= start {
			old, oldEnd = secret(s, oldEnd, len(s))
		}
		found, end := Next(s[start:], 0, 0)
		switch {
		case found < 0 && old < 0, found >= 0 && found+start == old && end+start == oldEnd:
			return start // after the same secret, both are judged alike
		case old < 0, found >= 0 && found+start < old:
			start += end
		default:
			start = oldEnd
		}
	}
	return len(s)
}

// lookahead returns the index before which the triggers of all secrets are that begin before i.
func lookahead(s string, i int) int {
	if n := strings.Index(s[i:min(len(s), i+maxPEM)], pemEnd); n >= maxPrefix {
		return i + n + 1
	}
	return min(len(s), i+maxPrefix)
}

// splitMask returns the bounds of the mask that a cut at i would split.
func splitMask(s string, i int) (start, end int, ok bool) {
	from := max(0, i-len(Mask)+1)
	n := strings.Index(s[from:min(len(s), i+len(Mask)-1)], Mask)
	return from + n, from + n + len(Mask), n >= 0
}
