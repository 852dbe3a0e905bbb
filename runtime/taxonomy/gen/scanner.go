package gen

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner reads the members of a JSON object, or the elements of a list. The JSON must be valid.
type scanner struct {
	b   []byte
	pos int
}

// next moves to the next member or element, and reports whether there is one.
func (s *scanner) next(closing byte) bool {
	s.space()
	if s.b[s.pos] != closing {
		s.pos++ // the opening bracket, or a comma
		s.space()
	}
	return s.b[s.pos] != closing
}

func (s *scanner) space() {
	for s.b[s.pos] <= ' ' {
		s.pos++
	}
}

// key reads the key of a member, and moves to its value.
func (s *scanner) key() []byte {
	quoted := s.value()
	s.space()
	s.pos++ // the colon
	s.space()
	if bytes.IndexByte(quoted, '\\') >= 0 {
		return []byte(unquote(quoted))
	}
	return quoted[1 : len(quoted)-1]
}

// value reads a value.
func (s *scanner) value() []byte {
	start, depth := s.pos, 0
	for s.pos < len(s.b) {
		switch s.b[s.pos] {
		case '"':
			s.skipString()
		case '{', '[':
			depth++
			s.pos++
			continue
		case '}', ']':
			if depth == 0 { // after a number or a word
				return s.b[start:s.pos]
			}
			depth--
			s.pos++
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return s.b[start:s.pos]
			}
			s.pos++
			continue
		default:
			s.pos++
			continue
		}
		if depth == 0 {
			break
		}
	}
	return s.b[start:s.pos]
}

func (s *scanner) skipString() {
	for s.pos++; s.b[s.pos] != '"'; s.pos++ {
		if s.b[s.pos] == '\\' {
			s.pos++
		}
	}
	s.pos++
}

// unquote returns the text of a JSON string.
func unquote(quoted []byte) string {
	in := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(in, '\\') < 0 {
		return toValid(string(in))
	}
	out := make([]byte, 0, len(in))
	for i := 0; i < len(in); i++ {
		c := in[i]
		if c == '\\' {
			i++
			switch c = in[i]; c {
			case 'b':
				c = '\b'
			case 'f':
				c = '\f'
			case 'n':
				c = '\n'
			case 'r':
				c = '\r'
			case 't':
				c = '\t'
			case 'u':
				r, n := hexRune(in[i-1:])
				out = utf8.AppendRune(out, r)
				i += n - len(`\u`)
				continue
			}
		}
		out = append(out, c)
	}
	return toValid(string(out))
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
func hexRune(in []byte) (r rune, n int) {
	hex := func(in []byte) rune {
		if len(in) < 6 || in[0] != '\\' || in[1] != 'u' {
			return 0
		}
		n, _ := strconv.ParseUint(string(in[2:6]), 16, 16)
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
