package gentest

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestMessagePattern(t *testing.T) {
	for _, tt := range []struct {
		template, message string
		want              bool
	}{
		{"failed", "failed", true},
		{"failed", "failed.", false},
		{"{a} failed", "x failed", true},
		{"{a} failed", " failed", true},
		{"{a} failed", "x fails", false},
		{"failed[ with {status:count} of {b}][: {cause}]", "failed", true},
		{"failed[ with {status:count} of {b}][: {cause}]", "failed with 1 of 2: line\nline", true},
		{"failed[ with {status:count} of {b}][: {cause}]", "failed: line", true},
		{"failed[ with {status:count} of {b}]", "failed with 1", false},
		{"a.c", "abc", false},
		{"[[{a}]] {{b}}", "[x] {b}", true},
		{"[[{a}]] {{b}}", "x {b}", false},
	} {
		assert.Equal(t, tt.want, messagePattern(tt.template).MatchString(tt.message), "%s: %s", tt.template, tt.message)
	}
}

func TestContexts(t *testing.T) {
	fields := []taxonomy.Field{
		{Name: "a", Type: "int"},
		{Name: "s", Type: "string"},
		{Name: "j", Type: "json"},
		{Name: "h", Type: "string", Sensitive: true},
		{Name: "m", Type: "string", MessageOnly: true},
		{Name: "o", Type: "object", Fields: []taxonomy.Field{{Name: "e", Type: "enum"}}},
	}
	assert.Equal(t, []fault{
		{`{"a":"no such value"}`, "a"}, {`{"s":1}`, "s"}, {`{"o":"no such value"}`, "o"}, {`{"o":{"e":1}}`, "o.e"},
	}, contexts(fields, wrongValue))
	assert.Equal(t, []fault{{`{"o":{"e":"no such word"}}`, "o.e"}}, contexts(fields, unknownWord))
}

func TestStrange(t *testing.T) {
	fields := []taxonomy.Field{{Name: "o", Type: "object"}, {Name: "j", Type: "json"}}
	assert.Equal(t,
		`{"j":{"k":1},"n":9223372036854775807,"no such field":[1,{}],"o":{"no such field":[1,{}],"x":null}}`,
		encode(strange(fields, decode(`{"n":9223372036854775807,"o":{"x":null},"j":{"k":1}}`))))
}
