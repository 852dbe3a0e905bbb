package config

import (
	"encoding"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/runtime/taxonomy"
)

var (
	durationType = reflect.TypeFor[time.Duration]()
	timeType     = reflect.TypeFor[time.Time]()
)

// scalar fills v, a single value, from n.
func (l *loader) scalar(n *yaml.Node, v reflect.Value, at place) {
	secret := v.Type() == secretType
	if n.Kind != yaml.ScalarNode {
		l.invalid(n, n.Line, at, expected(v.Type()), secret)
		return
	}
	if secret {
		if _, used := l.written[n]; !used && n.Value != "" {
			l.tellClear(n, at)
		}
		v.Set(reflect.ValueOf(taxonomy.SecretOf(n.Value)))
		return
	}
	if err := l.set(n, v); err != nil {
		l.invalid(n, n.Line, at, l.said(err, n, v.Type(), at), false)
	}
}

// set sets v to what n says. A text that came from a variable is never YAML, so that it is read
// here.
func (l *loader) set(n *yaml.Node, v reflect.Value) error {
	if v.Type() == durationType {
		return setDuration(n.Value, v)
	}
	if v.Type() == timeType {
		return setTime(n.Value, v)
	}
	if t, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return t.UnmarshalText([]byte(n.Value))
	}
	if v.Kind() == reflect.String {
		// What has no quotes and looks like a number is meant as a text where one is wanted.
		v.SetString(n.Value)
		return nil
	}
	if _, used := l.written[n]; used {
		return setText(n.Value, v)
	}
	return n.Decode(v.Addr().Interface())
}

var errValue = errors.New("not such a value")

func setDuration(text string, v reflect.Value) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		return errValue
	}
	v.SetInt(int64(d))
	return nil
}

// setTime reads a time with a zone, or a day.
func setTime(text string, v reflect.Value) error {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			v.Set(reflect.ValueOf(t))
			return nil
		}
	}
	return errValue
}

// setText sets a number or a bool to what a variable holds.
func setText(text string, v reflect.Value) error {
	text = strings.TrimSpace(text)
	switch k := v.Kind(); {
	case k == reflect.Bool:
		if text != "true" && text != "false" {
			return errValue
		}
		v.SetBool(text == "true")
	case v.CanInt():
		i, err := strconv.ParseInt(text, 10, v.Type().Bits())
		if err != nil {
			return errValue
		}
		v.SetInt(i)
	case v.CanUint():
		i, err := strconv.ParseUint(text, 10, v.Type().Bits())
		if err != nil {
			return errValue
		}
		v.SetUint(i)
	case v.CanFloat():
		f, err := strconv.ParseFloat(text, v.Type().Bits())
		if err != nil {
			return errValue
		}
		v.SetFloat(f)
	}
	return nil
}

// said returns what a type's own error says is expected. Of the library's errors, which name Go's
// types, it says nothing, and no more where the error may tell a secret.
func (l *loader) said(err error, n *yaml.Node, t reflect.Type, at place) string {
	p := reflect.PointerTo(t)
	own := p.Implements(textType) || p.Implements(yamlType) || p.Implements(funcType)
	if _, of := errors.AsType[*yaml.TypeError](err); of || !own || t == timeType {
		return expected(t)
	}
	if _, used := l.written[n]; used || taxonomy.NamesSecret(at.key) {
		return "something else"
	}
	return "something else: " + taxonomy.Scrub(strings.TrimPrefix(err.Error(), "yaml: "))
}

// expected says to people what a type takes.
func expected(t reflect.Type) string {
	switch {
	case t == durationType:
		return `a duration with a unit, such as "30s"`
	case t == timeType:
		return `a time such as "2006-01-02T15:04:05Z"`
	case t == secretType:
		return "a text"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	case reflect.Struct, reflect.Map:
		return "a mapping"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	if reflect.Uint <= t.Kind() && t.Kind() <= reflect.Uint64 {
		return "a whole number from 0"
	}
	return "a whole number"
}
