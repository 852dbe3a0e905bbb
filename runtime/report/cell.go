package report

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// quoted returns a text as it is in CSV.
func quoted(s string) string {
	if s == "" {
		return ""
	}
	s = strings.ReplaceAll(cell(s), `"`, `""`)
	return `"` + strings.ReplaceAll(s, "\n", "\r\n") + `"`
}

// cell returns a text that a spreadsheet takes for nothing but text, also one that divides lines at
// semicolons or tabs: for it, quotes that do not begin a cell mean nothing.
func cell(s string) string {
	s = plainLines(s)
	var b strings.Builder
	for first := true; ; first = false {
		part, rest := s, ""
		if i := strings.IndexAny(s, ";\t\n"); i >= 0 {
			part, rest = s[:i+1], s[i+1:]
		}
		if beginsFormula(part) || first && beginsBlank(s) {
			b.WriteByte('\'')
		}
		b.WriteString(part)
		if rest == "" {
			return b.String()
		}
		s = rest
	}
}

// formulas are characters that begin a formula for a spreadsheet, also in their wide form.
const formulas = "=+-@\uff1d\uff0b\uff0d\uff20"

// beginsFormula reports whether the first character of s that shows is one that begins a formula.
// Quotes may be gone until a spreadsheet sees it.
func beginsFormula(s string) bool {
	c, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(s, func(c rune) bool { return c == '"' || isBlank(c) }))
	return s != "" && strings.ContainsRune(formulas, c)
}

// beginsBlank reports whether there is a tab or a line break before the first character of s that
// shows.
func beginsBlank(s string) bool {
	rest := strings.TrimLeftFunc(s, isBlank)
	return strings.ContainsAny(s[:len(s)-len(rest)], "\t\n")
}

func isBlank(c rune) bool { return unicode.IsSpace(c) || !unicode.IsPrint(c) }

// plainLines returns s with all line breaks the same, and without what ends texts elsewhere.
func plainLines(s string) string {
	if !strings.ContainsAny(s, "\r\x00") {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r", "\n"), "\x00", "\uFFFD")
}
