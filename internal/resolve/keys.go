package resolve

import (
	"fmt"
	"reflect"
	"strings"

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
			setField(target, key)
		case target.Kind() == reflect.Struct: // a part of the mapping, such as taxonomy.AgentReaction
			setFields(target, from)
		}
	}
}

// setField sets a field to a key. It leaves the field unchanged if the key is not set, or is of
// another type.
func setField(target, key reflect.Value) {
	if list, ok := key.Interface().([]spec.Text); ok && target.Type() == reflect.TypeFor[[]string]() {
		target.Set(reflect.ValueOf(written(list)))
	}
	if !strings.HasPrefix(key.Type().Name(), "Val[") || !key.FieldByName("Set").Bool() {
		return
	}
	v := key.FieldByName("V")
	_, isWord := target.Interface().(fmt.Stringer)
	switch {
	case v.Type() == target.Type():
		target.Set(v)
	case v.Kind() == reflect.Int && target.CanUint():
		target.SetUint(uint64(v.Int()))
	case v.Kind() == reflect.String && isWord && target.CanUint():
		target.SetUint(numberOf(target.Type(), v.String()))
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
	setField(reflect.ValueOf(&v).Elem(), reflect.ValueOf(t))
	return v
}
