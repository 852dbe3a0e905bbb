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
	if indexes, ok := layouts.Load(t); ok {
		return indexes.([][]int)
	}
	var indexes [][]int
	for _, f := range reflect.VisibleFields(t) {
		if f.IsExported() {
			indexes = append(indexes, f.Index)
		}
	}
	layouts.Store(t, indexes)
	return indexes
}
