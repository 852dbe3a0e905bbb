package scenarios_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// TestRuntimeNamesNoCode: no source of the runtime contains a code or a category, or imports a
// generated package. Tests and packages for tests are not read.
func TestRuntimeNamesNoCode(t *testing.T) {
	names := declaredNames(t)
	require.Greater(t, len(names.codes), 60, "the codes of all taxonomies")
	require.Greater(t, len(names.categories), 15, "their categories")
	rooms := map[string]bool{}
	err := filepath.WalkDir("../../runtime", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && (d.Name() == "sample" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		if err != nil || generatedSource.Match(source) {
			return err
		}
		for _, folder := range strings.Split(filepath.ToSlash(path), "/") {
			rooms[folder] = true
		}
		for _, said := range names.in(t, path, source) {
			t.Error(said)
		}
		return nil
	})
	require.NoError(t, err)
	for _, room := range []string{"detect", "executor", "workspace", "plan", "providers", "recovery", "report", "retry",
		"state", "taxonomy"} {
		assert.True(t, rooms[room], "%s is read", room)
	}
}

// What TestRuntimeNamesNoCode finds, and what it does not take for a name.
func TestNamesInSources(t *testing.T) {
	names := taxonomyNames{
		codes: map[string]bool{"RATE_LIMIT": true, "UNKNOWN": true}, categories: map[string]bool{"network": true},
	}
	tests := []struct{ name, body, want string }{
		{"a code", `var x = "RATE_LIMIT"`, `x.go:2: the code RATE_LIMIT`},
		{"a code in a text", `var x = "took RATE_LIMIT for it"`, `x.go:2: the code RATE_LIMIT`},
		{"a code between backquotes", "var x = `RATE_LIMIT`", `x.go:2: the code RATE_LIMIT`},
		{"a part of a longer name", `var x = "GITHUB_RATE_LIMIT_RESET"`, ``},
		{"a category is compared", `var x = taxonomy.CategoryOf(err) == "network"`, `x.go:2: the category network`},
		{"another way round", `var x = "network" != e.Category`, `x.go:2: the category network`},
		{"categories in a map", `var byCategory = map[string]bool{"network": true}`, `x.go:2: the category network`},
		{"a type of evidence", `var x = e.Type == "network"`, ``},
		{"a generated package", `import "github.com/errgen/errgen/gen/errs"`,
			`x.go:2: imports github.com/errgen/errgen/gen/errs`},
		{"an example's", `import "bot.example.com/duyetbot/errs"`, `x.go:2: imports bot.example.com/duyetbot/errs`},
		{"the runtime's", `import "github.com/errgen/errgen/runtime/retry"`, ``},
		{"a comment", `// RATE_LIMIT is what a taxonomy may say.`, ``},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.want, strings.Join(names.in(t, "x.go", []byte("package x\n"+tt.body+"\n")), "\n"))
		})
	}
}

var generatedSource = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// taxonomyNames are the names that taxonomies declare.
type taxonomyNames struct{ codes, categories map[string]bool }

func declaredNames(t *testing.T) taxonomyNames {
	names := taxonomyNames{codes: map[string]bool{}, categories: map[string]bool{}}
	files, err := filepath.Glob("../../examples/*/taxonomy.yaml")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 4)
	for _, file := range append(files, "../../taxonomy.yaml") {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		var tax struct {
			Categories map[string]struct {
				Codes map[string]struct {
					Value   string
					Aliases []string
				}
			}
		}
		require.NoError(t, yaml.Unmarshal(b, &tax), file)
		for category, c := range tax.Categories {
			names.categories[category] = true
			for code, declared := range c.Codes {
				for _, name := range append(declared.Aliases, code, declared.Value) {
					names.codes[name] = true
				}
			}
		}
	}
	delete(names.codes, "")
	return names
}

// upperWord is a word in the form that codes have.
var upperWord = regexp.MustCompile(`[A-Z][A-Z0-9_]+`)

// in returns where a source imports a generated package, has a text with a code, or a text that is
// a category on a line about categories.
func (n taxonomyNames) in(t *testing.T, path string, source []byte) []string {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, source, parser.SkipObjectResolution)
	require.NoError(t, err)
	lines := strings.Split(string(source), "\n")
	var said []string
	ast.Inspect(file, func(node ast.Node) bool {
		if spec, ok := node.(*ast.ValueSpec); ok && spec.Names[0].Name == "grpcWords" {
			return false // UNKNOWN is google.rpc's, too
		}
		lit, ok := node.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(lit.Value)
		require.NoError(t, err)
		line := fset.Position(lit.Pos()).Line
		note := func(what string) { said = append(said, fmt.Sprintf("%s:%d: %s", path, line, what)) }
		for _, word := range upperWord.FindAllString(text, -1) {
			if n.codes[word] {
				note("the code " + word)
			}
		}
		if n.categories[text] && strings.Contains(strings.ToLower(lines[line-1]), "category") {
			note("the category " + text)
		}
		if strings.HasSuffix(text, "/errs") || strings.HasSuffix(text, "/sample") {
			note("imports " + text)
		}
		return true
	})
	return said
}
