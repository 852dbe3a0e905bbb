package resolve

import (
	"fmt"
	"reflect"
	"time"

	"github.com/errgen/errgen/internal/spec"
)

// setKeys sets the fields of to, which points to a struct of the table, to the keys of from that are
// set: those with the same Go name and a type that corresponds. So a new key needs no line here. The
// caller resolves keys of other names and types, such as those that refer to a declaration.
func setKeys(to, from any) {
	setFields(reflect.ValueOf(to).Elem(), reflect.ValueOf(from).Elem())
}

func setFields(to, from reflect.Value) {
	for i := range to.NumField() {
		target, key := to.Field(i), from.FieldByName(to.Type().Field(i).Name)
		switch {
		case key.IsValid():
			setField(target, key.Interface())
		case target.Kind() == reflect.Struct: // a part of the mapping, such as taxonomy.AgentReaction
			setFields(target, from)
		}
	}
}

// setField sets a field to a key. It leaves the field unchanged if the key is not set, or is of
// another type.
func setField(target reflect.Value, key any) {
	switch key := key.(type) {
	case spec.Text:
		switch _, isWord := target.Interface().(fmt.Stringer); {
		case !key.Set:
		case isWord && target.CanUint():
			target.SetUint(numberOf(target.Type(), key.V))
		case target.Kind() == reflect.String:
			target.SetString(key.V)
		}
	case []spec.Text:
		if target.Type() == reflect.TypeFor[[]string]() {
			target.Set(reflect.ValueOf(written(key)))
		}
	case spec.Bool:
		set(target, key)
	case spec.Float:
		set(target, key)
	case spec.Duration:
		set(target, key)
	case spec.Int:
		if set(target, key); key.Set && target.CanUint() {
			target.SetUint(uint64(key.V))
		}
	}
}

// set sets a field of the key's type.
func set[T bool | int | float64 | time.Duration](target reflect.Value, key spec.Val[T]) {
	if v := reflect.ValueOf(key.V); key.Set && target.Type() == v.Type() {
		target.Set(v)
	}
}

// numberOf returns the number of the value of typ that is a word of the language, or 0.
func numberOf(typ reflect.Type, word string) uint64 {
	v := reflect.New(typ).Elem()
	for n := range uint64(16) {
		if v.SetUint(n); v.Interface().(fmt.Stringer).String() == word {
			return n
		}
	}
	return 0
}

// word returns the value with a word of the language, or the zero value if t is unset.
func word[T interface {
	~uint8
	fmt.Stringer
}](t spec.Text) (v T) {
	setField(reflect.ValueOf(&v).Elem(), t)
	return v
}
