package resolve

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/errgen/errgen/internal/spec"
)

// setKeys sets the fields of to, which points to a struct of the table, to the keys of from, which
// points to a struct of the language. A key sets the field of the same Go name if its type
// corresponds, so a new key needs no line here. The caller resolves keys of other names and types,
// such as those that refer to a declaration.
func setKeys(to, from any) {
	target, keys := reflect.ValueOf(to).Elem(), reflect.ValueOf(from).Elem()
	types := [2]reflect.Type{target.Type(), keys.Type()}
	list, ok := pairs.Load(types)
	if !ok {
		list = pairsOf(types[0], types[1])
		pairs.Store(types, list)
	}
	for _, p := range list.([]pair) {
		setField(target.FieldByIndex(p.field), keys.Field(p.key))
	}
}

// pair has the places of a field of the table and of the key that sets it.
type pair struct {
	field []int
	key   int
}

var pairs sync.Map // []pair by the two types

func pairsOf(to, from reflect.Type) []pair {
	var out []pair
	for i := range to.NumField() {
		field := to.Field(i)
		key, found := from.FieldByName(field.Name)
		switch {
		case found && corresponds(field.Type, key.Type):
			out = append(out, pair{field.Index, key.Index[0]})
		case !found && field.Type.Kind() == reflect.Struct: // a part of the mapping, such as taxonomy.AgentReaction
			for _, p := range pairsOf(field.Type, from) {
				out = append(out, pair{append([]int{i}, p.field...), p.key})
			}
		}
	}
	return out
}

var (
	textType = reflect.TypeFor[spec.Text]()
	setAt, _ = textType.FieldByName("Set") // of each Val
)

// corresponds reports whether a key of the language sets a field of a type: a list of texts, a value
// of the same type, a number, or a word.
func corresponds(field, key reflect.Type) bool {
	isNumber := field.Kind() >= reflect.Uint && field.Kind() <= reflect.Uint64
	switch {
	case key == reflect.TypeFor[[]spec.Text]():
		return field == reflect.TypeFor[[]string]()
	case !strings.HasPrefix(key.Name(), "Val["):
		return false
	case key == textType && isNumber:
		return field.Implements(reflect.TypeFor[fmt.Stringer]())
	}
	return key.Field(0).Type == field || key.Field(0).Type.Kind() == reflect.Int && isNumber
}

// setField sets a field to a key that corresponds, if the key is set.
func setField(target, key reflect.Value) {
	if key.Kind() == reflect.Slice {
		target.Set(reflect.ValueOf(written(key.Interface().([]spec.Text))))
		return
	}
	if !key.FieldByIndex(setAt.Index).Bool() {
		return
	}
	switch v := key.Field(0); {
	case v.Type() == target.Type():
		target.Set(v)
	case v.Kind() == reflect.String:
		target.SetUint(numberOf(target.Type(), v.String()))
	default:
		target.SetUint(uint64(v.Int()))
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
