package main

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"github.com/errgen/errgen/runtime/executor/terminal"
)

// columns returns how many columns of a terminal a printable text has.
func columns(text string) int {
	n := 0
	for _, c := range text {
		n += columnsOf(c)
	}
	return n
}

func columnsOf(c rune) int {
	switch {
	case unicode.In(c, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case wide(c):
		return 2
	}
	return 1
}

func wide(c rune) bool {
	kind := width.LookupRune(c).Kind()
	return kind == width.EastAsianWide || kind == width.EastAsianFullwidth
}

// fitted returns a text of others on one line of so many columns, with a mark at the end where something is left out.
func fitted(text string, limit int) string {
	text = terminal.Printable(strings.Join(strings.Fields(text), " "))
	if columns(text) <= limit {
		return text
	}
	var b strings.Builder
	left := limit - 1
	for _, c := range text {
		if left -= columnsOf(c); left < 0 {
			break
		}
		b.WriteRune(c)
	}
	return b.String() + "…"
}

// padded returns a text with spaces up to so many columns.
func padded(text string, limit int) string {
	return text + strings.Repeat(" ", max(0, limit-columns(text)))
}
