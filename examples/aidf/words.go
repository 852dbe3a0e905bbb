package main

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable returns s with a mark in place of what is not shown but obeyed by a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}
