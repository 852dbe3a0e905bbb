package spec

import (
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/internal/diag"
)

// scalarSpan returns the span of the scalar's token; of one that goes on over several lines, the
// part on its first line.
func (r *reader) scalarSpan(n *node, line, col int) diag.Span {
	text := r.lines.from(line, col)
	switch n.style {
	case plain:
		if strings.HasPrefix(text, n.value) {
			return r.lines.span(line, col, utf8.RuneCountInString(n.value))
		}
	case singleQuoted, doubleQuoted:
		if end := quoteEnd(text); end > 0 {
			return r.lines.span(line, col, utf8.RuneCountInString(text[:end]))
		}
		return r.lines.span(line, col, utf8.RuneCountInString(text))
	case block:
		if i := strings.IndexAny(text, " \t"); i >= 0 {
			return r.lines.span(line, col, i)
		}
	}
	return r.lines.rest(line, col)
}

// quoteEnd returns the offset behind the closing quote of the text that begins with a quote, or 0
// when it is not closed on this line.
func quoteEnd(text string) int {
	if text == "" {
		return 0
	}
	q := text[0]
	for i := 1; i < len(text); i++ {
		switch {
		case q == '"' && text[i] == '\\':
			i++
		case text[i] != q:
		case q == '\'' && i+1 < len(text) && text[i+1] == q:
			i++
		default:
			return i + 1
		}
	}
	return 0
}

// colonAfter reports whether a colon follows the key, on its line.
func (r *reader) colonAfter(key *node) bool {
	text := r.lines.from(key.span.Line, key.span.Col+key.span.Len)
	return key.value == "" || strings.HasPrefix(strings.TrimLeft(text, " \t"), ":") ||
		r.lines.from(key.span.Line, key.span.Col) == ""
}

// collectionSpan returns the span of a list or mapping: its first key or item by indentation, its
// brackets when it stands in brackets on one line.
func (r *reader) collectionSpan(line, col int, n *node) diag.Span {
	if n.style != flow {
		return r.firstSpan(line, col, n)
	}
	end, last := col+1, n.lastSpan()
	switch {
	case last.Line == line:
		end = last.Col + last.Len
	case last.Line != 0:
		return r.lines.rest(line, col)
	}
	text := r.lines.from(line, end)
	i := strings.IndexAny(text, "]}")
	if i < 0 {
		return r.lines.rest(line, col)
	}
	return r.lines.span(line, col, end-col+utf8.RuneCountInString(text[:i])+1)
}

func (r *reader) firstSpan(line, col int, n *node) diag.Span {
	switch {
	case len(n.entries) > 0:
		return n.entries[0].key.span
	case len(n.items) > 0 && n.items[0].span.Line == line:
		s := n.items[0].span
		return r.lines.span(line, col, s.Col+s.Len-col)
	}
	return r.lines.span(line, col, 1)
}

// lastSpan returns the span of the last token in a collection, the zero Span when it is empty.
func (n *node) lastSpan() diag.Span {
	switch {
	case len(n.items) > 0:
		return n.items[len(n.items)-1].span
	case len(n.entries) > 0:
		return n.entries[len(n.entries)-1].value.span
	}
	return diag.Span{}
}
