package gen

import (
	"encoding/binary"
	"slices"

	"github.com/errgen/errgen/runtime/taxonomy/internal/redact"
)

// Classes of the bytes at which copying a text into a JSON string stops.
const (
	toEscape = redact.Short | redact.Long | redact.NonASCII
)

// block is how many bytes redact.ClassOf looks at.
const block = 8

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string, byte for byte as encoding/json does.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	dst = appendText(dst, s)
	return append(dst, '"')
}

// appendText is appendEscaped, faster for a text without anything to escape.
func appendText(dst []byte, s string) []byte {
	if redact.Has(s, toEscape) {
		return appendEscaped(dst, s)
	}
	return append(dst, s...)
}

// appendEscaped appends s as it stands in a JSON string.
func appendEscaped[T string | []byte](dst []byte, s T) []byte {
	done := 0
	for i := 0; i < len(s); {
		classes := uint8(toEscape)
		for len(s)-i >= block {
			if classes = redact.ClassOf(s[i:]); classes&toEscape != 0 {
				break
			}
			i += block
		}
		if classes&toEscape == redact.Short && len(s)-i >= block {
			dst = appendShorts(append(dst, s[done:i]...), s[i:])
			i += block
			done = i
			continue
		}
		for end := min(i+block, len(s)); i < end; {
			switch class := redact.Class[s[i]] & toEscape; class {
			case 0:
				i++
			case redact.Short:
				dst = append(dst, s[done:i]...)
				dst = append(dst, '\\', byte(pairs[s[i]]>>8))
				i++
				done = i
			default:
				n := plainRune(s, i)
				if n == 0 {
					dst, n = appendRare(append(dst, s[done:i]...), s[i:])
					done = i + n
				}
				i += n
			}
		}
	}
	return append(dst, s[done:]...)
}

// appendShorts appends the first 8 bytes of s, all of them either plain or escaped by a backslash and a letter. It
// has no branches that depend on the text, because quotes come when they like: of each byte it writes two, of which
// the next overwrites the second if the byte was plain.
func appendShorts[T string | []byte](dst []byte, s T) []byte {
	dst = slices.Grow(dst, 2*block+1)
	n := len(dst)
	w, b, i := s[:block], dst[n:n+2*block+1], 0
	i = putPair(b, i, w[0])
	i = putPair(b, i, w[1])
	i = putPair(b, i, w[2])
	i = putPair(b, i, w[3])
	i = putPair(b, i, w[4])
	i = putPair(b, i, w[5])
	i = putPair(b, i, w[6])
	i = putPair(b, i, w[7])
	return dst[:n+i]
}

func putPair(b []byte, i int, c byte) int {
	binary.LittleEndian.PutUint16(b[i:], pairs[c])
	return i + 1 + int(redact.Class[c]&redact.Short)
}

// appendScrubbed appends s as it stands in a JSON string, its secrets masked, and returns by how many bytes the
// masks made it longer. But for the masks it is appendEscaped, repeated here because one pass is faster.
func appendScrubbed(dst []byte, s string) ([]byte, int) {
	done, floor, grown := 0, 0, 0
	for i := 0; i < len(s); {
		classes := uint8(toEscape | redact.Trigger)
		for len(s)-i >= block {
			if classes = redact.ClassOf(s[i:]); classes != 0 {
				break
			}
			i += block
		}
		if classes == redact.Short && len(s)-i >= block {
			dst = appendShorts(append(dst, s[done:i]...), s[i:])
			i += block
			done = i
			continue
		}
		for end := min(i+block, len(s)); i < end; {
			switch class := redact.Class[s[i]]; class {
			case 0:
				i++
			case redact.Short:
				dst = append(dst, s[done:i]...)
				dst = append(dst, '\\', byte(pairs[s[i]]>>8))
				i++
				done = i
			case redact.Trigger:
				start, stop := redact.At(s, i, floor)
				if start < 0 {
					i++
					continue
				}
				if start < done { // letters of the secret are written already
					dst = dst[:len(dst)-(done-start)]
					done = start
				}
				dst = append(appendEscaped(dst, s[done:start]), redact.Mask...)
				grown += len(redact.Mask) - (stop - start)
				i, done, floor = stop, stop, stop
			default:
				n := plainRune(s, i)
				if n == 0 {
					dst, n = appendRare(append(dst, s[done:i]...), s[i:])
					done = i + n
				}
				i += n
			}
		}
	}
	return append(dst, s[done:]...), grown
}

// escapeTail escapes what dst holds after start for a JSON string, in place.
func escapeTail(dst []byte, start int) []byte {
	if !redact.Has(dst[start:], toEscape) {
		return dst
	}
	end := len(dst)
	dst = appendEscaped(dst, dst[start:end])
	n := copy(dst[start:], dst[end:])
	return dst[:start+n]
}

// appendRare appends the escape of what s begins with, which is not escaped by a backslash and a letter and is no
// rune that stands in a JSON string as it is. It returns the length of that.
func appendRare[T string | []byte](dst []byte, s T) ([]byte, int) {
	switch c := s[0]; {
	case c < 0x80:
		return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xF]), 1
	case isLineSeparator(s):
		return append(dst, '\\', 'u', '2', '0', '2', hexDigits[s[2]&0xF]), 3
	default:
		return append(dst, `\ufffd`...), 1
	}
}

// plainRune returns the length of the rune at i if it is not ASCII and stands in a JSON string as it is, otherwise 0:
// what is no UTF-8, U+2028 and U+2029 do not.
func plainRune[T string | []byte](s T, i int) int {
	if i+1 < len(s) && 0xC2 <= s[i] && s[i] <= 0xDF && isContinuation(s[i+1]) {
		return 2
	}
	return plainLongRune(s[i:])
}

// plainLongRune is plainRune for a rune of three or four bytes, which s begins with.
func plainLongRune[T string | []byte](s T) int {
	if len(s) < 3 || s[0] < 0xE0 || !isContinuation(s[1]) || !isContinuation(s[2]) {
		return 0
	}
	switch c := s[0]; {
	case c == 0xE0 && s[1] < 0xA0, c == 0xED && s[1] > 0x9F: // overlong, surrogate
		return 0
	case isLineSeparator(s):
		return 0
	case c <= 0xEF:
		return 3
	case c > 0xF4, len(s) < 4, !isContinuation(s[3]), c == 0xF0 && s[1] < 0x90, c == 0xF4 && s[1] > 0x8F:
		return 0
	}
	return 4
}

// isLineSeparator reports whether s begins with U+2028 or U+2029, which JavaScript takes for ends of lines.
func isLineSeparator[T string | []byte](s T) bool {
	return len(s) >= 3 && s[0] == 0xE2 && s[1] == 0x80 && s[2]&^1 == 0xA8
}

func isContinuation(c byte) bool { return c&0xC0 == 0x80 }
