package spec

import (
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/internal/diag"
)

// Locate returns where length bytes at a byte offset of a text stand in the source. Where that
// cannot be told (folded text, text over several lines) it returns the place of the text as a
// whole.
func (t *Taxonomy) Locate(text Text, offset, length int) diag.Span {
	if t.lines == nil || !text.Span.Valid() || offset < 0 || length < 0 || offset+length > len(text.V) {
		return text.Span
	}
	src := t.lines.from(text.Span.Line, text.Span.Col)
	if src == "" {
		return text.Span
	}
	chars := utf8.RuneCountInString(text.V[offset : offset+length])
	switch src[0] {
	case '|':
		return t.locateBlock(text, offset, chars)
	case '>':
		return text.Span
	case '\'', '"':
		from, ok := walkQuoted(src, text.V, offset)
		to, ok2 := walkQuoted(src, text.V, offset+length)
		if !ok || !ok2 {
			return text.Span
		}
		return t.lines.span(text.Span.Line, text.Span.Col+from, to-from)
	}
	if !strings.HasPrefix(src, text.V) {
		return text.Span
	}
	return t.lines.span(text.Span.Line, text.Span.Col+utf8.RuneCountInString(text.V[:offset]), chars)
}

// walkQuoted returns how many characters of the quoted source lie before a byte offset of its
// value. It is not ok when the source does not read like the value, as when it goes on over several
// lines.
func walkQuoted(src, value string, offset int) (chars int, ok bool) {
	at, pos := 1, 0
	for pos < offset && at < len(src) {
		size := sourceChar(src, at)
		_, width := utf8.DecodeRuneInString(value[pos:])
		if size == 0 || size == 1 && src[at] != value[pos] {
			return 0, false
		}
		at, pos = at+size, pos+width
	}
	if pos != offset || at >= len(src) {
		return 0, false
	}
	return utf8.RuneCountInString(src[:at]), true
}

// sourceChar returns the number of bytes that write the character at an offset of quoted source, 0
// at its end.
func sourceChar(src string, at int) int {
	switch {
	case src[at] == src[0] && src[0] == '"':
		return 0
	case src[at] == src[0]:
		if strings.HasPrefix(src[at:], "''") {
			return 2
		}
		return 0
	case src[0] == '"' && src[at] == '\\':
		return escapeSize(src[at:])
	}
	_, size := utf8.DecodeRuneInString(src[at:])
	return size
}

func escapeSize(src string) int {
	if len(src) < 2 {
		return 0
	}
	size := 2
	switch src[1] {
	case 'x':
		size = 4
	case 'u':
		size = 6
	case 'U':
		size = 10
	}
	if size > len(src) {
		return 0
	}
	return size
}

// locateBlock finds the place in literal text, each line of which stands on one of the source.
func (t *Taxonomy) locateBlock(text Text, offset, chars int) diag.Span {
	before := text.V[:offset]
	n := text.Span.Line + 1 + strings.Count(before, "\n")
	start := strings.LastIndexByte(before, '\n') + 1
	want, _, _ := strings.Cut(text.V[start:], "\n")
	have := t.lines.line(n)
	if !strings.HasSuffix(have, want) || strings.Trim(have[:len(have)-len(want)], " ") != "" {
		return text.Span
	}
	return t.lines.span(n, len(have)-len(want)+utf8.RuneCountInString(text.V[start:offset])+1, chars)
}
