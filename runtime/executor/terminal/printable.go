package terminal

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Printable returns s with a visible mark in place of whatever would move the cursor, change
// colours or turn the direction of reading around, or begin another line.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// PrintableJSON does the same to JSON, where an escape can stand for every character and nothing is
// lost. Its lines stay.
func PrintableJSON(b []byte) []byte {
	out := make([]byte, 0, len(b)+1)
	for _, r := range string(b) {
		if r == '\n' || unicode.IsPrint(r) {
			out = utf8.AppendRune(out, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}
