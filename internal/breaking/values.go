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
)

// pair is a value of a declaration under its key.
type pair struct{ key, text string }

// prefixed returns the values with a key before each of their keys.
func prefixed(key string, values []pair) []pair {
	out := make([]pair, len(values))
	for i, v := range values {
		out[i] = pair{key + " " + v.key, v.text}
	}
	return out
}

// composite adds a change if a declaration of several values differs. Another action is the only
// difference that it names.
func (c *comparison) composite(s Subject, label string, f fact, old, new []pair) {
	var texts, was, is []string
	for i, v := range slices.Concat(old, new) {
		o, n := textOf(old, v.key), textOf(new, v.key)
		if o == n || i >= len(old) && textOf(old, v.key) != "" {
			continue
		}
		text := differ(v.key, o, n)
		if v.key == "action" {
			texts, was, is = nil, nil, nil
		}
		texts = append(texts, text)
		if o != "" {
			was = append(was, v.key+": "+o)
		}
		if n != "" {
			is = append(is, v.key+": "+n)
		}
		if v.key == "action" {
			break
		}
	}
	if f.text = strings.Join(texts, "; "); f.text != "" {
		f.old, f.new = strings.Join(was, ", "), strings.Join(is, ", ")
		c.report(s, label, f)
	}
}

// textOf returns the value under a key, or "".
func textOf(values []pair, key string) string {
	if i := slices.IndexFunc(values, func(p pair) bool { return p.key == key }); i >= 0 {
		return values[i].text
	}
	return ""
}

// unquoted returns a JSON string without its quotes.
func unquoted(text string) string {
	if s, err := strconv.Unquote(text); err == nil {
		return s
	}
	return text
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
	byText := func(a, b model.Value) int { return strings.Compare(a.JSON(), b.JSON()) }
	c.Values = slices.SortedFunc(slices.Values(c.Values), byText)
	c.Not = slices.SortedFunc(slices.Values(c.Not), byText)
	c.Prefix = slices.Sorted(slices.Values(c.Prefix))
	return c.String()
}

// leaves flattens a struct to the scalars in it, except the named fields.
func leaves(v any, except ...string) []pair {
	return appendLeaves(nil, "", reflect.ValueOf(v), except)
}

func appendLeaves(out []pair, path string, v reflect.Value, except []string) []pair {
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
	return append(out, pair{path, fmt.Sprint(v.Interface())})
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

// assigned returns values as text, sorted, because their order has no meaning.
func assigned(set []model.FieldValue) string {
	var out []string
	for _, s := range set {
		out = append(out, s.Field.Wire+": "+s.Value.JSON())
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
