package resolve

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
)

func lit(kind spec.LiteralKind, text string) spec.Literal {
	return spec.Literal{Kind: kind, Text: text}
}

func list(items ...spec.Literal) spec.Literal {
	return spec.Literal{Kind: spec.LitList, Items: items}
}

func str(s string) spec.Literal { return lit(spec.LitString, s) }

func number(s string) spec.Literal { return lit(spec.LitInt, s) }

var colours = &model.Enum{Type: "Colour", Values: []model.EnumValue{{Wire: "RED"}, {Wire: "4"}}}

func TestValue(t *testing.T) {
	for _, tt := range []struct {
		name string
		typ  model.Type
		lit  spec.Literal
		want model.Value
	}{
		{"string", model.String, str("a"), model.Value{Str: "a"}},
		{"int", model.Int, number("-7"), model.Value{Int: -7}},
		{"int plus", model.Int, number("+7"), model.Value{Int: 7}},
		{"int with leading zero", model.Int, number("010"), model.Value{Int: 10}},
		{"uint64", model.Uint64, number("18446744073709551615"), model.Value{Uint: 18446744073709551615}},
		{"float", model.Float64, lit(spec.LitFloat, "1.5e3"), model.Value{Float: 1500}},
		{"float of int", model.Float64, number("2"), model.Value{Float: 2}},
		{"bool", model.Bool, lit(spec.LitBool, "true"), model.Value{Bool: true}},
		{"bool capital", model.Bool, lit(spec.LitBool, "False"), model.Value{}},
		{"duration", model.Duration, str("1.5s"), model.Value{Duration: 1500 * time.Millisecond}},
		{"time", model.Time, str("2026-01-02T03:04:05+01:00"),
			model.Value{Time: time.Date(2026, 1, 2, 2, 4, 5, 0, time.UTC)}},
		{"strings", model.Strings, list(str("a"), str("b")), model.Value{Strings: []string{"a", "b"}}},
		{"no strings", model.Strings, list(), model.Value{Strings: []string{}}},
		{"enum", model.EnumType, str("RED"), model.Value{Str: "RED", Index: 1}},
		{"enum that looks like a number", model.EnumType, number("4"), model.Value{Str: "4", Index: 2}},
		{"json null", model.JSON, lit(spec.LitNull, ""), model.Value{Str: "null"}},
		{"json", model.JSON, spec.Literal{Kind: spec.LitMap, Keys: []spec.LiteralEntry{
			{Key: spec.Text{V: `a"`}, Value: list(number("10"), lit(spec.LitFloat, "0.5"), str("<x>"))},
			{Key: spec.Text{V: "b"}, Value: lit(spec.LitBool, "True")},
		}}, model.Value{Str: `{"a\"":[10,0.5,"\u003cx\u003e"],"b":true}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Type = tt.typ
			got, err := Value(&model.Field{Type: tt.typ, Enum: colours}, tt.lit)
			assert.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestValueRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		typ  model.Type
		lit  spec.Literal
		want string
	}{
		{"null", model.Int, lit(spec.LitNull, ""), "whole number"},
		{"number for string", model.String, number("5"), "in quotes"},
		{"list for string", model.String, list(), "text"},
		{"string for int", model.Int, str("5"), "whole number"},
		{"hexadecimal int", model.Int64, number("0x1F"), "whole number"},
		{"int out of range", model.Int, number("9223372036854775808"), "whole number"},
		{"negative uint", model.Uint64, number("-1"), "not negative"},
		{"uint out of range", model.Uint64, number("18446744073709551616"), "whole number"},
		{"infinite", model.Float64, lit(spec.LitFloat, ".inf"), "finite"},
		{"float too large", model.Float64, lit(spec.LitFloat, "1e999"), "finite"},
		{"string for bool", model.Bool, str("true"), "true or false"},
		{"duration without unit", model.Duration, number("5"), "with a unit"},
		{"not a duration", model.Duration, str("soon"), "with a unit"},
		{"not a time", model.Time, str("today"), "2006-01-02T15:04:05Z"},
		{"scalar for list", model.Strings, str("a"), "list of texts"},
		{"number in list", model.Strings, list(number("1")), "list of texts"},
		{"no such word", model.EnumType, str("BLUE"), "one of RED, 4"},
		{"list for enum", model.EnumType, list(str("RED")), "one of RED, 4"},
		{"object", model.ObjectType, spec.Literal{Kind: spec.LitMap}, "a taxonomy cannot contain a value of type object"},
		{"nan in json", model.JSON, list(lit(spec.LitFloat, ".nan")), "JSON"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Value(&model.Field{Type: tt.typ, Enum: colours}, tt.lit)
			assert.ErrorContains(t, err, tt.want)
			assert.Equal(t, model.Value{Type: tt.typ}, got)
		})
	}
}

func TestConditionFaults(t *testing.T) {
	at := func(l spec.Literal, line int) spec.Literal { l.Span = diag.Span{Line: line}; return l }
	one, two := at(str("a"), 1), at(number("1"), 2)
	for _, tt := range []struct {
		name string
		typ  model.Type
		m    spec.Matcher
		want []string
	}{
		{"wrong type", model.Int, spec.Matcher{Values: []spec.Literal{two, one}},
			[]string{"1: expected a whole number"}},
		{"order of strings", model.String, spec.Matcher{Min: &one},
			[]string{"1: a field of type string has no order: min and max do not apply"}},
		{"value of a list", model.Strings, spec.Matcher{Not: []spec.Literal{one}},
			[]string{"1: a field of type strings can only be tested with present"}},
		{"bound of a list", model.Strings, spec.Matcher{Max: &two},
			[]string{"2: a field of type strings can only be tested with present"}},
		{"prefix of a number", model.Int, spec.Matcher{Prefix: []spec.Text{{V: "4", Span: diag.Span{Line: 3}}}},
			[]string{"3: a field of type int has no prefix"}},
		{"presence of a list", model.Strings, spec.Matcher{Present: spec.Bool{V: true, Set: true}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, faults := Condition(&model.Field{Type: tt.typ}, tt.m)
			var got []string
			for _, f := range faults {
				got = append(got, string(rune('0'+f.Span.Line))+": "+f.Err.Error())
			}
			assert.Equal(t, tt.want, got)
		})
	}
}
