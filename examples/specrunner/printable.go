package main

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// printable returns s with a visible mark in place of whatever would move the cursor, change colours or turn the
// direction of reading around.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// printableJSON does the same to JSON, where an escape can stand for every character and nothing is lost.
func printableJSON(b []byte) []byte {
	var out []byte
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
