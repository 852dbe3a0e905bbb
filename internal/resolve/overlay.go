package resolve

import (
	"reflect"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// overlaid returns a declaration with the keys that changes sets.
func overlaid[T any](declared T, changes *T) T {
	overlay(reflect.ValueOf(&declared).Elem(), reflect.ValueOf(changes).Elem())
	return declared
}

// overlay merges the mapping from into the mapping to. It copies what it changes behind pointers.
func overlay(to, from reflect.Value) {
	for i := range from.NumField() {
		value, target := from.Field(i), to.Field(i)
		switch {
		case value.IsZero() || !target.CanSet():
		case value.Kind() == reflect.Pointer && !target.IsNil() && isMapping(value.Type().Elem()):
			merged := reflect.New(value.Type().Elem())
			merged.Elem().Set(target.Elem())
			overlay(merged.Elem(), value.Elem())
			target.Set(merged)
		default:
			target.Set(value)
		}
	}
}

// isMapping reports whether a type of package spec is a mapping, and not a choice of several forms.
func isMapping(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.Field(0).Tag.Get("key") != "|"
}

// changedReaction returns a reaction with the changes of a profile. If the action becomes or stops
// being a retry, the reaction loses its tier and purpose.
func changedReaction(declared spec.Reaction, changes *spec.Reaction) spec.Reaction {
	if changes.Action.Set && retries(changes.Action) != retries(declared.Action) {
		declared.To, declared.Purpose = spec.Text{}, spec.Text{}
	}
	return overlaid(declared, changes)
}

func retries(action spec.Text) bool {
	return (&taxonomy.Reaction{Action: word[taxonomy.Action](action)}).Retries()
}

// Untaken visits the keys of d that an action does not take. A retry takes `to` if it asks a tier,
// that is, if it has a purpose.
func Untaken(d *spec.Reaction, action spec.Text, asks bool, visit func(key string, v reflect.Value)) {
	v := reflect.ValueOf(d).Elem()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		actions, limited := f.Tag.Lookup("actions")
		if !limited || slices.Contains(strings.Fields(actions), action.V) || v.Field(i).IsZero() ||
			f.Name == "To" && asks && retries(action) {
			continue
		}
		visit(f.Tag.Get("key"), v.Field(i))
	}
}
