package config

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/errgen/errgen/runtime/internal/text"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Problem is a setting with a value that is not allowed.
type Problem struct {
	// Field is the path of the setting with the keys of the file, relative to the validated value:
	// "retries", "a.b[2]". It is empty for the value itself.
	Field string
	// Expected describes the allowed values: "a number from 1 to 10".
	Expected string
}

// Validator checks its settings: ranges, words, combinations. Validate is called after the value
// was read. Values within it are validated first.
type Validator interface {
	Validate() []Problem
}

// Findings collects problems for a [Validator]; the zero value is empty.
type Findings []Problem

// Word adds a problem unless value is empty or in words.
func (f *Findings) Word(field, value string, words []string) {
	if value != "" && !slices.Contains(words, value) {
		*f = append(*f, Problem{Field: field, Expected: OneOf(words)})
	}
}

// NotNegative adds a problem if value is less than 0. Use it where 0 means the default.
func (f *Findings) NotNegative(field string, value int64) {
	if value < 0 {
		*f = append(*f, Problem{Field: field, Expected: "0 (the default) or more"})
	}
}

// OneOf joins words as in a sentence: "a, b or c".
func OneOf(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// validate calls Validate of v, which was read from n.
func (l *loader) validate(n *yaml.Node, v reflect.Value, at place) {
	if !v.CanAddr() || !v.CanInterface() {
		return
	}
	validator, ok := v.Addr().Interface().(Validator)
	if !ok {
		return
	}
	for _, p := range validator.Validate() {
		value, line := l.nodes[at.join(p.Field).path], n.Line
		if value != nil {
			line = value.Line
		}
		l.invalid(value, line, at.join(p.Field), p.Expected)
	}
}

// place is the path of a value and the last key in it. Elements of a list have the list's key.
type place struct{ path, key string }

// under returns the place of a key in the mapping at p.
func (p place) under(key string) place {
	if !isName(key) {
		return place{p.path + "[" + text.Quote(key, maxKey) + "]", key}
	}
	return place{p.join(key).path, key}
}

// at returns the place of an element of the list at p.
func (p place) at(i int) place { return place{p.path + "[" + strconv.Itoa(i) + "]", p.key} }

// join returns the place at the path field below p.
func (p place) join(field string) place {
	if field == "" {
		return p
	}
	path := field
	if p.path != "" && field[0] == '[' {
		path = p.path + field
	} else if p.path != "" {
		path = p.path + "." + field
	}
	key, _, _ := strings.Cut(field[strings.LastIndexByte(field, '.')+1:], "[")
	return place{path, key}
}

// isName reports whether a path can contain the key without quotes.
func isName(key string) bool {
	return key != "" && len(key) <= maxKey && taxonomy.Redact(key) == key && strings.Trim(key, nameBytes) == ""
}

const (
	nameBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	maxKey    = 64 // bytes
)
