package spec

import (
	"time"

	"github.com/errgen/errgen/internal/diag"
)

// Val is a scalar of the source with its place. The zero Val is an absent key.
type Val[T any] struct {
	V    T
	Span diag.Span
	Set  bool // false when the key is absent
}

// Given reports whether the key is there, also with a value that could not be read, of which a
// finding tells already.
func (v Val[T]) Given() bool { return v.Set || v.Span != diag.Span{} }

// Or returns the value, or def when the key is absent.
func (v Val[T]) Or(def T) T {
	if v.Set {
		return v.V
	}
	return def
}

// The kinds of scalar that the language knows.
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

// Literal is a value whose type the field it is for decides: what stands under `set`, `if`, `want`,
// `default`.
type Literal struct {
	Kind   LiteralKind
	Text   string // a scalar as written, unquoted
	Quoted bool   // written in quotes or as a block
	Items  []Literal
	Keys   []LiteralEntry
	Span   diag.Span
}

// LiteralEntry is a key and its value in a literal mapping.
type LiteralEntry struct {
	Key   Text
	Value Literal
}

// Matcher is a condition on one value: a value, a list, a range, a negation, a prefix, a presence.
type Matcher struct {
	Values  []Literal // any of them
	Min     *Literal
	Max     *Literal
	Not     []Literal // none of them, and present
	Prefix  []Text    // any of them
	Present Bool
	Span    diag.Span
}

// IsZero reports whether the matcher was not given.
func (m Matcher) IsZero() bool {
	return len(m.Values) == 0 && m.Min == nil && m.Max == nil && len(m.Not) == 0 && len(m.Prefix) == 0 && !m.Present.Set
}
