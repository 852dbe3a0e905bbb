// Package normal normalises error texts: numbers, paths, hashes and quotes become placeholders, so
// that texts about one kind of failure are equal.
package normal

import (
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/internal/redact"
)

const (
	// limit is how many characters a normalised text has at most.
	limit = 100
	// window is how many bytes of a text are read.
	window = 16 << 10
)

// Text returns a text on one line of at most 100 characters, with placeholders for what changes
// from one failure to the next. Normalising a normalised text changes nothing. The time is linear
// in the part that is read.
func Text(text string) string { return string(Append(make([]byte, 0, limit+limit/4), text)) }

// Append appends what [Text] returns.
func Append(dst []byte, text string) []byte {
	n := normalizer{in: plain(text), limit: limit, out: dst}
	n.run()
	out := n.cut(len(dst))
	for len(out) > len(dst) && out[len(out)-1] == ' ' {
		out = out[:len(out)-1]
	}
	return out
}

// Literals returns the parts of a text that are kept, without the masked parts, and without white
// space and punctuation at their ends.
func Literals(text string) []string {
	n := normalizer{in: plain(text), limit: window, parts: true}
	n.run()
	n.endPart()
	return n.literals
}

// plain returns the beginning of a text as one line of valid UTF-8 without controls.
func plain(text string) string {
	if len(text) > window {
		text = text[:window]
	}
	if isPlain(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	gap := false
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if skip := escapeSequence(text[i:]); skip > 0 {
			i += skip
			continue
		}
		i += size
		switch {
		case r == utf8.RuneError, r <= ' ', 0x7f <= r && r <= 0xa0, isLayout(r):
			gap = true
			continue
		case gap && b.Len() > 0:
			b.WriteByte(' ')
		}
		gap = false
		b.WriteRune(r)
	}
	return b.String()
}

// isPlain reports whether a text is ASCII on one line with single spaces within.
func isPlain(text string) bool {
	before := byte(' ')
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c >= 0x7f || c == ' ' && before == ' ' {
			return false
		}
		before = c
	}
	return text == "" || before != ' '
}

// isLayout reports whether r only says where a line ends or which way it is read.
func isLayout(r rune) bool {
	return r == 0x2028 || r == 0x2029 || 0x200b <= r && r <= 0x200f || 0x202a <= r && r <= 0x202e || 0x2060 <= r &&
		r <= 0x2069 || r == 0xfeff
}

// escapeSequence returns the length of the terminal's control sequence that s begins with, or 0.
func escapeSequence(s string) int {
	if len(s) < 2 || s[0] != 0x1b {
		return 0
	}
	if s[1] != '[' {
		return 1
	}
	for i := 2; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x3f {
			return i + 1
		}
	}
	return len(s)
}

// normalizer reads a plain text from the left. Its output is a fixed point: no placeholder contains
// a digit, a hash, a path or an open quote. A placeholder for a word ends in a letter.
type normalizer struct {
	in    string
	limit int // characters that may be written
	out   []byte
	runes int // characters written
	// never reports, for each kind of quote, that the rest of the text contains no closing one.
	never [3]bool

	parts    bool // collect literals
	start    int  // of the kept part in out
	literals []string
}

func (n *normalizer) run() {
	for i := 0; i < len(n.in) && n.runes < n.limit; {
		switch c := n.in[i]; {
		case isQuote(c) && (i == 0 || !isAlnum(n.in[i-1])):
			i += n.quoted(i)
		case isPathByte(c):
			i += n.word(i)
		default:
			size := 1
			if c >= utf8.RuneSelf {
				_, size = utf8.DecodeRuneInString(n.in[i:])
			}
			n.out = append(n.out, n.in[i:i+size]...)
			n.runes++
			i += size
		}
	}
}

// quoted writes a placeholder for the quoted text at i and returns its length. It keeps an unclosed
// quote.
func (n *normalizer) quoted(i int) int {
	c := n.in[i]
	kind := strings.IndexByte(quotes, c)
	end := -1
	if !n.never[kind] {
		end = strings.IndexByte(n.in[i+1:], c)
	}
	if end < 0 {
		n.never[kind] = true
		n.keep(n.in[i : i+1])
		return 1
	}
	n.placeholder([...]string{"'X'", `"X"`, "`X`"}[kind])
	return end + 2
}

// word writes the longest run of characters that paths consist of, from i on, and returns its
// length.
func (n *normalizer) word(i int) int {
	end, hex, mostHex := i, 0, 0
	for ; end < len(n.in) && isLetter(n.in[end]); end++ {
		if hex++; !isHex(n.in[end]) {
			hex = 0
		}
		mostHex = max(mostHex, hex)
	}
	plain := end-i > 1 && mostHex < leastHash
	for ; end < len(n.in) && isPathByte(n.in[end]); end++ {
		plain = false
	}
	if plain {
		n.keep(n.in[i:end])
		return end - i
	}
	if isDrive(n.in[i:end]) && strings.HasPrefix(n.in[end:], `:\`) {
		for end += 2; end < len(n.in) && (isPathByte(n.in[end]) || n.in[end] == '\\'); {
			end++
		}
		return n.path(i, end, n.in[i:i+1]+`:\PATH`)
	}
	if word := n.in[i:end]; isRooted(word) {
		return n.path(i, end, "/PATH")
	} else if isFile(word) {
		return n.path(i, end, "PATH")
	}
	n.numbers(n.in[i:end])
	return end - i
}

// isDrive reports whether a word names a drive.
func isDrive(word string) bool { return len(word) == 1 && isLetter(word[0]) && word != "N" }

// path writes a placeholder for a path, without the punctuation that follows it, and returns the
// length of the path.
func (n *normalizer) path(i, end int, placeholder string) int {
	for end > i && !isAlnum(n.in[end-1]) {
		end--
	}
	if !isAlnum(n.in[max(end-1, i)]) || end-i < 3 { // C:\ and the like
		end = i + 1
		n.numbers(n.in[i:end])
		return 1
	}
	n.placeholder(placeholder)
	return end - i
}

// isRooted reports whether a word is a path of two elements and more that begins at a root or a
// directory's name for itself, as ./ and ~/ do.
func isRooted(word string) bool {
	word = strings.TrimLeft(word, ".~")
	if !strings.HasPrefix(word, "/") || strings.HasPrefix(word, "//") {
		return false
	}
	elements := 0
	for i := 1; i < len(word); i++ {
		if word[i-1] == '/' && isAlnum(word[i]) {
			elements++
		}
	}
	return elements > 1
}

// isFile reports whether a word has a dot within a name behind a slash.
func isFile(word string) bool {
	slash := strings.IndexByte(word, '/')
	if slash < 1 || !isAlnum(word[0]) {
		return false
	}
	for i := slash + 2; i+1 < len(word); i++ {
		if word[i] == '.' && isAlnum(word[i-1]) && isAlnum(word[i+1]) {
			return true
		}
	}
	return false
}

const (
	uuidLayout = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	// leastHash is how many hexadecimal digits in a row make a hash.
	leastHash = 8
)

// numbers writes a word with placeholders for its numbers.
func (n *normalizer) numbers(word string) {
	for i := 0; i < len(word); {
		if len(word) >= len(uuidLayout) && isUUID(word[i:]) && (i == 0 || !isAlnum(word[i-1])) {
			n.placeholder("UUID")
			i += len(uuidLayout)
			continue
		}
		digits, hex := 0, 0
		for i+digits < len(word) && isDigit(word[i+digits]) {
			digits++
		}
		for i+hex < len(word) && isHex(word[i+hex]) {
			hex++
		}
		switch {
		case hex >= leastHash && hex > digits:
			n.placeholder("HASH")
			i += hex
		case digits > 0:
			n.placeholder("N")
			i += digits
		default:
			// The rest of a run of letters is no hexadecimal number either.
			letters := max(hex-trailing(word[i:i+hex]), 1)
			for hex == 0 && i+letters < len(word) && !isHex(word[i+letters]) {
				letters++
			}
			n.keep(word[i : i+letters])
			i += letters
		}
	}
}

// trailing returns how many bytes of s come from its first digit on.
func trailing(s string) int {
	for i := range len(s) {
		if isDigit(s[i]) {
			return len(s) - i
		}
	}
	return 0
}

func isUUID(s string) bool {
	if len(s) < len(uuidLayout) || len(s) > len(uuidLayout) && isAlnum(s[len(uuidLayout)]) {
		return false
	}
	for i := range len(uuidLayout) {
		if uuidLayout[i] == '-' && s[i] != '-' || uuidLayout[i] == 'x' && !isHex(s[i]) {
			return false
		}
	}
	return true
}

func (n *normalizer) placeholder(s string) {
	if n.parts {
		n.endPart()
	}
	n.keep(s)
	n.start = len(n.out)
}

// keep writes ASCII.
func (n *normalizer) keep(s string) {
	n.out = append(n.out, s...)
	n.runes += len(s)
}

// endPart ends a kept part, and splits it at masked secrets.
func (n *normalizer) endPart() {
	for part := range strings.SplitSeq(string(n.out[n.start:]), redact.Mask) {
		if part = strings.Trim(part, punctuation); part != "" {
			n.literals = append(n.literals, part)
		}
	}
}

// cut returns the output, with at most the limit of characters after from.
func (n *normalizer) cut(from int) []byte {
	if n.runes <= n.limit {
		return n.out
	}
	end := from
	for range n.limit {
		_, size := utf8.DecodeRune(n.out[end:])
		end += size
	}
	return n.out[:end]
}

const (
	quotes      = "'\"`"
	punctuation = " \t.,:;!?-_+=~/\\|#*@%&$^<>()[]{}'\"`"
)

func isQuote(c byte) bool  { return c == '\'' || c == '"' || c == '`' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isAlnum(c byte) bool  { return isDigit(c) || isLetter(c) }
func isHex(c byte) bool    { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

// pathBytes are the bytes of words, numbers and paths, as bits.
var pathBytes = [4]uint64{
	1<<'+' | 1<<'-' | 1<<'.' | 1<<'/' | 0x3ff<<'0',
	1 | 0x3ffffff<<('A'&63) | 1<<('_'&63) | 0x3ffffff<<('a'&63) | 1<<('~'&63), // the first is '@'
}

func isPathByte(c byte) bool { return pathBytes[c>>6]>>(c&63)&1 != 0 }
