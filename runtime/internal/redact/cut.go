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
	// maxPrefix bounds the distance from the beginning of a secret to its trigger, except in what
	// is left of a private key.
	maxPrefix = 16
	// reach bounds the distance from a cut to a secret that only the cut makes one.
	reach = 2 * sample
)

// Kept cuts s, a masked text of more than limit bytes, to at most limit: its beginning or, if tail
// is set, its end, and an ellipsis in place of the rest, which is before or after. It splits no
// rune and no mask, and the three parts together have no secrets. If limit has no room for the
// ellipsis, it is left out.
func Kept(s string, limit int, tail bool) (before, kept, after string) {
	if tail {
		return cutBefore(s, limit, newAfter)
	}
	return cutAfter(s, limit, newBefore)
}

// KeptPlain is [Kept] for a text that is not masked. A secret is kept whole, and such that masking
// still finds it, or not at all.
func KeptPlain(s string, limit int, tail bool) (before, kept, after string) {
	if tail {
		return cutBefore(s, limit, lostAfter)
	}
	return cutAfter(s, limit, lostBefore)
}

// cutAfter cuts the end of s, before the secret at which move finds that the cut is wrong.
func cutAfter(s string, limit int, move func(s string, end int) int) (before, kept, after string) {
	mark, end := room(limit)
	if start, _, ok := splitMask(s, end); ok {
		end = start
	}
	for end > 0 && end < len(s) && !utf8.RuneStart(s[end]) {
		end--
	}
	for range maxMoves {
		wrong := move(s, end)
		if wrong < 0 {
			return "", s[:end], mark
		}
		end = wrong
	}
	return "", "", mark
}

// cutBefore cuts the beginning of s, after the secret at which move finds that the cut is wrong.
func cutBefore(s string, limit int, move func(s string, start int) int) (before, kept, after string) {
	mark, keep := room(limit)
	start := len(s) - keep
	if _, end, ok := splitMask(s, start); ok {
		start = end
	}
	for range maxMoves {
		for start < len(s) && !utf8.RuneStart(s[start]) {
			start++
		}
		wrong := move(s, start)
		if wrong < 0 {
			return mark, s[start:], ""
		}
		start = wrong
	}
	return mark, "", ""
}

// room returns the ellipsis, if limit has room for it, and the number of bytes beside it.
func room(limit int) (mark string, keep int) {
	if limit <= len(Ellipsis) {
		return "", limit
	}
	return Ellipsis, limit - len(Ellipsis)
}

// newBefore returns the start of a secret of s[:end], or -1. s has no secrets.
func newBefore(s string, end int) int {
	found, _ := Next(s[:end], max(0, end-reach), 0)
	return found
}

// newAfter returns the end of a secret of s[start:], or -1. s has no secrets.
func newAfter(s string, start int) int {
	if found, end := next(s[start:], 0, min(reach, len(s)-start), 0); found >= 0 {
		return start + end
	}
	return -1
}

// lostBefore returns the start of the first secret of s that is not in s[:end], or that reaches
// end, because the text after end may terminate it. It returns -1 without such a secret.
func lostBefore(s string, end int) int {
	limit := lookahead(s, end)
	for i := 0; ; {
		start, stop := next(s, i, limit, i)
		if start < 0 || start >= end {
			return -1
		}
		if stop >= end {
			return start
		}
		if found, foundStop := next(s[:end], i, stop, i); found != start || foundStop != stop {
			return start
		}
		i = stop
	}
}

// lostAfter returns the end of the first secret of s that ends after start and that s[start:] does
// not have, or -1. If both have one, they agree on the text after it.
func lostAfter(s string, start int) int {
	for i := max(0, start-maxPEM); ; {
		from, to := next(s, i, len(s), i)
		if from < 0 {
			return -1
		}
		if i = to; to <= start {
			continue
		}
		if found, end := next(s[start:], 0, to-start, 0); found+start == from && end+start == to {
			return -1
		}
		return to
	}
}

// lookahead returns the index before which the triggers of all secrets are that begin before i.
func lookahead(s string, i int) int {
	end, limit := i, min(len(s), i+maxPEM)
	for end < limit && (pemLine.has(s[end]) ||
		space.has(s[end]) && end > 0 && (space|lineBreak).has(s[end-1])) {
		end++
	}
	if hasAt(s, end, pemEnd) {
		return max(end+1, min(len(s), i+maxPrefix))
	}
	return min(len(s), i+maxPrefix)
}

// splitMask returns the bounds of the mask that a cut at i would split.
func splitMask(s string, i int) (start, end int, ok bool) {
	from := max(0, i-len(Mask)+1)
	n := strings.Index(s[from:min(len(s), i+len(Mask)-1)], Mask)
	return from + n, from + n + len(Mask), n >= 0
}
