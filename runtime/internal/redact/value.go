package redact

import (
	"bytes"
	"encoding/base64"
	"regexp"
	"strings"
	"sync"
)

// A need is the evidence that a value must show before it counts as a secret.
type need uint8

const (
	never          need = iota
	anyValue            // at least minValue bytes, or any in quotes
	userPassword        // user:password
	address             // a URL
	complexAddress      // a URL, or unlike a word
	complexPhrase       // unlike a word
	complexWord         // unlike a word, in quotes without white space
	randomWord          // unlike a name in source code, too
)

const (
	minValue  = 6
	maxSpaces = 4 // around a separator
	// sample is how much of a value is judged; a longer one is not a word of prose.
	sample = 64
)

// value returns the bounds of the value at i if it meets the rule.
func value(s string, i int, r rule) (start, end int) {
	if r == (rule{}) {
		return -1, 0
	}
	i = skipColor(s, i)
	start = i + opening(s, i)
	quote, n := s[i:start], r.plain
	if quote != "" {
		n = r.quoted
	}
	limit := min(len(s), start+sample)
	judged := valueEnd(s, start, limit, quote)
	v := s[start:judged]
	switch {
	case n == never, v == "", n != userPassword && isReference(v):
		return -1, 0
	case n == userPassword:
		if colon := strings.IndexByte(v, ':'); colon < 0 || colon == len(v)-1 && len(v) < sample {
			return -1, 0
		}
	case n == anyValue && quote != "":
	case len(v) < minValue, !n.metBy(v):
		return -1, 0
	case n >= complexWord && quote != "" && (judged < limit && ends(s, judged) || strings.ContainsAny(v, " \t")):
		return -1, 0
	}
	end = valueEnd(s, start, len(s), quote)
	for n == address && quote == "" && hasAt(s, end, "&") { // between the parameters of its query
		end = valueEnd(s, end+1, len(s), quote)
	}
	return start, end
}

// list finds the quoted values of a list in JSON, beginning at i, as one secret, so that the masked
// text is still a list. The first one must meet the need.
func list(s string, i int, n need) (int, int) {
	quote := s[i : i+opening(s, i)]
	if quote == "" {
		return -1, 0
	}
	start, end := value(s, i, rule{quoted: n})
	for start >= 0 && hasAt(s, end, quote) {
		comma := skipSpaces(s, end+len(quote))
		item := skipSpaces(s, comma+1)
		if !hasAt(s, comma, ",") || !hasAt(s, item, quote) {
			break
		}
		stop := valueEnd(s, item+len(quote), len(s), quote)
		if !hasAt(s, stop, quote) {
			break
		}
		end = stop
	}
	return start, end
}

// addresses finds the URL at i, or the URLs of a list in JSON or YAML as one secret.
func addresses(s string, i int) (int, int) {
	item := i
	if hasAt(s, i, "[") {
		item = skipSpaces(s, i+1)
	}
	next := skipWhile(s, item, space|lineBreak)
	switch isBlock := hasAt(s, next, "- "); {
	case item > i && opening(s, item) > 0:
		return list(s, item, address)
	case item > i || isBlock:
		separator, between := ",", space
		if isBlock {
			item, separator, between = next+len("- "), "- ", space|lineBreak
		}
		start, end := value(s, item, rules[hookKey][mapping])
		for start >= 0 {
			next = skipWhile(s, end, between)
			if !hasAt(s, next, separator) {
				break
			}
			_, stop := value(s, skipSpaces(s, next+len(separator)), rules[hookKey][mapping])
			if stop <= end {
				break
			}
			end = stop
		}
		return start, end
	}
	return value(s, i, rules[hookKey][mapping])
}

// metBy reports whether s, the beginning of a value, meets the need.
func (n need) metBy(s string) bool {
	switch {
	case n == address:
		return isAddress(s)
	case n == anyValue, len(s) >= sample, n == complexAddress && isAddress(s):
		return true
	case n == randomWord:
		return looksRandom(s)
	}
	return !isType(s) && looksComplex(s)
}

// isAddress reports whether s, the beginning of a value, is a URL.
func isAddress(s string) bool { return strings.Contains(s, "://") || strings.Contains(s, `:\/\/`) }

// looksComplex reports whether s is unlike a word: it has a digit, a capital after a small letter,
// or a special character before its end.
func looksComplex(s string) bool {
	for i := range len(s) {
		kind := classes[s[i]]
		if kind&digit != 0 || i > 0 && kind&capital != 0 && classes[s[i-1]]&small != 0 ||
			i < len(s)-1 && strings.IndexByte("!@#$%^*+=~", s[i]) >= 0 {
			return true
		}
	}
	return false
}

// looksRandom reports whether s is unlike a name in source code: it has many digits or often
// changes between capitals, small letters and digits.
func looksRandom(s string) bool {
	digits, changes, last := 0, -1, class(lineBreak)
	for i := range len(s) {
		kind := classes[s[i]] & alnum
		if kind == digit {
			digits++
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
	return !isReference(s) &&
		(skipWhile(s, 0, alnum) >= 16 || len(s) >= 8 && looksComplex(s) || len(s) >= sample)
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

// valueEnd returns the end of the value at i, at most limit: a quote, a line break, or something
// that ends every value. In quotes, an escaped quote is part of the value. Without quotes, further
// characters are the end, and a color code is one if the value does not continue after it.
func valueEnd(s string, i, limit int, quote string) int {
	if quote != "" {
		return closing(s, i, limit, quote)
	}
	for i < limit && !ends(s, i) {
		after := i + 1
		if terminator.has(s[i]) {
			after = skipColor(s, i)
			if after == i || after >= limit || terminator.has(s[after]) || ends(s, after) {
				return i
			}
		}
		i = after
	}
	return i
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

// escapedCharacter matches an escape, such as \n, \u003c, \x3c, \033, %3C or, escaped twice, %253C.
const escapedCharacter = `(?:\\[abefnrtv]|(?:\\[0x]|%(?:25)?)[\dA-Fa-f]{2}|\\u[\dA-Fa-f]{4})`

// escaped matches an escape, or the control sequence of a terminal that \x1b or an escape begins.
var escaped = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:` + escapedCharacter + `|(?:\x1b|` + escapedCharacter + `)\[[\d;:?]*\w|\x1b\(\w)$`)
})

// afterEscape reports whether s[floor:i] ends in an escape or a control sequence, whose last letter
// is not part of the next word.
func afterEscape(s string, i, floor int) bool {
	for start := i - 1; start >= max(floor, i-maxEscape); start-- {
		switch c := s[start]; {
		case c == '\\' || c == '%' || c == escape:
			return escaped().MatchString(s[start:i])
		case !(alnum | underscore | parameter).has(c) && c != '[' && c != '(' && c != '?':
			return false
		}
	}
	return false
}

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
