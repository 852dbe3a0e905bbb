package model

import (
	"slices"

	"github.com/errgen/errgen/runtime/detect"
)

// Context contains the values of an error's fields, or of an object in it. An absent value has no
// entry. A nil Context is empty.
type Context map[*Field]Value

// Get returns the value of f and whether it is present. If a required field has no value, it is
// present with the zero value of its type. This does not hold for enums and secrets, which can be
// absent.
func (ctx Context) Get(f *Field) (Value, bool) {
	v, ok := ctx[f]
	if !ok {
		v = Value{Type: f.Type}
	}
	switch {
	case f.Type == EnumType:
		return v, v.Index > 0
	case f.Required && !f.Sensitive:
		return v, true
	case f.Type == Strings:
		return v, v.Strings != nil
	case f.Type == JSON:
		return v, v.Str != ""
	case f.Type.IsObjects():
		return v, v.Objects != nil
	}
	return v, ok
}

// RowFor returns the row of an error of code c with a context: that of the first branch that holds,
// otherwise that of the code.
func (c *Code) RowFor(ctx Context) *Row {
	for _, b := range c.Branches {
		if b.Holds(ctx) {
			return b.Row
		}
	}
	return c.Row
}

// Holds reports whether all conditions of the branch hold.
func (b *Branch) Holds(ctx Context) bool {
	return !slices.ContainsFunc(b.Conds, func(c Cond) bool { return !c.Holds(ctx) })
}

// Holds reports whether the condition holds.
func (c Cond) Holds(ctx Context) bool {
	test := detect.Test[Value, Value]{Any: c.Values, Not: c.Not, Prefix: c.Prefix, Equal: Value.Equal,
		Text: func(v Value) string { return v.Str }}
	if c.Present != nil && !*c.Present {
		test.Presence = detect.Absent
	}
	if c.Min != nil || c.Max != nil {
		test.Within = func(v Value) bool {
			return (c.Min == nil || v.Compare(*c.Min) >= 0) && (c.Max == nil || v.Compare(*c.Max) <= 0)
		}
	}
	return test.Holds(ctx.Get(c.Field))
}
