package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// printable returns s with a mark in place of what is not shown but obeyed: what moves the cursor, changes colours or turns
// the direction of reading.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// escaped returns JSON with such characters escaped. Those of ASCII are escaped already, but for the ends of lines.
func escaped(json []byte) []byte {
	out := make([]byte, 0, len(json)+1)
	for _, r := range string(json) {
		if r < utf8.RuneSelf || unicode.IsPrint(r) {
			out = utf8.AppendRune(out, r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			out = fmt.Appendf(out, `\u%04x`, unit)
		}
	}
	return out
}
