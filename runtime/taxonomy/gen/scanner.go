package gen

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/errgen/errgen/runtime/internal/redact"
)

// scanner walks through a text that is known to be valid JSON.
type scanner struct {
	b   []byte
	pos int
	// key is the last key that nextKey read.
	key []byte
}

// space passes over white space.
func (s *scanner) space() {
	for s.pos < len(s.b) && s.b[s.pos] <= ' ' {
		s.pos++
	}
}

// peek returns the byte that the scanner stands at, 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.b) {
		return s.b[s.pos]
	}
	return 0
}

// nextKey reads the next key of an object and stands at its value; at the object's end it passes
// over that and reports false. It begins at the brace, or behind the value before.
func (s *scanner) nextKey() bool {
	if !s.next('}') {
		return false
	}
	start := s.pos
	s.skipString()
	s.key = s.b[start+1 : s.pos-1]
	if redact.Has(s.key, toEscape) {
		s.key = appendUnquoted(nil, s.b[start:s.pos])
	}
	s.space()
	s.pos++ // the colon
	s.space()
	return true
}

// nextElement stands at the next element of a list; at the list's end it passes over that and
// reports false. It begins at the bracket, or behind the element before.
func (s *scanner) nextElement() bool { return s.next(']') }

func (s *scanner) next(closing byte) bool {
	s.space()
	if s.peek() != closing {
		s.pos++ // the opening bracket, or a comma
		s.space()
	}
	if s.pos >= len(s.b) {
		return false
	}
	if s.b[s.pos] == closing {
		s.pos++
		return false
	}
	return true
}

// value passes over the value that the scanner stands at and returns it.
func (s *scanner) value() []byte {
	start := s.pos
	switch s.peek() {
	case '"':
		s.skipString()
	case '{', '[':
		s.skipNested()
	default:
		s.skipScalar()
	}
	return s.b[start:s.pos]
}

// skipString passes over a string.
func (s *scanner) skipString() {
	b := s.b
	i := s.pos + 1
	for i < len(b) && b[i] != '"' {
		if b[i] == '\\' {
			i++
		}
		i++
	}
	s.pos = min(i+1, len(b))
}

// skipNested passes over an object or a list.
func (s *scanner) skipNested() {
	depth := 0
	for s.pos < len(s.b) {
		switch s.b[s.pos] {
		case '"':
			s.skipString()
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		s.pos++
		if depth == 0 {
			return
		}
	}
}

// skipScalar passes over a number, true, false or null.
func (s *scanner) skipScalar() {
	for s.pos < len(s.b) {
		switch s.b[s.pos] {
		case ',', '}', ']', ' ', '\t', '\n', '\r':
			return
		}
		s.pos++
	}
}

// unquote returns the text of a JSON string; of nil, "".
func unquote(quoted []byte) string {
	if quoted == nil {
		return ""
	}
	inner := quoted[1 : len(quoted)-1]
	if !redact.Has(inner, toEscape) {
		return string(inner)
	}
	for _, c := range inner {
		if c == '\\' {
			return string(appendUnquoted(make([]byte, 0, len(inner)), quoted))
		}
	}
	return toValid(string(inner))
}

// toValid replaces each byte that is no UTF-8, as encoding/json does.
func toValid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r)
	}
	return b.String()
}

// appendUnquoted appends the text of a JSON string; of nil, nothing.
func appendUnquoted(dst, quoted []byte) []byte {
	if quoted == nil {
		return dst
	}
	in := quoted[1 : len(quoted)-1]
	for i := 0; i < len(in); {
		c := in[i]
		switch {
		case c == '\\':
			var n int
			dst, n = appendUnescaped(dst, in[i:])
			i += n
		case c < utf8.RuneSelf:
			dst = append(dst, c)
			i++
		default:
			r, n := utf8.DecodeRune(in[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
		}
	}
	return dst
}

// appendUnescaped appends what the escape that in begins with means, and returns the length of the
// escape.
func appendUnescaped(dst, in []byte) ([]byte, int) {
	switch c := in[1]; c {
	case 'b':
		return append(dst, '\b'), 2
	case 'f':
		return append(dst, '\f'), 2
	case 'n':
		return append(dst, '\n'), 2
	case 'r':
		return append(dst, '\r'), 2
	case 't':
		return append(dst, '\t'), 2
	case 'u':
		r := hexRune(in)
		if !utf16.IsSurrogate(r) {
			return utf8.AppendRune(dst, r), 6
		}
		if low := hexRune(in[6:]); low >= 0 {
			if full := utf16.DecodeRune(r, low); full != utf8.RuneError {
				return utf8.AppendRune(dst, full), 12
			}
		}
		return utf8.AppendRune(dst, utf8.RuneError), 6
	default:
		return append(dst, c), 2
	}
}

// hexRune returns the number in the \u escape that in begins with, or -1 when it begins with none.
func hexRune(in []byte) rune {
	if len(in) < 6 || in[0] != '\\' || in[1] != 'u' {
		return -1
	}
	var r rune
	for _, c := range in[2:6] {
		switch {
		case c <= '9':
			c -= '0'
		default:
			c = c | 0x20 - 'a' + 10
		}
		r = r<<4 | rune(c)
	}
	return r
}
