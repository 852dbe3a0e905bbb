// Package printable makes texts safe for terminals and logs. Characters that control a terminal or
// change the direction of text become readable escapes. Ends of lines and tabs are unchanged.
// Sequences that only set a colour are removed.
package printable

import "slices"

const hexDigits = "0123456789abcdef"

// suspect contains the first bytes of all characters to be escaped: C0 without tab and line feed,
// DEL, C1, and the characters that set the direction of text.
var suspect = [256]uint8{
	0: 1, 1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 7: 1, 8: 1, '\v': 1, '\f': 1, '\r': 1, 14: 1, 15: 1,
	16: 1, 17: 1, 18: 1, 19: 1, 20: 1, 21: 1, 22: 1, 23: 1, 24: 1, 25: 1, 26: 1, 27: 1, 28: 1, 29: 1, 30: 1, 31: 1,
	0x7F: 1, 0xC2: 1, 0xE2: 1,
}

// block is the number of bytes that first tests together.
const block = 8

// first returns the index of the first byte of s from i that is suspect, or its length.
func first[T string | []byte](s T, i int) int {
	for len(s)-i >= block {
		w := s[i : i+block]
		if suspect[w[0]]|suspect[w[1]]|suspect[w[2]]|suspect[w[3]]|
			suspect[w[4]]|suspect[w[5]]|suspect[w[6]]|suspect[w[7]] != 0 {
			break
		}
		i += block
	}
	for i < len(s) && suspect[s[i]] == 0 {
		i++
	}
	return i
}

// Text returns s with unprintable characters escaped.
func Text(s string) string {
	if next(s, 0) == len(s) {
		return s
	}
	return string(Tail([]byte(s), 0))
}

// Tail escapes the unprintable characters of dst from index start.
func Tail(dst []byte, start int) []byte {
	i := next(dst, start)
	if i == len(dst) {
		return dst
	}
	s := slices.Clone(dst[i:])
	dst = dst[:i]
	for i = 0; i < len(s); {
		n, code := escaped(s, i)
		if colour := colourAt(s, i); colour > 0 {
			n = colour
		} else {
			dst = appendEscape(dst, code, n)
		}
		end := next(s, i+n)
		dst = append(dst, s[i+n:end]...)
		i = end
	}
	return dst
}

// next returns the index of the first character of s from i that is to be escaped, or its length.
func next[T string | []byte](s T, i int) int {
	for i = first(s, i); i < len(s); i = first(s, i+1) {
		if n, _ := escaped(s, i); n > 0 {
			break
		}
	}
	return i
}

// escaped returns the length in bytes and the code of the character of s at i. If the character is
// not to be escaped, both are 0.
func escaped[T string | []byte](s T, i int) (n int, code uint16) {
	s = s[i:min(i+3, len(s))]
	switch c := s[0]; {
	case c == '\r' && len(s) > 1 && s[1] == '\n':
		return 0, 0
	case c < ' ' || c == 0x7F:
		return 1, uint16(c)
	case c == 0xC2 && len(s) > 1 && 0x80 <= s[1] && s[1] <= 0x9F: // C1
		return 2, uint16(s[1])
	case c == 0xE2 && len(s) > 2 &&
		(s[1] == 0x80 && 0xAA <= s[2] && s[2] <= 0xAE || s[1] == 0x81 && 0xA6 <= s[2] && s[2] <= 0xA9):
		return 3, 0x2000 | uint16(s[1]&0x3F)<<6 | uint16(s[2]&0x3F)
	}
	return 0, 0
}

// maxColour is the maximum length of a sequence that sets a colour.
const maxColour = 32

// colourAt returns the length of the sequence at i of s that sets a colour or a style, such as
// ESC [ 1 ; 3 1 m, or 0.
func colourAt(s []byte, i int) int {
	s = s[i:min(i+maxColour, len(s))]
	if len(s) < 3 || s[0] != 0x1B || s[1] != '[' {
		return 0
	}
	for n := 2; n < len(s); n++ {
		switch c := s[n]; {
		case c == 'm':
			return n + 1
		case c != ';' && c != ':' && (c < '0' || c > '9'):
			return 0
		}
	}
	return 0
}

// appendEscape appends the escape, as in Go, of a character that takes n bytes.
func appendEscape(dst []byte, code uint16, n int) []byte {
	switch {
	case code == '\r':
		return append(dst, '\\', 'r')
	case n == 1:
		return append(dst, '\\', 'x', hexDigits[code>>4], hexDigits[code&0xF])
	}
	return append(dst, '\\', 'u', hexDigits[code>>12], hexDigits[code>>8&0xF], hexDigits[code>>4&0xF],
		hexDigits[code&0xF])
}
