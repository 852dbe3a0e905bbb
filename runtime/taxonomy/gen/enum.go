package gen

import (
	"fmt"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Enum returns v when it is one of an enum's count values, which are 1 to count, and otherwise
// none, 0.
func Enum[T ~uint8](v T, count T) T {
	if v > count {
		return 0
	}
	return v
}

// SomeEnum returns v as an optional enum. It is absent if v is not one of the enum's count values.
func SomeEnum[T ~uint8](v T, count T) taxonomy.Opt[T] {
	if v-1 >= count {
		return taxonomy.Opt[T]{}
	}
	return taxonomy.Some(v)
}

// EnumWord returns the word of an enum's value, or "" if v is not a value of the enum.
func EnumWord(v uint8, words []string) string {
	if int(v)-1 < 0 || int(v) > len(words) {
		return ""
	}
	return words[v-1]
}

// MarshalEnum returns the word of a value of the named enum type; no value is an empty text, and a
// value that does not exist is an error.
//
//go:noinline
func MarshalEnum(v uint8, name string, words []string) ([]byte, error) {
	if int(v) > len(words) {
		return nil, fmt.Errorf("marshal %s: no value %d", name, v)
	}
	return []byte(EnumWord(v, words)), nil
}

// UnmarshalEnum sets v to the value of a word in the named enum type. An empty word sets the zero
// value. An unknown word is an error and changes nothing.
func UnmarshalEnum[T ~uint8](word []byte, v *T, name string, words []string) error {
	n := enumValue(string(word), words)
	if n == 0 && len(word) > 0 {
		return fmt.Errorf("unmarshal %s: unknown value %s", name, echo(string(word)))
	}
	*v = T(n)
	return nil
}

func enumValue(word string, words []string) uint8 {
	for i, w := range words {
		if w == word {
			return uint8(i + 1)
		}
	}
	return 0
}

// The lists of an error's fields hold its enums and objects by the types below, as this package
// cannot name their types.

// wordSetter is a pointer to an enum.
type wordSetter interface{ setWord(v uint8) }

type (
	word[T ~uint8]    struct{ p *T }
	optWord[T ~uint8] struct{ p *taxonomy.Opt[T] }
)

func (w word[T]) setWord(v uint8)    { *w.p = T(v) }
func (w optWord[T]) setWord(v uint8) { *w.p = taxonomy.Some(T(v)) }

// Word returns a pointer to an enum for a list of fields.
func Word[T ~uint8](p *T) any { return word[T]{p} }

// OptWord is [Word] of an enum that may be absent.
func OptWord[T ~uint8](p *taxonomy.Opt[T]) any { return optWord[T]{p} }

// putWord sets the enum that p points to.
func putWord(p any, v uint8) {
	if w, ok := p.(wordSetter); ok {
		w.setWord(v)
	}
}

// objectSetter is a pointer to an object.
type objectSetter interface {
	newObject() (list []any, store func())
}

type (
	part[T any] struct {
		p    *T
		list func(*T) []any
	}
	optPart[T any] struct {
		p    *taxonomy.Opt[T]
		list func(*T) []any
	}
)

func (o part[T]) newObject() (list []any, store func()) {
	v := new(T)
	return o.list(v), func() { *o.p = *v }
}

func (o optPart[T]) newObject() (list []any, store func()) {
	v := new(T)
	return o.list(v), func() { *o.p = taxonomy.Some(*v) }
}

// Part returns a pointer to an object for a list of fields. List returns pointers to the object's
// own fields.
func Part[T any](p *T, list func(*T) []any) any { return part[T]{p, list} }

// OptPart is [Part] of an object that may be absent.
func OptPart[T any](p *taxonomy.Opt[T], list func(*T) []any) any { return optPart[T]{p, list} }

// items is a pointer to a list of objects. Each new object becomes its last one.
type items[T any] struct {
	p    *[]T
	list func(*T) []any
}

func (o items[T]) newObject() (list []any, store func()) {
	v := new(T)
	return o.list(v), func() { *o.p = append(*o.p, *v) }
}

func (o items[T]) clear()       { *o.p = []T{} }
func (o items[T]) pointer() any { return o.p }

// Items returns a pointer to a list of objects for a list of fields. List returns pointers to an
// object's fields.
func Items[T any](p *[]T, list func(*T) []any) any { return items[T]{p, list} }

// violationFields returns pointers to the fields of a violation.
func violationFields(v *taxonomy.Violation) []any { return []any{&v.Field, &v.Description, &v.Code} }

// NewObject returns pointers to the fields of a new object, and the function that sets the object
// that p points to to it; nil for an object that nothing sets so.
func NewObject(p any) (list []any, store func()) {
	if violations, ok := p.(*[]taxonomy.Violation); ok {
		p = Items(violations, violationFields)
	}
	if o, ok := p.(objectSetter); ok {
		return o.newObject()
	}
	return nil, nil
}

// Attribute returns the attribute that sets a field which all errors of taxonomy t have, by its
// place, to v.
//
//go:noinline
func Attribute[T any](t *taxonomy.Taxonomy, field int, v T) taxonomy.Attribute {
	return taxonomy.NewAttribute(t, field, func(p any) {
		if w, ok := p.(interface{ pointer() any }); ok {
			p = w.pointer()
		}
		if p, ok := p.(*T); ok {
			*p = v
		}
	})
}

func (w word[T]) pointer() any    { return w.p }
func (w optWord[T]) pointer() any { return w.p }
func (o part[T]) pointer() any    { return o.p }
func (o optPart[T]) pointer() any { return o.p }
