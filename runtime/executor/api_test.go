package executor

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSizeOfTheAPI limits the exported types, functions and single values, and the exported fields
// that the documentation of the package lists. Only what a user of the package needs is exported.
func TestSizeOfTheAPI(t *testing.T) {
	all, err := filepath.Glob("*.go")
	require.NoError(t, err)
	names, fields := 0, 0
	exported := func(all ...*ast.Ident) (n int) {
		for _, name := range all {
			if name.IsExported() {
				n++
			}
		}
		return n
	}
	for _, name := range all {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
				names += exported(f.Name)
			}
			g, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			if g.Tok == token.CONST && g.Lparen.IsValid() { // the values of a type
				continue
			}
			for _, spec := range g.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					names += exported(spec.Names...)
				case *ast.TypeSpec:
					names += exported(spec.Name)
					s, ok := spec.Type.(*ast.StructType)
					if !ok || !spec.Name.IsExported() {
						continue
					}
					for _, field := range s.Fields.List {
						fields += exported(field.Names...)
					}
				}
			}
		}
	}
	assert.LessOrEqual(t, names, 80)
	assert.LessOrEqual(t, fields, 150)
	t.Log(names, "names,", fields, "fields")
}
