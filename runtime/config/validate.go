package config

import (
	"reflect"

	"gopkg.in/yaml.v3"
)

// Problem is a setting that cannot be.
type Problem struct {
	// Field is the path of the setting, as it stands in the file, from the value that was asked:
	// "retries", "a.b[2]"; empty for that value itself.
	Field string
	// Expected says what could be there: "a number from 1 to 10".
	Expected string
}

// Validator is what can say whether its settings can be: ranges, words, what goes together. It is
// asked when it was filled, what is in it first.
type Validator interface {
	Validate() []Problem
}

// validate asks v, which was filled from n.
func (l *loader) validate(n *yaml.Node, v reflect.Value, at place) {
	if !v.CanAddr() || !v.CanInterface() {
		return
	}
	validator, ok := v.Addr().Interface().(Validator)
	if !ok {
		return
	}
	for _, p := range validator.Validate() {
		where, line := at.join(p.Field), n.Line
		value := find(n, p.Field)
		if value != nil {
			line = value.Line
		}
		l.invalid(value, line, where, p.Expected, false)
	}
}

// maxValue is how many bytes are told of a value.
const maxValue = 200

// invalid adds that n, nil when there is none, is not what is expected there.
func (l *loader) invalid(n *yaml.Node, line int, at place, expected string, secret bool) {
	attributes := map[string]string{"expected": expected}
	if value, ok := l.shown(n, at, secret); ok {
		attributes["value"] = value
	}
	l.add(line, at, typeInvalid, attributes)
}
