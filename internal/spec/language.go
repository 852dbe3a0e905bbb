package spec

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// Language is the form of the language as data, made from the tags of its structs.
type Language struct {
	Root     *Mapping
	Mappings []*Mapping // each once, in the order in which the root reaches them
	rule     *Mapping
}

// TheLanguage returns the language. Do not change it.
var TheLanguage = sync.OnceValue(func() *Language {
	b := &builder{mappings: make(map[variant]*Mapping)}
	b.lang.Root = b.mapping(reflect.TypeFor[Taxonomy](), "")
	b.lang.rule = b.mapping(reflect.TypeFor[Rule](), "")
	return &b.lang
})

// Mapping is one kind of mapping.
type Mapping struct {
	Name  string // in messages: "reaction"
	Keys  []Key
	AnyOf []string // at least one of these keys must be given
	Short *Key     // the key whose value can be in place of the mapping, or nil

	typ   string  // the struct
	spans [][]int // the fields for the place of a mapping
	raw   []int   // the field for the mapping itself, or nil
	names []string
}

// Key is a key of a mapping.
type Key struct {
	Name     string
	Default  string // the value of an absent key, or its description; may be empty
	Type     Type
	Required bool
	Unless   string   // the key that makes a required one optional; may be empty
	Actions  []string // the actions of a reaction that take the key; nil for all
	Part     string   // the group of keys that several mappings have: "traits"; empty for none

	doc   string // the field that documents it: "Policy.MaxAttempts"
	field []int
	span  []int // the field for the place of the value, or nil
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

// Ref is the kind of declaration that a name refers to.
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
	RefSignature Ref = "signature"
	RefConstant  Ref = "constant"
	RefOperation Ref = "operation"
)

// Type is the form of a value, with its details.
type Type struct {
	Form    Form
	Words   []string // of FormWord
	Ref     Ref      // of FormText: the kind of name; of FormMap: the kind of its names
	Declare bool     // whether a FormMap declares its names
	Elem    *Type
	Mapping *Mapping
	Alts    []Type
	Bounds  *Bounds // of FormInt, FormFloat and FormDuration

	chars string // characters that a name cannot contain, beginning with a space; "any" for any text
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
	for i := range m.Keys {
		if m.Keys[i].Name == name {
			return &m.Keys[i]
		}
	}
	return nil
}

// Names returns the names of the keys.
func (m *Mapping) Names() []string { return m.names }

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

// Describe returns a description of the values of the type: "a whole number, 1 to 100".
func (t *Type) Describe() string {
	switch t.Form {
	case FormWord:
		return "one of " + strings.Join(t.Words, ", ")
	case FormInt, FormFloat, FormDuration:
		text := map[Form]string{
			FormInt: "a whole number", FormFloat: "a number", FormDuration: "a duration like 1m30s",
		}[t.Form]
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
		if short := t.Mapping.Short; short != nil {
			return short.Type.Describe() + ", or a mapping (" + t.Mapping.Name + ")"
		}
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

// article returns a noun with its indefinite article.
func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}
