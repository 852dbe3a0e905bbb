package redact

import "strings"

// Scrub returns s with its secrets masked; s itself when there is none.
func Scrub(s string) string {
	start, end := Next(s, 0, 0)
	if start < 0 {
		return s
	}
	return string(appendFrom(make([]byte, 0, len(s)), s, start, end))
}

// Append appends s with its secrets masked.
func Append(dst []byte, s string) []byte {
	start, end := Next(s, 0, 0)
	if start < 0 {
		return append(dst, s...)
	}
	return appendFrom(dst, s, start, end)
}

// appendFrom appends s, whose first secret is s[start:end].
func appendFrom(dst []byte, s string, start, end int) []byte {
	done := 0
	for start >= 0 {
		dst = append(append(dst, s[done:start]...), Mask...)
		done = end
		start, end = Next(s, end, end)
	}
	return append(dst, s[done:]...)
}

// AppendLine appends the first line of s with its secrets masked. The line ends where it ends once
// they are masked.
func AppendLine(dst []byte, s string) []byte {
	done, limit := 0, lineEnd(s, 0)
	for {
		start, end := nextBefore(s, done, limit)
		if start < 0 {
			return append(dst, s[done:limit]...)
		}
		dst = append(append(dst, s[done:start]...), Mask...)
		if done = end; done > limit {
			limit = lineEnd(s, done)
		}
	}
}

// nextBefore returns the bounds of the first secret of s that begins at or after i and before
// limit, whatever gives it away; start is -1 when there is none.
func nextBefore(s string, i, limit int) (start, end int) {
	start, end = next(s, i, limit, i)
	if start < 0 {
		start, end = next(s, limit, armourAhead(s, limit), i)
	}
	if start >= limit {
		return -1, 0
	}
	return start, end
}

// lineEnd returns the index of the first line feed or carriage return at or after i, or len(s).
func lineEnd(s string, i int) int {
	end := len(s)
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		end = i + n
	}
	if n := strings.IndexByte(s[i:end], '\r'); n >= 0 {
		end = i + n
	}
	return end
}

// Next returns the bounds of the first secret of s that a byte at or after i gives away; start is
// -1 when there is none. floor is where the secret before it ended.
func Next(s string, i, floor int) (start, end int) { return next(s, i, len(s), floor) }

// next is Next for the bytes before limit; the secret may go on behind it.
func next(s string, i, limit, floor int) (start, end int) {
	for i < limit {
		for limit-i >= block && ClassOf(s[i:])&Trigger == 0 {
			i += block
		}
		for last := min(i+block, limit); i < last; i++ {
			if Class[s[i]]&Trigger == 0 {
				continue
			}
			if start, end = At(s, i, floor); start >= 0 {
				return start, end
			}
		}
	}
	return -1, 0
}

// suspicious is a quick look at the neighbours of the byte at i, one of the class [Trigger]: unless
// it says so, nothing is given away. It spares most calls of At, and has few branches that depend
// on the text.
func suspicious(s string, i int) bool {
	if c := s[i]; c == ':' || c == '=' {
		return i+1 < len(s) && (s[i+1] == '/' || s[i+1] == '\\') || mayBeKey(s, i)
	} else if c|0x20 == 'b' {
		return i+1 < len(s) && s[i+1]|0x24 == 'e' // 'a' or 'e', in any case
	} else if c == '_' {
		return i > 1 && endings[s[i-2]]&(endings[s[i-1]]>>8)&prefixEnd != 0
	} else if c == '.' {
		return i > 1 && mayBeDotted(s[i-2], s[i-1])
	}
	return true
}

// mayBeDotted reports whether a prefix before '.' may end in the letters: SG, ya29, hvs, hvb, hvr.
func mayBeDotted(a, b byte) bool { return a == 'S' && b == 'G' || a == '2' && b == '9' || a == 'v' }

// harmless reports whether the byte at i is the colon after a key in quotes that names no secret.
// Suspicious would say so, too; this is small enough to be inlined, and in JSON it is nearly always
// so.
func harmless(s string, i int) bool {
	return i > 2 && s[i] == ':' && s[i-1] == '"' && s[i-2] != '\\' &&
		endings[s[i-3]]&(endings[s[i-2]]>>8)&nameEnd == 0 &&
		(i+1 == len(s) || s[i+1] != '/')
}

// mayBeKey reports whether two letters that names of secrets end in are before the separator at i,
// perhaps with a quote between; or white space, a colon or a backslash, before which it does not
// look.
func mayBeKey(s string, i int) bool {
	if i--; i >= 0 && isQuote(s[i]) {
		if i--; i >= 0 && s[i] == '\\' {
			i--
		}
	}
	if i < 1 {
		return false
	}
	return endings[s[i-1]]&(endings[s[i]]>>8)&nameEnd != 0 || isSpace(s[i]) || s[i] == ':' || s[i] == '\\'
}

// At returns the bounds of the secret that the byte at i, one of the class [Trigger], gives away;
// start is -1 when it gives none away. floor is where the secret before it ended; start is never
// below it.
func At(s string, i, floor int) (start, end int) {
	if harmless(s, i) || !suspicious(s, i) {
		return -1, 0
	}
	return judge(s, i, floor)
}

// judge is At without the quick looks.
func judge(s string, i, floor int) (start, end int) {
	switch s[i] {
	case 'b', 'B':
		return credentials(s, i, floor)
	case '=':
		return assigned(s, i, floor)
	case ':':
		if hasAt(s, i+1, "//") {
			return userinfo(s, i+3)
		}
		if hasAt(s, i+1, `\/\/`) { // as some write it in JSON
			return userinfo(s, i+5)
		}
		return mapped(s, i, floor)
	case '-':
		return hyphenToken(s, i, floor)
	case '.':
		return dotToken(s, i, floor)
	case '_':
		return underscoreToken(s, i, floor)
	case 'I':
		return capitalToken(s, i, floor)
	case 'J':
		return webToken(s, i, floor)
	}
	return -1, 0
}
