package emit

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
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
			assert.Equal(t, tt.want, strings.Contains(files["errgen_gen_test.go"], "Classify"))
			assert.Equal(t, tt.want, strings.Contains(files["doc_gen.go"], "[Classify]"))
		})
	}
}
