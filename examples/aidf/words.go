package main

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

func known(word string, words []string) bool { return slices.Contains(words, word) }

// either returns words as people list them: "a, b or c".
func either(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// printable returns s with a mark in place of what is not shown but obeyed by a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}
