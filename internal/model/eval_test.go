package model

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func ptr[T any](v T) *T { return &v }

func TestCondHolds(t *testing.T) {
	status := &Field{Wire: "status", Type: Int}
	host := &Field{Wire: "host", Type: String}
	n := func(i int64) Value { return Value{Type: Int, Int: i} }
	s := func(v string) Value { return Value{Type: String, Str: v} }
	for _, tt := range []struct {
		name  string
		cond  Cond
		holds []Context
		fails []Context
	}{
		{"value", Cond{Field: status, Values: []Value{n(4), n(5)}}, []Context{{status: n(4)}, {status: n(5)}},
			[]Context{nil, {status: n(6)}}},
		{"range", Cond{Field: status, Min: ptr(n(4)), Max: ptr(n(6))}, []Context{{status: n(4)}, {status: n(6)}},
			[]Context{nil, {status: n(3)}, {status: n(7)}}},
		{"not", Cond{Field: status, Not: []Value{n(0)}}, []Context{{status: n(1)}}, []Context{nil, {status: n(0)}}},
		{"range but", Cond{Field: status, Min: ptr(n(4)), Not: []Value{n(5)}}, []Context{{status: n(4)}},
			[]Context{{status: n(5)}, {status: n(3)}}},
		{"prefix", Cond{Field: host, Prefix: []string{"a", "b."}}, []Context{{host: s("abc")}, {host: s("b.")}},
			[]Context{nil, {host: s("b")}, {host: s("")}}},
		{"present", Cond{Field: host, Present: ptr(true)}, []Context{{host: s("")}}, []Context{nil}},
		{"absent", Cond{Field: host, Present: ptr(false)}, []Context{nil}, []Context{{host: s("")}}},
		{"never", Cond{Field: host, Present: ptr(false), Values: []Value{s("a")}}, nil, []Context{nil, {host: s("a")}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, ctx := range tt.holds {
				assert.True(t, tt.cond.Holds(ctx), "%v", ctx)
			}
			for _, ctx := range tt.fails {
				assert.False(t, tt.cond.Holds(ctx), "%v", ctx)
			}
		})
	}
}

func TestGet(t *testing.T) {
	for _, tt := range []struct {
		name    string
		field   Field
		value   *Value
		present bool
	}{
		{"optional", Field{Type: Int}, nil, false},
		{"optional zero", Field{Type: Int}, &Value{Type: Int}, true},
		{"required", Field{Type: Int, Required: true}, nil, true},
		{"required secret", Field{Type: String, Required: true, Sensitive: true}, nil, false},
		{"required list", Field{Type: Strings, Required: true}, nil, true},
		{"nil list", Field{Type: Strings}, &Value{Type: Strings}, false},
		{"empty list", Field{Type: Strings}, &Value{Type: Strings, Strings: []string{}}, true},
		{"nil json", Field{Type: JSON}, &Value{Type: JSON}, false},
		{"json", Field{Type: JSON}, &Value{Type: JSON, Str: "null"}, true},
		{"required enum", Field{Type: EnumType, Required: true}, nil, false},
		{"enum without a word", Field{Type: EnumType}, &Value{Type: EnumType}, false},
		{"enum", Field{Type: EnumType}, &Value{Type: EnumType, Index: 1}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx := Context{}
			if tt.value != nil {
				ctx[&tt.field] = *tt.value
			}
			_, present := ctx.Get(&tt.field)
			assert.Equal(t, tt.present, present)
		})
	}
}

func TestEqual(t *testing.T) {
	f, at := &Field{}, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range []struct {
		name string
		a, b Value
		want bool
	}{
		{"types", Value{Type: Int}, Value{Type: Int64}, false},
		{"bools", Value{Type: Bool, Bool: true}, Value{Type: Bool}, false},
		{"uints", Value{Type: Uint64, Uint: 1}, Value{Type: Uint64, Uint: 1}, true},
		{"floats", Value{Type: Float64, Float: 1}, Value{Type: Float64, Float: 1.5}, false},
		{"durations", Value{Type: Duration, Duration: 1}, Value{Type: Duration, Duration: 1}, true},
		{"times", Value{Type: Time, Time: at}, Value{Type: Time, Time: at.In(time.FixedZone("x", 60))}, true},
		{"lists", Value{Type: Strings, Strings: []string{"a"}}, Value{Type: Strings, Strings: []string{"b"}}, false},
		{"words", Value{Type: EnumType, Str: "A", Index: 1}, Value{Type: EnumType, Str: "A", Index: 1}, true},
		{"objects", Value{Object: Context{f: {Int: 1}}}, Value{Object: Context{f: {Int: 1}}}, true},
		{"parts of objects", Value{Object: Context{f: {Int: 1}}}, Value{Object: Context{f: {Int: 2}}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, tt.a.Equal(tt.b)) })
	}
}

func TestRowFor(t *testing.T) {
	f := &Field{Type: Int}
	is := func(n int64) []Cond { return []Cond{{Field: f, Values: []Value{{Type: Int, Int: n}}}} }
	own, first, second := &Row{Index: 2}, &Row{Index: 3}, &Row{Index: 4}
	code := &Code{Row: own,
		Branches: []*Branch{{Conds: is(1), Row: first}, {Conds: is(1), Row: second}, {Conds: is(2), Row: second}}}
	assert.Same(t, own, code.RowFor(nil))
	assert.Same(t, first, code.RowFor(Context{f: {Type: Int, Int: 1}}))
	assert.Same(t, second, code.RowFor(Context{f: {Type: Int, Int: 2}}))
	assert.Same(t, own, code.RowFor(Context{f: {Type: Int, Int: 3}}))
}

func TestTypeNames(t *testing.T) {
	for typ := String; typ < EnumType; typ++ {
		got, ok := TypeOf(typ.String())
		assert.True(t, ok)
		assert.Equal(t, typ, got)
	}
	for _, name := range []string{"", "enum", "int32"} {
		_, ok := TypeOf(name)
		assert.False(t, ok, name)
	}
	assert.Equal(t, "unknown", Type(99).String())
}
