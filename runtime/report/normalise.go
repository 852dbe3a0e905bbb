package report

import (
	"strings"
	"unicode/utf8"
)

const (
	// maxPattern is how many characters of a normalised message there are.
	maxPattern = 100
	// maxNormalised bounds how many bytes of a message are looked at, so that the cost does not
	// grow with it.
	maxNormalised = maxMessage
	// leastHash is how many hexadecimal digits in a row make a hash.
	leastHash = 8
)

// Normalise returns a message without what differs from one occurrence of a failure to the next. In
// this order text in single quotes becomes 'X', text in double quotes "X", a UUID HASH, also as a
// part of a word, eight and more hexadecimal digits in a row HASH, whatever their case, and other
// digits in a row N. What is left is cut to 100 characters, and is valid UTF-8. Of the message the
// first 4096 bytes are looked at.
//
// What stands between two apostrophes counts as quoted. Identifiers that are no such digits, as
// request IDs and abbreviated commits of less than eight, stay, or differ in where N is.
func Normalise(message string) string {
	var room [patternRoom]byte
	return string(appendNormalised(room[:0], message))
}

// patternRoom is how many bytes a normalised message takes at most.
const patternRoom = maxPattern * utf8.UTFMax

// appendNormalised appends the normalised message. It reads each byte at most a few times: once as
// it is, and once on the way to the end of a quoted text, or of what may be a UUID.
func appendNormalised(dst []byte, message string) []byte {
	n := normaliser{s: beginning(message, maxNormalised), dst: dst, left: maxPattern}
	for n.at < len(n.s) && n.left > 0 {
		n.plain()
		if n.at < len(n.s) && n.left > 0 {
			n.step()
		}
	}
	return n.dst
}

// normaliser is a message on its way to be normalised.
type normaliser struct {
	s  string
	at int
	// dst is what is done, and left how many characters it may still grow by.
	dst  []byte
	left int
	// noSingle and noDouble report that no text in such quotes ends behind at.
	noSingle, noDouble bool
}

// plain adds what stands for itself, up to what may not.
func (n *normaliser) plain() {
	s, limit := n.s, min(len(n.s), n.at+n.left)
	// Run is how many hexadecimal digits there are before end, all of them letters. They are
	// counted without a branch: in plain words the processor would often guess wrong.
	end, run := n.at, 0
	for end < limit && run < leastHash {
		class := classes[s[end]]
		if class > isLetter {
			break
		}
		run = (run + 1) & -int(class)
		end++
	}
	if run == leastHash || end < len(s) && (end == limit || classes[s[end]] == isNumber) {
		end -= run
	}
	n.dst = append(n.dst, s[n.at:end]...)
	n.left -= end - n.at
	n.at = end
}

// step normalises what is at n.at, which may not stand for itself.
func (n *normaliser) step() {
	switch c := n.s[n.at]; classes[c] {
	case isLetter, isNumber:
		n.number()
	case isQuote:
		if c == '"' {
			n.double()
		} else {
			n.single()
		}
	case isWide:
		n.rune()
	}
}

func (n *normaliser) single() {
	end := -1
	if !n.noSingle {
		end = n.singleEnd(n.at)
	}
	n.noSingle = end < 0
	n.quoted(end, "'X'")
}

func (n *normaliser) double() {
	end := -1
	if !n.noDouble {
		end = n.doubleEnd(n.at)
	}
	n.noDouble = end < 0
	n.quoted(end, `"X"`)
}

// put adds a character of one byte.
func (n *normaliser) put(c byte) {
	if n.left > 0 {
		n.dst = append(n.dst, c)
		n.left--
	}
}

func (n *normaliser) puts(s string) {
	s = s[:min(len(s), n.left)]
	n.dst = append(n.dst, s...)
	n.left -= len(s)
}

// quoted replaces what is in quotes up to end; where there is no end, the quote stands for itself.
func (n *normaliser) quoted(end int, by string) {
	if end < 0 {
		n.put(n.s[n.at])
		n.at++
		return
	}
	n.puts(by)
	n.at = end
}

// singleEnd returns where the text in single quotes that begins at i ends, or -1.
func (n *normaliser) singleEnd(i int) int {
	end := strings.IndexByte(n.s[i+1:], '\'')
	if end < 0 {
		return -1
	}
	return i + 1 + end + 1
}

// doubleEnd returns where the text in double quotes that begins at i ends, or -1. A quote within
// single quotes ends nothing, because those are replaced before.
func (n *normaliser) doubleEnd(i int) int {
	for i++; i < len(n.s); {
		next := strings.IndexAny(n.s[i:], `"'`)
		if next < 0 {
			return -1
		}
		i += next
		if n.s[i] == '"' {
			return i + 1
		}
		if end := n.singleEnd(i); end > 0 {
			i = end
			continue
		}
		next = strings.IndexByte(n.s[i:], '"')
		if next < 0 {
			return -1
		}
		return i + next + 1
	}
	return -1
}

// number replaces hexadecimal digits in a row, or the decimal ones among them.
func (n *normaliser) number() {
	end := endOfHex(n.s, n.at)
	if end-n.at >= leastHash {
		n.puts("HASH")
		n.at = endOfUUID(n.s, end)
		return
	}
	for n.at < end {
		c := n.s[n.at]
		n.at++
		if !isDigit(c) {
			n.put(c)
			continue
		}
		n.put('N')
		for n.at < end && isDigit(n.s[n.at]) {
			n.at++
		}
	}
}

// rune adds a character of several bytes; bytes in a row that are none become one U+FFFD.
func (n *normaliser) rune() {
	r, size := utf8.DecodeRuneInString(n.s[n.at:])
	if r == utf8.RuneError && size == 1 {
		for n.at < len(n.s) {
			if r, size := utf8.DecodeRuneInString(n.s[n.at:]); r != utf8.RuneError || size != 1 {
				break
			}
			n.at++
		}
	} else {
		n.at += size
	}
	n.dst = utf8.AppendRune(n.dst, r)
	n.left--
}

// beginning returns at most n bytes of s, and splits no character.
func beginning(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for range utf8.UTFMax - 1 {
		if utf8.RuneStart(s[n]) {
			break
		}
		n--
	}
	return s[:n]
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool { return classes[c]&(isLetter|isNumber) != 0 }

// Classes of bytes: what stands for itself, hexadecimal digits that are letters and numbers,
// quotes, and what is not ASCII. Those of what may stand for itself are 0 and 1.
const (
	isPlain  = 0
	isLetter = 1
	isNumber = 2
	isQuote  = 4
	isWide   = 8
)

// classes holds the class of each byte.
var classes = [256]uint8{
	'"': isQuote, '\'': isQuote,
	'0': isNumber, '1': isNumber, '2': isNumber, '3': isNumber, '4': isNumber, '5': isNumber, '6': isNumber,
	'7': isNumber, '8': isNumber, '9': isNumber,
	'A': isLetter, 'B': isLetter, 'C': isLetter, 'D': isLetter, 'E': isLetter, 'F': isLetter,
	'a': isLetter, 'b': isLetter, 'c': isLetter, 'd': isLetter, 'e': isLetter, 'f': isLetter,
	0x80: isWide, 0x81: isWide, 0x82: isWide, 0x83: isWide, 0x84: isWide, 0x85: isWide, 0x86: isWide, 0x87: isWide,
	0x88: isWide, 0x89: isWide, 0x8a: isWide, 0x8b: isWide, 0x8c: isWide, 0x8d: isWide, 0x8e: isWide, 0x8f: isWide,
	0x90: isWide, 0x91: isWide, 0x92: isWide, 0x93: isWide, 0x94: isWide, 0x95: isWide, 0x96: isWide, 0x97: isWide,
	0x98: isWide, 0x99: isWide, 0x9a: isWide, 0x9b: isWide, 0x9c: isWide, 0x9d: isWide, 0x9e: isWide, 0x9f: isWide,
	0xa0: isWide, 0xa1: isWide, 0xa2: isWide, 0xa3: isWide, 0xa4: isWide, 0xa5: isWide, 0xa6: isWide, 0xa7: isWide,
	0xa8: isWide, 0xa9: isWide, 0xaa: isWide, 0xab: isWide, 0xac: isWide, 0xad: isWide, 0xae: isWide, 0xaf: isWide,
	0xb0: isWide, 0xb1: isWide, 0xb2: isWide, 0xb3: isWide, 0xb4: isWide, 0xb5: isWide, 0xb6: isWide, 0xb7: isWide,
	0xb8: isWide, 0xb9: isWide, 0xba: isWide, 0xbb: isWide, 0xbc: isWide, 0xbd: isWide, 0xbe: isWide, 0xbf: isWide,
	0xc0: isWide, 0xc1: isWide, 0xc2: isWide, 0xc3: isWide, 0xc4: isWide, 0xc5: isWide, 0xc6: isWide, 0xc7: isWide,
	0xc8: isWide, 0xc9: isWide, 0xca: isWide, 0xcb: isWide, 0xcc: isWide, 0xcd: isWide, 0xce: isWide, 0xcf: isWide,
	0xd0: isWide, 0xd1: isWide, 0xd2: isWide, 0xd3: isWide, 0xd4: isWide, 0xd5: isWide, 0xd6: isWide, 0xd7: isWide,
	0xd8: isWide, 0xd9: isWide, 0xda: isWide, 0xdb: isWide, 0xdc: isWide, 0xdd: isWide, 0xde: isWide, 0xdf: isWide,
	0xe0: isWide, 0xe1: isWide, 0xe2: isWide, 0xe3: isWide, 0xe4: isWide, 0xe5: isWide, 0xe6: isWide, 0xe7: isWide,
	0xe8: isWide, 0xe9: isWide, 0xea: isWide, 0xeb: isWide, 0xec: isWide, 0xed: isWide, 0xee: isWide, 0xef: isWide,
	0xf0: isWide, 0xf1: isWide, 0xf2: isWide, 0xf3: isWide, 0xf4: isWide, 0xf5: isWide, 0xf6: isWide, 0xf7: isWide,
	0xf8: isWide, 0xf9: isWide, 0xfa: isWide, 0xfb: isWide, 0xfc: isWide, 0xfd: isWide, 0xfe: isWide, 0xff: isWide,
}
