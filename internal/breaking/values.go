package breaking

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// value is one value of a taxonomy.
type value struct {
	path    string
	subject string // "PROVIDER_CRASH", "policy provider"
	text    string // as messages show it
	same    string // its meaning, if that differs from the text
	alias   string // the declaration that has the value: two with one alias are compared there
	parts   []value
	at      diag.Span
	rule    string // the path that has the rule, if that is another one
	private bool   // of a field in messages only
	factory string // name, if it is one
}

// data returns the value as JSON has it.
func (v value) data() string {
	if s, err := strconv.Unquote(v.text); err == nil {
		return s
	}
	return v.text
}

func (v value) meaning() string { return cmp.Or(v.same, v.text) }

// equal reports whether two values mean the same, or are compared elsewhere.
func (v value) equal(w value) bool {
	return v.meaning() == w.meaning() || v.alias != "" && v.alias == w.alias
}

// values are the values of a taxonomy by path, in order.
type values struct {
	list []value
	at   map[string]int
}

func (v *values) get(path string) (value, bool) {
	i, ok := v.at[path]
	if !ok {
		return value{}, false
	}
	return v.list[i], true
}

// reaction returns a reaction with its parts. Its meaning is the complete chain of reactions
// without their names. If declared is true, declared reactions in the chain are compared
// separately.
func (f *flattener) reaction(subject string, r *taxonomy.Reaction, span diag.Span, declared bool) value {
	if r == nil {
		return value{subject: subject, at: span}
	}
	parts := leaves(r, "Name", "Policy", "Then")
	if p := r.Policy; p != nil {
		v := composite("", span, leaves(p, "Name"))
		v.path, v.text = "policy", "in place"
		if f.t.model.Declared[p] {
			v.text = p.Name
		}
		if f.t.model.Declared[p] && declared {
			v.alias = p.Name
		}
		parts = append(parts, v)
	}
	then := f.reaction("", r.Then, span, declared)
	name := r.Action.String() + " in place"
	if f.t.model.Declared[r] {
		name = r.Name
	}
	parts = append(parts, value{path: "then", text: then.text, same: then.same, alias: then.alias})
	v := composite(subject, span, parts)
	v.text = name
	if f.t.model.Declared[r] && declared {
		v.alias = r.Name
	}
	return v
}

// composite returns a value of several parts.
func composite(subject string, span diag.Span, parts []value) value {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, "%s: %s\n", p.path, p.meaning())
	}
	return value{subject: subject, at: span, parts: parts, same: b.String()}
}

// branchTexts returns the conditions of each branch as a unique text.
func branchTexts(c *model.Code) []string {
	var out []string
	for _, b := range c.When {
		var conds []string
		for _, cond := range b.Conds {
			conds = append(conds, condText(cond))
		}
		slices.Sort(conds)
		text := strings.Join(conds, " and ")
		for i := 2; slices.Contains(out, text); i++ {
			text = fmt.Sprintf("%s (%d)", strings.Join(conds, " and "), i)
		}
		out = append(out, text)
	}
	return out
}

// condText returns the tests of one field. The order of values has no meaning.
func condText(c model.Cond) string {
	byText := func(a, b model.Value) int { return strings.Compare(valueText(a), valueText(b)) }
	c.Values = slices.SortedFunc(slices.Values(c.Values), byText)
	c.Not = slices.SortedFunc(slices.Values(c.Not), byText)
	c.Prefix = slices.Sorted(slices.Values(c.Prefix))
	return c.String()
}

// leaves flattens a struct to the scalars in it, except the named fields.
func leaves(v any, except ...string) []value {
	return appendLeaves(nil, "", reflect.ValueOf(v), except)
}

func appendLeaves(out []value, path string, v reflect.Value, except []string) []value {
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice:
		if v.IsNil() {
			return out
		}
		if v.Kind() == reflect.Pointer {
			return appendLeaves(out, path, v.Elem(), except)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !slices.Contains(except, f.Name) {
				out = appendLeaves(out, strings.TrimSpace(path+" "+snake(f.Name)), v.Field(i), except)
			}
		}
		return out
	}
	return append(out, value{path: path, text: fmt.Sprint(v.Interface())})
}

// snake returns the key of a Go name: HonorRetryAfter becomes honor_retry_after.
func snake(name string) string {
	var b strings.Builder
	before := rune('_')
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
		before = r
	}
	return b.String()
}

// describe returns the differences between the parts of two values, or between their actions.
func describe(old, new []value) string {
	var out []string
	for i, v := range slices.Concat(old, new) {
		o, n := part(old, v.path), part(new, v.path)
		switch {
		case o.equal(n), i >= len(old) && o.path != "":
		case o.parts != nil && n.parts != nil:
			out = append(out, describe(o.parts, n.parts))
		case v.path == "action":
			return differ(v.path, o.text, n.text)
		default:
			out = append(out, differ(v.path, o.text, n.text))
		}
	}
	return strings.Join(out, "; ")
}

// different returns the parts that differ from those with the same path in others.
func different(parts, others []value) string {
	var out []string
	for _, v := range parts {
		if !v.equal(part(others, v.path)) {
			out = append(out, v.path+": "+v.text)
		}
	}
	return strings.Join(out, ", ")
}

// part returns the part with a path, or an empty one.
func part(parts []value, path string) value {
	if i := slices.IndexFunc(parts, func(v value) bool { return v.path == path }); i >= 0 {
		return parts[i]
	}
	return value{}
}

func differ(what, was, is string) string {
	return fmt.Sprintf("%s was %s, is %s", what, cmp.Or(was, "none"), cmp.Or(is, "none"))
}

// spanOf returns the position of a key in a declaration, or none if it is not set.
func spanOf(decl any, key string) diag.Span {
	v := reflect.Indirect(reflect.ValueOf(decl))
	f := v.FieldByNameFunc(func(name string) bool { return snake(name) == key })
	if !f.IsValid() || f.Kind() == reflect.Pointer && f.IsNil() {
		return diag.Span{}
	}
	return reflect.Indirect(f).FieldByName("Span").Interface().(diag.Span)
}

// at returns the first valid position.
func at(spans ...diag.Span) diag.Span {
	for _, s := range spans {
		if s.Valid() {
			return s
		}
	}
	return diag.Span{}
}

// missing returns the elements of old that are not in new.
func missing(old, new []string) []string {
	return slices.DeleteFunc(slices.Clone(old), func(w string) bool { return slices.Contains(new, w) })
}

// number returns the number of a code as text, or "" without one.
func number(c *model.Code) string {
	if !c.Numbered {
		return ""
	}
	return strconv.Itoa(c.Number)
}

// valueText is a value as a taxonomy would write it.
func valueText(v model.Value) string {
	switch v.Type {
	case model.String:
		return strconv.Quote(v.Str)
	case model.Strings:
		return fmt.Sprintf("%q", v.Strings)
	case model.ObjectType:
		var parts []string
		for f, member := range v.Object {
			parts = append(parts, f.Wire+": "+valueText(member))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return (&model.Field{Type: v.Type}).Shown(v)
}

// assigned returns values as text, sorted, because their order has no meaning.
func assigned(set []model.FieldValue) string {
	var out []string
	for _, s := range set {
		out = append(out, s.Field.Wire+": "+valueText(s.Value))
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
