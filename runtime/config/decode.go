package config

import (
	"encoding"
	"errors"
	"reflect"
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
	warnings Warnings
	// expanded has the original text of each value with variables.
	expanded map[*yaml.Node]string
}

// funcUnmarshaler is implemented by types that must not depend on a YAML library.
type funcUnmarshaler interface {
	UnmarshalYAML(decode func(into any) error) error
}

// value reads n into v, which can be set.
func (l *loader) value(n *yaml.Node, v reflect.Value, at place) {
	_, own := v.Addr().Interface().(encoding.TextUnmarshaler)
	switch into := v.Addr().Interface().(type) {
	case yaml.Unmarshaler:
		l.decoded(n, v, at, into.UnmarshalYAML(n))
	case funcUnmarshaler:
		l.byFunc(n, v, at, into)
	default:
		switch k := v.Kind(); {
		case n.ShortTag() == "!!null":
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
		case own || v.Type() == secretType || k <= reflect.Float64 || k == reflect.String:
			l.scalar(n, v, at)
		case k == reflect.Struct:
			l.structure(n, v, at)
		case k == reflect.Map:
			l.mapping(n, v, at)
		case k == reflect.Slice:
			l.list(n, v, at)
		default:
			l.decoded(n, v, at, n.Decode(into))
		}
	}
	l.validate(n, v, at)
}

// decoded adds the error of a type that read n by itself.
func (l *loader) decoded(n *yaml.Node, v reflect.Value, at place, err error) {
	if err != nil {
		l.invalid(n, n.Line, at, l.said(err, n, v.Type(), at))
	}
}

// byFunc lets a type read n. The type may try several forms; the problems and warnings of the last
// one count.
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
		l.decoded(n, v, at, err)
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
	f := fields{named: make(map[string]reflect.Value)}
	f.collect(v)
	l.pairs(n, at, func(key, value *yaml.Node, at place) {
		switch field, ok := f.named[key.Value]; {
		case ok:
			l.value(value, field, at)
		case f.rest.IsValid():
			l.entry(key, value, f.rest, at)
		default:
			hint := diag.DidYouMean(key.Value, f.names)
			l.warn(key.Line, at, strings.TrimSuffix("unknown key; "+hint, "; "))
		}
	})
	for _, inlined := range f.inlined {
		l.validate(n, inlined, at)
	}
}

// fields are the fields of a struct by the key that each has in a file.
type fields struct {
	named map[string]reflect.Value
	names []string
	// inlined are the structs whose fields are among them.
	inlined []reflect.Value
	// rest is the inlined map for all other keys, if there is one.
	rest reflect.Value
}

func (f *fields) collect(v reflect.Value) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch inline := options == "inline"; {
		case name == "-" || !field.IsExported() && !(inline && field.Anonymous):
		case inline && field.Type.Kind() == reflect.Struct:
			f.inlined = append(f.inlined, v.Field(i))
			f.collect(v.Field(i))
		case inline:
			f.rest = v.Field(i)
		default:
			if name == "" {
				name = strings.ToLower(field.Name)
			}
			f.names = append(f.names, name)
			f.named[name] = v.Field(i)
		}
	}
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
	l.pairs(n, at, func(key, value *yaml.Node, at place) { l.entry(key, value, v, at) })
}

// entry sets a key of the map m. A value that is there already is extended.
func (l *loader) entry(key, n *yaml.Node, m reflect.Value, at place) {
	if m.IsNil() {
		m.Set(reflect.MakeMap(m.Type()))
	}
	k, v := reflect.New(m.Type().Key()).Elem(), reflect.New(m.Type().Elem()).Elem()
	if err := key.Decode(k.Addr().Interface()); err != nil {
		l.invalid(nil, key.Line, at, "as key "+l.said(err, key, k.Type(), at))
		return
	}
	if known := m.MapIndex(k); known.IsValid() {
		v.Set(known)
	}
	l.value(n, v, at)
	m.SetMapIndex(k, v)
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
	timeType     = reflect.TypeFor[time.Time]()
	secretType   = reflect.TypeFor[taxonomy.Secret[string]]()
	errValue     = errors.New("not such a value")
)

// scalar reads a single value.
func (l *loader) scalar(n *yaml.Node, v reflect.Value, at place) {
	_, variable := l.expanded[n]
	switch into := v.Addr().Interface().(type) {
	case *taxonomy.Secret[string]:
		if n.Kind != yaml.ScalarNode {
			l.invalid(nil, n.Line, at, expected(v.Type()))
			return
		}
		if !variable && n.Value != "" {
			l.warnSecret(n, at)
		}
		*into = taxonomy.SecretOf(n.Value)
		return
	default:
		if n.Kind != yaml.ScalarNode {
			l.invalid(n, n.Line, at, expected(v.Type()))
			return
		}
		l.decoded(n, v, at, set(n, v, variable))
	}
}

// set sets v to the value of n. The value of a variable is not read as YAML.
func set(n *yaml.Node, v reflect.Value, variable bool) (err error) {
	switch into := v.Addr().Interface().(type) {
	case *time.Duration:
		*into, err = time.ParseDuration(n.Value)
	case *time.Time:
		if *into, err = time.Parse(time.RFC3339Nano, n.Value); err != nil {
			*into, err = time.Parse(time.DateOnly, n.Value)
		}
	case encoding.TextUnmarshaler:
		err = into.UnmarshalText([]byte(n.Value))
	default:
		switch {
		case v.Kind() == reflect.String: // also an unquoted number
			v.SetString(n.Value)
		case variable:
			typed := *n
			typed.Value, typed.Tag, typed.Style = strings.TrimSpace(n.Value), "", 0
			if typed.ShortTag() == "!!null" || strings.ContainsAny(typed.Value, "xob_") && v.CanInt() {
				return errValue // variables are not YAML
			}
			return set(&typed, v, false)
		case n.ShortTag() == "!!float" && v.Kind() < reflect.Float32:
			return errValue // yaml.v3 would cut 3.0 to 3
		default:
			return n.Decode(v.Addr().Interface())
		}
	}
	return err
}

// said returns the expected form, with the error of a type that decodes itself. Errors that may
// contain a secret, and those of the YAML library, which contain Go types, are omitted.
func (l *loader) said(err error, n *yaml.Node, t reflect.Type, at place) string {
	_, library := errors.AsType[*yaml.TypeError](err)
	if library || t == durationType || t == timeType || !reads(t) {
		return expected(t)
	}
	if _, variable := l.expanded[n]; variable || taxonomy.IsSecretName(at.key) {
		return "something else"
	}
	return "something else: " + taxonomy.Redact(strings.TrimPrefix(err.Error(), "yaml: "))
}

// reads reports whether values of the type read themselves.
func reads(t reflect.Type) bool {
	switch reflect.New(t).Interface().(type) {
	case encoding.TextUnmarshaler, yaml.Unmarshaler, funcUnmarshaler:
		return true
	}
	return false
}

// expected describes the values of a type.
func expected(t reflect.Type) string {
	switch t {
	case durationType:
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
