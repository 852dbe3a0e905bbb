package config

import (
	"slices"
	"strings"
)

// Findings collects problems; the zero value has none. A [Validator] returns them.
type Findings []Problem

// Word adds a problem unless value is empty or one of words.
func (f *Findings) Word(field, value string, words []string) {
	if value != "" && !slices.Contains(words, value) {
		*f = append(*f, Problem{Field: field, Expected: Either(words)})
	}
}

// NotNegative adds a problem if value is less than 0, which stands for a default.
func (f *Findings) NotNegative(field string, value int64) {
	if value < 0 {
		*f = append(*f, Problem{Field: field, Expected: "0, for the default, or more"})
	}
}

// Either returns words as people list them: "a, b or c".
func Either(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
