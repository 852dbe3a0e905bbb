// Package gouse finds the uses of a generated package in Go code. It lists files with the go
// command and parses them. It does not check types.
package gouse

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Uses are the uses of each exported name, in the order of packages and files.
type Uses map[string][]Use

// Use is a place where a name is used.
type Use struct {
	token.Position
	// Compared reports that the name is only compared there: an operand of == or !=, a case of a
	// switch, or the target of errors.Is.
	Compared bool
}

// pkg is a package as the go command lists it.
type pkg struct {
	Dir, ImportPath, Name                                        string
	GoFiles, CgoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string
	Error                                                        *struct{ Err string }
}

// Find returns the uses of the package in the directory target by the packages that the patterns
// match in dir. Without patterns, it reads the module that contains dir, or all modules of its
// workspace. It reads files for all systems, and test files only if tests is true. It never reads
// the generated files and the tests of the package itself.
func Find(ctx context.Context, dir, target string, tests bool, patterns ...string) (Uses, error) {
	generated, err := list(ctx, target, ".")
	if err != nil {
		return nil, err
	}
	if len(patterns) == 0 {
		if patterns, err = modules(ctx, dir); err != nil {
			return nil, err
		}
	}
	packages, err := list(ctx, dir, patterns...)
	if err != nil {
		return nil, err
	}
	uses := make(Uses)
	for _, p := range packages {
		own := p.ImportPath == generated[0].ImportPath
		files := slices.Concat(p.GoFiles, p.CgoFiles, p.IgnoredGoFiles)
		if tests && !own {
			files = slices.Concat(files, p.TestGoFiles, p.XTestGoFiles)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") && (own || !tests) {
				continue // a test for another system
			}
			if err := uses.file(filepath.Join(p.Dir, name), generated[0], own); err != nil {
				return nil, err
			}
		}
	}
	return uses, nil
}

// modules returns patterns of all packages in the module or the workspace of dir.
func modules(ctx context.Context, dir string) (patterns []string, err error) {
	out, err := golist(ctx, dir, "-m", "-f", "{{.Dir}}")
	for root := range strings.Lines(string(out)) {
		patterns = append(patterns, filepath.Join(strings.TrimRight(root, "\r\n"), "..."))
	}
	return patterns, err
}

// golist runs go list in dir, which needs no network if the modules are in the cache.
func golist(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		first, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
		return nil, fmt.Errorf("go list: %s", first)
	}
	return out, err
}

// list returns the packages that match patterns in dir.
func list(ctx context.Context, dir string, patterns ...string) ([]pkg, error) {
	const fields = "Dir,ImportPath,Name,GoFiles,CgoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles,Error"
	out, err := golist(ctx, dir, append([]string{"-e", "-find", "-json=" + fields, "--"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	var all []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			if len(all) == 0 {
				return nil, fmt.Errorf("go list: no packages match %s", strings.Join(patterns, " "))
			}
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("go list: %w", err)
		case p.Error != nil && len(p.GoFiles)+len(p.IgnoredGoFiles)+len(p.TestGoFiles)+len(p.XTestGoFiles) == 0:
			return nil, fmt.Errorf("go list: %s", p.Error.Err)
		}
		all = append(all, p)
	}
}

// file adds the uses in a file. If own is true, the file belongs to the target, so it uses names
// without a qualifier.
func (u Uses) file(path string, target pkg, own bool) error {
	src, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !own && !bytes.Contains(src, []byte(target.ImportPath)) {
		return nil
	}
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, src, parser.ParseComments)
	if err != nil {
		return err
	}
	if own && ast.IsGenerated(file) {
		return nil
	}
	names, unqualified := make(map[string]bool), own
	for _, i := range file.Imports {
		if p, err := strconv.Unquote(i.Path.Value); err == nil && p == target.ImportPath {
			name := target.Name
			if i.Name != nil {
				name = i.Name.Name
			}
			names[name] = true
			unqualified = unqualified || name == "."
		}
	}
	compared := make(map[ast.Expr]bool)
	add := func(name string, at ast.Expr) {
		u[name] = append(u[name], Use{set.Position(at.Pos()), compared[at]})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		for _, e := range comparisons(n) {
			compared[ast.Unparen(e)] = true
		}
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && names[x.Name] && x.Obj == nil {
			add(sel.Sel.Name, sel)
		}
		return true
	})
	if unqualified {
		for _, ident := range file.Unresolved {
			add(ident.Name, ident)
		}
	}
	return nil
}

// comparisons returns the expressions that a node compares. A function whose name ends in Is, such
// as errors.Is or assert.ErrorIs, compares all arguments but the first.
func comparisons(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			return []ast.Expr{n.X, n.Y}
		}
	case *ast.CaseClause:
		return n.List
	case *ast.CallExpr:
		name := ""
		switch f := n.Fun.(type) {
		case *ast.Ident:
			name = f.Name
		case *ast.SelectorExpr:
			name = f.Sel.Name
		}
		if strings.HasSuffix(name, "Is") && len(n.Args) > 1 {
			return n.Args[1:]
		}
	}
	return nil
}
