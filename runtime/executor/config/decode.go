package config

import (
	"cmp"
	"encoding"
	"errors"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// loader reads one file.
type loader struct {
	path     string
	lookup   func(name string) (string, bool)
	verbatim bool
	problems []*problem
	warnings []warning
	// nodes are the values by their paths.
	nodes map[string]*yaml.Node
	// expanded has the original text of each value with variables.
	expanded map[*yaml.Node]string
}

// funcUnmarshaler is implemented by types that must not depend on a YAML library.
type funcUnmarshaler interface {
	UnmarshalYAML(decode func(into any) error) error
}

// value reads n into v, which can be set.
func (l *loader) value(n *yaml.Node, v reflect.Value, at place) {
	l.nodes[at.path] = n
	into := v.Addr().Interface()
	byFunc, isFunc := into.(funcUnmarshaler)
	switch k := v.Kind(); {
	case isFunc:
		l.byFunc(n, v, at, byFunc)
	case n.ShortTag() == "!!null" && !decodesItself(v.Type()):
		if k == reflect.Pointer || k == reflect.Map || k == reflect.Slice || k == reflect.Interface {
			v.SetZero()
		}
		return
	case k == reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		l.value(n, v.Elem(), at)
		return
	case v.Type() == secretType:
		l.secret(n, into.(*taxonomy.Secret[string]), at)
	case decodesItself(v.Type()):
		l.decode(n, v, at)
	case k == reflect.Struct:
		l.structure(n, v, at)
	case k == reflect.Map:
		l.mapping(n, v, at)
	case k == reflect.Slice:
		l.list(n, v, at)
	default:
		l.decode(n, v, at)
	}
	l.validate(n, v, at)
}

// decode reads a scalar, or a value of a type that decodes itself.
func (l *loader) decode(n *yaml.Node, v reflect.Value, at place) {
	plain, isNumber := *n, v.Kind() <= reflect.Float64 && !decodesItself(v.Type())
	if _, variable := l.expanded[n]; variable && isNumber {
		plain.Value, plain.Tag, plain.Style = strings.TrimSpace(n.Value), "", 0
	}
	err := plain.Decode(v.Addr().Interface())
	if isNumber && v.Kind() < reflect.Float32 && plain.ShortTag() == "!!float" {
		err = new(yaml.TypeError) // yaml.v3 would cut 3.5 to 3
	}
	l.addDecodeError(n, v, at, err)
}

// addDecodeError adds the error of a type that decoded n, unless it is nil.
func (l *loader) addDecodeError(n *yaml.Node, v reflect.Value, at place, err error) {
	if err != nil {
		l.invalid(n, n.Line, at, l.expectedAfter(err, n, v.Type(), at))
	}
}

func (l *loader) secret(n *yaml.Node, into *taxonomy.Secret[string], at place) {
	if n.Kind != yaml.ScalarNode {
		l.invalid(nil, n.Line, at, expected(secretType))
		return
	}
	if _, variable := l.expanded[n]; !variable && n.Value != "" {
		l.warn(n.Line, at, secretInClear)
	}
	*into = taxonomy.SecretOf(n.Value)
}

// byFunc makes a type read n. The type may try several forms. The problems and warnings of the last
// form count.
func (l *loader) byFunc(n *yaml.Node, v reflect.Value, at place, into funcUnmarshaler) {
	var last loader
	errForm := errors.New("the value has another form")
	err := into.UnmarshalYAML(func(form any) error {
		last = *l
		last.problems, last.warnings = nil, nil
		last.value(n, reflect.ValueOf(form).Elem(), at)
		if len(last.problems) > 0 {
			return errForm
		}
		return nil
	})
	if err != nil && !errors.Is(err, errForm) {
		l.addDecodeError(n, v, at, err)
		return
	}
	l.problems = append(l.problems, last.problems...)
	l.warnings = append(l.warnings, last.warnings...)
}

// structure reads a mapping into the fields of a struct.
func (l *loader) structure(n *yaml.Node, v reflect.Value, at place) {
	if n.Kind != yaml.MappingNode {
		l.invalid(n, n.Line, at, aMapping)
		return
	}
	fields := map[string]reflect.Value{}
	addFields(v, fields)
	l.pairs(n, at, func(key, value *yaml.Node, at place) {
		if field, ok := fields[key.Value]; ok {
			l.value(value, field, at)
			return
		}
		hint := diag.DidYouMean(key.Value, slices.Sorted(maps.Keys(fields)))
		l.warn(key.Line, at, strings.TrimSuffix("unknown key; "+hint, "; "))
	})
}

// addFields adds the fields of a struct by the key that each has in a file.
func addFields(v reflect.Value, to map[string]reflect.Value) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch {
		case name == "-" || !field.IsExported():
		case options == "inline":
			addFields(v.Field(i), to)
		default:
			to[cmp.Or(name, snakeCase(field.Name))] = v.Field(i)
		}
	}
}

var wordEnd = regexp.MustCompile(`([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])`)

// snakeCase returns the key of a field without a tag: "max_turns" of MaxTurns.
func snakeCase(name string) string {
	return strings.ToLower(wordEnd.ReplaceAllString(name, "${1}${3}_${2}${4}"))
}

// pairs calls visit for each key of a mapping.
func (l *loader) pairs(n *yaml.Node, at place, visit func(key, value *yaml.Node, at place)) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			l.invalid(nil, key.Line, at, "keys that are strings")
			continue
		}
		visit(key, n.Content[i+1], at.under(key.Value))
	}
}

func (l *loader) mapping(n *yaml.Node, v reflect.Value, at place) {
	if n.Kind != yaml.MappingNode {
		l.invalid(n, n.Line, at, aMapping)
		return
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	l.pairs(n, at, func(key, value *yaml.Node, at place) {
		k, entry := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		if err := key.Decode(k.Addr().Interface()); err != nil {
			l.invalid(nil, key.Line, at, "as key "+l.expectedAfter(err, key, k.Type(), at))
			return
		}
		if known := v.MapIndex(k); known.IsValid() {
			entry.Set(known)
		}
		l.value(value, entry, at)
		v.SetMapIndex(k, entry)
	})
}

func (l *loader) list(n *yaml.Node, v reflect.Value, at place) {
	if n.Kind != yaml.SequenceNode {
		l.invalid(n, n.Line, at, aList)
		return
	}
	list := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, element := range n.Content {
		l.value(element, list.Index(i), at.at(i))
	}
	v.Set(list)
}

var (
	durationType = reflect.TypeFor[time.Duration]()
	overrideType = reflect.TypeFor[taxonomy.Duration]()
	timeType     = reflect.TypeFor[time.Time]()
	secretType   = reflect.TypeFor[taxonomy.Secret[string]]()
)

// expectedAfter returns the expected form after an error, with the error of a type that decodes
// itself. It omits errors that may contain a secret, and those of the YAML library, because they
// contain Go types.
func (l *loader) expectedAfter(err error, n *yaml.Node, t reflect.Type, at place) string {
	_, library := errors.AsType[*yaml.TypeError](err)
	if library || t == durationType || t == overrideType || t == timeType || !decodesItself(t) {
		return expected(t)
	}
	if _, variable := l.expanded[n]; variable || taxonomy.IsSecretName(at.key) {
		return "something else"
	}
	return "something else: " + taxonomy.Redact(strings.TrimPrefix(err.Error(), "yaml: "))
}

// decodesItself reports whether values of the type have a method for decoding.
func decodesItself(t reflect.Type) bool {
	switch reflect.New(t).Interface().(type) {
	case encoding.TextUnmarshaler, yaml.Unmarshaler, funcUnmarshaler:
		return true
	}
	return false
}

// expected describes the values of a type.
func expected(t reflect.Type) string {
	switch t {
	case durationType, overrideType:
		return `a duration with a unit, such as "30s"`
	case timeType:
		return `a time such as "2006-01-02T15:04:05Z"`
	case secretType:
		return "a text"
	}
	switch k := t.Kind(); {
	case k == reflect.Bool:
		return "true or false"
	case k == reflect.String:
		return "a text"
	case k == reflect.Slice:
		return aList
	case k == reflect.Float32 || k == reflect.Float64:
		return "a number"
	case reflect.Uint <= k && k <= reflect.Uint64:
		return "a whole number from 0"
	case reflect.Int <= k && k <= reflect.Int64:
		return "a whole number"
	}
	return aMapping
}
