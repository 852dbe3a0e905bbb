package spec

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Language is the form of the language as data, made from the tags of its structs.
type Language struct {
	Root     *Mapping
	Mappings []*Mapping // each once, in the order in which the root reaches them
	reaction *Mapping
}

// TheLanguage returns the language. Do not change it.
var TheLanguage = sync.OnceValue(func() *Language {
	b := &builder{mappings: make(map[variant]*Mapping)}
	b.lang.Root = b.mapping(reflect.TypeFor[Taxonomy](), "")
	b.lang.reaction = b.mapping(reflect.TypeFor[Reaction](), "")
	return &b.lang
})

// Mapping is one kind of mapping.
type Mapping struct {
	Name  string // in messages: "reaction"
	Keys  []Key
	OneOf []string // exactly one of these keys must be given
	AnyOf []string // at least one of these keys must be given

	typ   string  // the struct
	spans [][]int // the fields for the place of a mapping
	index map[string]int
	names []string
}

// Key is a key of a mapping.
type Key struct {
	Name     string
	Default  string // the value of an absent key, or its description; may be empty
	Type     Type
	Required bool
	Actions  []string // the actions of a reaction that take the key; nil for all
	Part     string   // the mapping that shares the key with others: "traits"; empty for none

	doc       string // the field that documents it: "Policy.MaxAttempts"
	field     []int
	also      []int
	collected bool
}

// Form is the form of a value.
type Form uint8

// The forms.
const (
	FormText     Form = iota // any text, or a name if Ref is set
	FormWord                 // one of Words
	FormInt                  // a whole number
	FormFloat                // a number
	FormBool                 // true or false
	FormDuration             // 1m30s
	FormLiteral              // any value
	FormScalar               // text, a number or a bool
	FormList                 // a list of Elem
	FormMany                 // one Elem or a list of them
	FormMap                  // names with an Elem each
	FormMapping              // Mapping
	FormEither               // one of Alts
	FormMatcher              // one Elem, a list of them, or Mapping
)

// Ref is what a name refers to.
type Ref string

// The kinds of names. An overlay key is a code, a category, @group or *.
const (
	RefSource    Ref = "source"
	RefOp        Ref = "op"
	RefGroup     Ref = "group"
	RefStrategy  Ref = "strategy"
	RefCheck     Ref = "check"
	RefTier      Ref = "tier"
	RefPolicy    Ref = "policy"
	RefReaction  Ref = "reaction"
	RefField     Ref = "field"
	RefCategory  Ref = "category"
	RefCode      Ref = "code"
	RefProfile   Ref = "profile"
	RefOverlay   Ref = "overlay"
	RefAttribute Ref = "attribute"
)

// Type is the form of a value, with its details.
type Type struct {
	Form    Form
	Words   []string // of FormWord
	Ref     Ref      // of FormText: what it refers to; of FormMap: what its names are
	Declare bool     // the names of FormMap are declared here
	Elem    *Type
	Mapping *Mapping
	Alts    []Type
	Bounds  *Bounds // of FormInt, FormFloat and FormDuration

	typ   reflect.Type
	chars string // that a name cannot contain, among them a space; "any" for a text without restrictions
	field []int  // of an alternative
	name  []int  // of FormMap: the field of the name in an element
	value []int  // of FormMap: the field of the value in an element; nil for the element itself
}

// Bounds are the limits of a number, or of a duration in seconds.
type Bounds struct {
	Min, Max float64 // Max is infinite if there is no limit
	Above    bool    // Min itself is out of range
}

// Key returns the key called name, or nil.
func (m *Mapping) Key(name string) *Key {
	if i, ok := m.index[name]; ok {
		return &m.Keys[i]
	}
	return nil
}

// Names returns the keys' names.
func (m *Mapping) Names() []string { return m.names }

// variant is a struct in the form that it has at some place.
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
	m := &Mapping{
		Name:  cmp.Or(head.Tag.Get(cmp.Or(as, "name")), head.Tag.Get("name"), strings.ToLower(t.Name())),
		OneOf: strings.Fields(head.Tag.Get("oneof")), AnyOf: strings.Fields(head.Tag.Get("anyof")),
		typ: t.Name(), index: make(map[string]int),
	}
	b.mappings[variant{t, as}] = m
	b.lang.Mappings = append(b.lang.Mappings, m)
	if head.Type != nil && head.Type.Kind() == reflect.Array {
		b.keys(m, head.Type.Elem(), Key{collected: true}, as)
	}
	b.keys(m, t, Key{}, as)
	for i := range m.Keys {
		m.index[m.Keys[i].Name] = i
		m.names = append(m.names, m.Keys[i].Name)
	}
	if slices.Equal(m.AnyOf, []string{"*"}) {
		m.AnyOf = m.names
	}
	return m
}

// keys adds the keys of a struct. within is what they have in common.
func (b *builder) keys(m *Mapping, t reflect.Type, within Key, as string) {
	for _, f := range reflect.VisibleFields(t) {
		k, tag := within, f.Tag
		k.field = slices.Concat(within.field, f.Index)
		name, isKey := tag.Lookup("key")
		only, limited := tag.Lookup("only")
		switch {
		case f.Name == "Span":
			m.spans = append(m.spans, k.field)
		case !isKey, name == "*", limited && only != as, as != "" && tag.Get("not") == as:
		case name == ",inline":
			b.keys(m, f.Type, Key{field: k.field, Part: b.partName(f.Type), also: sibling(t, within, tag)},
				tag.Get("variant"))
		default:
			k.Name, k.Default, k.doc = name, tag.Get("default"), t.Name()+"."+f.Name
			_, k.Required = tag.Lookup("required")
			k.Required = k.Required && as != "partial"
			if actions := tag.Get("actions"); actions != "" {
				k.Actions = strings.Fields(actions)
			}
			if k.also == nil {
				k.also = sibling(t, within, tag)
			}
			k.Type = b.value(f.Type, tag, as)
			if k.collected {
				k.Type.chars = "any"
			}
			m.Keys = append(m.Keys, k)
		}
	}
}

func (b *builder) partName(t reflect.Type) string {
	head, _ := t.FieldByName("_")
	return cmp.Or(head.Tag.Get("name"), strings.ToLower(t.Name()))
}

// sibling returns the field that the tag `also` names.
func sibling(t reflect.Type, within Key, tag reflect.StructTag) []int {
	f, ok := t.FieldByName(tag.Get("also"))
	if !ok {
		return nil
	}
	return slices.Concat(within.field, f.Index)
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
		return Type{Form: literalForm(tag.Get("of"), as), typ: t}
	case scalar:
		out := Type{Form: form, Ref: Ref(tag.Get("ref")), Bounds: bounds(tag.Get("range")), typ: t}
		out.chars = chars(tag)
		if list := tag.Get("words"); list != "" {
			out.Form, out.Words = FormWord, words(list)
		}
		return out
	case t == matcherType:
		of := tag.Get("of")
		elem := Type{Form: literalForm(of, ""), Ref: Ref(tag.Get("ref")), Bounds: bounds(tag.Get("range")),
			typ: literalType, chars: "any"}
		return Type{Form: FormMatcher, Elem: &elem, Mapping: b.mapping(t, strings.TrimPrefix(of, "any")), typ: t}
	case t.Kind() == reflect.Slice:
		return b.slice(t, tag, as, child)
	}
	if alts := b.alternatives(t, child); alts != nil {
		return Type{Form: FormEither, Alts: alts, typ: t}
	}
	return Type{Form: FormMapping, Mapping: b.mapping(t, child), typ: t}
}

// literalForm returns the form of a literal from the tag `of`.
func literalForm(of, as string) Form {
	if of == "^" {
		of = cmp.Or(as, "any")
	}
	return map[string]Form{"": FormLiteral, "any": FormScalar, "text": FormText, "number": FormInt}[of]
}

func (b *builder) slice(t reflect.Type, tag reflect.StructTag, as, child string) Type {
	out := Type{Form: FormMap, Ref: Ref(cmp.Or(tag.Get("declares"), tag.Get("keys"))), typ: t}
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
		out.Elem = &Type{Form: FormMapping, Mapping: b.mapping(t.Elem(), child), typ: t.Elem()}
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
	if least, above := strings.CutPrefix(tag, ">"); above {
		return &Bounds{Min: number(strings.TrimSuffix(least, "s"), 0), Max: math.Inf(1), Above: true}
	}
	least, most, _ := strings.Cut(tag, "..")
	return &Bounds{Min: number(least, 0), Max: number(most, math.Inf(1))}
}

// number reads a number of a tag.
func number(s string, absent float64) float64 {
	if s == "" {
		return absent
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("spec: " + err.Error()) // a fault of a tag, found by every test
	}
	return f
}

// contains reports whether a number is within the bounds.
func (b *Bounds) contains(v float64) bool {
	return b == nil || v <= b.Max && (v > b.Min || v == b.Min && !b.Above)
}

// String describes the bounds.
func (b *Bounds) String() string {
	least := strconv.FormatFloat(b.Min, 'f', -1, 64)
	switch {
	case b.Above:
		return "more than " + least + "s"
	case math.IsInf(b.Max, 1):
		return "at least " + least
	case b.Min == b.Max:
		return "only " + least
	}
	return least + " to " + strconv.FormatFloat(b.Max, 'f', -1, 64)
}

// words returns the words of a tag: a closed set of the runtime, or the words themselves.
func words(tag string) []string {
	if closed := closedSets[tag]; closed != nil {
		return closed
	}
	return strings.Fields(tag)
}

// closedSets are the runtime's own words.
var closedSets = map[string][]string{
	"action":         wordsOf[taxonomy.Action](),
	"backoff":        wordsOf[taxonomy.Backoff](),
	"extent":         wordsOf[taxonomy.Extent](),
	"grpc":           taxonomy.GRPCWords(),
	"jitter":         append([]string{"none"}, wordsOf[taxonomy.JitterKind]("proportional")...),
	"kind":           wordsOf[taxonomy.Kind](),
	"level":          wordsOf[taxonomy.LogLevel](),
	"purpose":        wordsOf[taxonomy.Purpose](),
	"recoverability": wordsOf[taxonomy.Recoverability](),
	"resume":         wordsOf[taxonomy.Resume](),
	"revert":         wordsOf[taxonomy.Revert](),
	"session":        wordsOf[taxonomy.Session](),
	"severity":       wordsOf[taxonomy.Severity](),
	"shared":         wordsOf[taxonomy.Shared](),
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

// Describe returns what a value of the type is, in words: "a whole number, 1 to 100".
func (t *Type) Describe() string {
	switch t.Form {
	case FormWord:
		return "one of " + strings.Join(t.Words, ", ")
	case FormInt, FormFloat, FormDuration:
		text := map[Form]string{FormInt: "a whole number", FormFloat: "a number", FormDuration: "a duration like 1m30s"}[t.Form]
		if t.Bounds != nil {
			text += ", " + t.Bounds.String()
		}
		return text
	case FormBool:
		return "true or false"
	case FormLiteral:
		return "a value"
	case FormScalar:
		return "text, a number or a truth value"
	case FormList:
		return "a list, each item " + t.Elem.Describe()
	case FormMany:
		return t.Elem.Describe() + ", or a list"
	case FormMap:
		return "a mapping of names, each with " + t.Elem.Describe()
	case FormMapping:
		return "a mapping (" + t.Mapping.Name + ")"
	case FormEither:
		parts := make([]string, len(t.Alts))
		for i := range t.Alts {
			parts[i] = t.Alts[i].Describe()
		}
		return strings.Join(parts, ", or ")
	case FormMatcher:
		return t.Elem.Describe() + ", a list, or a mapping of " + strings.Join(t.Mapping.names, ", ")
	}
	if t.Ref == "" {
		return "text"
	}
	return "the name of " + article(string(t.Ref))
}

// article puts the article before a noun.
func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}
