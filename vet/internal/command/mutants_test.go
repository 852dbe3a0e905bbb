package command

import (
	"bytes"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"

	"github.com/errgen/errgen/vet/internal/infer"
	"github.com/errgen/errgen/vet/internal/program"
)

// Each factory call and each test of an error is removed or replaced in turn, in a copy of shop
// whose functions have the contracts that `errgenvet fix` writes. There is a finding about each one
// that changes which codes a function returns.
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
			edits[file] = append(edits[file], directiveEdit(p.Fset, decl, words))
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

	// Without its test, work returns what the store makes of ErrNoRows, and that is a code which it
	// returns for other failures, too. Placeorder only prints another text.
	equivalent := []string{
		"service.go: (false && errors.Is(err, pgx.ErrNoRows))",
		"main.go: (false && errors.Is(err, errs.CodePaymentDeclined))",
		"main.go: (true || errors.Is(err, errs.CodePaymentDeclined))",
		"main.go: CodePaymentUnavailable",
	}
	var missed []string
	compiled := 0
	for _, pkg := range checked.Packages {
		for _, f := range pkg.Syntax {
			file := checked.Fset.Position(f.FileStart).Filename
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			if changed, ok := with[file]; ok {
				src = changed
			}
			for _, m := range mutants(checked.Fset, pkg, f, src) {
				overlay := maps.Clone(with)
				overlay[file] = bytes.Join([][]byte{src[:m.from], []byte(m.text), src[m.to:]}, nil)
				mutant, err := load(overlay)
				if err != nil {
					continue // it does not compile
				}
				compiled++
				if len(findings(mutant)) == 0 {
					missed = append(missed, filepath.Base(file)+": "+m.text)
				}
			}
		}
	}
	t.Logf("%d of %d mutants have a finding", compiled-len(missed), compiled)
	assert.ElementsMatch(t, equivalent, missed)
	assert.GreaterOrEqual(t, compiled, 28)
}

func findings(p *program.Program) (list []infer.Finding) {
	for _, pkg := range p.Packages {
		src := infer.Source{Files: pkg.Syntax, Info: pkg.TypesInfo, FuncOf: p.SSA.FuncValue}
		list = append(list, p.Findings(src)...)
	}
	return list
}

// mutants returns two edits for each error that is made (nil, and another code), and for each
// classification (nil, and the unclassified error). A test of an error becomes false, and true, and
// looks for another code. A case of a switch becomes that of another code.
func mutants(fset *token.FileSet, pkg *packages.Package, f *ast.File, src []byte) (list []edit) {
	text := func(n ast.Node) string {
		return string(src[fset.Position(n.Pos()).Offset:fset.Position(n.End()).Offset])
	}
	add := func(n ast.Node, text string) {
		list = append(list, edit{fset.Position(n.Pos()).Offset, fset.Position(n.End()).Offset, text})
	}
	isErrors := func(call *ast.CallExpr, name string) bool { return strings.HasPrefix(text(call.Fun), "errors."+name) }
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ReturnStmt:
			for _, x := range n.Results {
				call, ok := x.(*ast.CallExpr)
				if ok && strings.HasPrefix(text(x), "errs.New") {
					add(x, "nil")
				} else if ok && strings.Contains(strings.ToLower(text(call.Fun)), "classif") {
					add(x, "nil")
					if len(call.Args) == 1 {
						add(x, text(call.Args[0]))
					}
				}
			}
		case *ast.IfStmt: // if e, ok := errors.AsType[T](err); ok
			init, ok := n.Init.(*ast.AssignStmt)
			if !ok {
				break
			}
			if call, ok := init.Rhs[0].(*ast.CallExpr); ok && isErrors(call, "AsType") {
				add(n.Cond, "false && "+text(n.Cond))
				add(n.Cond, "true || "+text(n.Cond))
			}
		case *ast.CallExpr:
			if isErrors(n, "Is") || isErrors(n, "As(") {
				add(n, "(false && "+text(n)+")")
				add(n, "(true || "+text(n)+")")
			}
		case *ast.SelectorExpr:
			for _, name := range others(pkg.TypesInfo.Uses[n.Sel]) {
				add(n.Sel, name)
			}
		}
		return true
	})
	return list
}

// others returns another factory with the same parameters, or another code of the same type, in the
// generated package of an object.
func others(of types.Object) []string {
	if of == nil || !infer.IsGenerated(of.Pkg()) {
		return nil
	}
	isCode := strings.HasPrefix(of.Name(), "Code")
	if _, ok := of.(*types.Func); !isCode && (!ok || !strings.HasPrefix(of.Name(), "New")) {
		return nil
	}
	for _, name := range of.Pkg().Scope().Names() {
		o := of.Pkg().Scope().Lookup(name)
		same := types.Identical(o.Type(), of.Type())
		if f, ok := o.Type().(*types.Signature); ok && !isCode {
			same = types.Identical(f.Params(), of.Type().(*types.Signature).Params())
		}
		if same && name != of.Name() && reflect.TypeOf(o) == reflect.TypeOf(of) && name[:3] == of.Name()[:3] {
			return []string{name}
		}
	}
	return nil
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

// A call of gRPC can return the codes that the interceptor of the client decodes.
func TestClientOfShop(t *testing.T) {
	dir, err := filepath.Abs("../../../examples/shop")
	require.NoError(t, err)
	src := `package main

import (
	"context"

	"google.golang.org/grpc"

	"github.com/errgen/errgen/runtime/rpc"
	"github.com/errgen/errgen/runtime/rpc/grpcerr"
	"shop.example.com/shop/errs"
	"shop.example.com/shop/orderspb"
)

func ask(ctx context.Context, address string) error {
	codes := grpcerr.UnaryClient(rpc.ByTable(errs.Table))
	conn, err := grpc.NewClient(address, grpc.WithChainUnaryInterceptor(codes))
	if err != nil {
		return err
	}
	_, err = orderspb.NewOrdersClient(conn).Get(ctx, &orderspb.GetRequest{Id: "1"})
	return err
}
`
	p, err := program.Load(t.Context(), program.Options{Dir: dir, Patterns: []string{"./..."},
		Overlay: map[string][]byte{filepath.Join(dir, "ask.go"): []byte(src)}})
	require.NoError(t, err)
	i := slices.IndexFunc(p.Funcs, func(fn *ssa.Function) bool { return fn.Name() == "ask" })
	set, ok := p.Result(p.Funcs[i])
	require.True(t, ok)
	words := p.Words(set, p.Funcs[i])
	assert.Subset(t, words, []string{"ORDER_NOT_FOUND", "INVALID", "INTERNAL", "UNEXPECTED", "(context)"})
	assert.NotContains(t, words, "STORE_DOWN", "which is internal")
}
