package redact

import "strings"

// maxEscape bounds the length of an escape or a colour code.
const maxEscape = 24

// escape begins the control sequences of a terminal.
const escape = 0x1b

// afterEscape reports whether an escape or a colour code, not begun before floor, ends at i: its
// last letter is no part of the word that begins at i.
func afterEscape(s string, i, floor int) bool {
	t := s[max(floor, i-maxEscape):i]
	return endsInLetterEscape(t) || endsInCode(t) || endsInColor(t)
}

// endsInLetterEscape reports whether t ends in an escape of one letter, such as \n.
func endsInLetterEscape(t string) bool {
	n := len(t)
	return n >= 2 && t[n-2] == '\\' && strings.IndexByte("abefnrtv", t[n-1]) >= 0
}

// endsInCode reports whether t ends in an escape with digits: \u003c, \x3c, \033, %3C or, escaped
// twice, %253C.
func endsInCode(t string) bool {
	for _, escape := range [...]struct {
		mark   string
		digits int
	}{{"%", 2}, {"%25", 2}, {`\x`, 2}, {`\u`, 4}, {`\0`, 2}} {
		n := len(t) - escape.digits
		if n >= 0 && strings.HasSuffix(t[:n], escape.mark) && allHex(t[n:]) {
			return true
		}
	}
	return false
}

// endsInColor reports whether t ends in a control sequence of a terminal, whose escape character
// may itself be written as an escape.
func endsInColor(t string) bool {
	if t == "" {
		return false
	}
	if strings.HasSuffix(t[:len(t)-1], "\x1b(") {
		return true // the choice of a character set, as tput sends it with the end of a colour
	}
	t = strings.TrimRight(t[:len(t)-1], "0123456789;:?")
	t, ok := strings.CutSuffix(t, "[")
	return ok && (strings.HasSuffix(t, "\x1b") || endsInCode(t) || endsInLetterEscape(t))
}

func allHex(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; !isDigit(s[i]) && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// skipColor skips a terminal's colour code at i, or several in a row.
func skipColor(s string, i int) int {
	limit := min(len(s), i+maxEscape)
	for hasAt(s, i, "\x1b[") {
		end := i + len("\x1b[")
		for end < limit && (isDigit(s[end]) || s[end] == ';' || s[end] == ':') {
			end++
		}
		if end >= limit || s[end] != 'm' {
			return i
		}
		i = end + 1
	}
	return i
}
