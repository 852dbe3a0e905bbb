package redact

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// A need is the evidence that a value must show before it counts as a secret.
type need uint8

const (
	acceptAny   need = iota
	needComplex      // unlike a word
	needRandom       // unlike a name in source code, too
)

const (
	minValue  = 6
	maxSpaces = 4 // around a separator
	// sample is how much of a value is judged; a longer one is not a word of prose.
	sample = 64
)

// value returns the bounds of the value at i if it meets n.
func value(s string, i int, n need) (int, int) {
	i = skipColor(s, i)
	if q := opening(s, i); q > 0 {
		return quotedValue(s, i+q, s[i:i+q], n)
	}
	end := valueEnd(s, i, min(len(s), i+sample))
	if end-i < minValue || !n.metBy(s[i:end]) {
		return -1, 0
	}
	return i, valueEnd(s, end, len(s))
}

// quotedValue is value for the value after quote. It has no white space and no mask in the part
// that is judged, unless any value is accepted.
func quotedValue(s string, i int, quote string, n need) (int, int) {
	if n == acceptAny {
		end := closing(s, i, len(s), quote)
		if end == i || isReference(s[i:end]) {
			return -1, 0
		}
		return i, end
	}
	limit := min(len(s), i+sample)
	end := closing(s, i, limit, quote)
	if end-i < minValue || end < limit && ends(s, end) || strings.ContainsAny(s[i:end], " \t") || !n.metBy(s[i:end]) {
		return -1, 0
	}
	return i, closing(s, end, len(s), quote)
}

// quotedOr is value, but a value in quotes need not meet n.
func quotedOr(s string, i int, n need) (int, int) {
	if opening(s, skipColor(s, i)) > 0 {
		n = acceptAny
	}
	return value(s, i, n)
}

// list finds the quoted values of a list in JSON, beginning at i, as one secret, so that the masked
// text is still a list.
func list(s string, i int) (int, int) {
	q := opening(s, i)
	if q == 0 {
		return -1, 0
	}
	quote := s[i : i+q]
	start, end := value(s, i, acceptAny)
	for start >= 0 && hasAt(s, end, quote) {
		comma := skipSpaces(s, end+q)
		item := skipSpaces(s, comma+1)
		if !hasAt(s, comma, ",") || !hasAt(s, item, quote) {
			break
		}
		stop := closing(s, item+q, len(s), quote)
		if !hasAt(s, stop, quote) {
			break
		}
		end = stop
	}
	return start, end
}

// metBy reports whether s, the beginning of a value, meets the need.
func (n need) metBy(s string) bool {
	switch {
	case isReference(s):
		return false
	case n == acceptAny, len(s) >= sample:
		return true
	case n == needRandom:
		return looksRandom(s)
	}
	return !isType(s) && looksComplex(s)
}

// looksComplex reports whether s is unlike a word: it has a digit, a capital after a small letter,
// or a special character before its end.
func looksComplex(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case digit.has(c), i < len(s)-1 && strings.IndexByte("!@#$%^*+=~", c) >= 0:
			return true
		case capital.has(c) && i > 0 && small.has(s[i-1]):
			return true
		}
	}
	return false
}

// looksRandom reports whether s is unlike a name in source code: it has many digits or often
// changes between capitals, small letters and digits.
func looksRandom(s string) bool {
	digits, changes, last := 0, -1, -1
	for i := range len(s) {
		kind := 0
		switch c := s[i]; {
		case digit.has(c):
			kind = 1
			digits++
		case capital.has(c):
			kind = 2
		case small.has(c):
			kind = 3
		}
		if kind != last {
			changes++
			last = kind
		}
	}
	return digits >= 3 || changes >= 8
}

// isReference reports whether a value that begins with s names the place of a secret: ${X}, $X in
// capitals, or a '$' before a mask.
func isReference(s string) bool {
	if s == "" || s[0] != '$' || len(s) >= sample {
		return false
	}
	return hasAt(s, 1, "{") || skipWhile(s, 1, upperDigit|underscore) == len(s)
}

// isType reports whether s is a pointer type in source code, such as *rsa.PrivateKey2.
func isType(s string) bool {
	return len(s) > 1 && s[0] == '*' &&
		skipWhile(s, 1, alnum|underscore|dot) == len(s)
}

// isBearer reports whether s, the beginning of the text after Bearer, is unlike a word.
func isBearer(s string) bool {
	return !isReference(s) && (skipWhile(s, 0, alnum) >= 16 || len(s) >= 8 && looksComplex(s) || len(s) >= sample)
}

// isUserPassword reports whether s begins like user:password in base64, or looks random. It judges
// only the user, so that a longer text is still accepted.
func isUserPassword(s string) bool {
	if len(s) >= sample || len(s) < 8 || looksRandom(s) {
		return len(s) >= 8
	}
	s = s[:skipWhile(s, 0, base64std)&^3]
	decoded, err := base64.RawStdEncoding.AppendDecode(make([]byte, 0, sample), []byte(s))
	user, _, ok := bytes.Cut(decoded, []byte(":"))
	isControl := func(r rune) bool { return r < ' ' || r == 0x7f || r == '\ufffd' }
	return err == nil && ok && bytes.IndexFunc(user, isControl) < 0
}

// maxSlashes is the number of backslashes before a quote in JSON three times within a JSON string.
const maxSlashes = 7

// opening returns the length of the quote at i with the backslashes that escape it, or 0.
func opening(s string, i int) int {
	n := 0
	for n < maxSlashes && hasAt(s, i+n, `\`) {
		n++
	}
	if i+n < len(s) && quote.has(s[i+n]) {
		return n + 1
	}
	return 0
}

// closing returns the end of the value at i that began with quote, at most limit: the quote, a line
// break, or something that ends every value. An escaped quote is part of the value.
func closing(s string, i, limit int, quote string) int {
	mark := quote[len(quote)-1]
	for i < limit {
		switch c := s[i]; {
		case lineBreak.has(c), c == mark, ends(s, i):
			return i
		case c != '\\':
			i++
			continue
		}
		next := skipWhile(s[:limit], i, backslash)
		switch n := next - i; {
		case next == limit || s[next] != mark:
			i = next
		case len(quote) == 1 && n%2 == 0:
			return next
		case len(quote) > 1 && n < len(quote): // the quote itself, or that of an outer string
			return i
		default:
			i = next + 1
		}
	}
	return i
}

// valueEnd returns the end of the unquoted value at i, at most limit. A color code ends it only if
// the value does not continue after it.
func valueEnd(s string, i, limit int) int {
	for i < limit && !ends(s, i) {
		if !terminator.has(s[i]) {
			i++
			continue
		}
		after := skipColor(s, i)
		if after == i || after >= limit || terminator.has(s[after]) || ends(s, after) {
			return i
		}
		i = after
	}
	return i
}

// ends reports whether a mask, an ellipsis or PEM is at i. They end every value.
func ends(s string, i int) bool {
	return endStart.has(s[i]) && (hasAt(s, i, Mask) || hasAt(s, i, Ellipsis) || hasAt(s, i, pemBegin))
}

func skipSpaces(s string, i int) int {
	for n := 0; n < maxSpaces && i < len(s) && space.has(s[i]); n++ {
		i++
	}
	return i
}

const (
	escape    = 0x1b // begins the control sequences of a terminal
	maxEscape = 24   // the length of an escape or a control sequence
)

// afterEscape reports whether s[floor:i] ends in an escape or a control sequence, whose last letter
// is not part of the next word.
func afterEscape(s string, i, floor int) bool {
	t := s[max(floor, i-maxEscape):i]
	if t == "" || endsInEscape(t) || strings.HasSuffix(t[:len(t)-1], "\x1b(") { // selects a character set
		return t != ""
	}
	n := len(t) - 1
	for n > 0 && (digit.has(t[n-1]) || t[n-1] == ';' || t[n-1] == ':' || t[n-1] == '?') {
		n--
	}
	t, ok := strings.CutSuffix(t[:n], "[")
	return ok && (strings.HasSuffix(t, "\x1b") || endsInEscape(t))
}

// endsInEscape reports whether t ends in an escape such as \n, \u003c, \x3c, \033, %3C or, escaped
// twice, %253C.
func endsInEscape(t string) bool {
	n := len(t)
	if n >= 2 && t[n-2] == '\\' && strings.IndexByte("abefnrtv", t[n-1]) >= 0 {
		return true
	}
	digits := 0
	for digits < min(4, n) && isHex(t[n-1-digits]) {
		digits++
	}
	return digits >= 2 && (strings.HasSuffix(t[:n-2], "%") || strings.HasSuffix(t[:n-2], "%25") ||
		strings.HasSuffix(t[:n-2], `\x`) || strings.HasSuffix(t[:n-2], `\0`)) ||
		digits == 4 && strings.HasSuffix(t[:n-4], `\u`)
}

func isHex(c byte) bool { return digit.has(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// skipColor skips the color codes of a terminal at i.
func skipColor(s string, i int) int {
	limit := min(len(s), i+maxEscape)
	for hasAt(s, i, "\x1b[") {
		end := skipWhile(s[:limit], i+2, digit|parameter)
		if end >= limit || s[end] != 'm' {
			return i
		}
		i = end + 1
	}
	return i
}
