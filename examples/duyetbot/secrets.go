package main

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// minSecret is how long what a variable holds must be to be masked: what is shorter stands
// everywhere.
const minSecret = 6

// secrets are what the variables hold that a skill's command gets, longest first.
type secrets []string

// secretsOf returns what variables hold.
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

// mask returns text with none of them in it.
func (s secrets) mask(text string) string {
	for _, value := range s {
		text = strings.ReplaceAll(text, value, taxonomy.Redacted)
	}
	return text
}

// maskAll masks texts where they stand.
func (s secrets) maskAll(texts ...*string) {
	for _, text := range texts {
		*text = s.mask(*text)
	}
}

// maskEvidence masks what evidence tells. An error in JSON may have said a secret in another form
// than the one it has now.
func (s secrets) maskEvidence(ev *taxonomy.Evidence) {
	s.maskAll(&ev.Text, &ev.Output, &ev.Type, &ev.Code)
	for name, value := range ev.Attributes {
		ev.Attributes[name] = s.mask(value)
	}
}
