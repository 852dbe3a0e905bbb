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

// TestSizeOfTheAPI limits the exported names and fields. The first limits are for what the
// documentation lists: types, functions and single values, and the fields of structs. The second ones
// also count each constant of a group, and the fields of structs behind aliases, which users see when
// they follow one. Only what a user of the package needs is exported.
func TestSizeOfTheAPI(t *testing.T) {
	names, constants, fields, aliases := exportedIn(t, "*.go")
	_, _, behind, _ := exportedIn(t, "internal/loop/*.go")
	listed, aliased := 0, 0
	for _, n := range fields {
		listed += n
	}
	for _, alias := range aliases {
		aliased += behind[alias]
	}
	t.Log(names, "names,", listed, "fields; with constants", names+constants, "and behind aliases", listed+aliased)
	assert.LessOrEqual(t, names, 65)
	assert.LessOrEqual(t, listed, 68)
	assert.LessOrEqual(t, names+constants, 118)
	assert.LessOrEqual(t, listed+aliased, 249)
}

// exportedIn counts the exported names of files, the constants in groups, and the fields of each
// struct. It also lists the structs of package loop that have an alias.
func exportedIn(t *testing.T, pattern string) (names, constants int, fields map[string]int, aliases []string) {
	t.Helper()
	all, err := filepath.Glob(pattern)
	require.NoError(t, err)
	fields = map[string]int{}
	exported := func(all []*ast.Ident) (n int) {
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
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.IsExported() {
				names++
			}
			g, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					if g.Tok == token.CONST && g.Lparen.IsValid() { // the values of a type
						constants += exported(spec.Names)
					} else {
						names += exported(spec.Names)
					}
				case *ast.TypeSpec:
					if !spec.Name.IsExported() {
						continue
					}
					names++
					switch of := spec.Type.(type) {
					case *ast.SelectorExpr:
						aliases = append(aliases, of.Sel.Name)
					case *ast.StructType:
						for _, field := range of.Fields.List {
							fields[spec.Name.Name] += exported(field.Names)
						}
					}
				}
			}
		}
	}
	return names, constants, fields, aliases
}
