package config

import (
	"errors"
	"maps"
	"reflect"

	"gopkg.in/yaml.v3"
)

// funcUnmarshaler is a type that reads itself with a function, so that it depends on no YAML
// library.
type funcUnmarshaler interface {
	UnmarshalYAML(decode func(into any) error) error
}

// attempt is one way to read a value: what it found stands only if the type takes it.
type attempt struct{ *loader }

func (*attempt) Error() string { return "the value has another form" }

var errTarget = errors.New("a value is decoded into a pointer that is not nil")

// byFunc has a type read n. It may try several forms; the problems of the one that it takes for the
// cause count.
func (l *loader) byFunc(n *yaml.Node, v reflect.Value, at place) {
	taken := l.trial()
	err := v.Addr().Interface().(funcUnmarshaler).UnmarshalYAML(func(into any) error {
		target := reflect.ValueOf(into)
		if target.Kind() != reflect.Pointer || target.IsNil() {
			return errTarget
		}
		trial := l.trial()
		trial.value(n, target.Elem(), at)
		if len(trial.problems) > 0 {
			return &attempt{trial}
		}
		taken = trial
		return nil
	})
	if a, ok := errors.AsType[*attempt](err); ok {
		l.adopt(a.loader)
		return
	}
	if err != nil {
		l.invalid(n, n.Line, at, l.said(err, n, v.Type(), at), false)
		return
	}
	l.adopt(taken)
}

// trial returns a loader whose findings are its own.
func (l *loader) trial() *loader {
	t := *l
	t.problems, t.warnings = nil, nil
	t.wrong, t.clear = maps.Clone(l.wrong), maps.Clone(l.clear)
	t.unknown = nil
	if l.unknown != nil {
		t.unknown = make(map[string]any)
	}
	return &t
}

// adopt takes over what a trial found.
func (l *loader) adopt(t *loader) {
	l.problems = append(l.problems, t.problems[:min(len(t.problems), maxProblems-min(len(l.problems), maxProblems))]...)
	l.warnings = append(l.warnings, t.warnings[:min(len(t.warnings), maxProblems-min(len(l.warnings), maxProblems))]...)
	l.wrong, l.clear = t.wrong, t.clear
	if l.unknown != nil {
		maps.Copy(l.unknown, t.unknown)
	}
}
