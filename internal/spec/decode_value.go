package spec

import (
	"fmt"

	"github.com/errgen/errgen/internal/diag"
)

// value decodes one value into dst, a pointer into the tree or a function that takes the value as
// it is.
func (d *decoder) value(n, key *node, t *Type, dst any) {
	if n.kind == badNode {
		return
	}
	if n.isNull() {
		d.empty(n, key, t)
		return
	}
	if t.Form == FormMany && n.kind == listNode && len(n.items) == 0 {
		d.fail(IDEmpty, n.span, fmt.Sprintf("%q is an empty list", clip(key.value)),
			"write "+t.Elem.Describe()+", or remove the key")
		return
	}
	switch dst := dst.(type) {
	case *Text:
		*dst = d.text(n, key, t)
	case *Int:
		*dst = d.integer(n, key, t)
	case *Float:
		*dst = d.float(n, key, t)
	case *Bool:
		*dst = d.boolean(n, key, t)
	case *Duration:
		*dst = d.duration(n, key, t)
	case *[]Text:
		d.texts(n, key, t, dst)
	case *[]Int:
		d.items(n, key, t, func(item *node) { *dst = appendSet(*dst, d.integer(item, key, t.Elem)) })
	case *Jitter:
		*dst = d.jitter(n, key, t)
	case **Literal:
		l := n.lit()
		*dst = &l
	case *[]Assignment:
		*dst = d.assignments(n, key, t)
	case *[]Condition:
		d.named(n, key, t, func(name, value *node) {
			*dst = append(*dst, Condition{Field: name.text(), Match: d.matcher(value, name, t.Elem)})
		})
	case func():
		dst()
	case func(n, key *node, t *Type):
		dst(n, key, t)
	default:
		// A key of the tables that the parser forgot; a test decodes every key.
		panic(fmt.Sprintf("spec: key %q has nowhere to go", key.value))
	}
}

func appendSet[T any](to []Val[T], v Val[T]) []Val[T] {
	if v.Set {
		return append(to, v)
	}
	return to
}

func (d *decoder) texts(n, key *node, t *Type, dst *[]Text) {
	add := func(item *node) { *dst = appendSet(*dst, d.text(item, key, t.Elem)) }
	if t.Form == FormMany {
		d.many(n, t, add)
		return
	}
	d.items(n, key, t, add)
}

// text decodes text, a name, or a word of a closed set.
func (d *decoder) text(n, key *node, t *Type) Text {
	if n.kind != scalarNode {
		d.wrongType(n, key, t)
		return Text{}
	}
	if t.Form == FormWord && !contains(t.Words, n.value) {
		d.badWord(n, key, t) // also of what is no text to YAML: in quotes it would be no better
		return Text{}
	}
	if !n.quoted() && n.literal != LitString {
		d.numberText(n)
		return Text{}
	}
	return n.text()
}

func contains(words []string, w string) bool {
	for _, have := range words {
		if have == w {
			return true
		}
	}
	return false
}

func (d *decoder) numberText(n *node) {
	d.fail(IDNumberText, n.span,
		fmt.Sprintf("%s is %s to YAML, and text is expected here", clip(n.value), scalarNoun(n)),
		"put it in quotes: "+quote(n.value))
}

func (d *decoder) badWord(n, key *node, t *Type) {
	hint := diag.DidYouMean(n.value, t.Words)
	if hint == "" {
		hint = "write " + t.Describe()
	}
	d.fail(IDBadValue, n.span, fmt.Sprintf("%s cannot be %q", clip(key.value), clip(n.value)), hint)
}

func (d *decoder) assignments(n, key *node, t *Type) []Assignment {
	var out []Assignment
	d.named(n, key, t, func(name, value *node) {
		out = append(out, Assignment{Field: name.text(), Value: value.lit()})
	})
	return out
}

// matcher decodes a value, a list of values, or a mapping of tests.
func (d *decoder) matcher(n, key *node, t *Type) Matcher {
	m := Matcher{Span: n.span}
	if n.kind != mappingNode {
		d.literals(n, key, &Type{Form: FormMany, Elem: t.Elem}, &m.Values)
		if n.kind == listNode && len(n.items) == 0 {
			d.fail(IDMissingKey, n.span, "an empty list matches nothing", "write "+t.Describe())
		}
		return m
	}
	d.keys(n, key, t.Mapping, func(name string) any {
		switch name {
		case "min":
			return d.oneLiteral(&m.Min)
		case "max":
			return d.oneLiteral(&m.Max)
		case "not":
			return func(n, key *node, t *Type) { d.literals(n, key, t, &m.Not) }
		case "prefix":
			return &m.Prefix
		case "present":
			return &m.Present
		}
		return nil
	})
	if len(n.entries) == 0 {
		d.fail(IDMissingKey, n.span, "a matcher needs a key", "write "+t.Describe())
	}
	return m
}

func (d *decoder) oneLiteral(dst **Literal) func(n, key *node, t *Type) {
	return func(n, key *node, t *Type) {
		if l, ok := d.literal(n, key, t); ok {
			*dst = &l
		}
	}
}

func (d *decoder) literals(n, key *node, t *Type, dst *[]Literal) {
	d.many(n, t, func(item *node) {
		if l, ok := d.literal(item, key, t.Elem); ok {
			*dst = append(*dst, l)
		}
	})
}

// literal decodes a scalar that is matched against, of the form that t asks for.
func (d *decoder) literal(n, key *node, t *Type) (Literal, bool) {
	switch t.Form {
	case FormText:
		return n.lit(), d.text(n, key, t).Set
	case FormInt:
		return n.lit(), d.integer(n, key, t).Set
	case FormDuration:
		return n.lit(), d.duration(n, key, t).Set
	}
	if n.kind != scalarNode {
		d.wrongType(n, key, t)
		return Literal{}, false
	}
	return n.lit(), true
}
