package resolve_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// ruleOf resolves one rule of a code that is called A.
func ruleOf(t *testing.T, rule string) *model.Rule {
	t.Helper()
	p := build(t, codes("A: {message: a, detect: ["+rule+"]}"))
	require.Len(t, p.Rules, 1)
	require.Equal(t, p.Rules, p.Codes[0].Rules)
	return p.Rules[0]
}

func TestRuleConditions(t *testing.T) {
	for _, tt := range []struct {
		rule string
		want []detect.Condition
	}{
		{`{source: a, op: [b, c]}`,
			[]detect.Condition{{Key: detect.Source, Any: []string{"a"}}, {Key: detect.Op, Any: []string{"b", "c"}}}},
		{`{status: 429}`, []detect.Condition{{Key: detect.Status, AnyNumber: []int{429}}}},
		{`{status: {min: 400, max: 599, not: 404}}`,
			[]detect.Condition{{Key: detect.Status, NotNumber: []int{404}, Min: 400, Max: 599,
				Bounds: detect.HasMin | detect.HasMax}}},
		{`{exit_code: {not: [0, 1]}}`, []detect.Condition{{Key: detect.ExitCode, NotNumber: []int{0, 1}}}},
		{`{exit_code: {min: -1}}`, []detect.Condition{{Key: detect.ExitCode, Min: -1, Bounds: detect.HasMin}}},
		{`{type: {prefix: over}, code: {not: "1"}}`,
			[]detect.Condition{{Key: detect.Type, Prefix: []string{"over"}}, {Key: detect.Code, Not: []string{"1"}}}},
		{`{signal: {present: true}}`, []detect.Condition{{Key: detect.Signal, Presence: detect.Present}}},
		{`{signal: {present: false}}`, []detect.Condition{{Key: detect.Signal, Presence: detect.Absent}}},
		{`{signal: SIGIOT, errno: [EWOULDBLOCK, EPIPE]}`,
			[]detect.Condition{{Key: detect.Signal, Any: []string{"SIGABRT"}},
				{Key: detect.Errno, Any: []string{"EAGAIN", "EPIPE"}}}},
		{`{is: io.EOF, as: '*net.OpError'}`,
			[]detect.Condition{{Key: detect.Is, Any: []string{"io.EOF"}},
				{Key: detect.As, Any: []string{"*net.OpError"}}}},
		{`{attributes: {a-b: "0", c: 0, d: true, e: 1.50}}`, []detect.Condition{
			{Key: detect.Attribute, Name: "a-b", Any: []string{"0"}},
			{Key: detect.Attribute, Name: "c", Any: []string{"0"}},
			{Key: detect.Attribute, Name: "d", Any: []string{"true"}},
			{Key: detect.Attribute, Name: "e", Any: []string{"1.50"}},
		}},
		{`{attributes: {a: {min: 1, max: 2.5, not: 2}}}`, []detect.Condition{
			{Key: detect.Attribute, Name: "a", Not: []string{"2"}, Min: 1, Max: 2.5,
				Bounds: detect.HasMin | detect.HasMax},
		}},
		{`{text: x}`, nil},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			assert.Equal(t, tt.want, ruleOf(t, tt.rule).Conditions)
		})
	}
}

func TestRule(t *testing.T) {
	p := build(
		t, codes(
			"A: {message: a, detect: [{text: [x, y], contains: z, priority: -3, set: {n: 7, s: t}}]}\nB: {message: "+
				"b, detect: [{status: 401}, {status: 402}]}"))
	assert.Equal(t, []string{"A/1", "B/1", "B/2"}, collect(p.Rules, func(r *model.Rule) string { return r.Name }))
	assert.Equal(t, []int{1, 1, 2}, collect(p.Rules, func(r *model.Rule) int { return r.Place }))
	r := p.Rules[0]
	assert.Equal(t, []string{"x", "y"}, r.Text)
	assert.Equal(t, []string{"z"}, r.Contains)
	assert.Equal(t, -3, r.Priority)
	fields := p.Categories[0]
	assert.Equal(t, []model.FieldValue{
		{Field: fields.Field("n"), Value: model.Value{Type: model.Int, Int: 7}},
		{Field: fields.Field("s"), Value: model.Value{Type: model.String, Str: "t"}},
	}, r.Set)
}

// A rule's doc is the rule as written, on one line.
func TestRuleDoc(t *testing.T) {
	for _, rule := range []string{
		`{source: anthropic-api, status: 429}`, `{text: '(?i)\brate.?limit', contains: [usage limit reached, "it's"]}`,
		`{priority: 5, status: {min: 400, max: 599}, set: {n: 1, s: two words}}`,
		`{as: '*net.OpError', attributes: {"a: b": y, left: "0"}}`, `{text: "a\nb'"}`,
	} {
		assert.Equal(t, rule, "{"+ruleOf(t, rule).Doc+"}")
	}
	p := build(t, codes(`
A:
  message: a
  detect:
    - source: s # the tool
      contains:
        - a, b
        - |
          c
      text: 'd
        e'
      type: "\u200B`+"\u202e"+`"`))
	assert.Equal(t, "source: s, contains: ['a, b', \"c\\n\"], text: 'd e', type: \"\ufffd\ufffd\"", p.Rules[0].Doc)
}

func TestExamples(t *testing.T) {
	p := build(t, codes(`
A:
  message: a
  examples:
    - {source: s, op: o, status: 429, type: t, code: '7', exit_code: 0, text: x, output: y, credential: c}
    - {files: [a, b], retry_after: 1m30s, reset_at: '2026-01-02T03:04:05+01:00', attributes: {a: "0", b: 1, c: true}}
    - {signal: SIGPOLL, errno: ENOTSUP, is: io.EOF, as: '*net.OpError'}
    - {want: {retryable: false, recoverability: permanent, severity: low, reaction: block, context: {n: 1, s: x}}}
  not_examples:
    - {source: s}`))
	x := p.Codes[0].Examples
	require.Len(t, x, 5)
	assert.Equal(t, taxonomy.Evidence{
		Source: "s", Op: "o", Status: 429, Type: "t", Code: "7", ExitCode: taxonomy.Some(0), Text: "x", Output: "y",
		Credential: "c",
	}, x[0].Evidence)
	assert.Equal(t, taxonomy.Evidence{
		Files: []string{"a", "b"}, RetryAfter: taxonomy.Some(90 * time.Second),
		ResetAt:    time.Date(2026, 1, 2, 2, 4, 5, 0, time.UTC),
		Attributes: map[string]string{"a": "0", "b": "1", "c": "true"},
	}, x[1].Evidence)
	assert.Equal(t, taxonomy.Evidence{Signal: "SIGIO", Errno: "EOPNOTSUPP"}, x[2].Evidence)
	assert.Equal(t, []string{"io.EOF", "*net.OpError"}, []string{x[2].Is, x[2].As})
	no, permanent, low := false, taxonomy.Permanent, taxonomy.SeverityLow
	assert.Equal(t, &model.Want{
		Retryable: &no, Recoverability: &permanent, Severity: &low, Reaction: "block",
		Context: []model.FieldValue{
			{Field: p.Categories[0].Field("n"), Value: model.Value{Type: model.Int, Int: 1}},
			{Field: p.Categories[0].Field("s"), Value: model.Value{Type: model.String, Str: "x"}},
		},
	}, x[3].Want)
	assert.Equal(t, []bool{false, false, false, false, true}, collect(x, func(e *model.Example) bool { return e.Not }))
	assert.Equal(t, []int{1, 2, 3, 4, 1}, collect(x, func(e *model.Example) int { return e.Place }))
}

// An object is wanted field by field.
func TestWantedObject(t *testing.T) {
	p := build(t, `
errgen: 1
package: errs
fields: {run: {type: object, fields: {mode: {type: string}, deep: {type: object, fields: {n: {type: int}}}}}}
categories: {io: {codes: {A: {message: a, examples: [{want: {context: {run: {mode: x, deep: {n: 2}, other: 1}}}}, {want: {context: {run: {deep: {n: x}}}}}]}}}}
`)
	run := p.Fields[0]
	mode, deep := run.Object.Field("mode"), run.Object.Field("deep")
	assert.Equal(t, []model.FieldValue{{Field: run, Value: model.Value{Type: model.ObjectType, Object: model.Context{
		mode: {Type: model.String, Str: "x"},
		deep: {Type: model.ObjectType, Object: model.Context{deep.Object.Field("n"): {Type: model.Int, Int: 2}}},
	}}}}, p.Codes[0].Examples[0].Want.Context)
	assert.Empty(t, p.Codes[0].Examples[1].Want.Context)
}
