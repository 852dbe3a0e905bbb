package spec

import (
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/diag"
)

// Val is a scalar with its position. The zero Val is an absent key.
type Val[T any] struct {
	V    T
	Span diag.Span
	Set  bool // false if the key is absent
}

// Or returns the value, or def if the key is absent.
func (v Val[T]) Or(def T) T {
	if v.Set {
		return v.V
	}
	return def
}

// The kinds of scalar.
type (
	Text     = Val[string]
	Int      = Val[int]
	Float    = Val[float64]
	Bool     = Val[bool]
	Duration = Val[time.Duration]
)

// LiteralKind is the form of a [Literal] in the source.
type LiteralKind uint8

// The forms of a literal.
const (
	LitNull LiteralKind = iota
	LitBool
	LitInt
	LitFloat
	LitString
	LitList
	LitMap
)

// Literal is a value whose type depends on the field that it is for, as under `set`, `if`, `want`
// and `default`.
type Literal struct {
	Kind  LiteralKind
	Text  string // a scalar as written, unquoted
	Items []Literal
	Keys  []LiteralEntry
	Span  diag.Span
}

// LiteralEntry is a key and its value in a literal mapping.
type LiteralEntry struct {
	Key   Text
	Value Literal
}

// Matcher tests one value. All of its keys must hold.
type Matcher struct {
	_      struct{}  `text:"text matcher" number:"number matcher" anyof:"*"`
	Values []Literal // any of them
	// Smallest value that matches.
	Min *Literal `key:"min" of:"^" not:"text"`
	// Largest value that matches.
	Max *Literal `key:"max" of:"^" not:"text"`
	// Values that do not match. An absent value does not match either.
	Not []Literal `key:"not" of:"^" many:""`
	// Beginnings of texts that match.
	Prefix []Text `key:"prefix" many:"" not:"number" chars:"any"`
	// Constant of the code whose value matches. Only in detection rules.
	Constant Text `key:"constant"`
	// Whether the value is present. Only `false` matches an absent value.
	Present Bool `key:"present"`
	Span    diag.Span
}

// IsZero reports whether the matcher is empty.
func (m Matcher) IsZero() bool {
	return len(m.Values) == 0 && m.Min == nil && m.Max == nil && len(m.Not) == 0 && len(m.Prefix) == 0 &&
		!m.Present.Set && !m.Constant.Set
}

// Raw is the YAML of a mapping. It is zero if the value has another form.
type Raw struct{ node *yaml.Node }

// Decode decodes the mapping into a value with YAML tags.
func (r Raw) Decode(v any) error {
	if r.node == nil {
		return nil
	}
	return r.node.Decode(v)
}

// Flow returns the entries of the mapping on one line. Scalars keep the form of the file.
func (r Raw) Flow() string {
	if r.node == nil {
		return ""
	}
	flow := flowOf(r.node)
	text := diag.Printable(strings.TrimSpace(string(encode(&flow))))
	return text[1 : len(text)-1]
}

// flowOf returns a copy of a node that is written on one line, without comments.
func flowOf(n *yaml.Node) yaml.Node {
	out := yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value, Style: n.Style | yaml.FlowStyle}
	for _, c := range n.Content {
		below := flowOf(c)
		out.Content = append(out.Content, &below)
	}
	return out
}
