package spec

import (
	"reflect"
	"slices"

	"github.com/errgen/errgen/internal/diag"
)

// Constant is a value that each code can have. Errors do not contain it; it is looked up by their
// code.
type Constant struct {
	Name Text `key:"*" chars:"{}[]:.\"\\<>&"`
	// Name of the function that returns the value, if the key does not give a good one.
	GoName Text `key:"name" default:"from the key"`
	// Meaning of the value.
	Doc Text `key:"doc"`
	// Type of the value.
	Type Text `key:"type" required:"" words:"string int float64 bool"`
	// Whether the JSON of errors contains the value, under `constants`.
	Wire Bool `key:"wire" default:"false"`
}

// Reserved lists names and numbers that must not be used again.
type Reserved struct {
	// Numbers of former codes, and ranges of numbers.
	Numbers []ReservedNumber `key:"numbers"`
	// Former codes, values, aliases and further names.
	Codes []ReservedCode `key:"codes"`
}

// ReservedNumber is a number or a range of numbers that no code can have.
type ReservedNumber struct {
	_ struct{} `name:"range of numbers" short:"from"`
	// First number of the range.
	From Int `key:"from" required:""`
	// Last number of the range.
	To Int `key:"to" default:"from"`
	// Category of the former codes, if numbers are unique in a category only.
	Category Text `key:"category" chars:"" default:"all categories"`
	// Why the numbers are reserved.
	Reason Text `key:"reason"`
	Span   diag.Span
}

// ReservedCode is a name that no code can have.
type ReservedCode struct {
	_ struct{} `name:"reserved code" short:"name"`
	// Code, value, alias or further name.
	Name Text `key:"name" required:"" chars:""`
	// Why the name is reserved.
	Reason Text `key:"reason"`
	Span   diag.Span
}

// Bounds returns the first and the last number.
func (n ReservedNumber) Bounds() (from, to int) { return n.From.V, n.To.Or(n.From.V) }

// Has reports whether a number is reserved in a category. The category "" means any.
func (n ReservedNumber) Has(number int, category string) bool {
	from, to := n.Bounds()
	return from <= number && number <= to && (n.Category.V == "" || n.Category.V == category)
}

// HasNumber reports whether a number is reserved in a category. The category "" means any.
func (r *Reserved) HasNumber(number int, category string) bool {
	return slices.ContainsFunc(r.Numbers, func(n ReservedNumber) bool { return n.Has(number, category) })
}

// nest moves nested codes into the list of their category, each after its parent, with inherited
// traits and constants. Then it replaces the constants in detection rules by their values.
func (t *Taxonomy) nest() {
	for i := range t.Categories {
		c := &t.Categories[i]
		c.Codes = nested(nil, c.Codes, 0)
		for j := range c.Codes {
			for k := range c.Codes[j].Detect {
				c.Codes[j].insertConstants(&c.Codes[j].Detect[k])
			}
		}
	}
}

// nested appends codes, each before its children. parent is the position of their parent from 1, or
// 0.
func nested(to, codes []Code, parent int) []Code {
	for _, code := range codes {
		code.Parent = parent
		if parent > 0 {
			above := &to[parent-1]
			code.Traits = Overlaid(above.Traits, &code.Traits)
			if !code.Fault.Set {
				code.Fault = above.Fault
			}
			for _, a := range above.Constants {
				if !slices.ContainsFunc(code.Constants, func(b Assignment) bool { return b.Field.V == a.Field.V }) {
					code.Constants = append(code.Constants, a)
				}
			}
		}
		below := code.Codes
		code.Codes = nil
		to = append(to, code)
		to = nested(to, below, len(to))
	}
	return to
}

// Overlaid returns a declaration with the keys that changes sets, in its mappings too.
func Overlaid[T any](declared T, changes *T) T {
	overlay(reflect.ValueOf(&declared).Elem(), reflect.ValueOf(changes).Elem())
	return declared
}

// overlay merges the mapping from into the mapping to. It copies what it changes behind pointers.
func overlay(to, from reflect.Value) {
	for i := range from.NumField() {
		value, target := from.Field(i), to.Field(i)
		switch {
		case value.IsZero() || !target.CanSet():
		case value.Kind() == reflect.Pointer && !target.IsNil() && isMapping(value.Type().Elem()):
			merged := reflect.New(value.Type().Elem())
			merged.Elem().Set(target.Elem())
			overlay(merged.Elem(), value.Elem())
			target.Set(merged)
		default:
			target.Set(value)
		}
	}
}

// isMapping reports whether a type of this package is a mapping, and not a choice of several forms.
func isMapping(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.Field(0).Tag.Get("key") != "|"
}

// insertConstants replaces the constants in a rule's matchers by the values of the code. It keeps
// constants that the code does not have, which package check reports.
func (k *Code) insertConstants(r *Rule) {
	for _, c := range r.Conditions() {
		m := c.Match
		at := slices.IndexFunc(k.Constants, func(a Assignment) bool { return a.Field.V == m.Constant.V })
		if m.Constant.Set && at >= 0 {
			value := k.Constants[at].Value
			value.Span = m.Constant.Span
			m.Values, m.Constant = append(m.Values, value), Text{}
		}
	}
}
