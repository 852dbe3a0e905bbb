package config

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// shown returns what may be told of a value: what is written in the file, not what a variable
// holds; nothing of a secret.
func (l *loader) shown(n *yaml.Node, at place, secret bool) (string, bool) {
	if n = resolved(n); n == nil || secret || taxonomy.NamesSecret(at.key) {
		return "", false
	}
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping", true
	case yaml.SequenceNode:
		return "a list", true
	}
	text, ok := l.written[n]
	if !ok {
		text = n.Value
	}
	text = taxonomy.Scrub(text)
	if len(text) > maxValue {
		text = strings.ToValidUTF8(text[:maxValue], "") + "…"
	}
	return text, true
}
