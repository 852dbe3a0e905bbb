package config

import (
	"regexp"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// expandAll replaces the variables in the texts at n and below, and warns about secrets in them.
func (l *loader) expandAll(n *yaml.Node, at place) {
	for i, child := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode:
			l.expandAll(child, at.at(i))
		case i%2 == 1:
			l.expandAll(child, at.under(n.Content[i-1].Value))
		}
	}
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" {
		l.expand(n, at)
	}
}

const secretInClear = "a secret is written in clear; it must not be in the file"

// variable finds $$, ${NAME}, a ${ that is malformed, and $NAME.
var variable = regexp.MustCompile(`\$\$|\$\{([A-Za-z_][A-Za-z0-9_]{0,127})\}|\$\{|\$[A-Z_][A-Z0-9_]+\b`)

// expand replaces the variables of one text.
func (l *loader) expand(n *yaml.Node, at place) {
	written, replaced := n.Value, 0
	valid := true
	if !l.verbatim {
		n.Value = variable.ReplaceAllStringFunc(written, func(found string) string {
			name := strings.TrimSuffix(strings.TrimPrefix(found, "${"), "}")
			switch {
			case found == "$$":
				return "$"
			case found == "${":
				valid = false
				l.expanded[n] = written
				l.invalid(n, n.Line, at, "a variable's name between ${ and }, or $$ for a dollar sign")
			case name == found:
				l.warn(n.Line, at, found+" is not replaced; write $"+"{"+found[1:]+"}, or $"+found+" for this text")
				return found
			default:
				value, ok := l.lookup(name)
				if !ok {
					valid = false
					l.add(n.Line, at, typeUnset, map[string]string{"env_var": name})
				}
				replaced++
				return value
			}
			return found
		})
	}
	switch {
	case !valid: // the text is kept as it was written
		l.expanded[n] = written
	case replaced > 0:
		l.expanded[n] = written
		n.Tag, n.Style = "!!str", yaml.DoubleQuotedStyle // a text, for every value of the variable
	case isSecret(at.key, written):
		l.warn(n.Line, at, secretInClear)
	}
}

// isSecret reports whether value, written into a file under key, is a secret.
func isSecret(key, value string) bool {
	entry := `"` + key + `":"` + value + `"`
	return value != "" && (taxonomy.Redact(value) != value || taxonomy.Redact(entry) != entry)
}
