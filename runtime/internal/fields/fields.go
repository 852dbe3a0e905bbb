// Package fields lists the fields of generated errors, and of the objects in them, for work that is
// not on a hot path: decoding, attributes, reports.
package fields

import "reflect"

// Pointers returns pointers to the exported fields of the struct that p points to, in their order.
// The fields of an embedded struct with an unexported name are in its place.
func Pointers(p any) []any {
	v := reflect.ValueOf(p).Elem()
	return appendPointers(make([]any, 0, v.NumField()), v)
}

func appendPointers(list []any, v reflect.Value) []any {
	for i := range v.NumField() {
		if f := v.Field(i); f.CanInterface() {
			list = append(list, f.Addr().Interface())
		} else if f.Kind() == reflect.Struct {
			list = appendPointers(list, f)
		}
	}
	return list
}
