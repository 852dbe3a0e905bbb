package main

import (
	"slices"
	"strings"
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
