package model_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/model"
)

// A field or a method with the name of an embedded struct's field would hide that one, so that a
// forgotten selector reads a value of another meaning.
func TestNoNameHidesAnEmbeddedField(t *testing.T) {
	for _, typ := range []reflect.Type{
		reflect.TypeFor[model.Code](), reflect.TypeFor[model.Constant](), reflect.TypeFor[model.Profile](),
		reflect.TypeFor[model.Row](), reflect.TypeFor[model.Signature](), reflect.TypeFor[model.Tier](),
	} {
		var embedded reflect.Type
		names := make(map[string]bool)
		for i := range typ.NumField() {
			f := typ.Field(i)
			if names[f.Name] = true; f.Anonymous {
				embedded = f.Type
			}
		}
		for m := range reflect.PointerTo(typ).Methods() {
			names[m.Name] = true
		}
		if embedded.Kind() == reflect.Pointer {
			embedded = embedded.Elem()
		}
		for _, f := range reflect.VisibleFields(embedded) {
			assert.False(t, names[f.Name], "%s.%s hides that of %s", typ, f.Name, embedded)
		}
	}
}
