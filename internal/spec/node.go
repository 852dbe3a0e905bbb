package spec

import (
	"strings"
	"unicode/utf8"

	"github.com/errgen/errgen/internal/diag"
)

// node is a value of the file with its place, whatever library read it.
type node struct {
	kind    nodeKind
	style   style
	literal LiteralKind // of a scalar: how YAML reads it
	value   string      // of a scalar
	span    diag.Span   // of the token; of a collection in flow style its brackets, otherwise its first token
	items   []*node
	entries []entry
	refused bool  // of a mapping: a key of it was refused, so that nothing is known to be missing
	lonely  *node // of a mapping in braces: its first key, when that has no value, as in {id}
}

type entry struct{ key, value *node }

type nodeKind uint8

const (
	badNode nodeKind = iota // refused already; nothing more is said of it
	scalarNode
	listNode
	mappingNode
)

type style uint8

const (
	plain style = iota
	singleQuoted
	doubleQuoted
	block // literal or folded text; a collection by indentation
	flow  // a collection in brackets
)

func (n *node) isNull() bool { return n.kind == scalarNode && n.literal == LitNull }

// quoted reports whether the scalar is text by the way it is written.
func (n *node) quoted() bool { return n.style != plain }

func (n *node) text() Text { return Text{V: n.value, Span: n.span, Set: true} }

// describe names the form of the value.
func (n *node) describe() string {
	switch n.kind {
	case listNode:
		return "a list"
	case mappingNode:
		return "a mapping"
	}
	switch n.literal {
	case LitNull:
		return "nothing"
	case LitBool:
		return n.value
	case LitInt, LitFloat:
		return "the number " + clip(n.value)
	}
	return "text"
}

// clip shortens text that is quoted in a message.
func clip(s string) string {
	const most = 40
	if len(s) > 4*most {
		s = s[:4*most]
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}

// lit returns the node as a literal.
func (n *node) lit() Literal {
	l := Literal{Kind: n.literal, Text: n.value, Quoted: n.quoted(), Span: n.span}
	switch n.kind {
	case listNode:
		l = Literal{Kind: LitList, Span: n.span}
		for _, item := range n.items {
			l.Items = append(l.Items, item.lit())
		}
	case mappingNode:
		l = Literal{Kind: LitMap, Span: n.span}
		for _, e := range n.entries {
			l.Keys = append(l.Keys, LiteralEntry{Key: e.key.text(), Value: e.value.lit()})
		}
	}
	return l
}

// key returns the key called name of a mapping, or nil.
func (n *node) key(name string) *node {
	for _, e := range n.entries {
		if e.key.value == name {
			return e.key
		}
	}
	return nil
}

// keySet finds keys of a mapping that grows: the few of most mappings by looking at each, many by a
// map.
type keySet struct {
	n     *node
	index map[string]*node
	known int // entries that are in the index
}

func (s *keySet) find(name string) *node {
	if len(s.n.entries) < 16 {
		return s.n.key(name)
	}
	if s.index == nil {
		s.index = make(map[string]*node)
	}
	for ; s.known < len(s.n.entries); s.known++ {
		k := s.n.entries[s.known].key
		s.index[k.value] = k
	}
	return s.index[name]
}
