package diag

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The window around the token that is shown of a long source line.
const (
	windowWidth = 120
	windowLead  = 40
)

func printText(w io.Writer, src *Source, f Finding) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s: %s [%s]\n", place(src, f.Span), f.Severity, Printable(f.Message), f.ID)
	snippet(&b, src, f.Span)
	if f.Hint != "" {
		fmt.Fprintf(&b, "  hint: %s\n", Printable(f.Hint))
	}
	for _, r := range f.Related {
		fmt.Fprintf(&b, "  %s: %s\n", place(src, r.Span), Printable(r.Message))
		snippet(&b, src, r.Span)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// place returns file:line:column, or the file alone when there is no place in it.
func place(src *Source, s Span) string {
	name, line := src.Place(s.Line)
	if !s.Valid() {
		return Printable(name)
	}
	return Printable(name) + ":" + strconv.Itoa(line) + ":" + strconv.Itoa(s.Col)
}

// snippet writes the source line and a run of carets under the token.
func snippet(b *strings.Builder, src *Source, s Span) {
	if !s.Valid() || s.Line > src.Lines() {
		return
	}
	shown, under := window(src, s)
	_, line := src.Place(s.Line)
	gutter := fmt.Sprintf("%5d", line)
	fmt.Fprintf(b, "%s | %s\n%s | %s\n", gutter, shown, strings.Repeat(" ", len(gutter)), under)
}

// window returns the part of a line around the span, and the line of carets for it. Tabs stay tabs
// in both, so that the carets stand under the token whatever a tab's width is.
func window(src *Source, s Span) (shown, under string) {
	line := []rune(src.Line(s.Line))
	first, last := 0, len(line)
	if len(line) > windowWidth {
		first = min(max(s.Col-1-windowLead, 0), len(line))
		last = min(first+windowWidth, len(line))
	}
	var text, mark strings.Builder
	if first > 0 {
		text.WriteRune('…')
		mark.WriteByte(' ')
	}
	for i, r := range line[first:last] {
		text.WriteRune(visible(r))
		switch col := first + i + 1; {
		case s.Col <= col && col < s.Col+max(s.Len, 1):
			mark.WriteByte('^')
		case r == '\t':
			mark.WriteByte('\t')
		default:
			mark.WriteByte(' ')
		}
	}
	if last < len(line) {
		text.WriteRune('…')
	}
	if s.Col > last { // behind the end of the line
		mark.WriteString(strings.Repeat(" ", s.Col-1-last) + "^")
	}
	return strings.TrimRight(text.String(), " \t"), strings.TrimRight(mark.String(), " \t")
}

// visible returns r, or a replacement of one character if r would control the terminal or the
// direction of the text.
func visible(r rune) rune {
	switch {
	case r == '\t':
		return r
	case r < ' ':
		return '␀' + r // the control pictures
	case r == 0x7f:
		return '␡'
	case r >= 0x80 && r < 0xa0, unicode.Is(unicode.Cf, r), r == 0x2028, r == 0x2029:
		return utf8.RuneError
	}
	return r
}

// Printable returns s on one line and without anything that controls a terminal.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return ' '
		}
		return visible(r)
	}, s)
}
