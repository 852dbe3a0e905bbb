package spec

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/errgen/errgen/internal/diag"
)

// value reads the value that begins at an offset of a line.
func (s *scanner) value(n int, text string, at int) {
	s.pending, s.valued = false, closedValue
	switch text[at] {
	case '|', '>':
		s.literal = s.blockIndent()
	case '"', '\'':
		if end, ok := s.quoted(n, text, at, false); ok {
			s.nothingAfter(n, text, at, end)
		}
	case '{', '[':
		s.flow(n, text, at)
	case '}', ']', ',':
		s.fail(IDUnclosed, s.at(n, text, at, 1), fmt.Sprintf("this %c belongs to no bracket above it", text[at]),
			"remove it, or put the text in quotes")
	default:
		s.valued = plainValue
		if s.indicator(n, text, at, " #") {
			s.mend(n, at, len(text), badMark)
			return
		}
		s.plain(n, text, at)
	}
}

// blockIndent returns the indent of the innermost block, 0 outside of any.
func (s *scanner) blockIndent() int {
	if len(s.levels) == 0 {
		return 0
	}
	return s.levels[len(s.levels)-1].col
}

// plain looks for a colon that makes a key of text without quotes.
func (s *scanner) plain(n int, text string, at int) {
	value := text[at:]
	if i := strings.Index(value, " #"); i >= 0 {
		value = strings.TrimRight(value[:i], " ")
	}
	for i := range len(value) {
		if isColon(value[i:]) {
			s.fail(IDUnquoted, s.at(n, text, at+i, 1), "a colon before a space ends a key, also in the middle of text",
				"put the text in quotes: "+quote(value))
			s.mend(n, at, len(text), badMark)
			return
		}
	}
}

// indicator reports text that begins with a character of YAML's own.
func (s *scanner) indicator(n int, text string, at int, ends string) bool {
	if strings.IndexByte("*&!@`%", text[at]) < 0 {
		return false
	}
	token := text[at:]
	if i := strings.IndexAny(token, ends); i >= 0 {
		token = token[:i]
	}
	span := s.at(n, text, at, utf8.RuneCountInString(token))
	hint := "text that begins with " + text[at:at+1] + " needs quotes: " + quote(token)
	switch text[at] {
	case '*':
		s.fail(IDAnchor, span, "an alias is not part of the language", hint)
	case '&':
		s.fail(IDAnchor, span, "an anchor is not part of the language", hint)
	case '!':
		s.fail(IDTag, span, "a YAML tag is not part of the language", hint)
	default:
		s.fail(IDUnquoted, span, fmt.Sprintf("text cannot begin with %s", text[at:at+1]), hint)
	}
	return true
}

// nothingAfter reports text behind the end of a value that is closed.
func (s *scanner) nothingAfter(n int, text string, at, end int) {
	rest := strings.TrimLeft(text[end:], " \t")
	if rest == "" || rest[0] == '#' {
		return
	}
	s.mend(n, at, len(text), badMark)
	span := s.at(n, text, len(text)-len(rest), utf8.RuneCountInString(strings.TrimRight(rest, " \t")))
	hint := "put the whole text in quotes: " + quote(strings.TrimRight(text[at:], " \t"))
	switch text[at] {
	case '\'':
		s.fail(IDUnquoted, span, "text goes on behind its closing quote", "a quote inside '…' is written twice: ''")
	case '"':
		s.fail(IDUnquoted, span, "text goes on behind its closing quote", `a quote inside "…" is written \"`)
	case '{':
		s.fail(IDUnquoted, s.at(n, text, at, 1), "a value that begins with { is a mapping to YAML, and text follows it",
			hint)
	default:
		s.fail(IDUnquoted, s.at(n, text, at, 1), "a value that begins with [ is a list to YAML, and text follows it",
			hint)
	}
}

// quoted reads from the opening quote on, and returns the offset behind the closing one.
func (s *scanner) quoted(n int, text string, at int, inFlow bool) (end int, ok bool) {
	s.quote, s.quoteAt, s.quoteIn = text[at], place{n, at}, inFlow
	return s.quoteBody(n, text, at+1)
}

func (s *scanner) quoteBody(n int, text string, from int) (end int, ok bool) {
	for i := from; i < len(text); i++ {
		switch {
		case s.quote == '"' && text[i] == '\\':
			s.escape(n, text, i)
			i++
		case text[i] != s.quote:
		case s.quote == '\'' && strings.HasPrefix(text[i+1:], "'"):
			i++
		default:
			s.quote = 0
			return i + 1, true
		}
	}
	return len(text), false
}

func (s *scanner) continueQuote(n int, text string) {
	inFlow, opened := s.quoteIn, s.quoteAt
	end, ok := s.quoteBody(n, text, 0)
	switch {
	case !ok:
	case inFlow:
		s.flow(n, text, end)
	default:
		rest := strings.TrimLeft(text[end:], " \t")
		if rest == "" || rest[0] == '#' {
			return
		}
		// A quote that closes lines below most often was never meant to be left open.
		s.fail(IDUnclosed, s.char(opened),
			fmt.Sprintf("this quote is closed only on line %d, and text follows it there", n),
			"close it on its own line")
		s.stop = true
	}
}

// escape reports an escape that YAML does not know.
func (s *scanner) escape(n int, text string, at int) {
	if at+1 == len(text) {
		return
	}
	digits := 0
	switch c := text[at+1]; c {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		if strings.IndexByte("0abt\tnvfre \"/\\N_LP", c) < 0 {
			s.fail(IDEscape, s.at(n, text, at, 2), "the escape "+`\`+firstRune(text[at+1:])+
				" is unknown in double quotes", "use single quotes, where a backslash is itself")
			s.mend(n, at, at+1, "/")
		}
		return
	}
	hex := text[at+2:]
	if len(hex) < digits || strings.Trim(hex[:digits], "0123456789abcdefABCDEF") != "" {
		s.fail(IDEscape, s.at(n, text, at, 2),
			fmt.Sprintf(`the escape \%c takes %d hexadecimal digits`, text[at+1], digits),
			"use single quotes, where a backslash is itself")
		return
	}
	s.codePoint(n, text, at, 2+digits)
}

// codePoint reports an escape of what is no character to YAML, such as one half of a pair as JSON
// writes it. A second half is read with the first.
func (s *scanner) codePoint(n int, text string, at, size int) {
	c, _ := strconv.ParseUint(text[at+2:at+size], 16, 32)
	if c <= unicode.MaxRune && !utf16.IsSurrogate(rune(c)) {
		return
	}
	hint := "write the character itself"
	if size == 6 && strings.HasPrefix(text[at+size:], `\u`) && len(text) >= at+2*size {
		low, err := strconv.ParseUint(text[at+size+2:at+2*size], 16, 32)
		if pair := utf16.DecodeRune(rune(c), rune(low)); err == nil && pair != unicode.ReplacementChar {
			s.pair = place{n, at + size}
			hint = fmt.Sprintf(`write the character itself, or \U%08X`, pair)
			size *= 2
		}
	} else if s.pair == (place{n, at}) {
		return
	}
	s.fail(IDEscape, s.at(n, text, at, size), "the escape "+text[at:at+size]+" is no character to YAML", hint)
	s.mend(n, at, at+size, "/")
}

func firstRune(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	return text[:size]
}

// flow reads on inside of brackets, or opens the first.
func (s *scanner) flow(n int, text string, at int) {
	for i := at; i < len(text) && !s.stop; {
		next := s.flowToken(n, text, i)
		if len(s.opens) == 0 && !s.stop {
			if s.quote == 0 {
				s.closed(n, text, next)
			}
			return
		}
		i = next
	}
}

// closed judges what follows the outermost bracket.
func (s *scanner) closed(n int, text string, end int) {
	rest := strings.TrimLeft(text[end:], " \t")
	if rest == "" || rest[0] == '#' {
		return
	}
	s.outerText(n, text, end)
}

func (s *scanner) outerText(n int, text string, end int) {
	b := s.outer
	if b.line != n {
		s.fail(IDUnquoted, s.at(n, text, end, 1), "text follows the closing bracket",
			"remove it, or put the whole value in quotes")
		return
	}
	s.nothingAfter(n, text, b.off, end)
}

// flowToken reads one token in brackets and returns the offset behind it.
func (s *scanner) flowToken(n int, text string, i int) int {
	c := text[i]
	if len(s.opens) == 0 {
		s.outer = place{n, i}
		s.opens = append(s.opens, bracket{char: c, at: s.outer})
		return i + 1
	}
	b := &s.opens[len(s.opens)-1]
	switch {
	case c == ' ' || c == '\t':
		return i + 1
	case c == '#' && (i == 0 || text[i-1] == ' ' || text[i-1] == '\t'):
		return len(text)
	case c == ',':
		b.colon, b.token, b.done = false, false, false
		return i + 1
	case c == '}' || c == ']':
		return s.flowClose(n, text, i)
	case c == ':' && (b.done || isColon(text[i:]) || i+1 < len(text) && strings.IndexByte(",[]{}", text[i+1]) >= 0):
		return s.flowColon(n, text, i, b)
	case b.token:
		s.flowText(n, text, i, b)
		return i + 1
	}
	b.token, b.plain = true, place{n, i}
	switch c {
	case '{', '[':
		b.done = true
		s.opens = append(s.opens, bracket{char: c, at: b.plain})
		return i + 1
	case '"', '\'':
		b.done = true
		end, _ := s.quoted(n, text, i, true)
		return end
	}
	end := s.flowPlain(text, i+1)
	if s.indicator(n, text, i, " ,]}") {
		s.mend(n, i, end, badMark)
	}
	return end
}

// flowPlain returns the end of text without quotes.
func (s *scanner) flowPlain(text string, i int) int {
	for ; i < len(text); i++ {
		if strings.IndexByte(",[]{}", text[i]) >= 0 || isColon(text[i:]) || text[i] == '#' && text[i-1] == ' ' {
			return i
		}
	}
	return i
}

func (s *scanner) flowColon(n int, text string, i int, b *bracket) int {
	if b.colon && b.char == '{' {
		s.fail(IDUnquoted, s.at(n, text, i, 1), "a colon before a space ends a key, also in the middle of text",
			"put the text that holds it in quotes")
	}
	b.colon, b.token, b.done = true, false, false
	return i + 1
}

// flowText judges a token that follows another one without a separator.
func (s *scanner) flowText(n int, text string, i int, b *bracket) {
	c := text[i]
	switch {
	case c == '{' || c == '[':
		span := s.char(b.plain)
		if b.plain.line == n {
			span.Len = utf8.RuneCountInString(strings.TrimRight(text[b.plain.off:i], " \t"))
		}
		s.fail(IDUnquoted, span, fmt.Sprintf("text that holds %c needs quotes inside of brackets", c),
			"put the text in quotes")
		s.opens = append(s.opens, bracket{char: c, at: place{n, i}})
		return
	case b.done:
		s.fail(IDUnquoted, s.at(n, text, i, 1), "text goes on behind a closing quote or bracket",
			"put the whole text in quotes, or separate the values with a comma")
		b.done = false
	}
}

func (s *scanner) flowClose(n int, text string, i int) int {
	b := s.opens[len(s.opens)-1]
	if want := map[byte]byte{'{': '}', '[': ']'}[b.char]; text[i] != want {
		s.fail(IDUnclosed, s.at(n, text, i, 1), fmt.Sprintf("%c closes the %c of line %d", text[i], b.char, b.at.line),
			fmt.Sprintf("close it with %c first", want))
		s.out[len(s.out)-1].Related = []diag.Related{{Span: s.char(b.at), Message: "opened here"}}
		s.stop = true
	}
	s.opens = s.opens[:len(s.opens)-1]
	return i + 1
}
