package redact

import "strings"

// maxArmour bounds how far before its last line a private key is looked for: more than private keys
// take.
const maxArmour = 8 << 10

// keyRest finds what is left of a private key whose beginning is missing and whose last line begins
// at i: the base64 before that, and the line. What is too short to tell anything is none.
func keyRest(s string, i, floor int) (int, int) {
	label := i + len(pemEnd)
	end := labelEnd(s, label)
	if !hasAt(s, end, pemDash) || !strings.Contains(s[label:end], "PRIVATE KEY") {
		return -1, 0
	}
	start, n := armourBefore(s, i, floor)
	if n < minKey {
		return -1, 0
	}
	return withoutProse(s, start, i, floor), end + len(pemDash)
}

// armourBefore returns where the lines of base64 before i begin, and how many bytes of base64 they
// have. The first may be the end of a line. Lines may be indented, or end in an escape.
func armourBefore(s string, i, floor int) (start, n int) {
	for floor = max(floor, i-maxArmour); i > floor; i-- {
		switch c := s[i-1]; {
		case isBase64(c), c == '=':
			n++
		case isLineBreak(c), isBackslash(c):
		case isSpace(c):
			line := i - 1
			for line > floor && isSpace(s[line-1]) {
				line--
			}
			if line == floor || !isLineBreak(s[line-1]) {
				return i, n
			}
			i = line + 1
		default:
			return i, n
		}
	}
	return i, n
}

// withoutProse returns where base64 begins in s[start:end]: after line breaks, indents and a word
// that ends a line of prose.
func withoutProse(s string, start, end, floor int) int {
	if start > floor && isSpace(s[start-1]) {
		word := start
		for word < end && isWord(s[word]) && !isDigit(s[word]) {
			word++
		}
		if word-start < minKey && isLineBreak(s[word]) {
			start = word
		}
	}
	for start < end {
		switch c := s[start]; {
		case isBackslash(c):
			start = min(start+2, end)
		case isLineBreak(c), isSpace(c):
			start++
		default:
			return start
		}
	}
	return start
}

// armourAhead returns up to where a byte may give away a secret that begins before i: behind i if
// lines of base64 go on there that are what is left of a private key.
func armourAhead(s string, i int) int {
	end := i
	for limit := min(len(s), i+maxArmour); end < limit && isArmour(s, end); {
		end++
	}
	if hasAt(s, end, pemEnd) {
		return end + 1
	}
	return i
}

// isArmour reports whether the byte at i stands in lines of base64.
func isArmour(s string, i int) bool {
	c := s[i]
	return isBase64(c) || c == '=' || isLineBreak(c) || isBackslash(c) || isSpace(c) && i > 0 &&
		(isLineBreak(s[i-1]) || isSpace(s[i-1]))
}

func isLineBreak(c byte) bool { return c == '\n' || c == '\r' }
