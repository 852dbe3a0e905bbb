package spec

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// scanner finds the faults that make a file invalid YAML. The library stops at the first fault and
// reports only a line, often a later one; the scanner reads line by line and reports tokens. It
// runs only on files that the library refuses, so it may guess. It stops at the first line that is
// not indented like its block, because that changes the meaning of the lines below.
type scanner struct {
	*reader
	blocks  []block // the open blocks, the innermost last
	pending bool    // the last key or dash has no value yet
	plain   bool    // the last value is text without quotes, which can continue
	literal int     // the indent of the key whose block text is skipped, or -1
	open    []place // the open brackets, and at the end an open quote
}

// block is a list or mapping by indentation.
type block struct {
	col, line int
	list      bool
}

// place is a byte of a line.
type place struct{ line, off int }

// scan reports the faults.
func (s *scanner) scan() {
	s.literal = -1
	for n := 1; n <= s.lines.Lines(); n++ {
		text := s.lines.Line(n)
		body := strings.TrimLeft(text, " \t")
		indent := len(text) - len(body)
		switch tab := strings.IndexByte(text[:indent], '\t'); {
		case strings.HasPrefix(text, "<<<<<<< "):
			s.out = nil
			s.at(n, 0, 7, "resolve the conflict, then run errgen generate", "a merge conflict begins here")
			return
		case len(s.open) > 0:
			s.closed(n, text, 0)
		case body == "", body[0] == '#', s.literal >= 0 && indent > s.literal && tab < 0:
		case tab >= 0:
			s.at(n, tab, indent, "indent with spaces", "a tab indents this line")
			return
		case s.plain && s.continues(text[indent:], indent):
		case indent == 0 && (strings.HasPrefix(text, "---") || strings.HasPrefix(text, "...") || text[0] == '%'):
			s.blocks = nil
		default:
			if s.literal = -1; !s.indent(n, text, indent) {
				return
			}
			s.line(n, text, indent)
		}
	}
	if len(s.open) > 0 {
		p := s.open[len(s.open)-1]
		s.at(p.line, p.off, p.off+1, "text that begins with a bracket needs quotes, and a quote inside text is doubled",
			"this %c is never closed", s.char(p))
	}
}

func (s *scanner) char(p place) byte { return s.lines.Line(p.line)[p.off] }

// at reports a fault of the bytes from off to end of a line.
func (s *scanner) at(line, off, end int, hint, format string, args ...any) {
	if len(s.out) > maxFindings {
		return
	}
	text := s.lines.Line(line)
	at := s.lines.at(line, utf8.RuneCountInString(text[:off])+1, utf8.RuneCountInString(text[off:end]))
	s.fail(IDYAML, at, hint, format, args...)
}

// continues reports whether a line is more of the text without quotes above it.
func (s *scanner) continues(body string, indent int) bool {
	k := len(s.blocks)
	return k > 0 && s.blocks[k-1].col < indent && keyEnd(body) <= 0 && !isDash(body)
}

// indent compares the indentation of a line with the open blocks, and reports whether it fits.
func (s *scanner) indent(n int, text string, indent int) bool {
	all, dash, end := s.blocks, isDash(text[indent:]), len(text)
	if i := keyEnd(text[indent:]); i > 0 {
		end = indent + i
	}
	k := len(all)
	for k > 0 && (all[k-1].col > indent || k > 1 && !dash && all[k-1].list && all[k-2].col == indent) {
		k--
	}
	s.blocks = all[:k]
	hint, message := "", ""
	like := func(b block) string { return fmt.Sprintf("indent it like line %d", b.line) }
	switch deeper := k > 0 && all[k-1].col < indent; {
	case len(all) == 0, deeper && k == len(all) && s.pending:
		return true
	case deeper && k == len(all):
		hint, message = like(all[k-1]), "this line is indented under a line that has its value already"
	case deeper:
		hint = like(all[k]) + ", or like line " + strconv.Itoa(all[k-1].line)
	case k == 0:
		hint = like(all[0])
	case dash && !all[k-1].list && !s.pending:
		hint, message = "indent it under the key that it belongs to", "a list item is among keys"
	case !dash && all[k-1].list:
		hint, message = "begin it with a dash, or indent it under the item above", "a key is among list items"
	default:
		return true
	}
	s.at(n, indent, end, hint, "%s", cmp.Or(message, "this line is not indented like any block above it"))
	return false
}

// line reads the dashes, the key and the value of a line.
func (s *scanner) line(n int, text string, at int) {
	push := func(b block) {
		if k := len(s.blocks); k > 0 && s.blocks[k-1].col == b.col && s.blocks[k-1].list == b.list {
			s.blocks = s.blocks[:k-1]
		}
		s.blocks, s.pending, s.plain = append(s.blocks, b), true, false
	}
	for at < len(text) && isDash(text[at:]) {
		push(block{at, n, true})
		at += 1 + indentOf(text[at+1:])
	}
	if at == len(text) || text[at] == '#' {
		return
	}
	if end := keyEnd(text[at:]); end >= 0 {
		push(block{at, n, false})
		at += end + 1 + indentOf(text[at+end+1:])
		if at == len(text) || text[at] == '#' {
			return
		}
	} else if k := len(s.blocks); k > 0 && s.blocks[k-1].col == at && strings.IndexByte("?:}],", text[at]) < 0 {
		s.at(n, at, len(text), "write key: value, with a space behind the colon",
			"this line has no colon, where a key and its value are expected")
		return
	}
	s.value(n, text, at)
}

func isDash(text string) bool {
	return text[0] == '-' && (len(text) == 1 || text[1] == ' ' || text[1] == '\t')
}

func isColon(text string) bool {
	return text[0] == ':' && (len(text) == 1 || text[1] == ' ' || text[1] == '\t')
}

// keyEnd returns the offset of the colon after the key with which a text begins, or -1.
func keyEnd(text string) int {
	i := 0
	switch text[0] {
	case '"', '\'':
		i = quoteEnd(text)
		if rest := strings.TrimLeft(text[i:], " "); i == 0 || rest == "" || !isColon(rest) {
			return -1
		}
	case '{', '[', '|', '>':
		return -1
	}
	for ; i < len(text) && (text[i] != '#' || i == 0 || text[i-1] != ' '); i++ {
		if isColon(text[i:]) {
			return i
		}
	}
	return -1
}

// value reads a value outside of brackets.
func (s *scanner) value(n int, text string, at int) {
	s.pending = false
	switch text[at] {
	case '|', '>':
		if s.literal = 0; len(s.blocks) > 0 {
			s.literal = s.blocks[len(s.blocks)-1].col
		}
	case '}', ']', ',':
		s.at(n, at, at+1, "remove it, or put the text in quotes", "this %c belongs to no bracket above it", text[at])
	case '"', '\'', '{', '[':
		s.closed(n, text, at)
	default:
		s.plain = true
		value, _, _ := strings.Cut(text[at:], " #")
		value = strings.TrimRight(value, " \t")
		for i := range len(value) {
			if isColon(value[i:]) {
				s.at(n, at+i, at+i+1, "put the text in quotes: "+quote(value),
					"a colon before a space ends a key, also in the middle of text")
				return
			}
		}
		s.indicator(n, text, at, value)
	}
}

// indicator reports text that begins with a character that has a meaning in YAML.
func (s *scanner) indicator(n int, text string, at int, token string) {
	if strings.IndexByte("*&!@`%", text[at]) >= 0 {
		s.at(n, at, at+len(token), "put the text in quotes: "+quote(token),
			"%c at the beginning of text has a meaning in YAML", text[at])
	}
}

// closed reads a quoted text, or a collection in brackets, or the rest of one, and what follows it.
func (s *scanner) closed(n int, text string, at int) {
	first := place{n, at}
	if len(s.open) > 0 {
		first = s.open[0]
	}
	for i := at; i < len(text); {
		k, c := len(s.open), text[i]
		switch {
		case k > 0 && strings.IndexByte(`"'`, s.char(s.open[k-1])) >= 0:
			if i = s.quoteEnd(n, text, i, s.char(s.open[k-1])); i == 0 {
				return
			}
			s.open = s.open[:k-1]
		case c == '#' && i > 0 && (text[i-1] == ' ' || text[i-1] == '\t'):
			return
		case c == '}', c == ']':
			s.close(n, text, i)
			i++
		case strings.IndexByte(" \t,:", c) >= 0:
			i++
		case strings.IndexByte(`"'{[`, c) >= 0:
			s.open = append(s.open, place{n, i})
			i++
		default:
			i = s.word(n, text, i)
		}
		if len(s.open) == 0 {
			s.after(n, text, i, first)
			return
		}
	}
}

// close closes a bracket, and those inside of it that are open.
func (s *scanner) close(n int, text string, i int) {
	for reported := false; len(s.open) > 0; reported = true {
		p := s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		want := map[byte]byte{'{': '}', '[': ']'}[s.char(p)]
		if text[i] == want {
			return
		}
		if !reported {
			s.at(n, i, i+1, fmt.Sprintf("close it with %c first", want), "%c closes the %c of line %d", text[i],
				s.char(p), p.line)
		}
	}
}

// after reports text that follows a closed value, which begins at first.
func (s *scanner) after(n int, text string, at int, first place) {
	at += indentOf(text[at:])
	if at == len(text) || text[at] == '#' {
		return
	}
	hint := "put the whole text in quotes, and double single quotes within it"
	if first.line == n {
		whole := strings.TrimRight(text[first.off:], " \t")
		if q := whole[0]; (q == '\'' || q == '"') && len(whole) > 1 && whole[len(whole)-1] == q {
			whole = whole[1 : len(whole)-1]
		}
		hint = "put the whole text in quotes: " + quote(whole)
	}
	s.at(first.line, first.off, first.off+1, hint, "text follows the end of a value that begins with %c", s.char(first))
}

// word reads text without quotes inside of brackets, and returns the offset after it.
func (s *scanner) word(n int, text string, at int) int {
	end := at + 1
	for end < len(text) && strings.IndexByte(",[]{}", text[end]) < 0 && !isColon(text[end:]) &&
		(text[end] != '#' || text[end-1] != ' ') {
		end++
	}
	token := strings.TrimRight(text[at:end], " \t")
	s.indicator(n, text, at, token)
	if end < len(text) && (text[end] == '{' || text[end] == '[') {
		s.at(n, at, at+len(token), "put the text in quotes", "text that contains %c needs quotes inside of brackets",
			text[end])
	}
	return end
}

// quoteEnd returns the offset after the quote that closes a text, or 0 if it is on a later line. It
// reports the escapes that YAML does not have.
func (s *scanner) quoteEnd(n int, text string, i int, quote byte) int {
	for ; i < len(text); i++ {
		switch {
		case quote == '"' && text[i] == '\\':
			s.escape(n, text, i)
			i++
		case text[i] == quote && quote == '\'' && strings.HasPrefix(text[i+1:], "'"):
			i++
		case text[i] == quote:
			return i + 1
		}
	}
	return 0
}

func (s *scanner) escape(n int, text string, at int) {
	_, width := utf8.DecodeRuneInString(text[at+1:])
	size := map[string]int{"x": 2, "u": 4, "U": 8}[text[at+1:at+1+width]]
	end := min(at+1+width+size, len(text))
	code, err := strconv.ParseUint(text[at+1+width:end], 16, 32)
	if size == 0 && strings.Contains("0abt\tnvfre \"/\\N_LP", text[at+1:end]) ||
		size > 0 && err == nil && end == at+2+size && utf8.ValidRune(rune(code)) {
		return
	}
	s.at(n, at, end, "write the character itself, or use single quotes, where a backslash has no meaning",
		"the escape %s does not exist in double quotes", text[at:end])
}
