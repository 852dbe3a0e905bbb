package command

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/vet/internal/infer"
	"github.com/errgen/errgen/vet/internal/program"
)

// Each error that shop makes and each test of a code is removed in turn. The output about its
// functions changes, or a finding says so. With contracts there is a finding unless the function
// returns the same codes from another place, where the witness may lead, too.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("loads a program many times")
	}
	const dir = "../../../examples/shop"
	load := func(overlay map[string][]byte) (*program.Program, error) {
		return program.Load(t.Context(), program.Options{Dir: dir, Patterns: []string{"./..."}, Overlay: overlay})
	}
	p, err := load(nil)
	require.NoError(t, err)
	edits := make(map[string][]edit)
	for _, fn := range p.Funcs {
		words, err := contractOf(p, fn)
		file := p.Fset.Position(fn.Pos()).Filename
		if decl := program.Declaration(fn); err == nil && decl != nil && !strings.HasSuffix(file, ".pb.go") {
			edits[file] = append(edits[file], directiveEdits(p.Fset, decl, words)...)
		}
	}
	with := make(map[string][]byte)
	for file := range edits {
		copied := filepath.Join(t.TempDir(), filepath.Base(file))
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(copied, b, 0o600))
		require.NoError(t, apply(copied, edits[file]))
		with[file], err = os.ReadFile(copied)
		require.NoError(t, err)
	}
	checked, err := load(with)
	require.NoError(t, err)
	require.Empty(t, findings(checked), "the contracts that fix writes are kept")
	before := sets(checked)

	compiled, found, changed := 0, 0, 0
	for file, src := range with {
		for _, m := range mutants(t, src) {
			overlay := make(map[string][]byte, len(with))
			for f, b := range with {
				overlay[f] = b
			}
			overlay[file] = bytes.Join([][]byte{src[:m.from], []byte(m.text), src[m.to:]}, nil)
			mutant, err := load(overlay)
			if err != nil {
				continue // it does not compile
			}
			compiled++
			switch {
			case len(findings(mutant)) > 0:
				found++
			case sets(mutant) != before:
				changed++
			default:
				t.Logf("%s: nothing changes with %q instead of %q", filepath.Base(file), m.text, src[m.from:m.to])
			}
		}
	}
	t.Logf("of %d mutants, %d have a finding, and %d more change a set or a witness", compiled, found, changed)
	assert.GreaterOrEqual(t, compiled, 10)
	assert.GreaterOrEqual(t, found*10, compiled*6)
	assert.GreaterOrEqual(t, (found+changed)*10, compiled*8)
}

// sets prints the errors of all functions with their witnesses.
func sets(p *program.Program) string {
	var b bytes.Buffer
	for _, fn := range p.Funcs {
		if s, ok := p.Result(fn); ok {
			_ = printSet(&b, p, fn.String(), fn, s) // a buffer takes everything
		}
	}
	return b.String()
}

func findings(p *program.Program) (list []infer.Finding) {
	for _, pkg := range p.Packages {
		src := infer.Source{Files: pkg.Syntax, Info: pkg.TypesInfo, FuncOf: p.SSA.FuncValue}
		list = append(list, p.Findings(src)...)
	}
	return list
}

// mutants returns an edit for each error that is made, which becomes nil, and two for each test of
// a code, which becomes false or true.
func mutants(t *testing.T, src []byte) (list []edit) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "x.go", src, 0)
	require.NoError(t, err)
	add := func(n ast.Node, text string) {
		list = append(list, edit{fset.Position(n.Pos()).Offset, fset.Position(n.End()).Offset, text})
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ReturnStmt:
			for _, x := range n.Results {
				text := string(src[fset.Position(x.Pos()).Offset:fset.Position(x.End()).Offset])
				if strings.HasPrefix(text, "errs.") || strings.HasPrefix(text, "classified(") {
					add(x, "nil")
				}
			}
		case *ast.CallExpr:
			text := string(src[fset.Position(n.Pos()).Offset:fset.Position(n.End()).Offset])
			if strings.HasPrefix(text, "errors.Is(") && strings.Contains(text, "errs.") {
				add(n, "(false && "+text+")")
				add(n, "(true || "+text+")")
			}
		}
		return true
	})
	return list
}

// A handler that returns another code than its operation declares is a finding, once for HTTP and
// once for gRPC.
func TestOperationsOfShop(t *testing.T) {
	dir, err := filepath.Abs("../../../examples/shop")
	require.NoError(t, err)
	file := filepath.Join(dir, "store.go")
	src, err := os.ReadFile(file)
	require.NoError(t, err)
	changed := bytes.Replace(src, []byte("errs.NewOrderNotFound("), []byte("errs.NewOrderClosed("), 1)
	require.NotEqual(t, src, changed)
	p, err := program.Load(t.Context(), program.Options{
		Dir: dir, Patterns: []string{"./..."}, Overlay: map[string][]byte{file: changed}})
	require.NoError(t, err)
	var messages []string
	for _, f := range findings(p) {
		if f.ID == infer.OperationID {
			message, _, _ := strings.Cut(f.Message, ":")
			messages = append(messages, message)
		}
	}
	assert.ElementsMatch(t, []string{
		"GET /orders/{id} can return ORDER_CLOSED, which the operation GetOrder does not declare",
		"shop.ordersServer.Get can return ORDER_CLOSED, which the operation GetOrder does not declare",
	}, messages)
}
