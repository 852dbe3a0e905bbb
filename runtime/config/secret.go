package config

import (
	"strings"
	"unicode"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// inClear reports whether value, written into a file under key, is a secret.
func inClear(key, value string) bool {
	switch {
	case value == "":
		return false
	case taxonomy.Scrub(value) != value:
		return true
	case !taxonomy.NamesSecret(key):
		return false
	case namesSecretAlways(key):
		return true
	}
	// A session or a credential may be a word that is no secret.
	return len(value) >= 8 && strings.IndexFunc(value, unicode.IsDigit) >= 0 &&
		strings.IndexFunc(value, unicode.IsSpace) < 0
}

// namesSecretAlways reports whether key is no word that prose has for other things, too.
func namesSecretAlways(key string) bool {
	pair := `"` + key + `":"value"`
	return taxonomy.Scrub(pair) != pair
}

// tellClear warns, once, that n is written in clear.
func (l *loader) tellClear(n *yaml.Node, at place) {
	if l.clear[n] || len(l.warnings) >= maxProblems {
		return
	}
	l.clear[n] = true
	if l.verbatim {
		l.warn(n.Line, at, "a secret is written in clear; it must not stand in the file")
		return
	}
	l.warn(n.Line, at, "a secret is written in clear; take it from the environment: ${"+variableFor(at.key)+"}")
}

// variableFor proposes a name for the variable that holds what stands under key.
func variableFor(key string) string {
	name := strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToUpper(r)
		}
		return '_'
	}, key)
	if !isVariable(name) || taxonomy.Scrub(key) != key {
		return "SECRET"
	}
	return name
}
