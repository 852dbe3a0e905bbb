package config

import (
	"encoding"
	"reflect"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/runtime/taxonomy"
)

var (
	yamlType   = reflect.TypeFor[yaml.Unmarshaler]()
	funcType   = reflect.TypeFor[funcUnmarshaler]()
	textType   = reflect.TypeFor[encoding.TextUnmarshaler]()
	secretType = reflect.TypeFor[taxonomy.Secret[string]]()
)

// value fills v, which can be set, from n.
func (l *loader) value(n *yaml.Node, v reflect.Value, at place) {
	n = resolved(n)
	switch {
	case reflect.PointerTo(v.Type()).Implements(yamlType):
		l.whole(n, v, at)
	case reflect.PointerTo(v.Type()).Implements(funcType):
		l.byFunc(n, v, at)
	case n.ShortTag() == nullTag:
		empty(v)
		return
	case v.Kind() == reflect.Pointer:
		l.pointer(n, v, at)
		return
	case reflect.PointerTo(v.Type()).Implements(textType) || v.Type() == secretType || isScalar(v.Kind()):
		l.scalar(n, v, at)
	case v.Kind() == reflect.Struct:
		l.structure(n, v, at)
	case v.Kind() == reflect.Map:
		l.mapping(n, v, at)
	case v.Kind() == reflect.Slice:
		l.list(n, v, at)
	default:
		l.whole(n, v, at)
	}
	l.validate(n, v, at)
}

func isScalar(k reflect.Kind) bool {
	return reflect.Bool <= k && k <= reflect.Float64 || k == reflect.String
}

// empty is what a key without a value does: what can be absent is, anything else stays.
func empty(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface:
		v.SetZero()
	}
}

func (l *loader) pointer(n *yaml.Node, v reflect.Value, at place) {
	if v.IsNil() {
		v.Set(reflect.New(v.Type().Elem()))
	}
	l.value(n, v.Elem(), at)
}

// whole has the library, or the type itself, read n.
func (l *loader) whole(n *yaml.Node, v reflect.Value, at place) {
	if err := n.Decode(v.Addr().Interface()); err != nil {
		l.invalid(n, n.Line, at, l.said(err, n, v.Type(), at), false)
	}
}

// structure fills the fields of a struct.
func (l *loader) structure(n *yaml.Node, v reflect.Value, at place) {
	if n.Kind != yaml.MappingNode {
		l.invalid(n, n.Line, at, "a mapping", false)
		return
	}
	fields := fieldsOf(v)
	for _, p := range pairs(n) {
		if !l.keyOf(p, at) {
			continue
		}
		where := at.under(p.key.Value)
		if field, ok := fields.named[p.key.Value]; ok {
			l.value(p.value, field, where)
			continue
		}
		if fields.rest.IsValid() {
			l.entry(p, fields.rest, where)
			continue
		}
		l.unknownKey(p, where, fields.names)
	}
	for _, inlined := range fields.inlined {
		l.validate(n, inlined, at)
	}
}

// keyOf reports whether a key is a plain one; a mapping has no others.
func (l *loader) keyOf(p pair, at place) bool {
	if p.key.Kind != yaml.ScalarNode {
		l.invalid(nil, p.key.Line, at, "keys that are texts", false)
		return false
	}
	return true
}

func (l *loader) mapping(n *yaml.Node, v reflect.Value, at place) {
	if n.Kind != yaml.MappingNode {
		l.invalid(n, n.Line, at, "a mapping", false)
		return
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	for _, p := range pairs(n) {
		if l.keyOf(p, at) {
			l.entry(p, v, at.under(p.key.Value))
		}
	}
}

// entry sets a key of a map; what the key has already goes on being filled.
func (l *loader) entry(p pair, m reflect.Value, at place) {
	if m.IsNil() {
		m.Set(reflect.MakeMap(m.Type()))
	}
	key := reflect.New(m.Type().Key()).Elem()
	if err := p.key.Decode(key.Addr().Interface()); err != nil {
		l.invalid(nil, p.key.Line, at, "as key "+l.said(err, p.key, key.Type(), at), false)
		return
	}
	value := reflect.New(m.Type().Elem()).Elem()
	if known := m.MapIndex(key); known.IsValid() {
		value.Set(known)
	}
	l.value(p.value, value, at)
	m.SetMapIndex(key, value)
}

func (l *loader) list(n *yaml.Node, v reflect.Value, at place) {
	if n.Kind != yaml.SequenceNode {
		l.invalid(n, n.Line, at, "a list", false)
		return
	}
	list := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, element := range n.Content {
		l.value(element, list.Index(i), at.at(i))
	}
	v.Set(list)
}
