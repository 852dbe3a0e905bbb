package redact

import "strings"

// Lengths that decide whether a value looks like a secret.
const (
	minValue      = 6
	minCredential = 8
	// sample is how much of a value is looked at; a longer one is no word of prose.
	sample = 64
	// maxSpaces bounds the white space around a separator.
	maxSpaces = 4
)

// assigned finds the value of a key in key=value, key = "value", key := value and key => value; '=' is at i.
func assigned(s string, i, floor int) (int, int) {
	at := i
	if at > floor && s[at-1] == ':' {
		at--
	}
	if k := keyBefore(s, at, floor); k == noKey {
		return -1, 0
	}
	from := i + 1
	if hasAt(s, from, "=") || hasAt(s, from, ">") {
		from++
	}
	return value(s, skipSpaces(s, from), false)
}

// mapped finds the value of a key in key: value and "key": "value", and the credentials in an Authorization
// header; ':' is at i.
func mapped(s string, i, floor int) (int, int) {
	switch keyBefore(s, i, floor) {
	case plainKey:
		return value(s, skipSpaces(s, i+1), true)
	case quotedKey:
		from := skipSpaces(s, i+1)
		if opening(s, from) > 0 {
			return value(s, from, false)
		}
		return value(s, from, true)
	case authorizationKey:
		return authorization(s, skipSpaces(s, i+1))
	}
	return -1, 0
}

// value returns the bounds of the value at i. A doubtful one must look like a secret.
func value(s string, i int, doubtful bool) (int, int) {
	if n := opening(s, i); n > 0 {
		start := i + n
		end := closing(s, start, s[i:start], doubtful)
		if end == start || doubtful && !looksSecret(s[start:end], minValue) {
			return -1, 0
		}
		return start, wholeClosing(s, start, end, s[i:start])
	}
	end := valueEnd(s, i, min(len(s), i+sample))
	if end-i < minValue || doubtful && !looksSecret(s[i:end], minValue) {
		return -1, 0
	}
	return i, valueEnd(s, end, len(s))
}

// looksSecret reports whether s, the beginning of a value, is unlike a word: long enough, with a digit, a capital
// after a small letter or a sign that words do not have. What fills the sample is.
func looksSecret(s string, least int) bool {
	if len(s) >= sample {
		return true
	}
	if len(s) < least {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case isDigit(c), strings.IndexByte("!@#$%^*+=~", c) >= 0:
			return true
		case isUpper(c) && i > 0 && isLower(s[i-1]):
			return true
		}
	}
	return false
}

// opening returns the length of the quote at i: 1, 2 for one that is escaped, or 0 when there is none.
func opening(s string, i int) int {
	switch {
	case i >= len(s):
		return 0
	case isQuote(s[i]):
		return 1
	case s[i] == '\\' && i+1 < len(s) && isQuote(s[i+1]):
		return 2
	}
	return 0
}

// closing returns the index of the quote that ends the value at i, or of what ends it otherwise. Of a doubtful
// value it looks at a sample only, and what has white space or a mask in it is no value at all.
func closing(s string, i int, quote string, doubtful bool) int {
	limit := len(s)
	if doubtful {
		limit = min(limit, i+sample)
	}
	return closingWithin(s, i, limit, quote, doubtful)
}

func wholeClosing(s string, start, end int, quote string) int {
	if end-start < sample {
		return end
	}
	return closingWithin(s, end, len(s), quote, false)
}

func closingWithin(s string, i, limit int, quote string, noSpaces bool) int {
	start := i
	for ; i < limit; i++ {
		switch c := s[i]; {
		case c == '\n', c == '\r':
			return i
		case ends(s, i):
			if noSpaces {
				return start
			}
			return i
		case c == quote[0] && hasAt(s, i, quote):
			return i
		case c == '\\' && len(quote) == 1 && i+1 < limit && (s[i+1] == quote[0] || s[i+1] == '\\'):
			i++
		case noSpaces && (c == ' ' || c == '\t'):
			return start
		}
	}
	return min(i, limit)
}

// valueEnd returns where a value without quotes ends, at most limit.
func valueEnd(s string, i, limit int) int {
	for i < limit && !isTerminator(s[i]) && !ends(s, i) {
		i++
	}
	return i
}

func isTerminator(c byte) bool {
	if c <= ' ' || c == 0x7f {
		return true
	}
	switch c {
	case '"', '\'', '`', '\\', ',', ';', '&', '(', ')', ']', '{', '}', '<', '>', '|':
		return true
	}
	return false
}

// ends reports whether something is at i that ends every value: a mask, an ellipsis or a private key.
func ends(s string, i int) bool {
	switch s[i] {
	case '[':
		return hasAt(s, i, Mask)
	case Ellipsis[0]:
		return hasAt(s, i, Ellipsis)
	case '-':
		return hasAt(s, i, pemBegin)
	}
	return false
}

func skipSpaces(s string, i int) int {
	for n := 0; n < maxSpaces && i < len(s) && (s[i] == ' ' || s[i] == '\t'); n++ {
		i++
	}
	return i
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }
