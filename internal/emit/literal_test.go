package emit

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/model"
)

func TestLiteral(t *testing.T) {
	mood := &model.Enum{Type: "Mood",
		Values: []model.EnumValue{{Wire: "good", Const: "MoodGood"}, {Wire: "bad", Const: "MoodBad"}}}
	tests := []struct {
		field    model.Field
		value    model.Value
		constant string
		typed    string // in a context without a type, if that differs
		inTest   string // as a parameter in a test, if that differs
	}{
		{model.Field{Type: model.String}, model.Value{Str: "a\"`\n\u2028\x00%s"}, `"a\"` + "`" + `\n\u2028\x00%s"`,
			"", ""},
		{model.Field{Type: model.Int}, model.Value{Int: -7}, "-7", "", ""},
		{model.Field{Type: model.Int64}, model.Value{Int: math.MinInt64}, "-9223372036854775808",
			"int64(-9223372036854775808)", ""},
		{model.Field{Type: model.Uint64}, model.Value{Uint: math.MaxUint64}, "18446744073709551615",
			"uint64(18446744073709551615)", ""},
		{model.Field{Type: model.Float64}, model.Value{Float: 2}, "2.0", "", ""},
		{model.Field{Type: model.Float64}, model.Value{Float: -0.5e-30}, "-5e-31", "", ""},
		{model.Field{Type: model.Bool}, model.Value{Bool: true}, "true", "", ""},
		{model.Field{Type: model.Duration}, model.Value{}, "0", "time.Duration(0)", ""},
		{model.Field{Type: model.Duration}, model.Value{Duration: time.Hour}, "time.Hour", "", ""},
		{model.Field{Type: model.Duration}, model.Value{Duration: 90 * time.Minute}, "90 * time.Minute", "", ""},
		{model.Field{Type: model.Duration}, model.Value{Duration: -1500 * time.Millisecond}, "-1500 * time.Millisecond",
			"", ""},
		{model.Field{Type: model.Duration}, model.Value{Duration: math.MinInt64},
			"-9223372036854775808 * time.Nanosecond", "", ""},
		{model.Field{Type: model.Time}, model.Value{}, "time.Time{}", "", ""},
		{model.Field{Type: model.Time}, model.Value{Time: time.Date(2020, 2, 3, 4, 5, 6, 7, time.FixedZone("x", 3600))},
			"time.Date(2020, time.February, 3, 3, 5, 6, 7, time.UTC)", "", ""},
		{model.Field{Type: model.Strings}, model.Value{Strings: []string{"a", "`"}}, "[]string{\"a\", \"`\"}", "",
			"pkg.Strings(\"a\", \"`\")"},
		{model.Field{Type: model.Strings}, model.Value{Strings: []string{}}, "[]string{}", "", ""},
		{model.Field{Type: model.Strings}, model.Value{}, "[]string{}", "", "nil"},
		{model.Field{Type: model.JSON}, model.Value{Str: `{"a":1}`}, "json.RawMessage(`{\"a\":1}`)", "",
			"pkg.JSON(`{\"a\":1}`)"},
		{model.Field{Type: model.EnumType, Enum: mood}, model.Value{Index: 2}, "MoodBad", "", ""},
	}
	d := &testData{pkg: "pkg"}
	for _, tt := range tests {
		t.Run(tt.constant, func(t *testing.T) {
			got := constant(&tt.field, tt.value)
			assert.Equal(t, tt.constant, string(got.text))
			assert.Equal(t, tt.constant, got.code().GoString())
			if tt.typed == "" {
				tt.typed = tt.constant
			}
			assert.Equal(t, tt.typed, typed(&tt.field, got).code().GoString())
			if tt.inTest == "" {
				tt.inTest = tt.constant
			}
			assert.Equal(t, tt.inTest, d.value(&tt.field, tt.value).GoString())
		})
	}
	unknown := d.value(&model.Field{Type: model.EnumType, Enum: mood}, model.Value{Index: -2})
	assert.Equal(t, "Mood(2)", unknown.GoString())
}

func TestStringLiterals(t *testing.T) {
	for _, tt := range []struct{ value, want string }{
		{"", `""`},
		{"plain", `"plain"`},
		{`{"a":1}`, "`{\"a\":1}`"},
		{"{\"a`\":1}", `"{\"a` + "`" + `\":1}"`},
		{"\"line\n\"", `"\"line\n\""`},
		{"\"\u2028\"", `"\"\u2028\""`},
		{"\"\xff\"", `"\"\xff\""`},
		{"\"\u202e\"", `"\"\u202e\""`},
		{"\"\ufeff\"", `"\"\ufeff\""`},
		{strings.Repeat("x", 100), `strings.Repeat("x", 100)`},
		{"a" + strings.Repeat("`", 60) + "b", `"a" + strings.Repeat("` + "`" + `", 60) + "b"`},
		{strings.Repeat("é", 60), strconv.Quote(strings.Repeat("é", 60))},
	} {
		assert.Equal(t, tt.want, longText(tt.value).GoString())
	}
}

func TestTag(t *testing.T) {
	tests := []struct {
		field model.Field
		want  string
	}{
		{model.Field{Wire: "a", Required: true}, "`json:\"a\"`"},
		{model.Field{Wire: "a"}, "`json:\"a,omitzero\"`"},
		{model.Field{Wire: "a", Required: true, MessageOnly: true}, "`json:\"-\"`"},
		{model.Field{Wire: "a`\"b", Required: true}, `"json:\"a` + "`" + `\\\"b\""`},
	}
	for _, tt := range tests {
		t.Run(tt.want, func(t *testing.T) {
			assert.Equal(t, tt.want, tag(&tt.field))
		})
	}
}
