package main

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// minSecret is the length of the shortest value that is masked, in bytes. Shorter values occur in
// any text.
const minSecret = 6

// secrets are the values of the variables that a skill's command gets, longest first.
type secrets []string

// secretsOf returns the values of variables.
func secretsOf(variables []string) secrets {
	var s secrets
	for _, name := range variables {
		if value := strings.TrimSpace(os.Getenv(name)); len(value) >= minSecret {
			s = append(s, value)
		}
	}
	slices.SortFunc(s, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return s
}

// mask returns the text without the secrets.
func (s secrets) mask(text string) string {
	for _, value := range s {
		text = strings.ReplaceAll(text, value, taxonomy.Redacted)
	}
	return text
}

// maskAll masks texts in place.
func (s secrets) maskAll(texts ...*string) {
	for _, text := range texts {
		*text = s.mask(*text)
	}
}

// maskEvidence masks the texts of evidence. Decoding an error in JSON can reveal a secret that was
// escaped in the output.
func (s secrets) maskEvidence(ev *taxonomy.Evidence) {
	s.maskAll(&ev.Text, &ev.Output, &ev.Type, &ev.Code)
	for name, value := range ev.Attributes {
		ev.Attributes[name] = s.mask(value)
	}
}
