package redact

import (
	"strings"
	"unicode/utf8"
)

const (
	// maxMoves bounds how often the end of what is kept is moved.
	maxMoves = 16
	// reach is how far from a cut a text can be judged anew because of it: no decision about what
	// is no secret looks farther, back or ahead.
	reach = 2 * sample
)

// Cut returns s, which is longer than limit bytes, cut to at most limit, with an ellipsis in place
// of what is missing: at its end, or, for tail, at its beginning. No rune and no mask is split, and
// nothing that was no secret becomes one. A limit without room for the ellipsis has none.
func Cut(s string, limit int, tail bool) string {
	before, kept, after := Kept(s, limit, tail)
	return before + kept + after
}

// Kept returns the three parts of what [Cut] returns: one of before and after is the ellipsis.
func Kept(s string, limit int, tail bool) (before, kept, after string) {
	mark, keep := room(limit)
	if tail {
		return mark, s[keptTail(s, len(s)-keep):], ""
	}
	return "", s[:keptHead(s, keep)], mark
}

// KeptPlain is [Kept] for a text that shows its secrets. What masks them later must know them for
// secrets, so one that the cut takes a part from, or something by which it is known, is left out as
// a whole.
func KeptPlain(s string, limit int, tail bool) (before, kept, after string) {
	mark, keep := room(limit)
	if tail {
		return mark, s[plainTail(s, len(s)-keep):], ""
	}
	return "", s[:plainHead(s, keep)], mark
}

// room returns the ellipsis, if limit has room for it, and how many bytes can be kept beside it.
func room(limit int) (mark string, keep int) {
	if limit <= len(Ellipsis) {
		return "", limit
	}
	return Ellipsis, limit - len(Ellipsis)
}

// lastRune returns the greatest index up to end at which no rune is split.
func lastRune(s string, end int) int {
	for n := 0; n < utf8.UTFMax && end > 0 && !utf8.RuneStart(s[end]); n++ {
		end--
	}
	return end
}

// nextRune returns the least index from start at which no rune is split.
func nextRune(s string, start int) int {
	for n := 0; n < utf8.UTFMax && start < len(s) && !utf8.RuneStart(s[start]); n++ {
		start++
	}
	return start
}

// keptHead returns the greatest index, about end, up to which s can be kept.
func keptHead(s string, end int) int {
	if start, _, ok := splitMask(s, end); ok {
		end = start
	}
	end = lastRune(s, end)
	for range maxMoves {
		found, _ := Next(s[:end], max(0, end-reach), 0)
		if found < 0 {
			return end
		}
		end = found
	}
	return strings.LastIndexByte(s[:end], '\n') + 1
}

// keptTail returns the least index, about start, from which s can be kept.
func keptTail(s string, start int) int {
	if _, end, ok := splitMask(s, start); ok {
		start = end
	}
	start = nextRune(s, start)
	for range maxMoves {
		found, end := next(s[start:], 0, min(reach, len(s)-start), 0)
		if found < 0 {
			return start
		}
		start += end
	}
	return len(s)
}

// splitMask returns the bounds of the mask that a cut at i would split.
func splitMask(s string, i int) (start, end int, ok bool) {
	from := max(0, i-len(Mask)+1)
	n := strings.Index(s[from:min(len(s), i+len(Mask)-1)], Mask)
	if n < 0 {
		return 0, 0, false
	}
	return from + n, from + n + len(Mask), true
}
