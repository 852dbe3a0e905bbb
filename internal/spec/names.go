package spec

import (
	"reflect"

	"github.com/errgen/errgen/internal/diag"
)

// Name is a name that a taxonomy declares or refers to.
type Name struct {
	Text
	Ref      Ref
	Declares bool
	Prefix   bool // the beginning of names, of a matcher
}

// Names visits the names that the taxonomy declares or refers to, in the order of the structs.
func (t *Taxonomy) Names(visit func(Name)) {
	root := TheLanguage().Root
	names(reflect.ValueOf(t).Elem(), &Type{Form: FormMapping, Mapping: root}, visit)
}

// names visits the names in a value of a type.
func names(v reflect.Value, t *Type, visit func(Name)) {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return
		}
		v = v.Elem()
	}
	switch t.Form {
	case FormText:
		if text := v.Interface().(Text); t.Ref != "" && text.Set {
			visit(Name{Text: text, Ref: t.Ref})
		}
	case FormList, FormMany:
		for i := range v.Len() {
			names(v.Index(i), t.Elem, visit)
		}
	case FormMap:
		for i := range v.Len() {
			e := v.Index(i)
			visit(Name{Text: e.FieldByIndex(t.name).Interface().(Text), Ref: t.Ref, Declares: t.Declare})
			if t.value != nil {
				e = e.FieldByIndex(t.value)
			}
			names(e, t.Elem, visit)
		}
	case FormEither:
		for i := range t.Alts {
			names(v.FieldByIndex(t.Alts[i].field), &t.Alts[i], visit)
		}
	case FormMapping:
		for i := range t.Mapping.Keys {
			if k := &t.Mapping.Keys[i]; !k.collected {
				names(v.FieldByIndex(k.field), &k.Type, visit)
			}
		}
		if c, ok := v.Addr().Interface().(collector); ok {
			c.names(t.Mapping, visit)
		}
	}
}

func (r *Rule) names(m *Mapping, visit func(Name)) {
	for _, c := range r.Conditions {
		t := m.Key(c.Key.V).Type
		if c.Attribute.Set || t.Elem.Ref == "" {
			continue
		}
		for _, list := range [][]Literal{c.Match.Values, c.Match.Not} {
			for _, l := range list {
				visit(Name{Text: Text{V: l.Text, Span: l.Span, Set: true}, Ref: t.Elem.Ref})
			}
		}
		for _, prefix := range c.Match.Prefix {
			visit(Name{Text: prefix, Ref: t.Elem.Ref, Prefix: true})
		}
	}
}

func (e *Example) names(m *Mapping, visit func(Name)) {
	for _, entry := range e.Entries {
		if k := m.Key(entry.Key.V); k.Type.Ref != "" && k.Type.Form == FormText {
			visit(Name{Text: Text{V: entry.Value.Text, Span: entry.Value.Span, Set: true}, Ref: k.Type.Ref})
		}
	}
}

// ReactionKey is a key of a reaction that only some actions take.
type ReactionKey struct {
	Name    string
	Span    diag.Span // of its value
	Actions []string
}

// Keys returns the keys of the reaction that are given and that only some actions take.
func (r *Reaction) Keys() []ReactionKey {
	var out []ReactionKey
	v := reflect.ValueOf(r).Elem()
	for _, k := range TheLanguage().reaction.Keys {
		f := v.FieldByIndex(k.field)
		if k.Actions == nil || f.IsZero() {
			continue
		}
		at := reflect.Indirect(f).FieldByName("Span").Interface().(diag.Span)
		out = append(out, ReactionKey{Name: k.Name, Span: at, Actions: k.Actions})
	}
	return out
}
