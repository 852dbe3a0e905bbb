package spec

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/diag"
)

// mapping decodes a mapping into a struct. owner is the key of the mapping, or nil in a list.
func (d *decoder) mapping(v reflect.Value, n, owner *yaml.Node, m *Mapping) {
	isShort := m.Short != nil && n.Kind == yaml.ScalarNode
	if n.Kind != yaml.MappingNode && !isShort {
		d.wrongType(n, owner, &Type{Form: FormMapping, Mapping: m})
		return
	}
	place := d.span(cmp.Or(owner, n))
	if isShort {
		place = d.span(n)
		d.value(v.FieldByIndex(m.Short.field), n, owner, &m.Short.Type)
	}
	for _, field := range m.spans {
		v.FieldByIndex(field).Set(reflect.ValueOf(place))
	}
	if isShort {
		return
	}
	if m.raw != nil {
		v.FieldByIndex(m.raw).Set(reflect.ValueOf(Raw{n}))
	}
	given := make(map[string]*yaml.Node)
	for key, value := range pairs(n) {
		k := m.Key(key.Value)
		given[key.Value] = key
		switch {
		case k == nil:
			given[d.unknownKey(key, value, m)] = key
		case d.absent(value, key, &k.Type):
		default:
			d.value(v.FieldByIndex(k.field), value, key, &k.Type)
			if k.span != nil {
				v.FieldByIndex(k.span).Set(reflect.ValueOf(d.span(value)))
			}
		}
	}
	d.missingKeys(place, m, given)
}

// pairs yields the keys of a mapping with their values.
func pairs(n *yaml.Node) func(yield func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(n.Content) && yield(n.Content[i], n.Content[i+1]); i += 2 {
		}
	}
}

// isEmpty reports whether nothing is written in the place of a value.
func isEmpty(n *yaml.Node) bool { return isNull(n) && n.Value == "" }

// unknownKey reports an unknown key, unless it begins with x-. It returns the key that was probably
// meant, or "".
func (d *decoder) unknownKey(key, value *yaml.Node, m *Mapping) string {
	name := key.Value
	if strings.HasPrefix(name, "x-") {
		return ""
	}
	near := diag.Nearest(name, m.names)
	hint := fmt.Sprintf("did you mean %q?", near)
	if near == "" {
		hint = elsewhere(name, m)
		for inner := range pairs(value) {
			if m == TheLanguage().Root && m.Key(inner.Value) != nil {
				hint += fmt.Sprintf(" (%q is one of the top level)", inner.Value)
				break
			}
		}
	}
	d.fail(IDUnknownKey, d.span(key), hint, "unknown key %q in %s", clip(name), article(m.Name))
	return near
}

// elsewhere returns the hint for a key that is not similar to one of m: the mappings that have it,
// or the keys of m.
func elsewhere(name string, m *Mapping) string {
	var others []string
	for _, other := range TheLanguage().Mappings {
		if other.Key(name) != nil && len(others) < 3 {
			others = append(others, article(other.Name))
		}
	}
	if others == nil {
		return article(m.Name) + " takes " + strings.Join(m.names, ", ")
	}
	return fmt.Sprintf("%q is a key of %s", name, strings.Join(others, ", "))
}

// missingKeys reports the required keys that are not in given.
func (d *decoder) missingKeys(at diag.Span, m *Mapping, given map[string]*yaml.Node) {
	isGiven := func(name string) bool { return given[name] != nil }
	for i := range m.Keys {
		k := &m.Keys[i]
		if k.Required && !isGiven(k.Name) && (k.Unless == "" || !isGiven(k.Unless)) {
			d.fail(IDMissingKey, at, fmt.Sprintf("add %q: %s", k.Name, k.Type.Describe()), "%s needs the key %q",
				article(m.Name), k.Name)
		}
	}
	if len(m.AnyOf) > 0 && !slices.ContainsFunc(m.AnyOf, isGiven) {
		d.fail(IDMissingKey, at, "add one of "+strings.Join(m.AnyOf, ", "), "%s needs a key", article(m.Name))
	}
}

// absent returns whether a key has no value to decode, and reports this. The key has none if the
// value is null, or an empty list without a meaning. A rejected node also has none, and was
// reported before.
func (d *decoder) absent(n, key *yaml.Node, t *Type) bool {
	empty := n.Kind == yaml.SequenceNode && len(n.Content) == 0 && (t.Form == FormMany || t.Form == FormMatcher)
	if n.Kind != 0 && !isNull(n) && !empty {
		return false
	}
	if n.Kind != 0 {
		at := n
		if n.Value == "" && !empty {
			at = key
		}
		d.fail(IDValue, d.span(at), "write "+t.Describe()+", behind the key or indented below it", "%q has no value",
			clip(key.Value))
	}
	return true
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// value decodes a value of a type into v.
func (d *decoder) value(v reflect.Value, n, key *yaml.Node, t *Type) {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch dst := v.Addr().Interface().(type) {
	case *Literal:
		d.literal(dst, n, key, t)
	case *Text:
		*dst = d.text(n, key, t)
	case *Int:
		*dst = scalar(d, n, key, t, parseInt)
	case *Float:
		*dst = scalar(d, n, key, t, parseFloat)
	case *Bool:
		*dst = scalar(d, n, key, t, parseBool)
	case *Duration:
		*dst = scalar(d, n, key, t, parseDuration)
	case *Matcher:
		d.matcher(dst, n, key, t)
	default:
		switch t.Form {
		case FormList, FormMany:
			d.list(v, n, key, t)
		case FormMap:
			d.named(v, n, key, t)
		case FormEither:
			d.either(v, n, key, t)
		default:
			d.mapping(v, n, key, t.Mapping)
		}
	}
}

// list decodes a list, or a value that is a list of one.
func (d *decoder) list(v reflect.Value, n, key *yaml.Node, t *Type) {
	items := n.Content
	if n.Kind != yaml.SequenceNode {
		if t.Form != FormMany {
			d.wrongType(n, key, t)
			return
		}
		items = []*yaml.Node{n}
	}
	out, count := reflect.MakeSlice(v.Type(), len(items), len(items)), 0
	for _, item := range items {
		owner := key
		if t.Elem.Form == FormMapping && item.Kind != yaml.ScalarNode {
			owner = nil // the item itself is the place of its findings
		}
		switch {
		case item.Kind == 0:
		case isNull(item):
			d.fail(IDValue, d.span(item), "write "+t.Elem.Describe()+", or remove it", "an empty item")
		default:
			d.value(out.Index(count), item, owner, t.Elem)
			count++
		}
	}
	v.Set(out.Slice(0, count))
}

// named decodes a mapping of names into a slice, in the order of the file.
func (d *decoder) named(v reflect.Value, n, key *yaml.Node, t *Type) {
	if n.Kind != yaml.MappingNode {
		d.wrongType(n, key, t)
		return
	}
	out, count := reflect.MakeSlice(v.Type(), len(n.Content)/2, len(n.Content)/2), 0
	for name, value := range pairs(n) {
		if d.absent(value, name, t.Elem) {
			continue
		}
		e := out.Index(count)
		e.FieldByIndex(t.name).Set(reflect.ValueOf(d.name(name, t)))
		if t.value != nil {
			d.value(e.FieldByIndex(t.value), value, name, t.Elem)
		} else {
			d.value(e, value, name, t.Elem)
		}
		count++
	}
	v.Set(out.Slice(0, count))
}

// either decodes the alternative that fits the form of the value, and its first key.
func (d *decoder) either(v reflect.Value, n, key *yaml.Node, t *Type) {
	var fit *Type
	for i := range t.Alts {
		alt := &t.Alts[i]
		hasKey := len(n.Content) > 0 && alt.Mapping != nil && alt.Mapping.Key(n.Content[0].Value) != nil
		if alt.fits(n) && (fit == nil || hasKey) {
			fit = alt
		}
	}
	if fit == nil {
		d.wrongType(n, key, t)
		return
	}
	if span := v.FieldByName("Span"); span.IsValid() {
		span.Set(reflect.ValueOf(d.span(n)))
	}
	if fit.Form == FormMapping {
		key = nil // the value itself is the place of its findings
	}
	d.value(v.FieldByIndex(fit.field), n, key, fit)
}

// fits reports whether a node has the form of the type.
func (t *Type) fits(n *yaml.Node) bool {
	switch t.Form {
	case FormMapping:
		return n.Kind == yaml.MappingNode
	case FormFloat:
		return isNumber(n)
	}
	return n.Kind == yaml.ScalarNode
}
