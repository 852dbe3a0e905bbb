package spec

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/errgen/errgen/internal/diag"
)

// decoder turns nodes into declarations by the tables of the language.
type decoder struct {
	lang *Language
	out  []diag.Finding
}

func (d *decoder) fail(id string, at diag.Span, message, hint string) {
	d.out = add(d.out, diag.Finding{ID: id, Span: at, Message: message, Hint: hint})
}

// keys decodes a mapping: each key into what dst returns for it. owner is the key that the mapping
// belongs to; findings about the mapping as a whole point there.
func (d *decoder) keys(n, owner *node, m *Mapping, dst func(key string) any) {
	if n.kind != mappingNode {
		d.wrongType(n, owner, &Type{Form: FormMapping, Mapping: m})
		return
	}
	if d.lonely(n) {
		return
	}
	for _, e := range n.entries {
		k := m.Key(e.key.value)
		switch {
		case k == nil:
			d.unknown(e.key, m)
		case k.Reserved:
			d.reservedKey(e.key, m)
		default:
			d.value(e.value, e.key, &k.Type, dst(k.Name))
		}
	}
	for i := range m.Keys {
		if k := &m.Keys[i]; k.Required && !n.refused && n.key(k.Name) == nil {
			d.fail(IDMissingKey, ownerSpan(n, owner), fmt.Sprintf("%s needs the key %q", article(m.Name), k.Name),
				fmt.Sprintf("add %q: %s", k.Name, k.Type.Describe()))
		}
	}
}

func ownerSpan(n, owner *node) diag.Span {
	if owner != nil {
		return owner.span
	}
	return n.span
}

func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// unknown reports a key that its mapping does not take, unless it is one to ignore.
func (d *decoder) unknown(key *node, m *Mapping) {
	name := key.value
	if strings.HasPrefix(name, "x-") {
		return
	}
	hint := ""
	if len(d.out) <= maxFinds { // more are not shown
		hint = cmp.Or(diag.DidYouMean(name, m.names), d.elsewhere(name, m))
	}
	d.fail(IDUnknownKey, key.span, fmt.Sprintf("unknown key %q in %s", clip(name), article(m.Name)), hint)
}

// reservedKey reports a key that is kept for a later version where it stands.
func (d *decoder) reservedKey(key *node, m *Mapping) {
	hint := "remove it, or begin the key with x- to have it ignored"
	if home := d.home(key.value, m); home != "" {
		hint = home + "; here " + hint
	}
	d.fail(IDReservedKey, key.span, fmt.Sprintf("%q is reserved for a later version of the language", key.value), hint)
}

// elsewhere says where a key would be known, otherwise what the mapping takes.
func (d *decoder) elsewhere(name string, m *Mapping) string {
	return cmp.Or(d.home(name, m), article(m.Name)+" takes "+strings.Join(m.names, ", "))
}

// home says which other mappings know a key; empty when none does.
func (d *decoder) home(name string, m *Mapping) string {
	var homes []string
	for _, other := range d.lang.Mappings {
		if k := other.Key(name); k != nil && !k.Reserved && other != m && len(homes) < 3 {
			homes = append(homes, article(other.Name))
		}
	}
	if len(homes) == 0 {
		return ""
	}
	return fmt.Sprintf("%q is a key of %s", name, strings.Join(homes, ", "))
}

// named calls f for each name of a mapping of names.
func (d *decoder) named(n, key *node, t *Type, f func(name, value *node)) {
	if n.kind != mappingNode {
		d.wrongType(n, key, t)
		return
	}
	if d.lonely(n) {
		return
	}
	if t.Form == FormMap && t.Ref == RefAttribute && len(n.entries) == 0 {
		d.fail(IDEmpty, n.span, fmt.Sprintf("%q is empty", clip(key.value)),
			"write "+t.Describe()+", or remove the key")
	}
	for _, e := range n.entries {
		switch {
		case e.value.kind == badNode:
		case e.key.value == "":
			d.fail(IDBadValue, e.key.span, "a name cannot be empty", "")
		case e.value.isNull():
			d.empty(e.value, e.key, t.Elem)
		default:
			f(e.key, e.value)
		}
	}
}

// lonely reports a mapping like {id}, which begins with a key that has no value.
func (d *decoder) lonely(n *node) bool {
	if n.lonely == nil {
		return false
	}
	d.fail(IDEmpty, n.lonely.span, fmt.Sprintf("%q stands in braces without a value", clip(n.lonely.value)),
		"write key: value, or [list]")
	return true
}

// items calls f for each item of a list.
func (d *decoder) items(n, key *node, t *Type, f func(item *node)) {
	if n.kind != listNode {
		d.wrongType(n, key, t)
		return
	}
	d.each(n.items, t.Elem, f)
}

// many calls f for the value or, of a list, for each item.
func (d *decoder) many(n *node, t *Type, f func(item *node)) {
	if n.kind == listNode {
		d.each(n.items, t.Elem, f)
		return
	}
	f(n)
}

func (d *decoder) each(items []*node, t *Type, f func(item *node)) {
	for _, item := range items {
		switch {
		case item.kind == badNode:
		case item.isNull():
			d.fail(IDEmpty, item.span, "an empty item", "write "+t.Describe()+", or remove it")
		default:
			f(item)
		}
	}
}

func (d *decoder) empty(n, key *node, t *Type) {
	at := key.span
	if n.value != "" {
		at = n.span
	}
	d.fail(IDEmpty, at, fmt.Sprintf("%q has no value", clip(key.value)), "write "+t.Describe()+", or remove the key")
}

// wrongType reports a value of another form than t. key may be nil.
func (d *decoder) wrongType(n, key *node, t *Type) {
	if n.kind == badNode {
		return
	}
	f := diag.Finding{ID: IDWrongType, Span: n.span, Message: fmt.Sprintf(
		"expected %s, found %s", t.Describe(), n.describe())}
	if key != nil {
		f.Message = fmt.Sprintf("%s: %s", clip(key.value), f.Message)
	}
	switch {
	case n.lonely != nil && t.Form == FormText:
		f.ID, f.Message = IDUnquoted, fmt.Sprintf("%s: text that begins with { is a mapping to YAML", clip(key.value))
		f.Hint = "put the text in quotes: '{" + clip(n.lonely.value) + "}'"
	case n.kind == scalarNode && n.quoted() && t.isPlain(n.value):
		f.Hint = "write it without quotes"
	case n.style == flow && (t.Form == FormText || t.Form == FormMany):
		f.Hint = "text that begins with a bracket needs quotes"
	case t.Form == FormMapping && n.kind == scalarNode:
		f.Hint = t.Mapping.instead(n)
	case t.Form == FormFloat && shareOf(n) != "":
		f.Hint = "write " + shareOf(n)
	case t.Form == FormList && n.kind == scalarNode && n.style == plain:
		f.Hint = "write [" + clip(n.value) + "]"
	}
	d.out = add(d.out, f)
}

// instead says how a mapping is written where a scalar stands: with the one key that it cannot do
// without, if that can hold the scalar.
func (m *Mapping) instead(n *node) string {
	var required []*Key
	for i := range m.Keys {
		if m.Keys[i].Required {
			required = append(required, &m.Keys[i])
		}
	}
	if len(required) != 1 || n.literal != LitString || !required[0].Type.holds(n.value) {
		return ""
	}
	value := clip(n.value)
	if n.quoted() || !isName(n.value) {
		value = quote(n.value)
	}
	return "write {" + required[0].Name + ": " + value + "}"
}

// holds reports whether a text is a value of t.
func (t *Type) holds(text string) bool {
	return t.Form == FormText || t.Form == FormWord && contains(t.Words, text)
}

// isName reports whether a text needs no quotes inside of brackets.
func isName(text string) bool {
	return text != "" && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// isPlain reports whether the text would be a value of t if it stood without quotes.
func (t *Type) isPlain(text string) bool {
	switch t.Form {
	case FormInt, FormFloat, FormVersion:
		return text != "" && strings.Trim(text, "0123456789.") == ""
	case FormBool:
		return text == "true" || text == "false"
	}
	return false
}
