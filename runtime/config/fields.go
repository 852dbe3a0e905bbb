package config

import (
	"reflect"
	"strings"

	"github.com/errgen/errgen/internal/diag"
)

// fields are those of a struct, by the key that each has in a file.
type fields struct {
	named map[string]reflect.Value
	names []string
	// inlined are the structs whose fields are among them.
	inlined []reflect.Value
	// rest is a map for all other keys, if there is one.
	rest reflect.Value
}

// fieldsOf returns the fields of v, a struct, as their yaml tags have them.
func fieldsOf(v reflect.Value) fields {
	f := fields{named: make(map[string]reflect.Value)}
	f.collect(v)
	return f
}

func (f *fields) collect(v reflect.Value) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		inline := strings.Contains(","+options+",", ",inline,")
		if name == "-" || !field.IsExported() && !(inline && field.Anonymous) {
			continue
		}
		if inline {
			f.inline(v.Field(i))
			continue
		}
		if name == "" {
			name = strings.ToLower(field.Name)
		}
		if _, ok := f.named[name]; !ok {
			f.names = append(f.names, name)
			f.named[name] = v.Field(i)
		}
	}
}

func (f *fields) inline(v reflect.Value) {
	if v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.Struct {
		if v.IsNil() && !v.CanSet() { // embedded, and its type is not exported
			return
		}
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Struct:
		f.inlined = append(f.inlined, v)
		f.collect(v)
	case reflect.Map:
		f.rest = v
	}
}

// unknownKey warns of a key that nobody asked for, and keeps its value.
func (l *loader) unknownKey(p pair, at place, names []string) {
	text := "unknown key"
	if hint := diag.DidYouMean(p.key.Value, names); hint != "" {
		text += "; " + hint
	}
	l.warn(p.key.Line, at, text)
	if l.unknown == nil || len(l.warnings) >= maxProblems {
		return
	}
	var value any
	if err := p.value.Decode(&value); err != nil {
		l.warn(p.key.Line, at, "the value cannot be read")
		return
	}
	l.unknown[at.String()] = value
}
