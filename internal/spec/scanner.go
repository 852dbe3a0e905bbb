package spec

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/internal/diag"
)

// scanner looks for the places that make a file no YAML. The library stops at the first fault and
// tells its line only, often a later one; the scanner reads line by line, as a person does, and
// points at the token. It runs only on files that the library has refused, so it may guess where
// the library may not.
type scanner struct {
	lines *lines
	out   []diag.Finding
	edits []edit

	levels  []level // blocks that are open, the innermost last
	pending bool    // the last key or dash has no value yet
	valued  valueForm
	last    int // the last line that held a key or a value

	literal int       // indent of the key whose block text is being skipped; -1 when none is
	quote   byte      // the quote that is open over a line's end; 0 when none is
	quoteAt place     // where it was opened
	quoteIn bool      // whether it was opened in brackets
	opens   []bracket // brackets that are open
	outer   place     // where the outermost of them was opened
	stop    bool

	pair place // the second half of the last pair of escapes that was reported
	seen place // of the last look-up, with its column
	col  int
}

// place is a byte offset of a line. Its column is counted only when something is to be said of it.
type place struct{ line, off int }

// level is a block of keys or items that begin at one column, 0-based.
type level struct {
	col  int
	list bool
	line int
}

// bracket is an open { or [.
type bracket struct {
	char  byte
	at    place
	colon bool // the entry has its colon already
	token bool // the entry has begun; what comes next belongs to it
	done  bool // a quoted text or a collection ended; only a separator may come
	plain place
}

type valueForm uint8

const (
	noValue valueForm = iota
	plainValue
	closedValue // quoted, or in brackets
)

func (s *scanner) fail(id string, at diag.Span, message, hint string) {
	if len(s.out) <= maxFinds { // one more tells that some are left out
		s.out = append(s.out, diag.Finding{ID: id, Span: at, Message: message, Hint: hint})
	}
}

func (s *scanner) scan() {
	s.literal = -1
	for n := 1; n <= len(s.lines.text) && !s.stop; n++ {
		s.scanLine(n, s.lines.line(n))
	}
	switch {
	case s.stop:
	case s.quote != 0:
		s.fail(IDUnclosed, s.char(s.quoteAt), "this quote is never closed", "close it with "+string(rune(s.quote)))
	case len(s.opens) > 0:
		b := s.opens[len(s.opens)-1]
		s.fail(IDUnclosed, s.char(b.at), fmt.Sprintf("this %c is never closed", b.char),
			"text that begins with a bracket needs quotes")
	}
}

func (s *scanner) scanLine(n int, text string) {
	body := strings.TrimLeft(text, " \t")
	indent := len(text) - len(body)
	switch {
	case s.quote != 0:
		s.continueQuote(n, text)
		return
	case body == "":
		return
	case s.literal >= 0 && leadingSpaces(text) > s.literal:
		return
	case body[0] == '#':
		return
	case len(s.opens) > 0:
		s.flow(n, text, indent)
		return
	}
	s.literal = -1
	if tab := strings.IndexByte(text[:indent], '\t'); tab >= 0 {
		s.fail(IDTab, s.lines.span(n, tab+1, indent-tab), "a tab indents this line", "indent with spaces")
		return
	}
	if indent == 0 && (strings.HasPrefix(text, "---") || strings.HasPrefix(text, "...") || text[0] == '%') {
		s.levels, s.pending, s.valued = nil, true, noValue
		return
	}
	s.block(n, text, indent)
	s.last = n
}

func leadingSpaces(text string) int { return len(text) - len(strings.TrimLeft(text, " ")) }

// block reads a line of keys and dashes.
func (s *scanner) block(n int, text string, indent int) {
	if !s.indent(n, text, indent) {
		return
	}
	at := indent
	for at < len(text) && isDash(text[at:]) {
		s.push(level{at, true, n})
		rest := strings.TrimLeft(text[at+1:], " \t")
		at = len(text) - len(rest)
		s.pending, s.valued = true, noValue
	}
	if at >= len(text) || text[at] == '#' {
		return
	}
	end := keyEnd(text[at:])
	if end < 0 {
		s.loose(n, text, at)
		return
	}
	s.push(level{at, false, n})
	s.pending, s.valued = true, noValue
	rest := strings.TrimLeft(text[at+end+1:], " \t")
	if rest == "" || rest[0] == '#' {
		return
	}
	s.value(n, text, len(text)-len(rest))
}

// loose reads a value that stands on a line of its own.
func (s *scanner) loose(n int, text string, at int) {
	k := len(s.levels)
	if k == 0 || s.levels[k-1].list || s.levels[k-1].col != at {
		s.value(n, text, at)
		return
	}
	switch text[at] {
	case '?', ':':
		return // a key written the long way; rare, and left to the library
	case '}', ']', ',':
		s.value(n, text, at)
		return
	}
	s.token(IDSyntax, n, text, at, "this line has no colon, where a key and its value are expected",
		"write key: value, with a space behind the colon")
}

func isDash(text string) bool {
	return text[0] == '-' && (len(text) == 1 || text[1] == ' ' || text[1] == '\t')
}

// keyEnd returns the offset of the colon that ends the key with which the text begins, or -1.
func keyEnd(text string) int {
	from := 0
	switch text[0] {
	case '"', '\'':
		from = quoteEnd(text)
		rest := strings.TrimLeft(text[from:], " ")
		if from == 0 || !isColon(rest) {
			return -1
		}
		return len(text) - len(rest)
	case '{', '[', '|', '>':
		return -1
	}
	for i := from; i < len(text); i++ {
		switch {
		case isColon(text[i:]):
			return i
		case text[i] == '#' && i > 0 && text[i-1] == ' ':
			return -1
		}
	}
	return -1
}

func isColon(text string) bool {
	return text != "" && text[0] == ':' && (len(text) == 1 || text[1] == ' ' || text[1] == '\t')
}

func (s *scanner) push(l level) {
	if k := len(s.levels); k > 0 && s.levels[k-1].col == l.col && s.levels[k-1].list == l.list {
		s.levels[k-1].line = l.line
		return
	}
	s.levels = append(s.levels, l)
}

// indent compares the line's indentation with the open blocks, and reports a line that belongs to
// none.
func (s *scanner) indent(n int, text string, indent int) bool {
	if len(s.levels) == 0 {
		return true
	}
	top := s.levels[len(s.levels)-1]
	if indent > top.col {
		return s.deeper(n, text, indent, top)
	}
	var popped level
	for len(s.levels) > 0 && s.levels[len(s.levels)-1].col > indent {
		popped = s.levels[len(s.levels)-1]
		s.levels = s.levels[:len(s.levels)-1]
	}
	dash := isDash(text[indent:])
	if k := len(s.levels); k > 1 && !dash && s.levels[k-1].list && s.levels[k-2].col == indent {
		s.levels = s.levels[:k-1]
	}
	if len(s.levels) == 0 || s.levels[len(s.levels)-1].col != indent {
		s.badIndent(n, text, indent, popped)
		return false
	}
	top = s.levels[len(s.levels)-1]
	switch {
	case dash && !top.list && !s.pending:
		s.token(IDIndent, n, text, indent, "a list item stands among keys",
			"indent it under the key that it belongs to")
		return false
	case !dash && top.list:
		s.token(IDIndent, n, text, indent, "a key or text stands among list items",
			"begin it with a dash, or indent it under the item above")
		return false
	}
	return true
}

// deeper judges a line that is indented further than the block above it.
func (s *scanner) deeper(n int, text string, indent int, top level) bool {
	switch {
	case s.pending:
		return true
	case s.valued == plainValue && keyEnd(text[indent:]) < 0 && !isDash(text[indent:]):
		return false // the text above goes on
	}
	f := s.token(IDIndent, n, text, indent, "this line is indented under a line that has its value already",
		fmt.Sprintf("indent it by %s, like line %d", spaces(top.col), top.line))
	f.Related = []diag.Related{{Span: s.first(s.last), Message: "this line is complete"}}
	return false
}

func (s *scanner) badIndent(n int, text string, indent int, popped level) {
	hint := fmt.Sprintf("indent it by %s, like line %d", spaces(popped.col), popped.line)
	if k := len(s.levels); k > 0 {
		hint = fmt.Sprintf("indent it by %s, like line %d, or by %s, like line %d", spaces(popped.col), popped.line,
			spaces(s.levels[k-1].col), s.levels[k-1].line)
	}
	s.token(
		IDIndent, n, text, indent, fmt.Sprintf("this line is indented by %s, like no block above it", spaces(indent)),
		hint)
	s.levels = append(s.levels, level{indent, isDash(text[indent:]), n})
}

func spaces(n int) string {
	if n == 1 {
		return "1 space"
	}
	return fmt.Sprintf("%d spaces", n)
}

// token reports a finding at the first token of a line.
func (s *scanner) token(id string, n int, text string, indent int, message, hint string) *diag.Finding {
	length := utf8.RuneCountInString(strings.TrimRight(text[indent:], " \t"))
	if end := keyEnd(text[indent:]); end > 0 {
		length = utf8.RuneCountInString(text[indent : indent+end])
	}
	s.fail(id, s.lines.span(n, indent+1, length), message, hint)
	return &s.out[len(s.out)-1]
}

// first returns the span of what a line holds.
func (s *scanner) first(n int) diag.Span {
	return s.lines.rest(n, leadingSpaces(s.lines.line(n))+1)
}

// at returns the span of length characters at a byte offset of a line.
func (s *scanner) at(n int, text string, off, length int) diag.Span {
	if s.seen.line != n || s.seen.off > off {
		s.seen, s.col = place{n, 0}, 1
	}
	s.col += utf8.RuneCountInString(text[s.seen.off:off])
	s.seen.off = off
	return s.lines.span(n, s.col, length)
}

// char returns the span of the character at p.
func (s *scanner) char(p place) diag.Span { return s.at(p.line, s.lines.line(p.line), p.off, 1) }
