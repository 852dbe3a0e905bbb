package config

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// prepare expands the texts below n, and warns of secrets in clear. Aliases are not followed: what
// they stand for is visited where it stands.
func (l *loader) prepare(n *yaml.Node, key string, at place) {
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i].Value
			l.prepare(n.Content[i+1], key, at.under(key))
		}
	case yaml.SequenceNode:
		for i, child := range n.Content {
			l.prepare(child, key, at.at(i))
		}
	case yaml.ScalarNode:
		if n.ShortTag() == textTag {
			l.text(n, key, at)
		}
	}
}

// text expands the text of n.
func (l *loader) text(n *yaml.Node, key string, at place) {
	written := n.Value
	if l.verbatim {
		if inClear(key, written) {
			l.tellClear(n, at)
		}
		return
	}
	value, used, bad := expand(written, l.lookup)
	if bad != nil {
		l.clear[n] = true // it was not meant as a text, so nothing is to be said of that
		bad.report(l, n, at)
		return
	}
	if !used && inClear(key, written) {
		l.tellClear(n, at)
	}
	if value == written {
		return
	}
	// Quotes and the tag say that the text is one, whatever it looks like now.
	n.Value, n.Tag, n.Style = value, textTag, yaml.DoubleQuotedStyle
	if used {
		l.written[n] = written
	}
}

// misuse is a dollar sign that cannot be expanded.
type misuse struct{ unset []string }

func (m *misuse) report(l *loader, n *yaml.Node, at place) {
	if len(m.unset) == 0 {
		l.invalid(n, n.Line, at, "a variable's name between ${ and }, or $$ for a dollar sign", false)
	}
	for _, name := range m.unset {
		l.add(n.Line, at, typeUnset, map[string]string{"env_var": name})
	}
}

// expand returns text with its variables in place, once, and whether there are any.
func expand(text string, lookup func(string) (string, bool)) (expanded string, used bool, bad *misuse) {
	var b strings.Builder
	var unset []string
	for {
		before, rest, found := strings.Cut(text, "$")
		b.WriteString(before)
		switch {
		case !found:
			if len(unset) > 0 {
				return "", used, &misuse{unset: unset}
			}
			return b.String(), used, nil
		case strings.HasPrefix(rest, "$"):
			b.WriteByte('$')
			text = rest[1:]
		case strings.HasPrefix(rest, "{"):
			name, after, closed := strings.Cut(rest[1:], "}")
			if !closed || !isVariable(name) {
				return "", used, &misuse{}
			}
			value, ok := lookup(name)
			if !ok {
				unset = append(unset, name)
			}
			used = true
			b.WriteString(value)
			text = after
		default:
			b.WriteByte('$')
			text = rest
		}
	}
}

// isVariable reports whether name can be that of a variable.
func isVariable(name string) bool {
	if name == "" || len(name) > 128 || '0' <= name[0] && name[0] <= '9' {
		return false
	}
	return strings.IndexFunc(name, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		return !letter && !('0' <= r && r <= '9') && r != '_'
	}) < 0
}
