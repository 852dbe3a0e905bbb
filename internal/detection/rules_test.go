package detection_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestRank(t *testing.T) {
	for _, tt := range []struct {
		name    string
		rules   []string
		want    string // codes in the order in which they win
		derived string // the same when the status was read out of the text
	}{
		{"order of the file", []string{"{status: 401}", "{status: 402}"}, "AB", "AB"},
		{"priority", []string{"{status: 401, priority: -1}", "{source: s}", "{source: s, priority: 1}"}, "CBA", "CBA"},
		{"class", []string{"{source: s, op: o}", "{source: s, text: x}", "{contains: x}", "{type: x}"}, "DBCA", "DBCA"},
		{"every structured key", []string{
			"{op: o}", "{text: x}", "{status: 401}", "{type: x}", "{code: x}", "{exit_code: 1}", "{signal: x}",
			"{errno: x}",
			"{is: io.EOF}", "{as: x}", "{attributes: {x: y}}",
		}, "CDEFGHIJKBA", "DEFGHIJKBCA"},
		{"text with something structured", []string{"{text: x}", "{text: x, status: 401}", "{text: x, exit_code: 1}"},
			"BCA", "CAB"},
		{"a status with something structured", []string{"{status: 401}", "{status: 401, type: x}", "{text: x}"}, "ABC",
			"BAC"},
		{"absence is structured", []string{"{source: s}", "{exit_code: {present: false}}"}, "BA", "BA"},
		{"a source that must be absent", []string{"{source: {present: false}}", "{text: x}"}, "BA", "BA"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := withRules(t, tt.rules...)
			order, derived := "", make([]byte, len(tt.rules))
			rules := detection.Rules(m).Rules
			for i, r := range rules {
				of := m.Categories[r.Row.Category()].Codes[r.Row.Code()-1]
				code := of.Key
				order += code
				derived[r.Derived] = code[0]
				assert.Equal(t, code+"/1", r.Name)
				assert.Same(t, of.Rules[0], detection.Ranked(m)[i])
			}
			assert.Equal(t, tt.want, order)
			assert.Equal(t, tt.derived, string(derived))
		})
	}
}

func TestPatternsOnce(t *testing.T) {
	rules := detection.Rules(
		withRules(t, "{text: [abcd, '(?i)efgh']}", "{contains: [abcd, ijkl], text: abcd}",
			"{status: 401, contains: ijkl}"))
	assert.Equal(t, []detect.Pattern{
		{Plain: "ijkl", Literals: []detect.Literal{{Text: "ijkl", Fold: true}}, Reach: 6},
		{Expr: "abcd", Literals: []detect.Literal{{Text: "abcd"}}, Reach: 4},
		{Expr: "(?i)efgh", Literals: []detect.Literal{{Text: "efgh", Fold: true}}, Reach: 4},
		{Plain: "abcd", Literals: []detect.Literal{{Text: "abcd", Fold: true}}, Reach: 4},
	}, rules.Patterns)
	text := func(i int) [2][]uint16 { return [2][]uint16{rules.Rules[i].Text, rules.Rules[i].Contains} }
	assert.Equal(t, [2][]uint16{nil, {0}}, text(0))
	assert.Equal(t, [2][]uint16{{1, 2}, nil}, text(1))
	assert.Equal(t, [2][]uint16{{1}, {3, 0}}, text(2))
}

func TestNeeds(t *testing.T) {
	m := build(t, `
fallback: {code: LOST, set: {word: a}}
fields:
  id: {type: string, required: true, from: [attributes.id, code]}
  word: {enum: [a, b], required: true, from: type}
  known: {type: string, required: true, from: op, default: x}
  run: {type: object, required: true, fields: {n: {type: int, required: true, from: status}, m: {type: int, from: status}, d: {type: int, required: true, default: 1}}}
  maybe: {type: object, fields: {n: {type: int, required: true, from: status}}}
  wait: {type: duration, from: retry_after}
categories:
  io:
    codes:
      FOUND: {message: m, set: {id: fixed}, detect: [{status: 401, set: {word: b}}, {status: 402}]}
      ALWAYS: {message: m, args: [wait], detect: [{status: 403, set: {word: b}}, {status: 404, set: {word: a}}]}
      NEVER: {message: m}
      LOST: {message: m}
`)
	need := func(code int, field, typ string, words []string, from ...string) detect.Need {
		return detect.Need{Row: taxonomy.At(0, uint16(code+1)), Field: field, From: from, Type: typ, Words: words}
	}
	rules := detection.Rules(m)
	assert.Equal(t, []detect.Need{
		need(0, "word", "enum", []string{"a", "b"}, "type"),
		need(0, "run.n", "int", nil, "status"),
		need(1, "id", "string", nil, "attributes.id", "code"),
		need(1, "word", "enum", []string{"a", "b"}, "type"),
		need(1, "run.n", "int", nil, "status"),
		need(1, "wait", "duration", nil, "retry_after"),
		need(3, "id", "string", nil, "attributes.id", "code"),
		need(3, "word", "enum", []string{"a", "b"}, "type"),
		need(3, "run.n", "int", nil, "status"),
	}, rules.Needs)
	assert.Equal(t, []string{"word"}, rules.FallbackSet)
	assert.Equal(t, []string{"word"}, rules.Rules[0].Set)
}
