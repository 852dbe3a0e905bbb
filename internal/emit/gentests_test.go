package emit

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

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

// The package may declare a name of the tests; then the tests use another.
func TestGeneratedTestsAvoidTakenNames(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		{"no conflict", "categories: {c: {codes: {X: {message: m}}}}", "\nvar genPackage = "},
		{"a constant of a field",
			"categories: {gen: {fields: {package: {type: string, scrub: true}}, codes: {X: {message: m}}}}",
			"\nvar genPackageGenerated = "},
		{"types called like tests",
			"categories: {test: {type: TestPError, codes: {X: {message: m}}}, p: {codes: {Z: {message: m}}}, " +
				"test_taxonomy: {type: TestTaxonomy, codes: {Y: {message: m}}}}", "\nfunc TestTaxonomyGenerated(t "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := Files(loadSource(t, "errgen: 1\npackage: p\n"+tt.src+"\n"), Options{Tests: true})
			for name, n := range declaredIn(t, files) {
				assert.Equal(t, 1, n, name)
			}
			for _, f := range files {
				if f.Name == "errgen_gen_test.go" {
					assert.Contains(t, string(f.Content), tt.want)
				}
			}
		})
	}
}

// An error that its factory cannot make is decoded.
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
	for _, f := range Files(m, Options{Tests: true}) {
		if f.Name == "c_error_gen_test.go" {
			for _, want := range []string{
				"gentest.NewBranch(genPackage.Read(CodeX, `{\"a\":0}`), 0)", "gentest.NewBranch(NewX(), 1)",
				"gentest.NewBranch(NewY(3, 4), 1)", "gentest.NewBranch(genPackage.Read(CodeY, `{\"a\":3}`), 0)",
			} {
				assert.Contains(t, string(f.Content), want)
			}
		}
	}
}

// A new code changes no other test file than its category's, and no line of that file.
func TestNewCodeAddsLinesOnly(t *testing.T) {
	const src = `
errgen: 1
package: p
reactions: {again: {action: retry}}
fallback: {code: A}
categories:
  c: {codes: {A: {message: a}, %s B: {message: b, detect: [{status: 404}]}}}
  d:
    fields: {f: {type: int, from: status}}
    codes: {D: {message: 'd[ {f}]', when: [{if: {f: {min: 1}}, severity: low}]}}
`
	const code = "NEW_CODE_OF_A_LONG_NAME: {message: n, retryable: true, reaction: again, detect: [{status: 405}], " +
		"examples: [{status: 405}]},"
	before := Files(loadSource(t, fmt.Sprintf(src, "")), Options{Tests: true})
	after := Files(loadSource(t, fmt.Sprintf(src, code)), Options{Tests: true})
	for i, f := range after {
		if !strings.HasSuffix(f.Name, "_test.go") {
			continue
		}
		var others strings.Builder
		within := false
		for line := range strings.Lines(string(f.Content)) {
			if within = within || strings.Contains(line, "CodeNewCodeOfALongName,"); !within {
				others.WriteString(line)
			} else if strings.HasPrefix(line, "\t\t}") || strings.HasPrefix(line, "\t\t{") {
				within = !strings.HasSuffix(line, "},\n")
			}
		}
		assert.Equal(t, string(before[i].Content), others.String(), f.Name)
	}
}

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

func TestPackageComment(t *testing.T) {
	for _, c := range []struct{ doc, want string }{
		{"", "Package errs holds typed errors and the reactions to them."},
		{"Errors of the shop", "Package errs holds typed errors and the reactions to them: Errors of the shop."},
		{"Package errs holds the errors of the shop.", "Package errs holds the errors of the shop."},
		{"Package errs: the shop's",
			"Package errs holds typed errors and the reactions to them: Package errs: the shop's."},
		{"Package\n errs names errors\n\nMore", "Package\n errs names errors\n\nMore."},
		{"Package errshop is another",
			"Package errs holds typed errors and the reactions to them: Package errshop is another."},
	} {
		assert.Equal(t, c.want, packageComment(&model.Package{Name: "errs", Doc: c.doc})[0], c.doc)
	}
}
