// Package redact masks secrets in text and cuts text without leaving half a secret.
//
// A cheap scan finds triggers: the bytes '=', ':', '-', '.', '_', 'I', 'J' and 'b'. At a trigger,
// the tables [tokens], [names] and [schemes] decide whether a secret is next to it. All other text
// is copied.
//
// Prose and source code must survive, so a value is masked only if it looks like a secret:
//
//	"key": "value"   any value, also in a list
//	key="value"      any value
//	key=value        at least 6 bytes
//	key: value       at least 6 bytes that look complex: a digit, camel case or special character
//	key: "value"     any value
//	--key value      as key: value
//	Bearer value     at least 8 complex bytes, or 16 letters and digits
//	Basic value      user:password in base64, or random bytes
//
// Parsers and their callers write about tokens. So the values of token: value, token = value and
// token := value must look random: 3 digits, or 8 changes between capitals, small letters and
// digits. The value of access_token: "…" must look complex. A reference such as $NAME or ${name} is
// not a secret.
//
// An unquoted value ends at white space, quotes, backslashes and , ; & ( ) ] { } < > |. A word and
// a value can begin after an escape (\n, \u003c, %3D) and after the color code of a terminal.
//
// Masking is idempotent because each decision is monotone: a secret stays one if it is longer, a
// mask or an ellipsis ends every value, and the text after a masked secret is judged as if the mask
// preceded it. Time is linear in the length of the text, because a decision that can fail reads
// a bounded number of bytes, or bytes that no other such decision reads.
package redact

import "strings"

// Mask replaces a secret.
const Mask = "[REDACTED]"

// Classes of bytes, as bits.
const (
	Short    = 1 << iota // ASCII that a JSON string escapes by a backslash and a letter; must be 1
	Long                 // other ASCII that encoding/json escapes in a string
	NonASCII             // part of a longer rune, or invalid UTF-8
	Trigger              // may give a secret away
)

// Class holds the classes of each byte.
var Class = [256]uint8{
	2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 1, 1, 2, 2,
	2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
	0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 8, 8, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 2, 8, 2, 0,
	0, 0, 8, 0, 0, 0, 0, 0, 0, 8, 8, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 8,
	0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
	4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
}

// block is the number of bytes that the scan reads together.
const block = 8

// ClassOf returns all the classes of the first 8 bytes of s, which must have at least as many.
func ClassOf[T string | []byte](s T) uint8 {
	w := s[:block]
	return Class[w[0]] | Class[w[1]] | Class[w[2]] | Class[w[3]] | Class[w[4]] | Class[w[5]] | Class[w[6]] | Class[w[7]]
}

// Has reports whether s has a byte of one of the classes.
func Has[T string | []byte](s T, classes uint8) bool {
	i := 0
	for ; len(s)-i >= block; i += block {
		if ClassOf(s[i:])&classes != 0 {
			return true
		}
	}
	for ; i < len(s); i++ {
		if Class[s[i]]&classes != 0 {
			return true
		}
	}
	return false
}

// Scrub returns s with its secrets masked, or s itself if it has none.
func Scrub(s string) string {
	start, end := Next(s, 0, 0)
	if start < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	done := 0
	for start >= 0 {
		b.WriteString(s[done:start])
		b.WriteString(Mask)
		done = end
		start, end = Next(s, end, end)
	}
	b.WriteString(s[done:])
	return b.String()
}

// Append appends s with its secrets masked.
func Append(dst []byte, s string) []byte {
	done := 0
	for start, end := Next(s, 0, 0); start >= 0; start, end = Next(s, end, end) {
		dst = append(append(dst, s[done:start]...), Mask...)
		done = end
	}
	return append(dst, s[done:]...)
}

// AppendLine appends the first line of s with its secrets masked. A line break in a secret does not
// end the line.
func AppendLine(dst []byte, s string) []byte {
	done, line := 0, lineEnd(s, 0)
	for {
		start, end := next(s, done, lookahead(s, line), done)
		if start < 0 || start >= line {
			return append(dst, s[done:line]...)
		}
		dst = append(append(dst, s[done:start]...), Mask...)
		if done = end; done > line {
			line = lineEnd(s, done)
		}
	}
}

// lineEnd returns the index of the first line break at or after i, or len(s).
func lineEnd(s string, i int) int {
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		s = s[:i+n]
	}
	if n := strings.IndexByte(s[i:], '\r'); n >= 0 {
		return i + n
	}
	return len(s)
}

// Next returns the bounds of the first secret of s with a trigger at or after i, or -1 as start.
// floor is the end of the secret before it.
func Next(s string, i, floor int) (start, end int) { return next(s, i, len(s), floor) }

// next is Next for triggers before limit; the secret may continue after it.
func next(s string, i, limit, floor int) (start, end int) {
	for i < limit {
		for limit-i >= block && ClassOf(s[i:])&Trigger == 0 {
			i += block
		}
		for last := min(i+block, limit); i < last; i++ {
			if Class[s[i]]&Trigger == 0 || isPlainKey(s, i) || !mayMatch(s, i) {
				continue
			}
			if start, end = classify(s, i, floor); start >= 0 {
				return start, end
			}
		}
	}
	return -1, 0
}

// At returns the bounds of the secret with the trigger at i, a byte of the class [Trigger],
// or -1 as start. floor is the end of the secret before it; start is never below it.
func At(s string, i, floor int) (start, end int) {
	if isPlainKey(s, i) || !mayMatch(s, i) {
		return -1, 0
	}
	return classify(s, i, floor)
}

// isPlainKey reports whether a colon is at i after a key in quotes that is not a secret's. In JSON
// that is the usual case, and the compiler inlines this function.
func isPlainKey(s string, i int) bool {
	return i > 2 && s[i] == ':' && s[i-1] == '"' && s[i-2] != '\\' &&
		nameEnds[s[i-3]&31]>>(s[i-2]&31)&1 == 0 &&
		(i+1 == len(s) || s[i+1] != '/')
}

// mayMatch reports whether the bytes around the trigger at i can give a secret away. It rejects
// most triggers of ordinary text.
func mayMatch(s string, i int) bool {
	if i+1 == len(s) {
		return false
	}
	switch next := s[i+1]; s[i] {
	case ':', '=':
		return next == '/' || next == '\\' || mayFollowKey(s, i)
	case '-':
		return base64url.has(next)
	case 'b', 'B':
		return next|0x24 == 'e' // 'a' or 'e' in either case
	case 'I':
		return next == 'A' || next == 'z'
	case 'J':
		return i > 0 && s[i-1] == 'y'
	case '_', '.':
		return i > 1 && isPair(&tokenEnds, s[i-2], s[i-1])
	}
	return true
}

// mayFollowKey reports whether the key before the separator at i can be a secret's.
func mayFollowKey(s string, i int) bool {
	if i--; i >= 0 && quote.has(s[i]) {
		if i--; i >= 0 && s[i] == '\\' {
			i--
		}
	}
	return i > 0 && (isPair(&nameEnds, s[i-1], s[i]) || space.has(s[i]) || s[i] == ':' || s[i] == '\\')
}

// classify is At without the quick checks.
func classify(s string, i, floor int) (start, end int) {
	switch s[i] {
	case 'b', 'B':
		return credentials(s, i, floor)
	case '=':
		return assigned(s, i, floor)
	case ':':
		if hasAt(s, i+1, "//") {
			return userinfo(s, i+3)
		}
		if hasAt(s, i+1, `\/\/`) { // as some encoders write it in JSON
			return userinfo(s, i+5)
		}
		return mapped(s, i, floor)
	case '-':
		switch {
		case hasAt(s, i, pemBegin):
			return privateKey(s, i)
		case hasAt(s, i, pemEnd):
			return pemRest(s, i, floor)
		case startsToken(s, i, floor):
			return flagValue(s, i, floor)
		}
	case 'J':
		return webToken(s, i, floor)
	}
	return findToken(s, i, floor)
}

// A pairs is a set of pairs of bytes, compared by their low 5 bits, so in either case of letters.
type pairs [32]uint32

func isPair(p *pairs, a, b byte) bool { return p[a&31]>>(b&31)&1 != 0 }

// add adds the last two bytes of s.
func (p *pairs) add(s string) { p[s[len(s)-2]&31] |= 1 << (s[len(s)-1] & 31) }

var (
	// nameEnds are the last two letters of the [names] that texts are searched for.
	nameEnds pairs
	// tokenEnds are the last two bytes before the triggers '_' and '.' of [tokens].
	tokenEnds pairs
	// namesBy are the names by the low 5 bits of their last letters.
	namesBy [32][]*name
	// prefixesBy are the prefixes of [tokens] by their triggers.
	prefixesBy [256][]*prefix
)

func init() {
	for k := range names {
		n := &names[k]
		last := n.name[len(n.name)-1] & 31
		namesBy[last] = append(namesBy[last], n)
		if n.kind != noKey && n.kind != nameOnly {
			nameEnds.add(n.name)
		}
	}
	for k := range tokens {
		for text := range strings.FieldsSeq(tokens[k].prefixes) {
			before, after, _ := strings.Cut(text, "|")
			last := len(before) - 1
			prefixesBy[before[last]] = append(prefixesBy[before[last]], &prefix{before, after, &tokens[k]})
			if before[last] == '_' || before[last] == '.' {
				tokenEnds.add(before[:last])
			}
		}
	}
}
