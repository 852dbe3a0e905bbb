package spec

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// variant is a struct in one of its forms. The name is "" for the usual form.
type variant struct {
	typ  reflect.Type
	name string
}

// builder makes the language from the structs' tags.
type builder struct {
	lang     Language
	mappings map[variant]*Mapping
}

func (b *builder) mapping(t reflect.Type, as string) *Mapping {
	if m := b.mappings[variant{t, as}]; m != nil {
		return m
	}
	head, _ := t.FieldByName("_")
	m := &Mapping{Name: nameOf(t, as), AnyOf: strings.Fields(head.Tag.Get("anyof")), typ: t.Name()}
	b.mappings[variant{t, as}] = m
	b.lang.Mappings = append(b.lang.Mappings, m)
	b.keys(m, t, Key{}, as)
	for i := range m.Keys {
		m.names = append(m.names, m.Keys[i].Name)
		if m.Keys[i].Name == head.Tag.Get("short") {
			m.Short = &m.Keys[i]
		}
	}
	if slices.Equal(m.AnyOf, []string{"*"}) {
		m.AnyOf = m.names
	}
	return m
}

// keys adds the keys of a struct. within has the properties that all of them share.
func (b *builder) keys(m *Mapping, t reflect.Type, within Key, as string) {
	for _, f := range reflect.VisibleFields(t) {
		k, tag := within, f.Tag
		k.field = slices.Concat(within.field, f.Index)
		name, isKey := tag.Lookup("key")
		only, limited := tag.Lookup("only")
		switch {
		case f.Name == "Span":
			m.spans = append(m.spans, k.field)
		case f.Name == "Raw":
			m.raw = k.field
		case !isKey, name == "*", limited && only != as, as != "" &&
			slices.Contains(strings.Fields(tag.Get("not")), as):
		case name == ",inline":
			b.keys(m, f.Type, Key{field: k.field, Part: nameOf(f.Type, "")}, tag.Get("variant"))
		default:
			k.Name, k.Default, k.doc = name, tag.Get("default"), t.Name()+"."+f.Name
			k.Unless, k.Required = tag.Lookup("required")
			k.Required = k.Required && as != "partial"
			if actions := tag.Get("actions"); actions != "" {
				k.Actions = strings.Fields(actions)
			}
			k.Type = b.value(f.Type, tag, as)
			if span, ok := t.FieldByName(f.Name + "Span"); ok {
				k.span = slices.Concat(within.field, span.Index)
			}
			m.Keys = append(m.Keys, k)
		}
	}
}

// nameOf returns the name of a variant of a struct in messages.
func nameOf(t reflect.Type, as string) string {
	head, _ := t.FieldByName("_")
	return cmp.Or(head.Tag.Get(as), head.Tag.Get("name"), strings.ToLower(t.Name()))
}

// scalars are the forms of the scalar types.
var scalars = map[reflect.Type]Form{
	reflect.TypeFor[Text](): FormText, reflect.TypeFor[Int](): FormInt, reflect.TypeFor[Float](): FormFloat,
	reflect.TypeFor[Bool](): FormBool, reflect.TypeFor[Duration](): FormDuration, literalType: FormLiteral,
}

var (
	literalType = reflect.TypeFor[Literal]()
	matcherType = reflect.TypeFor[Matcher]()
)

// value returns the type of a field's values; as is the variant of the struct that has the field.
func (b *builder) value(t reflect.Type, tag reflect.StructTag, as string) Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	child := tag.Get("variant")
	if child == "^" {
		child = as
	}
	form, scalar := scalars[t]
	switch {
	case scalar && form == FormLiteral:
		return Type{Form: literalForm(tag.Get("of"), as)}
	case scalar:
		out := Type{Form: form, Ref: Ref(tag.Get("ref")), Bounds: bounds(tag.Get("range"))}
		out.chars = chars(tag)
		if list := tag.Get("words"); list != "" {
			out.Form, out.Words = FormWord, words(list)
		}
		return out
	case t == matcherType:
		of := tag.Get("of")
		elem := Type{Form: literalForm(of, ""), Ref: Ref(tag.Get("ref")), Bounds: bounds(tag.Get("range")),
			chars: "any"}
		return Type{Form: FormMatcher, Elem: &elem, Mapping: b.mapping(t, strings.TrimPrefix(of, "any"))}
	case t.Kind() == reflect.Slice:
		return b.slice(t, tag, as, child)
	}
	if alts := b.alternatives(t, child); alts != nil {
		return Type{Form: FormEither, Alts: alts}
	}
	return Type{Form: FormMapping, Mapping: b.mapping(t, child)}
}

// literalForm returns the form of a literal from the tag `of`.
func literalForm(of, as string) Form {
	if of == "^" {
		of = cmp.Or(as, "any")
	}
	return map[string]Form{"": FormLiteral, "any": FormScalar, "text": FormText, "number": FormInt}[of]
}

// slice returns the type of a list, or of a mapping of names.
func (b *builder) slice(t reflect.Type, tag reflect.StructTag, as, child string) Type {
	out := Type{Form: FormMap, Ref: Ref(cmp.Or(tag.Get("declares"), tag.Get("keys")))}
	if out.Ref == "" {
		out.Form = FormList
		if _, many := tag.Lookup("many"); many {
			out.Form = FormMany
		}
		elem := b.value(t.Elem(), tag, as)
		out.Elem = &elem
		return out
	}
	_, out.Declare = tag.Lookup("declares")
	for _, f := range reflect.VisibleFields(t.Elem()) {
		switch f.Tag.Get("key") {
		case "*":
			out.name, out.chars = f.Index, chars(f.Tag)
		case "=":
			elem := b.value(f.Type, f.Tag, as)
			out.value, out.Elem = f.Index, &elem
		}
	}
	if out.Elem == nil {
		out.Elem = &Type{Form: FormMapping, Mapping: b.mapping(t.Elem(), child)}
	}
	return out
}

// chars returns the characters that a name cannot contain, or "" for a text that is not a name.
func chars(tag reflect.StructTag) string {
	more, restricted := tag.Lookup("chars")
	if restricted && more != "any" {
		return " " + more
	}
	return more
}

// alternatives returns the types of a struct of alternatives, or nil for another struct.
func (b *builder) alternatives(t reflect.Type, as string) []Type {
	var out []Type
	for _, f := range reflect.VisibleFields(t) {
		if only := f.Tag.Get("only"); f.Tag.Get("key") != "|" || only != "" && only != as {
			continue
		}
		alt := b.value(f.Type, f.Tag, "")
		alt.field = f.Index
		out = append(out, alt)
	}
	return out
}

// bounds reads the tag `range`: 1..100, 0.. or >0s.
func bounds(tag string) *Bounds {
	if tag == "" {
		return nil
	}
	least, most, _ := strings.Cut(strings.Trim(tag, ">s"), "..")
	if most == "" {
		most = "inf"
	}
	b := &Bounds{Above: tag[0] == '>'}
	if _, err := fmt.Sscan(least+" "+most, &b.Min, &b.Max); err != nil {
		panic("spec: " + err.Error()) // an invalid tag, which every test finds
	}
	return b
}

// words returns the words of a tag: those of a set of closedSets, or the words in the tag.
func words(tag string) []string {
	if closed := closedSets[tag]; closed != nil {
		return closed
	}
	return strings.Fields(tag)
}

// closedSets are the words that the runtime defines, and the types of fields.
var closedSets = map[string][]string{
	"action":         wordsOf[taxonomy.Action](),
	"backoff":        wordsOf[taxonomy.Backoff](),
	"extent":         wordsOf[taxonomy.Extent](),
	"grpc":           taxonomy.GRPCWords(),
	"jitter":         append([]string{"none"}, wordsOf[taxonomy.JitterKind]("proportional")...),
	"level":          wordsOf[taxonomy.LogLevel](),
	"purpose":        wordsOf[taxonomy.Purpose](),
	"recoverability": wordsOf[taxonomy.Recoverability](),
	"resume":         wordsOf[taxonomy.Resume](),
	"revert":         wordsOf[taxonomy.Revert](),
	"session":        wordsOf[taxonomy.Session](),
	"severity":       wordsOf[taxonomy.Severity](),
	"shared":         wordsOf[taxonomy.Shared](),
	"type": strings.Fields(
		"string int int64 uint64 float64 bool duration time strings json object objects violations"),
	"stack": wordsOf[taxonomy.Stack](),
}

// wordsOf returns the words of a type of the runtime, without "none", which the language expresses
// by the absence of a key, and the excepted ones. A value without a word prints as Action(9).
func wordsOf[T interface {
	~uint8
	String() string
}](except ...string) []string {
	var out []string
	for v := T(0); !strings.HasSuffix(v.String(), ")"); v++ {
		if word := v.String(); word != "none" && !slices.Contains(except, word) {
			out = append(out, word)
		}
	}
	return out
}
