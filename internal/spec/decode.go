package spec

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/diag"
)

// decoder turns YAML nodes into the structs of the language.
type decoder struct {
	*reader
}

// mapping decodes a mapping into a struct. owner is the key of the mapping, or nil in a list.
func (d *decoder) mapping(v reflect.Value, n, owner *yaml.Node, m *Mapping) {
	if n.Kind != yaml.MappingNode {
		d.wrongType(n, owner, &Type{Form: FormMapping, Mapping: m})
		return
	}
	place := d.span(cmp.Or(owner, n))
	for _, field := range m.spans {
		v.FieldByIndex(field).Set(reflect.ValueOf(place))
	}
	given := make(map[string]*yaml.Node, len(n.Content)/2)
	for key, value := range pairs(n) {
		k := m.Key(key.Value)
		given[key.Value] = key
		switch {
		case k == nil:
			given[d.unknownKey(key, m)] = key
		case d.absent(value, key, &k.Type):
		case k.collected:
			v.Addr().Interface().(collector).collect(d, key, value, &k.Type)
		default:
			d.value(v.FieldByIndex(k.field), value, key, &k.Type)
			if k.also != nil {
				d.also(v.FieldByIndex(k.also), value)
			}
		}
	}
	d.missingKeys(place, m, given)
}

// also sets a field that describes another: whether it is given, or where.
func (d *decoder) also(v reflect.Value, n *yaml.Node) {
	if v.Kind() == reflect.Bool {
		v.SetBool(true)
		return
	}
	v.Set(reflect.ValueOf(d.span(n)))
}

// pairs yields the keys of a mapping with their values.
func pairs(n *yaml.Node) func(yield func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(n.Content) && yield(n.Content[i], n.Content[i+1]); i += 2 {
		}
	}
}

// unknownKey reports an unknown key, unless it is the user's own. It returns the key that was
// probably meant.
func (d *decoder) unknownKey(key *yaml.Node, m *Mapping) string {
	name := key.Value
	if strings.HasPrefix(name, "x-") {
		return ""
	}
	near := diag.Nearest(name, m.names)
	hint := fmt.Sprintf("did you mean %q?", near)
	if near == "" {
		hint = elsewhere(name, m)
	}
	d.fail(IDUnknownKey, d.span(key), hint, "unknown key %q in %s", clip(name), article(m.Name))
	return near
}

// elsewhere returns which mappings have a key, or the keys that m has.
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

func (d *decoder) missingKeys(at diag.Span, m *Mapping, given map[string]*yaml.Node) {
	isGiven := func(name string) bool { return given[name] != nil }
	for i := range m.Keys {
		if k := &m.Keys[i]; k.Required && !isGiven(k.Name) {
			d.fail(IDMissingKey, at, fmt.Sprintf("add %q: %s", k.Name, k.Type.Describe()), "%s needs the key %q",
				article(m.Name), k.Name)
		}
	}
	if len(m.AnyOf) > 0 && !slices.ContainsFunc(m.AnyOf, isGiven) {
		d.fail(IDMissingKey, at, "add one of "+strings.Join(m.AnyOf, ", "), "%s needs a key", article(m.Name))
	}
	if len(m.OneOf) == 0 {
		return
	}
	first := slices.IndexFunc(m.OneOf, isGiven)
	if first < 0 {
		d.fail(IDMissingKey, at, "add one of them", "%s needs %s", article(m.Name), strings.Join(m.OneOf, " or "))
		return
	}
	for _, name := range m.OneOf[first+1:] {
		if isGiven(name) {
			d.fail(IDValue, d.span(given[name]), "remove one of them", "%s has %s, not both", article(m.Name),
				strings.Join(m.OneOf, " or "))
			d.related(d.span(given[m.OneOf[first]]), m.OneOf[first]+" is given here")
		}
	}
}

// absent reports a key without a value, or with an empty list that means nothing. The value of
// a rejected node is absent too.
func (d *decoder) absent(n, key *yaml.Node, t *Type) bool {
	hint := "write " + t.Describe() + ", or remove the key"
	empty := n.Kind != yaml.ScalarNode && len(n.Content) == 0
	switch {
	case n.Kind == 0:
	case isNull(n) && n.Value == "":
		d.fail(IDValue, d.span(key), hint, "%q has no value", clip(key.Value))
	case isNull(n):
		d.fail(IDValue, d.span(n), hint, "%q has no value", clip(key.Value))
	case empty && (t.Form == FormMany || t.Form == FormMatcher) && n.Kind == yaml.SequenceNode,
		empty && t.Ref == RefAttribute:
		d.fail(IDValue, d.span(n), hint, "%q is empty", clip(key.Value))
	default:
		return false
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
	out := reflect.MakeSlice(v.Type(), 0, len(items))
	for _, item := range items {
		owner := key
		if t.Elem.Form == FormMapping {
			owner = nil // the item itself is the place of its findings
		}
		switch {
		case item.Kind == 0:
		case isNull(item):
			d.fail(IDValue, d.span(item), "write "+t.Elem.Describe()+", or remove it", "an empty item")
		default:
			e := reflect.New(v.Type().Elem()).Elem()
			d.value(e, item, owner, t.Elem)
			out = reflect.Append(out, e)
		}
	}
	v.Set(out)
}

// named decodes a mapping of names into a slice, in the order of the file.
func (d *decoder) named(v reflect.Value, n, key *yaml.Node, t *Type) {
	if n.Kind != yaml.MappingNode {
		d.wrongType(n, key, t)
		return
	}
	out := reflect.MakeSlice(v.Type(), 0, len(n.Content)/2)
	for name, value := range pairs(n) {
		if d.absent(value, name, t.Elem) {
			continue
		}
		e := reflect.New(v.Type().Elem()).Elem()
		e.FieldByIndex(t.name).Set(reflect.ValueOf(d.name(name, t)))
		if t.value != nil {
			d.value(e.FieldByIndex(t.value), value, name, t.Elem)
		} else {
			d.value(e, value, name, t.Elem)
		}
		out = reflect.Append(out, e)
	}
	v.Set(out)
}

// either decodes the alternative that fits the form of the value.
func (d *decoder) either(v reflect.Value, n, key *yaml.Node, t *Type) {
	var fit *Type
	for i := range t.Alts {
		if alt := &t.Alts[i]; alt.fits(n) && (fit == nil || alt.Mapping != nil && alt.Mapping.hasKeyOf(n) &&
			!fit.Mapping.hasKeyOf(n)) {
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
	owner := key
	if fit.Form == FormMapping {
		owner = nil
	}
	d.value(v.FieldByIndex(fit.field), n, owner, fit)
}

// fits reports whether a node has the form of the type.
func (t *Type) fits(n *yaml.Node) bool {
	switch t.Form {
	case FormMapping:
		return n.Kind == yaml.MappingNode
	case FormFloat:
		return isNumber(n)
	}
	return n.Kind == yaml.ScalarNode && !isNumber(n)
}

func (m *Mapping) hasKeyOf(n *yaml.Node) bool {
	for key := range pairs(n) {
		if m.Key(key.Value) != nil {
			return true
		}
	}
	return false
}

// collector is a struct some of whose keys are collected in a list.
type collector interface {
	collect(d *decoder, key, n *yaml.Node, t *Type)
	names(m *Mapping, visit func(Name))
}

func (r *Rule) collect(d *decoder, key, n *yaml.Node, t *Type) {
	if t.Form != FormMap {
		c := RuleCondition{Key: d.raw(key)}
		d.matcher(&c.Match, n, key, t)
		r.Conditions = append(r.Conditions, c)
		return
	}
	var list []Condition
	d.named(reflect.ValueOf(&list).Elem(), n, key, t)
	for _, c := range list {
		r.Conditions = append(r.Conditions, RuleCondition{Key: d.raw(key), Attribute: c.Field, Match: c.Match})
	}
}

func (e *Example) collect(d *decoder, key, n *yaml.Node, t *Type) {
	d.value(reflect.New(t.typ).Elem(), n, key, t)
	e.Entries = append(e.Entries, LiteralEntry{Key: d.raw(key), Value: d.anyLiteral(n)})
}

// matcher decodes a value, a list of values, or a mapping of tests.
func (d *decoder) matcher(m *Matcher, n, key *yaml.Node, t *Type) {
	if n.Kind == yaml.MappingNode {
		d.mapping(reflect.ValueOf(m).Elem(), n, nil, t.Mapping)
	} else {
		d.list(reflect.ValueOf(&m.Values).Elem(), n, key, &Type{Form: FormMany, Elem: t.Elem})
	}
	m.Span = d.span(n)
}

// literal decodes a value that a field's type decides on, and checks it against the form of t.
func (d *decoder) literal(l *Literal, n, key *yaml.Node, t *Type) {
	switch t.Form {
	case FormText:
		d.text(n, key, t)
	case FormInt:
		scalar(d, n, key, t, parseInt)
	case FormScalar:
		if n.Kind != yaml.ScalarNode {
			d.wrongType(n, key, t)
		}
	}
	*l = d.anyLiteral(n)
}

func (d *decoder) anyLiteral(n *yaml.Node) Literal {
	l := Literal{Span: d.span(n)}
	switch n.Kind {
	case yaml.SequenceNode:
		l.Kind = LitList
		for _, item := range n.Content {
			l.Items = append(l.Items, d.anyLiteral(item))
		}
	case yaml.MappingNode:
		l.Kind = LitMap
		for key, value := range pairs(n) {
			l.Keys = append(l.Keys, LiteralEntry{Key: d.raw(key), Value: d.anyLiteral(value)})
		}
	default:
		l.Kind, l.Text, l.Quoted = literalKind(n), n.Value, quoted(n)
	}
	return l
}

// literalKind returns the form that YAML gives a scalar.
func literalKind(n *yaml.Node) LiteralKind {
	switch n.Tag {
	case "!!null":
		return LitNull
	case "!!bool":
		return LitBool
	case "!!int":
		return LitInt
	case "!!float":
		return LitFloat
	}
	return LitString
}

func isNumber(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && (n.Tag == "!!int" || n.Tag == "!!float") && !quoted(n)
}

// raw returns the text of a scalar, without any check.
func (d *decoder) raw(n *yaml.Node) Text { return Text{V: n.Value, Span: d.span(n), Set: true} }

// text decodes a text, a name, or a word of a closed set.
func (d *decoder) text(n, key *yaml.Node, t *Type) Text {
	switch {
	case n.Kind != yaml.ScalarNode:
		d.wrongType(n, key, t)
	case t.Form == FormWord && !slices.Contains(t.Words, n.Value):
		hint := cmp.Or(diag.DidYouMean(n.Value, t.Words), "write "+t.Describe())
		d.fail(IDValue, d.span(n), hint, "%s cannot be %q", key.Value, clip(n.Value))
	case literalKind(n) != LitString:
		d.fail(IDValue, d.span(n), "put it in quotes: "+quote(n.Value), "%s is %s to YAML, and text is expected here",
			clip(n.Value), noun(n))
	default:
		return d.name(n, t)
	}
	return Text{}
}

// name checks the characters of a text, and of a name.
func (d *decoder) name(n *yaml.Node, t *Type) Text {
	text := d.raw(n)
	if t.chars == "any" {
		return text
	}
	if text.V == "" && (t.chars != "" || t.Form == FormMap) {
		d.fail(IDValue, text.Span, "", "a name cannot be empty")
	}
	for i, r := range text.V {
		size := utf8.RuneLen(r)
		if what := unsafeRune(r); what != "" {
			d.fail(IDValue, d.lines.locate(text, i, size), "remove it", "the text contains %s (U+%04X)", what, r)
			break
		}
		if t.chars != "" && (unicode.IsSpace(r) || !unicode.IsGraphic(r) || strings.ContainsRune(t.chars, r)) {
			d.fail(IDValue, d.lines.locate(text, i, size), "remove it", "a name cannot contain %q", r)
			break
		}
	}
	return text
}

// unsafeRune describes a character that changes how a line is read, or returns "".
func unsafeRune(r rune) string {
	switch {
	case r == '\n', r == '\t':
		return ""
	case r < ' ', 0x7f <= r && r < 0xa0:
		return "a control character"
	case 0x202A <= r && r <= 0x202E, 0x2066 <= r && r <= 0x2069:
		return "a character that changes the direction of writing"
	}
	return ""
}

// noun describes what YAML reads a scalar as.
func noun(n *yaml.Node) string {
	switch literalKind(n) {
	case LitNull:
		return "an empty value"
	case LitBool:
		return "a truth value"
	case LitString:
		return "text"
	}
	return "a number"
}

// scalar decodes a scalar other than text. parse returns the value, its size for the bounds, and the
// fault of an invalid one: its message and its hint.
func scalar[T any](d *decoder, n, key *yaml.Node, t *Type,
	parse func(n *yaml.Node) (v T, size float64, fault, hint string)) Val[T] {
	if n.Kind != yaml.ScalarNode {
		d.wrongType(n, key, t)
		return Val[T]{}
	}
	v, size, fault, hint := parse(n)
	switch {
	case fault == "?":
		d.wrongType(n, key, t)
	case fault != "":
		d.fail(IDValue, d.span(n), hint, "%s: %s %s", clip(key.Value), clip(n.Value), fault)
	case !t.Bounds.contains(size):
		d.fail(IDValue, d.span(n), "", "%s: %s is out of range (%s)", clip(key.Value), clip(n.Value), t.Bounds)
	default:
		return Val[T]{V: v, Span: d.span(n), Set: true}
	}
	return Val[T]{}
}

// badForm is the fault of a scalar of another form.
const badForm = "?"

func parseInt(n *yaml.Node) (v int, size float64, fault, hint string) {
	if !isNumber(n) {
		return 0, 0, badForm, ""
	}
	v, err := strconv.Atoi(n.Value)
	if err != nil || n.Value != strconv.Itoa(v) {
		return 0, 0, "is not a whole number in plain decimal form", "write digits only, without leading zeros"
	}
	return v, float64(v), "", ""
}

func parseFloat(n *yaml.Node) (v, size float64, fault, hint string) {
	if !isNumber(n) {
		return 0, 0, badForm, ""
	}
	v, err := strconv.ParseFloat(n.Value, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) || strings.ContainsAny(n.Value, "xXpP_") {
		return 0, 0, "is not a finite decimal number", ""
	}
	return v, v, "", ""
}

func parseBool(n *yaml.Node) (v bool, size float64, fault, hint string) {
	const twofold = "is a truth value to some YAML readers and text to others"
	switch word := strings.ToLower(n.Value); {
	case quoted(n):
		return false, 0, badForm, ""
	case n.Value == "true" || n.Value == "false":
		return n.Value == "true", 0, "", ""
	case slices.Contains([]string{"yes", "y", "on", "true"}, word):
		return false, 0, twofold, "write true"
	case slices.Contains([]string{"no", "n", "off", "false"}, word):
		return false, 0, twofold, "write false"
	}
	return false, 0, badForm, ""
}

func parseDuration(n *yaml.Node) (v time.Duration, size float64, fault, hint string) {
	if isNumber(n) {
		return 0, 0, "has no unit", fmt.Sprintf("write %ss for seconds, or %[1]sms for milliseconds", clip(n.Value))
	}
	v, err := time.ParseDuration(n.Value)
	if err != nil || v < 0 {
		return 0, 0, "is not a duration", "write numbers with the units h, m, s, ms, us or ns: 1m30s, 500ms, 36h"
	}
	return v, v.Seconds(), "", ""
}

// wrongType reports a value of another form than t. key may be nil.
func (d *decoder) wrongType(n, key *yaml.Node, t *Type) {
	found := map[yaml.Kind]string{yaml.SequenceNode: "a list", yaml.MappingNode: "a mapping"}[n.Kind]
	if n.Kind == yaml.ScalarNode {
		found = noun(n)
	}
	label := ""
	if key != nil {
		label = clip(key.Value) + ": "
	}
	d.fail(IDValue, d.span(n), t.correction(n), "%sexpected %s, found %s", label, t.Describe(), found)
}

// correction returns how to write a value of another form, or "".
func (t *Type) correction(n *yaml.Node) string {
	scalar := n.Kind == yaml.ScalarNode
	switch {
	case scalar && quoted(n) && t.Form != FormMapping && t.Form != FormText:
		return "write it without quotes"
	case !scalar && n.Style&yaml.FlowStyle != 0 && (t.Form == FormText || t.Form == FormMany):
		return "text that begins with a bracket needs quotes"
	case scalar && t.Form == FormList:
		return "write [" + clip(n.Value) + "]"
	case scalar && t.Form == FormFloat && strings.HasSuffix(n.Value, "%"):
		if percent, err := strconv.ParseFloat(strings.TrimSuffix(n.Value, "%"), 64); err == nil {
			return "write " + strconv.FormatFloat(percent/100, 'g', -1, 64)
		}
	case scalar && t.Form == FormMapping:
		return t.Mapping.around(n)
	}
	return ""
}

// around returns the mapping that a scalar stands for: the one with the required key.
func (m *Mapping) around(n *yaml.Node) string {
	required := slices.DeleteFunc(slices.Clone(m.Keys), func(k Key) bool { return !k.Required })
	if len(required) != 1 || literalKind(n) != LitString {
		return ""
	}
	switch t := required[0].Type; {
	case t.Form == FormWord && slices.Contains(t.Words, n.Value), t.Form == FormText && t.Ref != "":
		return "write {" + required[0].Name + ": " + clip(n.Value) + "}"
	case t.Form == FormText:
		return "write {" + required[0].Name + ": " + quote(n.Value) + "}"
	}
	return ""
}
