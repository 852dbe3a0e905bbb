package model

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy/gen"
)

// Value is a value of a field's type.
type Value struct {
	Type     Type
	Str      string // String, JSON, the word of an enum
	Int      int64  // Int, Int64
	Uint     uint64
	Float    float64
	Bool     bool
	Duration time.Duration
	Time     time.Time
	Strings  []string
	Index    int // of an enum's value, 1-based
	Object   Context
	Objects  []Context
}

// Compare orders two values of one type. It ignores lists and objects, which have no order. Use
// [Value.Equal] to compare them.
func (v Value) Compare(w Value) int {
	number := map[bool]int{true: 1}
	return cmp.Or(cmp.Compare(v.Int, w.Int), cmp.Compare(v.Uint, w.Uint), cmp.Compare(v.Float, w.Float),
		cmp.Compare(v.Duration, w.Duration), v.Time.Compare(w.Time), cmp.Compare(number[v.Bool], number[w.Bool]),
		cmp.Compare(v.Index, w.Index), strings.Compare(v.Str, w.Str))
}

// Equal reports whether two values of one type are the same.
func (v Value) Equal(w Value) bool {
	return v.Type == w.Type && v.Compare(w) == 0 && slices.Equal(v.Strings, w.Strings) &&
		maps.EqualFunc(v.Object, w.Object, Value.Equal) && reflect.DeepEqual(v.Objects, w.Objects)
}

// Any returns the value for encoding/json, or nil if v is nil. Secrets are not masked.
func (v *Value) Any() any {
	if v == nil {
		return nil
	}
	switch v.Type {
	case Int:
		return int(v.Int)
	case Int64:
		return v.Int
	case Uint64:
		return v.Uint
	case Float64:
		return v.Float
	case Bool:
		return v.Bool
	case Duration:
		return v.Duration.String()
	case Time:
		return v.Time.UTC().Format(time.RFC3339Nano)
	case Strings:
		return v.Strings
	case JSON:
		return json.RawMessage(v.Str)
	}
	return v.Str
}

// JSON returns the value as JSON. Secrets are not masked.
func (v Value) JSON() string { return marshal(v.Any()) }

func marshal(v any) string {
	if raw, ok := v.(json.RawMessage); ok {
		return string(raw)
	}
	b, _ := json.Marshal(v) // such values cannot fail
	return string(b)
}

// SetJSON returns the values of fields as a JSON object, or "" if there are none.
func SetJSON(set []FieldValue) string {
	if len(set) == 0 {
		return ""
	}
	parts := make([]string, len(set))
	for i, s := range set {
		parts[i] = marshal(s.Field.Wire) + ":" + s.Value.JSON()
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// Literal returns a value of the field in the form of a taxonomy.
func (f *Field) Literal(v Value) string {
	if v.Type == String {
		return strconv.Quote(v.Str)
	}
	return f.Shown(v)
}

// Shown returns v in the form of messages. Its text is masked and cut as the field specifies.
func (f *Field) Shown(v Value) string {
	switch v.Type {
	case Strings:
		list := make([]string, len(v.Strings))
		for i, s := range v.Strings {
			list[i] = f.Clean(s)
		}
		return strings.Join(list, ", ")
	case String:
		return f.Clean(v.Str)
	case JSON:
		return v.Str
	}
	return fmt.Sprint(v.Any())
}

// Clean masks and cuts a text of the field.
func (f *Field) Clean(s string) string { return f.clean().Text(s) }

func (f *Field) clean() gen.Clean {
	how := gen.Clean(f.MaxLength)
	if f.Scrub {
		how |= gen.Scrub
	}
	if f.KeepTail {
		how |= gen.KeepTail
	}
	return how
}

// String returns the test in words: "status is from 400 to 499".
func (c Cond) String() string {
	var tests []string
	add := func(is string, values ...Value) {
		var words []string
		for _, v := range values {
			words = append(words, c.Field.Literal(v))
		}
		if last := len(words) - 1; last > 0 {
			words = []string{strings.Join(words[:last], ", "), words[last]}
		}
		if words != nil {
			tests = append(tests, is+strings.Join(words, " or "))
		}
	}
	add("is ", c.Values...)
	switch {
	case c.Min != nil && c.Max != nil:
		tests = append(tests, "is from "+c.Field.Literal(*c.Min)+" to "+c.Field.Literal(*c.Max))
	case c.Min != nil:
		add("is at least ", *c.Min)
	case c.Max != nil:
		add("is at most ", *c.Max)
	}
	add("is given and not ", c.Not...)
	if len(c.Prefix) > 0 {
		quoted := fmt.Sprintf("%q", c.Prefix) // ["a" "b"]
		tests = append(tests, "begins with "+strings.ReplaceAll(quoted[1:len(quoted)-1], `" "`, `" or "`))
	}
	if c.Present != nil {
		tests = append(tests, map[bool]string{true: "is given", false: "is absent"}[*c.Present])
	}
	return c.Field.Wire + " " + strings.Join(tests, " and ")
}
