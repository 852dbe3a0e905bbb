package model

import (
	"net/url"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

var typeNames = [...]string{
	String: "string", Int: "int", Int64: "int64", Uint64: "uint64", Float64: "float64", Bool: "bool",
	Duration: "duration", Time: "time", Strings: "strings", JSON: "json", ObjectType: "object", EnumType: "enum",
	Objects: "objects", Violations: "violations",
}

// String returns the type in the form of a taxonomy. That of an enum is "enum".
func (t Type) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return "unknown"
}

// TypeOf returns the type with a name. It does not accept "enum", because the words of a field make
// it an enum.
func TypeOf(name string) (Type, bool) {
	i := slices.Index(typeNames[:], name)
	return Type(max(i, 0)), i >= 0 && Type(i) != EnumType
}

// Field returns the first field with that name on the wire, or nil.
func (c *Category) Field(wire string) *Field { return fieldNamed(c.Fields, wire) }

// Field returns the object's field with that name on the wire, or nil.
func (o *Object) Field(wire string) *Field { return fieldNamed(o.Fields, wire) }

func fieldNamed(fields []*Field, wire string) *Field {
	i := slices.IndexFunc(fields, func(f *Field) bool { return f.Wire == wire })
	if i < 0 {
		return nil
	}
	return fields[i]
}

// WithRole returns the category's field of a role, or nil.
func (c *Category) WithRole(role Role) *Field {
	i := slices.IndexFunc(c.Fields, func(f *Field) bool { return f.Role == role })
	if i < 0 {
		return nil
	}
	return c.Fields[i]
}

// ErrorType returns the type of the code's errors: OwnType, or that of the category.
func (c *Code) ErrorType() *Category {
	if c.OwnType != nil {
		return c.OwnType
	}
	return c.Category
}

// Extends reports whether c is the separate type of one code; see [Code.OwnType].
func (c *Category) Extends() bool { return len(c.Codes) == 1 && c.Codes[0].OwnType == c }

// Fields returns the fields of the code's errors, those of the category first.
func (c *Code) Fields() []*Field { return c.ErrorType().Fields }

// OwnFields returns the fields of this code alone.
func (c *Code) OwnFields() []*Field { return c.Fields()[len(c.Category.Fields):] }

// HasParam reports whether the code's factory has a parameter for f.
func (c *Code) HasParam(f *Field) bool { return slices.Contains(c.Args, f) }

// Fixed returns the value that the code sets for f, if it sets one.
func (c *Code) Fixed(f *Field) (Value, bool) {
	for _, s := range c.Sets {
		if s.Field == f {
			return s.Value, true
		}
	}
	return Value{}, false
}

// Rows returns the row of the code, and those of its branches.
func (c *Code) Rows() []*Row {
	rows := []*Row{c.Row}
	for _, b := range c.Branches {
		rows = append(rows, b.Row)
	}
	return rows
}

// HelpPage returns the address of a code's page, as [taxonomy.HelpURL] does.
func (p *Package) HelpPage(c *Code) string {
	return strings.ReplaceAll(p.HelpURL, "{code}", url.PathEscape(c.Value))
}

// CodeByKey returns the code under a key of the taxonomy, or nil.
func (p *Package) CodeByKey(key string) *Code {
	return find(p.Codes, func(c *Code) bool { return c.Name == key })
}

// CategoryByName returns the category of that name, or nil.
func (p *Package) CategoryByName(name string) *Category {
	return find(p.Categories, func(c *Category) bool { return c.Name == name })
}

// ReactionByName returns the declared or predeclared reaction of that name without a profile, or
// nil.
func (p *Package) ReactionByName(name string) *taxonomy.Reaction {
	return find(p.Taxonomy.Reactions, func(r *taxonomy.Reaction) bool { return r.Name == name })
}

// PolicyByName returns the declared policy of that name without a profile, or nil.
func (p *Package) PolicyByName(name string) *taxonomy.Policy {
	return find(p.Taxonomy.Policies, func(q *taxonomy.Policy) bool { return q.Name == name })
}

// ProfileByName returns the profile of that name, or nil.
func (p *Package) ProfileByName(name string) *Profile {
	return find(p.Profiles, func(q *Profile) bool { return q.Name == name })
}

// Under returns the traits of a row under a profile.
func (p *Package) Under(profile *Profile, row *Row) taxonomy.Traits {
	return taxonomy.Table{Taxonomy: p.Taxonomy, Overlay: profile.Profile}.Row(row.At)
}

// Head returns the first reaction from r on that the profile permits.
func (p *Profile) Head(r *taxonomy.Reaction) *taxonomy.Reaction {
	return p.Next(&taxonomy.Reaction{Then: r})
}

func find[T any](list []*T, match func(*T) bool) *T {
	if i := slices.IndexFunc(list, match); i >= 0 {
		return list[i]
	}
	return nil
}

// Index returns the Go value of a word, which is its place from 1, and whether the enum has the
// word.
func (e *Enum) Index(word string) (int, bool) {
	i := slices.Index(e.Words(), word)
	return i + 1, i >= 0
}

// Words returns the words on the wire. A nil enum has none.
func (e *Enum) Words() []string {
	if e == nil {
		return nil
	}
	words := make([]string, len(e.Values))
	for i, v := range e.Values {
		words[i] = v.Wire
	}
	return words
}
