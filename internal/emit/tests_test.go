package emit

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/internal/check"
	"github.com/errgen/errgen/internal/model"
)

func loadSource(t *testing.T, src string) *model.Package {
	t.Helper()
	m, findings := check.Load("taxonomy.yaml", []byte(src))
	require.NotNil(t, m, "%v", findings)
	return m
}

// declaredIn returns the names of package level that files declare.
func declaredIn(t *testing.T, files []File) map[string]int {
	t.Helper()
	names := map[string]int{}
	for _, f := range files {
		file, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Content, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					names[d.Name.Name]++
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						names[s.Name.Name]++
					case *ast.ValueSpec:
						for _, n := range s.Names {
							names[n.Name]++
						}
					}
				}
			}
		}
	}
	delete(names, "_")
	return names
}

// A taxonomy can name things as the tests name theirs; then the tests yield.
func TestTestsYieldTheirNames(t *testing.T) {
	for _, tt := range []struct {
		name   string
		src    string
		prefix string
	}{
		{"nothing in the way", "categories: {c: {fields: {f: {type: string, scrub: true}}, codes: {X: {message: m}}}}",
			"gen"},
		{"a constant of a field",
			"categories: {gen: {fields: {case: {type: string, scrub: true}}, codes: {X: {message: m}}}}", "genTest"},
		{"a word that only begins so",
			"categories: {general: {fields: {case: {type: string, scrub: true}}, codes: {X: {message: m}}}}", "gen"},
		{"types called like tests",
			"categories: {test: {type: TestReactions, codes: {X: {message: m}}}, test_taxonomy: {type: " +
				"TestTaxonomy, codes: {Y: {message: m}}}}", "gen"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := loadSource(t, "errgen: 1\npackage: p\n"+tt.src+"\n")
			files := Files(m, Options{Tests: true})
			for name, n := range declaredIn(t, files) {
				assert.Equal(t, 1, n, name)
			}
			for _, f := range files {
				if f.Name == "errgen_gen_test.go" {
					assert.Contains(t, string(f.Content), "\ntype "+tt.prefix+"Row struct {")
				}
			}
		})
	}
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
		{"a" + strings.Repeat("`", 60) + "b", `"a"+strings.Repeat("` + "`" + `", 60)+"b"`},
		{strings.Repeat("é", 60), strconv.Quote(strings.Repeat("é", 60))},
	} {
		t.Run(tt.want, func(t *testing.T) {
			w := &testWriter{imports: map[string]bool{}}
			assert.Equal(t, tt.want, w.str(tt.value))
			assert.Equal(t, strings.Contains(tt.want, "strings."), w.imports["strings"])
		})
	}
}

func TestValueLiterals(t *testing.T) {
	enum := &model.Enum{Type: "Mood", Values: []model.EnumValue{{Wire: "good", Const: "MoodGood"}}}
	for _, tt := range []struct {
		field model.Field
		value model.Value
		want  string
		typed string
	}{
		{model.Field{Type: model.Int}, model.Value{Int: -3}, "-3", "-3"},
		{model.Field{Type: model.Int64}, model.Value{Int: 5}, "5", "int64(5)"},
		{model.Field{Type: model.Uint64}, model.Value{Uint: 1<<64 - 1}, "18446744073709551615",
			"uint64(18446744073709551615)"},
		{model.Field{Type: model.Float64}, model.Value{Float: 2}, "2.0", "float64(2.0)"},
		{model.Field{Type: model.Float64}, model.Value{Float: 1e21}, "1e+21", "float64(1e+21)"},
		{model.Field{Type: model.Duration}, model.Value{Duration: 1500 * time.Millisecond}, "1500*time.Millisecond",
			"1500*time.Millisecond"},
		{model.Field{Type: model.Duration}, model.Value{Duration: time.Hour}, "time.Hour", "time.Hour"},
		{model.Field{Type: model.Duration}, model.Value{}, "0", "time.Duration(0)"},
		{model.Field{Type: model.Time}, model.Value{}, "time.Time{}", "time.Time{}"},
		{model.Field{Type: model.Time}, model.Value{Time: time.Date(2020, 1, 2, 3, 4, 5, 6, time.UTC)},
			"time.Date(2020, 1, 2, 3, 4, 5, 6, time.UTC)", "time.Date(2020, 1, 2, 3, 4, 5, 6, time.UTC)"},
		{model.Field{Type: model.Strings}, model.Value{}, "nil", "nil"},
		{model.Field{Type: model.Strings}, model.Value{Strings: []string{"a"}}, `[]string{"a"}`, `[]string{"a"}`},
		{model.Field{Type: model.JSON}, model.Value{}, "nil", "nil"},
		{model.Field{Type: model.EnumType, Enum: enum}, model.Value{Index: 1}, "MoodGood", "MoodGood"},
		{model.Field{Type: model.EnumType, Enum: enum}, model.Value{Index: -2}, "Mood(2)", "Mood(2)"},
	} {
		t.Run(tt.want, func(t *testing.T) {
			w := &testWriter{imports: map[string]bool{}}
			tt.value.Type = tt.field.Type
			assert.Equal(t, tt.want, w.value(&tt.field, tt.value))
			assert.Equal(t, tt.typed, w.typed(&tt.field, tt.value))
		})
	}
}

// What no factory leads to is written as the struct itself.
func TestErrorsBeyondFactories(t *testing.T) {
	m := loadSource(t, `
errgen: 1
package: p
categories:
  c:
    fields: {a: {type: int, required: true}, b: {type: int}}
    codes:
      X: {message: 'm {a}', set: {a: 1}, when: [{if: {a: {min: 1}}, severity: low}]}
      Y: {message: m, args: [a, b], when: [{if: {b: {present: true}}, severity: low}]}
`)
	var content string
	for _, f := range Files(m, Options{Tests: true}) {
		if f.Name == "c_error_gen_test.go" {
			content = string(f.Content)
		}
	}
	assert.Contains(t, content, "&CError{base: gen.Of(CodeX), A: 0}")
	assert.Contains(t, content, "&CError{base: gen.Of(CodeY), A: 3}")
	assert.Contains(t, content, "NewY(3, 4)")
	formatted, err := format.Source([]byte(content))
	require.NoError(t, err)
	assert.Equal(t, string(formatted), content)
}
