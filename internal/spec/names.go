package spec

import (
	"reflect"
	"slices"

	"github.com/errgen/errgen/signatures"
)

// Name is a name that a taxonomy declares or refers to.
type Name struct {
	Text
	Ref      Ref
	Declares bool
	Prefix   bool // whether it is only the beginning of names, in a matcher
}

// Names visits the names that the taxonomy declares or refers to, in the order of the structs.
func (t *Taxonomy) Names(visit func(Name)) {
	root := TheLanguage().Root
	names(reflect.ValueOf(t).Elem(), &Type{Form: FormMapping, Mapping: root}, visit)
}

// Predeclared are the reactions that every taxonomy has.
var Predeclared = []Reaction{
	predeclared("abort", "Ends the task as failed."),
	predeclared("block", "Stops and waits for a person."),
	predeclared("continue", "Continues as if nothing had happened."),
}

// predeclared returns a reaction with the name of its action.
func predeclared(action, doc string) Reaction {
	text := func(s string) Text { return Text{V: s, Set: true} }
	return Reaction{Name: text(action), Doc: text(doc), Action: text(action)}
}

// IsPredeclared reports whether a name is that of a predeclared reaction.
func IsPredeclared(name string) bool {
	return slices.ContainsFunc(Predeclared, func(r Reaction) bool { return r.Name.V == name })
}

// Declared returns the valid names of each kind, in the order of the file. The names of fields are
// those of all categories together.
func (t *Taxonomy) Declared() map[Ref][]string {
	out := map[Ref][]string{RefSignature: signatures.Names(), RefOverlay: {"*"}}
	for _, r := range Predeclared {
		out[RefReaction] = append(out[RefReaction], r.Name.V)
	}
	t.Names(func(n Name) {
		if !n.Declares {
			return
		}
		out[n.Ref] = append(out[n.Ref], n.V)
		switch n.Ref {
		case RefCode, RefCategory:
			out[RefOverlay] = append(out[RefOverlay], n.V)
		case RefGroup:
			out[RefOverlay] = append(out[RefOverlay], "@"+n.V)
		}
	})
	return out
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
	case FormMatcher:
		m := v.Interface().(Matcher)
		if t.Elem.Ref == "" {
			return
		}
		for _, l := range slices.Concat(m.Values, m.Not) {
			visit(Name{Text: Text{V: l.Text, Span: l.Span, Set: true}, Ref: t.Elem.Ref})
		}
		for _, prefix := range m.Prefix {
			visit(Name{Text: prefix, Ref: t.Elem.Ref, Prefix: true})
		}
	case FormMapping:
		for i := range t.Mapping.Keys {
			k := &t.Mapping.Keys[i]
			names(v.FieldByIndex(k.field), &k.Type, visit)
		}
	}
}

// RuleCondition is one condition of a detection rule.
type RuleCondition struct {
	Key       string // "status", or "attributes"
	Attribute Text   // the name under attributes
	Match     *Matcher
}

// Conditions returns the conditions of a rule, except those on texts and signatures.
func (r *Rule) Conditions() []RuleCondition {
	var out []RuleCondition
	v := reflect.ValueOf(r).Elem()
	for _, k := range TheLanguage().rule.Keys {
		if k.Type.Form != FormMatcher {
			continue
		}
		if m := v.FieldByIndex(k.field).Addr().Interface().(*Matcher); m.Span.Valid() {
			out = append(out, RuleCondition{Key: k.Name, Match: m})
		}
	}
	for i := range r.Attributes {
		a := &r.Attributes[i]
		out = append(out, RuleCondition{Key: "attributes", Attribute: a.Field, Match: &a.Match})
	}
	return out
}
