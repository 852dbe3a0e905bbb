package main

import (
	"regexp"
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

// fitted returns a text of others on one line of so many columns, with a mark at the end where
// something is left out.
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

// amount is how long something takes, with the words in front of it.
var amount = regexp.MustCompile(`(?:[a-z]+ ){0,2}\d[\d.]*(?:ns|µs|ms|s|m|h)[\dhms.]*(?:\s|[,;:]|$)`)

// keeping returns a text like fitted does, but what is left out stands in front of the first
// duration where that would not be seen otherwise: how long something takes matters most.
func keeping(text string, limit int) string {
	text = terminal.Printable(strings.Join(strings.Fields(text), " "))
	at := amount.FindStringIndex(text)
	if columns(text) <= limit || at == nil {
		return fitted(text, limit)
	}
	kept := strings.TrimRight(text[at[0]:at[1]], " ,;:")
	room := limit - columns(kept) - 1
	if columns(text[:at[1]]) < limit || room < limit/3 {
		return fitted(text, limit)
	}
	return fitted(strings.TrimRight(text[:at[0]], " "), room) + " " + kept
}

// padded returns a text with spaces up to so many columns.
func padded(text string, limit int) string {
	return text + strings.Repeat(" ", max(0, limit-columns(text)))
}
