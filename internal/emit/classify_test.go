package emit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/internal/detection"
	"github.com/errgen/errgen/internal/sample"
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
			for _, name := range []string{"detect_gen_test.go", "classify_gen_test.go"} {
				_, ok := files[name]
				assert.Equal(t, tt.want, ok, name)
			}
			assert.Equal(t, tt.want, strings.Contains(files["doc_gen.go"], "[Classify]"))
		})
	}
}

// The evidence that the generated tests make fills every field, and from every key alone.
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
		`{"e":["some file","another"]}`,
		`{}`,
	}, got)
}
