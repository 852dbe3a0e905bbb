// Package fields lists the fields of generated errors, and of the objects in them, for work that is
// not on a hot path: decoding, attributes, reports.
package fields

import (
	"reflect"
	"sync"
)

// layouts are the indexes of the exported fields of structs, by reflect.Type.
var layouts sync.Map

// Pointers returns pointers to the exported fields of the struct that p points to, in their order.
// The fields of an embedded struct with an unexported name are in its place.
func Pointers(p any) []any {
	v := reflect.ValueOf(p).Elem()
	list := make([]any, len(layout(v.Type())))
	for i, at := 0, At(p); i < len(list); i++ {
		list[i] = at(i)
	}
	return list
}

// At returns a function that returns element i of [Pointers].
func At(p any) func(i int) any {
	v := reflect.ValueOf(p).Elem()
	indexes := layout(v.Type())
	return func(i int) any { return v.FieldByIndex(indexes[i]).Addr().Interface() }
}

func layout(t reflect.Type) [][]int {
	indexes, ok := layouts.Load(t)
	if !ok {
		indexes, _ = layouts.LoadOrStore(t, appendIndexes(nil, t, nil))
	}
	return indexes.([][]int)
}

func appendIndexes(list [][]int, t reflect.Type, outer []int) [][]int {
	for i := range t.NumField() {
		index := append(outer[:len(outer):len(outer)], i)
		if f := t.Field(i); f.IsExported() {
			list = append(list, index)
		} else if f.Type.Kind() == reflect.Struct {
			list = appendIndexes(list, f.Type, index)
		}
	}
	return list
}
