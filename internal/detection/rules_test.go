package detection_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/runtime/detect"
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
				code := of.Name
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
		{Expr: "abcd", Literals: []detect.Literal{{Text: "abcd"}}},
		{Expr: "(?i)efgh", Literals: []detect.Literal{{Text: "efgh", Fold: true}}},
		{Plain: "abcd", Literals: []detect.Literal{{Text: "abcd", Fold: true}}},
		{Plain: "ijkl", Literals: []detect.Literal{{Text: "ijkl", Fold: true}}},
	}, rules.Patterns)
	text := func(i int) [2][]uint16 { return [2][]uint16{rules.Rules[i].Text, rules.Rules[i].Contains} }
	assert.Equal(t, [2][]uint16{nil, {3}}, text(0))
	assert.Equal(t, [2][]uint16{{0, 1}, nil}, text(1))
	assert.Equal(t, [2][]uint16{{0}, {2, 3}}, text(2))
}
