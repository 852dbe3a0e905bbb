package sample_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/sample"
)

// code returns the only code of a taxonomy with the given fields and lines of the code.
func code(t *testing.T, fields string, lines ...string) *model.Code {
	t.Helper()
	src := "errgen: 1\npackage: p\nreactions: {again: {action: retry}}\ncategories:\n  c:\n    doc: D.\n    fields: {" +
		fields + "}\n    codes:\n" +
		"      CODE:\n        doc: D.\n        " + strings.Join(lines, "\n        ") + "\n"
	m, findings := check.Load("p.yaml", []byte(src))
	for _, f := range findings {
		require.Equal(t, diag.Warning, f.Severity, "%s\n%s", f.Message, src)
	}
	return m.Codes[0]
}

// show returns the context and the cause of a case as text, in the order of the fields.
func show(c sample.Case) string {
	out := sample.JSON(c.Code.Category.Fields, c.Context)
	if c.Caused {
		out += " caused"
	}
	return out
}

func TestCases(t *testing.T) {
	for _, tt := range []struct {
		name   string
		fields string
		lines  []string
		want   []string
	}{
		{"nothing to vary", "", []string{"message: m"}, []string{"{} m"}},
		{"a required field in the message is given and empty", "id: {type: string, required: true}",
			[]string{"message: 'no {id}'"}, []string{
				`{"id":"some id"} no some id`,
				`{"id":""} no `,
			}},
		{"an optional field is absent, present and empty", "a: {type: string}", []string{"message: 'm[ {a}]'"},
			[]string{
				`{} m`,
				`{"a":"some a"} m some a`,
				`{"a":""} m`,
			}},
		{"each field of a part is missing in turn", "a: {type: int}, b: {type: bool}",
			[]string{"message: 'm[ {a}/{b}]'"}, []string{
				`{} m`,
				`{"a":3,"b":true} m 3/true`,
				`{"b":true} m`,
				`{"a":3} m`,
			}},
		{"first lines come from texts with two", "a: {type: string}", []string{"message: 'm[ {a:first_line}]'"},
			[]string{
				`{} m`,
				`{"a":"some a\nsecond line"} m some a`,
				`{"a":""} m`,
				`{"a":"some a"} m some a`,
			}},
		{"a cause is there and not", "", []string{"message: 'm[: {cause}]'"},
			[]string{"{} m", "{} caused m: some cause"}},
		{"what the code fixes stays", "a: {type: int}", []string{"message: 'm {a}'", "set: {a: 7}"},
			[]string{`{"a":7} m 7`}},
		{"a long text and a secret", "a: {type: string, scrub: true, max_length: 20}", []string{"message: m"}, []string{
			`{} m`,
			`{"a":"first xxxxxxxxxxx…"} m`,
			`{"a":"Authorization: Be…"} m`,
			`{"a":"some a"} m`,
		}},
		{"a word that does not exist", "a: {enum: [x, y]}", []string{"message: m"}, []string{
			`{} m`,
			`{} m`,
			`{"a":"x"} m`,
		}},
		{"an object with little in it", "a: {type: object, fields: {b: {type: int, required: true}, c: {type: int}}}",
			[]string{"message: m"}, []string{
				`{} m`,
				`{"a":{"b":3}} m`,
				`{"a":{"b":3,"c":4}} m`,
			}},
		{"feedback shows fields, too", "a: {type: int}", []string{"message: m", "feedback: 'f[ {a}]'"},
			[]string{`{} m`, `{"a":3} m`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			code := code(t, tt.fields, tt.lines...)
			for _, c := range sample.Cases(code, sample.Hosts(code.Category)[code]) {
				got = append(got, show(c)+" "+c.Message())
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestBranches(t *testing.T) {
	for _, tt := range []struct {
		name   string
		fields string
		when   string
		want   []string // contexts, with the branch that decides
	}{
		{"a range: below, at and above its bounds, and absent", "n: {type: int}",
			"{if: {n: {min: 400, max: 499}}, severity: low}", []string{
				`{"n":399} 0`, `{"n":400} 1`, `{"n":499} 1`, `{"n":500} 0`, `{"n":3} 0`, `{} 0`,
			}},
		{"the lowest value there is has nothing below it", "n: {type: uint64}",
			"{if: {n: {min: 0, max: 1}}, severity: low}", []string{
				`{"n":0} 1`, `{"n":1} 1`, `{"n":2} 0`, `{"n":18446744073709551615} 0`, `{} 0`,
			}},
		{"a list of values", "n: {type: int}", "{if: {n: [3, 5]}, severity: low}", []string{
			`{"n":3} 1`, `{"n":5} 1`, `{"n":4} 0`, `{} 0`,
		}},
		{"a bool", "b: {type: bool}", "{if: {b: true}, severity: low}",
			[]string{`{"b":true} 1`, `{"b":false} 0`, `{} 0`}},
		{"every word of an enum", "e: {enum: [x, y, z]}", "{if: {e: {not: y}}, severity: low}", []string{
			`{"e":"y"} 0`, `{"e":"x"} 1`, `{"e":"z"} 1`, `{} 0`,
		}},
		{"a prefix", "s: {type: string}", "{if: {s: {prefix: ab}}, severity: low}", []string{
			`{"s":"ab"} 1`, `{"s":"abx"} 1`, `{"s":"xab"} 0`, `{"s":"some s"} 0`, `{} 0`,
		}},
		{"presence", "n: {type: int}", "{if: {n: {present: true}}, severity: low}", []string{`{"n":3} 1`, `{} 0`}},
		{"one field after the other", "a: {type: bool}, b: {type: bool}", "{if: {a: true, b: false}, severity: low}",
			[]string{
				`{"a":true,"b":false} 1`, `{"a":false,"b":false} 0`, `{"b":false} 0`, `{"a":true,"b":true} 0`,
				`{"a":true} 0`,
			}},
		{"a branch that only what others leave reaches", "a: {type: bool}, n: {type: int}",
			"{if: {a: true}, severity: low}, {if: {n: {min: 0}}, severity: high}", []string{
				`{"a":true} 1`, `{"a":false} 0`, `{} 0`, `{"n":-1} 0`, `{"n":0} 2`, `{"n":3} 2`,
			}},
		{"a duration", "d: {type: duration}", "{if: {d: {max: 1s}}, severity: low}", []string{
			`{"d":"1s"} 1`, `{"d":"1.001s"} 0`, `{"d":"1.5s"} 0`, `{} 0`,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := code(t, tt.fields, "message: m", "when: ["+tt.when+"]")
			got := map[string]bool{}
			for _, b := range sample.Branches(c) {
				got[fmt.Sprintf("%s %d", show(b), b.Row().Branch)] = true
			}
			want := map[string]bool{}
			for _, w := range tt.want {
				want[w] = true
			}
			assert.Equal(t, want, got)
		})
	}
}

func TestJSON(t *testing.T) {
	for _, tt := range []struct {
		name  string
		field string
		value func(f *model.Field) model.Value
		wire  string
	}{
		{"duration", "type: duration", nil, `"1.5s"`},
		{"html", "type: string", text("<&>"), `"\u003c\u0026\u003e"`},
		{"cut", "type: string, max_length: 5", text("abcdef"), `"ab…"`},
		{"secret", "type: string, sensitive: true", nil, `"[REDACTED]"`},
		{"largest number", "type: uint64", nil, "18446744073709551615"},
		{"time", "type: time", nil, `"2026-01-02T03:04:00Z"`},
		{"json", "type: json", nil, `{"some":"f"}`},
		{"list", "type: strings", nil, `["f 1","f 2"]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fields := code(t, "f: {"+tt.field+"}", "message: m").Category.Fields
			v := sample.Value(fields[0], 0)
			if tt.value != nil {
				v = tt.value(fields[0])
			}
			ctx := model.Context{fields[0]: v}
			assert.Equal(t, `{"f":`+tt.wire+`}`, sample.JSON(fields, ctx))
			assert.Equal(t, "{}", sample.JSON(fields, model.Context{}))
		})
	}
}

func text(s string) func(*model.Field) model.Value {
	return func(*model.Field) model.Value { return model.Value{Type: model.String, Str: s} }
}

func TestFull(t *testing.T) {
	c := code(t, "a: {type: int}, b: {type: int}", "message: m", "set: {b: 9}")
	full := sample.Full(c)
	assert.Equal(t, `{"a":3,"b":9}`, show(full))
	assert.Equal(t, `{"b":9}`, show(sample.Base(c)))
}
