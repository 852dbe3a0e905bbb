package emit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/sample"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// A package classifies if evidence can become anything in it.
func TestClassifiesWhere(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		want      bool
	}{
		{"nothing", "categories: {c: {codes: {X: {message: m}}}}", false},
		{"a fallback", "fallback: {code: X}\ncategories: {c: {codes: {X: {message: m}}}}", true},
		{"a rule", "categories: {c: {codes: {X: {message: m, detect: [{status: 404}]}}}}", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := loadSource(t, "errgen: 1\npackage: p\n"+tt.src+"\n")
			files := map[string]string{}
			for _, f := range Files(m, Options{Tests: true}) {
				files[f.Name] = string(f.Content)
			}
			_, ok := files["detect_gen.go"]
			assert.Equal(t, tt.want, ok)
			assert.Equal(t, tt.want, strings.Contains(files["errgen_gen_test.go"], "Classify"))
			assert.Equal(t, tt.want, strings.Contains(files["doc_gen.go"], "[Classify]"))
		})
	}
}

// What fills a field stands here as it is written in Go.
func TestFilled(t *testing.T) {
	fields := fieldsOf(t, `
text:      {type: string, from: text}
must:      {type: string, required: true, from: [attributes.must, source]}
otherwise: {type: string, from: [attributes.x, op], default: none}
empty:     {type: string, required: true, from: text, default: ""}
digits:    {type: string, required: true, from: [status, code]}
status:    {type: int, from: status, default: 500}
wide:      {type: int64, required: true, from: exit_code}
many:      {type: float64, from: [code, attributes.y]}
wait:      {type: duration, required: true, from: retry_after}
reset:     {type: time, required: true, from: [reset_at, attributes.reset]}
files:     {type: strings, from: files, default: [a]}
tree:      {type: json, from: [attributes.t, attributes.u]}
word:      {enum: [a, b], from: type}
must_word: {enum: [a, b], required: true, from: type, default: b}
secret:    {type: int, sensitive: true, from: code}
hush:      {type: string, sensitive: true, from: credential, default: h}
nothing:   {type: int}
fixed:     {type: int, default: 7}
object:    {type: object, fields: {a: {type: int, from: code}}}
needed:    {type: object, required: true, fields: {a: {type: int, from: code, default: 3}}}
bare:      {type: object, fields: {a: {type: int, default: 3}}}
defaults:  {type: object, required: true, fields: {a: {type: int, default: 3}, b: {type: object, required: true, sensitive: true, fields: {c: {type: int}}}}}
`)
	want := map[string]string{
		"text":      `detect.NonZero(ev.Text)`,
		"must":      `cmp.Or(ev.Attributes["must"], ev.Source)`,
		"otherwise": `taxonomy.Some(cmp.Or(ev.Attributes["x"], ev.Op, "none"))`,
		"empty":     `ev.Text`,
		"digits":    `detect.First(detect.Digits(detect.NonZero(ev.Status)), detect.NonZero(ev.Code)).Or("")`,
		"status":    `taxonomy.Some(detect.NonZero(ev.Status).Or(500))`,
		"wide":      `detect.Widen(ev.ExitCode).Or(0)`,
		"many":      `detect.First(detect.ReadFloat64(ev.Code), detect.ReadFloat64(ev.Attributes["y"]))`,
		"wait":      `ev.RetryAfter.Or(0)`,
		"reset": `detect.First(detect.Instant(ev.ResetAt), detect.ReadTime(ev.Attributes["reset"])).Or(time.Time` +
			`{})`,
		"files":     `detect.FirstList(detect.ReadStrings(ev.Files), []string{"a"})`,
		"tree":      `detect.FirstList(detect.ReadJSON(ev.Attributes["t"]), detect.ReadJSON(ev.Attributes["u"]))`,
		"word":      `detect.ReadWord[CWord](ev.Type, cWordWords)`,
		"must_word": `detect.ReadWord[CMustWord](ev.Type, cMustWordWords).Or(CMustWordB)`,
		"secret":    `detect.Seal(detect.ReadInt(ev.Code))`,
		"hush":      `taxonomy.SecretOf(cmp.Or(ev.Credential, "h"))`,
		"nothing":   ``,
		"fixed":     `taxonomy.Some(7)`,
		"object":    `CObject{}.from(ev)`,
		"needed":    `CNeeded{}.from(ev).Or(CNeeded{A: taxonomy.Some(3)})`,
		"bare":      ``,
		"defaults":  `CDefaults{A: taxonomy.Some(3), B: taxonomy.SecretOf(CDefaultsB{})}`,
	}
	require.Len(t, fields, len(want))
	for _, f := range fields {
		t.Run(f.Wire, func(t *testing.T) {
			got := ""
			if value := filled(f); value != nil {
				got = rendered(value)
			}
			assert.Equal(t, want[f.Wire], got)
		})
	}
}

// fieldsOf returns the fields of a category c, written one a line.
func fieldsOf(t *testing.T, fields string) []*model.Field {
	t.Helper()
	src := "errgen: 1\npackage: p\ncategories:\n  c:\n    codes: {X: {message: m, args: []}}\n    fields:\n" +
		strings.ReplaceAll(strings.TrimSpace(fields), "\n", "\n      ")
	src = strings.Replace(src, "fields:\n", "fields:\n      ", 1)
	tree, _ := spec.Parse("taxonomy.yaml", []byte(src))
	return resolve.Build(tree).Categories[0].Fields
}

// Each way in which rules make an error is one case of makeError.
func TestOutcomes(t *testing.T) {
	m := loadSource(t, `
errgen: 1
package: p
categories:
  c:
    fields: {a: {type: int}, b: {type: string}}
    codes:
      X:
        message: m
        set: {a: 1}
        detect: [{status: 401}, {status: 402, set: {b: x}}, {status: 403, set: {a: 2}}, {status: 404, set: {b: x}}]
      Y: {message: m, detect: [{status: 405, priority: 1}]}
`)
	type row struct {
		rules []int
		code  string
		set   []string
	}
	var got []row
	for _, o := range detectionOf(m).outcomes() {
		r := row{o.rules, o.code.Key, nil}
		for _, s := range o.assigned() {
			r.set = append(r.set, s.Field.Wire)
		}
		got = append(got, r)
	}
	assert.Equal(t, []row{
		{[]int{1}, "X", []string{"a"}},
		{[]int{2, 4}, "X", []string{"a", "b"}},
		{[]int{3}, "X", []string{"a"}},
		{[]int{0}, "Y", nil},
	}, got)
}

// The evidence of generated tests fills every field, and a field with several keys from each alone.
func TestSampleEvidence(t *testing.T) {
	m := loadSource(t, `
errgen: 1
package: p
fallback: {code: X}
categories:
  c:
    fields:
      a: {type: int, from: [code, status, attributes.a]}
      b: {type: object, fields: {c: {enum: [x, y], from: [type, attributes.b]}, d: {type: time, from: reset_at}}}
      e: {type: strings, from: files}
    codes: {X: {message: m}}
`)
	var got []string
	for _, ev := range sample.Evidence(m.Categories[0].Fields) {
		_, ctx, _ := detection.Fill(m, nil, &ev)
		got = append(got, sample.JSON(m.Categories[0].Fields, ctx))
	}
	assert.Equal(t, []string{
		`{"a":3,"b":{"c":"y","d":"2026-01-02T03:04:05.000000006Z"},"e":["some file","another"]}`,
		`{}`,
		`{"a":3}`,
		`{"a":401}`,
		`{"a":5}`,
		`{"b":{"c":"y"}}`,
		`{"b":{"c":"x"}}`,
		`{"b":{"d":"2026-01-02T03:04:05.000000006Z"}}`,
		`{}`,
	}, got)
}

func TestRuleText(t *testing.T) {
	for _, tt := range []struct {
		rule detect.Rule
		want string
	}{
		{detect.Rule{Name: "X/1", Code: 3, Derived: 4}, `{Name: "X/1", Code: 3, Derived: 4}`},
		{detect.Rule{Name: "`/1", Doc: "`\\\n", Text: []uint16{0, 7}, Contains: []uint16{1}, Set: []string{`"`}},
			"{Name: \"`/1\", Doc: \"`\\\\\\n\", Text: []uint16{0, 7}, Contains: []uint16{1}, Set: []string{`\"`}, " +
				"Code: 0, Derived: 0}"},
		{detect.Rule{Name: "X/1", Conditions: []detect.Condition{
			{Key: detect.Status, AnyNumber: []int{429}, NotNumber: []int{-1}, Min: -0.5, Bounds: detect.HasMin},
			{Key: detect.Attribute, Name: "a", Presence: detect.Present, Any: []string{"x"}, Not: []string{"\xff"},
				Prefix: []string{""}, Max: 1e21, Bounds: detect.HasMax},
			{Key: detect.Source, Presence: detect.Absent, Bounds: detect.HasMin | detect.HasMax},
		}}, `{Name: "X/1", Conditions: []detect.Condition{` +
			`{Key: detect.Status, AnyNumber: []int{429}, NotNumber: []int{-1}, Min: -0.5, Bounds: detect.HasMin}, ` +
			`{Key: detect.Attribute, Name: "a", Presence: detect.Present, Any: []string{"x"}, Not: []string{"\xff"},` +
			` Prefix: []string{""}, Max: 1e+21, Bounds: detect.HasMax}, ` +
			`{Key: detect.Source, Presence: detect.Absent, Min: 0, Max: 0, Bounds: detect.HasMin | detect.HasMax}}, ` +
			`Code: 0, Derived: 0}`},
	} {
		assert.Equal(t, tt.want, ruleText(tt.rule))
	}
}

// Every key that a field can be filled from is read by name as generated code reads it.
func TestTextKeys(t *testing.T) {
	for from, name := range textKeys {
		ev := taxonomy.Evidence{Source: "Source", Op: "Op", Type: "Type", Code: "Code", Signal: "Signal",
			Errno: "Errno", Text: "Text",
			Output: "Output", Credential: "Credential"}
		got, ok := detect.Read(&ev, from, "string", nil)
		assert.True(t, ok, from)
		assert.Equal(t, name, got, from)
	}
}
