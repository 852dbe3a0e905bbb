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

// comparison is one run of Compare.
type comparison struct {
	old, new *Taxonomy

	to   map[*model.Code]*model.Code // from old to new; absent if the code is gone
	from map[*model.Code]*model.Code // from new to the old code that it continues; others were merged into it

	heirs  map[*model.Category]*model.Category // from old categories to the ones that continue them
	fields map[pair]*fieldChanges
	same   map[[2]*taxonomy.Reaction]bool // results of sameReaction

	items []item
	out   []Change
}

// add adds a change.
func (c *comparison) add(id string, level Level, at place, hint, message string) {
	c.out = append(c.out, Change{
		Finding: diag.Finding{ID: id, Severity: severity(id), Span: at.Span, Hint: hint, Message: message},
		Levels:  cmp.Or(level, levels[id]), Gone: at.gone,
	})
}

// changed adds a change at a position in the new taxonomy.
func (c *comparison) changed(id string, at diag.Span, hint, format string, args ...any) {
	c.add(id, 0, place{at, false}, hint, fmt.Sprintf(format, args...))
}

// gone adds a change at a position in the old taxonomy.
func (c *comparison) gone(id string, at diag.Span, hint, format string, args ...any) {
	c.add(id, 0, place{at, true}, hint, fmt.Sprintf(format, args...))
}

// place is the position of a change.
type place struct {
	diag.Span
	gone bool // in the old taxonomy
}

// either returns the position in the new taxonomy, or the one in the old one if it has none.
func either(now, was diag.Span) place {
	if now.Valid() {
		return place{now, false}
	}
	return place{was, true}
}

// item is a change of one value. Items with the same value of several subjects, and with several
// values of one subject, become one change.
type item struct {
	path    string
	subject string // "PROVIDER_CRASH", "policy provider"
	what    string // "http was 502, is 503"
	at      place
}

// value adds an item if the text of a value differs.
func (c *comparison) value(path, subject, was, is string, at place) {
	if was != is {
		key := path[strings.LastIndexByte(path, '/')+1:]
		c.items = append(c.items, item{path, subject, differ(key, was, is), at})
	}
}

// report turns the items into changes.
func (c *comparison) report() {
	type key struct {
		pathRule
		at   place
		text string
	}
	var order []key
	subjects := make(map[key][]string) // by value
	for _, it := range c.items {
		k := key{ruleOf(it.path), it.at, it.what}
		k.pattern = ""
		if subjects[k] == nil {
			order = append(order, k)
		}
		if !slices.Contains(subjects[k], it.subject) {
			subjects[k] = append(subjects[k], it.subject)
		}
	}
	var merged []key
	values := make(map[key][]string) // by subjects
	for _, k := range order {
		value := k.text
		k.text = strings.Join(subjects[k], "\n")
		if values[k] == nil {
			merged = append(merged, k)
		}
		values[k] = append(values[k], value)
	}
	for _, k := range merged {
		message := strings.Join(values[k], "; ")
		if subject := list(strings.Split(k.text, "\n")); subject != "" {
			message = subject + ": " + message
		}
		c.add(k.id, k.level, k.at, k.hint, message)
	}
}

// leaf is one scalar of a value.
type leaf struct{ path, text string }

// leaves flattens a struct to the scalars in it, except the named fields.
func leaves(v any, except ...string) []leaf { return appendLeaves(nil, "", reflect.ValueOf(v), except) }

func appendLeaves(out []leaf, path string, v reflect.Value, except []string) []leaf {
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
				out = appendLeaves(out, join(path, snake(f.Name)), v.Field(i), except)
			}
		}
		return out
	}
	return append(out, leaf{path, fmt.Sprint(v.Interface())})
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + " " + name
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

// differences adds an item for each scalar that differs between two structs.
func (c *comparison) differences(path, subject string, old, new []leaf, at place) {
	for _, d := range diff(old, new) {
		c.value(path+"/"+d.path, subject, d.was, d.is, at)
	}
}

// difference is a scalar that differs.
type difference struct{ path, was, is string }

func diff(old, new []leaf) []difference {
	text := func(list []leaf, path string) string {
		if i := slices.IndexFunc(list, func(l leaf) bool { return l.path == path }); i >= 0 {
			return list[i].text
		}
		return ""
	}
	var out []difference
	for _, l := range old {
		if is := text(new, l.path); is != l.text {
			out = append(out, difference{l.path, l.text, is})
		}
	}
	for _, l := range new {
		if !slices.ContainsFunc(old, func(o leaf) bool { return o.path == l.path }) && l.text != "" {
			out = append(out, difference{l.path, "", l.text})
		}
	}
	return out
}

// spanOf returns the position of a key in a declaration, or none if it is not set.
func spanOf(decl any, key string) diag.Span {
	v := reflect.Indirect(reflect.ValueOf(decl))
	f := v.FieldByNameFunc(func(name string) bool { return snake(name) == key })
	if f.IsValid() && f.Kind() == reflect.Pointer && f.IsNil() {
		return diag.Span{}
	}
	if f = reflect.Indirect(f); f.Kind() != reflect.Struct {
		return diag.Span{}
	}
	if span := f.FieldByName("Span"); span.IsValid() {
		return span.Interface().(diag.Span)
	}
	return diag.Span{}
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

// list joins words for a sentence, and counts the rest of a long list.
func list(words []string) string {
	const most = 3
	if len(words) > most+1 {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), len(words)-most)
	}
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// missing returns the elements of old that are not in new.
func missing(old, new []string) []string {
	return slices.DeleteFunc(slices.Clone(old), func(w string) bool { return slices.Contains(new, w) })
}

func differ(what, was, is string) string {
	return fmt.Sprintf("%s was %s, is %s", what, cmp.Or(was, "none"), cmp.Or(is, "none"))
}

// number returns a number as text, "" for 0.
func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
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
