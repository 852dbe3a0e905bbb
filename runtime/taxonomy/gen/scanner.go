package gen

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/internal/redact"
)

// scanner reads the members of a JSON object, or the elements of a list. Only isValid reads JSON
// that may be invalid.
type scanner struct {
	b     string
	pos   int
	check bool // whether skip checks numbers and words
}

// isValid reports whether text is valid JSON, as encoding/json does.
func isValid(text string) bool {
	const maxNesting = 10000 // of encoding/json
	s := scanner{b: text, check: true}
	s.space()
	ok := s.skip(maxNesting)
	s.space()
	return ok && s.pos == len(text)
}

// next moves to the next member or element, and reports whether there is one.
func (s *scanner) next(closing byte) bool {
	s.space()
	if s.at() != closing {
		s.pos++ // the opening bracket, or a comma
		s.space()
	}
	return s.at() != closing
}

// at returns the byte at pos, or 0 at the end.
func (s *scanner) at() byte {
	if s.pos < len(s.b) {
		return s.b[s.pos]
	}
	return 0
}

func (s *scanner) space() {
	for c := s.at(); c == ' ' || c == '\n' || c == '\t' || c == '\r'; c = s.at() {
		s.pos++
	}
}

// take moves behind c and the white space around it, and reports whether c is there.
func (s *scanner) take(c byte) bool {
	s.space()
	if s.at() != c {
		return false
	}
	s.pos++
	s.space()
	return true
}

// key reads the key of a member, and moves to its value.
func (s *scanner) key() string {
	quoted := s.value()
	s.take(':')
	return unquote(quoted)
}

// value reads a value.
func (s *scanner) value() string {
	start := s.pos
	s.skip(-1)
	return s.b[start:s.pos]
}

// skip moves behind a value, and reports whether it is valid and has at most depth levels. A
// negative depth is no limit.
func (s *scanner) skip(depth int) bool {
	switch c := s.at(); c {
	case '"':
		return s.skipString()
	case '{', '[':
		return depth != 0 && s.skipParts(c, depth-1)
	}
	start := s.pos
	for c := s.at(); c > ' ' && c != ',' && c != ']' && c != '}'; c = s.at() {
		s.pos++
	}
	return !s.check || json.Valid([]byte(s.b[start:s.pos]))
}

// skipParts is skip for an object or a list.
func (s *scanner) skipParts(opening byte, depth int) bool {
	s.take(opening)
	closing := opening + 2 // in ASCII
	for first := true; s.at() != closing; first = false {
		if !first && !s.take(',') {
			return false
		}
		if opening == '{' && !(s.at() == '"' && s.skipString() && s.take(':')) {
			return false
		}
		if !s.skip(depth) {
			return false
		}
		s.space()
	}
	s.pos++
	return true
}

// unescaped contains the characters that follow a backslash, except u, with their meanings.
var unescaped = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// skipString is skip for a string.
func (s *scanner) skipString() bool {
	b := s.b
	for i := s.pos + 1; i < len(b); {
		if len(b)-i >= block && redact.ClassOf(b[i:])&(redact.Short|redact.Long) == 0 {
			i += block
			continue
		}
		for end := min(i+block, len(b)); i < end; i++ {
			switch c := b[i]; {
			case c == '"':
				s.pos = i + 1
				return true
			case c < ' ':
				return false
			case c == '\\':
				i++
				if i == len(b) || unescaped[b[i]] == 0 && (b[i] != 'u' || !isHex(b[i+1:])) {
					return false
				}
			}
		}
	}
	return false
}

// isHex reports whether s begins with four hexadecimal digits.
func isHex(s string) bool {
	_, err := strconv.ParseUint(s[:min(4, len(s))], 16, 16)
	return err == nil && len(s) >= 4
}

// unquote returns the text of a JSON string.
func unquote(quoted string) string {
	in := quoted[1 : len(quoted)-1]
	i := strings.IndexByte(in, '\\')
	if i < 0 {
		return toValid(in)
	}
	out := make([]byte, 0, len(in))
	for ; i >= 0; i = strings.IndexByte(in, '\\') {
		out = append(out, in[:i]...)
		if c := unescaped[in[i+1]]; c != 0 {
			out, in = append(out, c), in[i+2:]
			continue
		}
		r, n := hexRune(in[i:])
		out, in = utf8.AppendRune(out, r), in[i+n:]
	}
	return toValid(string(append(out, in...)))
}

// toValid replaces each byte that is not UTF-8, as encoding/json does.
func toValid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}

// hexRune returns the character of the \u escapes that in begins with, and their length: 6, or 12
// for a pair. Half of a pair is U+FFFD.
func hexRune(in string) (r rune, n int) {
	hex := func(in string) rune {
		if len(in) < 6 || in[0] != '\\' || in[1] != 'u' {
			return 0
		}
		n, _ := strconv.ParseUint(in[2:6], 16, 16)
		return rune(n)
	}
	r = hex(in)
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if r = utf16.DecodeRune(r, hex(in[6:])); r != utf8.RuneError {
		return r, 12
	}
	return utf8.RuneError, 6
}
