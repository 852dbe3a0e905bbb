package output

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io"
	"os"
	"strings"
)

// maxForeign bounds what is read of a file in search of its package clause.
const maxForeign = 1 << 20

// foreign refuses a Go file that stays in the directory and is of another package: the go command
// builds neither package then. What the go command does not build, or cannot be read, is not
// judged.
func (t Target) foreign(name string) error {
	if !strings.HasSuffix(name, ".go") || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") {
		return nil
	}
	f, err := os.Open(t.real(name))
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	file, err := parser.ParseFile(token.NewFileSet(), "", io.LimitReader(f, maxForeign),
		parser.PackageClauseOnly|parser.ParseComments)
	if err != nil || !built(file) {
		return nil
	}
	pkg := file.Name.Name
	own := pkg == t.Package || pkg == t.Package+"_test" && strings.HasSuffix(name, "_test.go")
	if own || pkg == "documentation" {
		return nil
	}
	return fmt.Errorf(
		"%s: is of package %s, and what is generated is of package %s: a directory holds one package, so choose "+
			"another directory, or name the taxonomy's package %s",
		t.path(name), pkg, t.Package, strings.TrimSuffix(pkg, "_test"))
}

// built reports whether any system builds the file: one with a constraint like ignore is for go run
// alone. A file with a constraint of another kind is not judged either.
func built(file *ast.File) bool {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if c.Pos() > file.Package || !constraint.IsGoBuild(c.Text) {
				continue
			}
			expr, err := constraint.Parse(c.Text)
			return err == nil && expr.Eval(usual)
		}
	}
	return true
}

// usual reports whether a build tag is commonly set somewhere.
func usual(tag string) bool {
	switch tag {
	case "unix", "linux", "darwin", "windows", "amd64", "arm64", "cgo", "gc":
		return true
	}
	return strings.HasPrefix(tag, "go1.")
}
