package vet_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/vet/internal/infer"
)

// Whatever a function returns in a run was inferred. The functions of a copy of the program append
// their names and the codes of their errors to a file while its tests run.
func TestObservedIsInferred(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the tests of programs")
	}
	pairs := 0
	for _, c := range []struct {
		name, dir string
		packages  map[string]string // directory → import path
		drive     bool              // call the functions, because there are no tests
		test      string            // one more test of the first package
	}{
		{"hand-made", testdata, map[string]string{
			"flows": "github.com/errgen/errgen/vet/internal/infer/testdata/flows",
			"more":  "github.com/errgen/errgen/vet/internal/infer/testdata/more",
		}, true, ""},
		{"quickstart", "../examples/quickstart", map[string]string{
			".": "shop.example.com/orders",
		}, false, ""},
		{"shop", "../examples/shop", map[string]string{
			".": "shop.example.com/shop", "client": "shop.example.com/shop/client",
		}, false, injected},
		{"duyetbot", "../examples/duyetbot", map[string]string{
			".": "bot.example.com/duyetbot",
		}, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			copied := filepath.Join(t.TempDir(), "copy")
			// The copy replaces the program where the go command looks for it.
			overlay := make(map[string]string)
			for dir, path := range c.packages {
				from := filepath.Join(c.dir, dir)
				require.NoError(t, os.MkdirAll(filepath.Join(copied, dir), 0o700))
				for _, name := range instrument(t, from, filepath.Join(copied, dir), path) {
					abs, err := filepath.Abs(filepath.Join(from, name))
					require.NoError(t, err)
					overlay[abs] = filepath.Join(copied, dir, name)
				}
				if c.drive {
					abs, err := filepath.Abs(filepath.Join(from, "drive_test.go"))
					require.NoError(t, err)
					overlay[abs] = drive(t, from, filepath.Join(copied, dir))
				}
			}
			if c.test != "" {
				file := filepath.Join(copied, "injected_test.go")
				require.NoError(t, os.WriteFile(file, []byte(c.test), 0o600))
				abs, err := filepath.Abs(filepath.Join(c.dir, "injected_test.go"))
				require.NoError(t, err)
				overlay[abs] = file
			}
			log := filepath.Join(t.TempDir(), "log")
			runTests(t, c.dir, overlay, log, c.packages)
			pairs += compareObserved(t, c.dir, log)
		})
	}
	assert.GreaterOrEqual(t, pairs, 300)
}

func runTests(t *testing.T, dir string, overlay map[string]string, log string, packages map[string]string) {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"Replace":{`)
	first := true
	for from, to := range overlay {
		if !first {
			b.WriteString(",")
		}
		first = false
		fmt.Fprintf(&b, "%q:%q", from, to)
	}
	b.WriteString("}}")
	file := filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o600))
	args := []string{"test", "-vet=off", "-count=1", "-skip", "Mutants", "-overlay", file}
	for d := range packages {
		args = append(args, "./"+d)
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "ERRGEN_OBSERVED="+log)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	assert.NoError(t, err)
}

// compareObserved returns the number of pairs of a function and a code that it returned.
func compareObserved(t *testing.T, dir, log string) (pairs int) {
	t.Helper()
	b, err := os.ReadFile(log)
	require.NoError(t, err)
	patterns := []string{"./..."}
	if dir == testdata {
		patterns = []string{"./flows", "./more"}
	}
	p := load(t, dir, patterns...)
	inferred := make(map[string]*infer.Set)
	open := make(map[string]bool) // the driver passes errors that no caller of the program passes
	for _, fn := range p.Funcs {
		if s, ok := p.Result(fn); ok {
			inferred[fn.String()] = p.Close(s)
			for a := range s.All() {
				open[fn.String()] = open[fn.String()] || a.Symbolic() && dir == testdata
			}
		}
	}
	seen := make(map[string]bool)
	total, found := make(map[string]int), make(map[string]int)
	for line := range strings.Lines(string(b)) {
		if seen[line] {
			continue
		}
		seen[line] = true
		name, code, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		set, ok := inferred[name]
		if !assert.True(t, ok, name) {
			continue
		}
		holds := open[name]
		codes := 0
		for a := range set.All() {
			_, value, _ := strings.Cut(a.Name, "#")
			if a.Kind == infer.Code && !a.Below {
				codes++
			}
			holds = holds || a.Kind == infer.Unknown || a.Kind == infer.Code && value == code ||
				code == "" && (a.Kind == infer.Foreign || a.Kind == infer.Ended)
		}
		total[name] = codes
		if code != "" {
			found[name]++
		}
		assert.True(t, holds, "%s returned %q, inferred %v", name, code, p.Words(set, nil))
	}
	all, some := 0, 0
	for name := range total {
		all += total[name]
		some += min(found[name], total[name])
	}
	t.Logf("%d pairs of a function and a code, in %d functions whose sets have %d codes; %d of them were observed",
		len(seen), len(total), all, some)
	for _, x := range p.Entries() {
		name := p.Declared(x.Func).String()
		t.Logf("%s: %d of %d codes were observed", x.Name, found[name], total[name])
		assert.GreaterOrEqual(t, found[name]*100, total[name]*60, x.Name)
	}
	return len(seen)
}

// injected calls everything in shop that uses the database, for each failure of the examples. The
// tests of shop do that for the gateway.
const injected = `package main

import (
	"context"
	"net/http"
	"testing"

	"github.com/errgen/errgen/runtime/dberr/pgxerr/pgxtest"
	"github.com/errgen/errgen/runtime/errtest/script"
	"github.com/errgen/errgen/runtime/taxonomy"
	"shop.example.com/shop/client"
	"shop.example.com/shop/errs"
	"shop.example.com/shop/orderspb"
)

func TestInjected(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, x := range append(errs.Examples(), taxonomy.Example{}) { // no failure: no rows
		if x.Evidence.Source != errs.SourcePostgres.String() && x.Code != "" {
			continue
		}
		t.Run(x.Code, func(t *testing.T) {
			faults := script.New([]taxonomy.Example{x})
			if x.Code != "" {
				failure, _ := taxonomy.First(errs.Table.Classify(&x.Evidence), nil)
				faults.Fail(failure)
			} else {
				faults.Then(http.StatusOK, "")
			}
			s := shopOn(t, &store{pgxtest.Pool(t, faults, nil)})
			for _, ctx := range []context.Context{t.Context(), ended} {
				_ = s.client.Place(ctx, tea)
				_ = s.client.Place(ctx, client.Order{})
				_ = s.client.Ensure(ctx, tea)
				_, _ = s.client.Get(ctx, "o-1")
				_, _ = s.orders.Place(ctx, &orderspb.Order{Id: "o-1", Items: tea.Items, AmountCents: 1})
				_, _ = s.orders.Place(ctx, &orderspb.Order{})
				_, _ = s.orders.Get(ctx, &orderspb.GetRequest{Id: "o-1"})
				_ = s.work(ctx)
				_ = s.store.close(ctx, "o-1", "paid")
				_ = s.store.insert(ctx, tea)
			}
		})
	}
}
`

const observe = `package %s

import (
	"fmt"
	"os"

	"github.com/errgen/errgen/runtime/taxonomy"
)

func errgenObserve(name string, err *error) {
	if *err == nil {
		return
	}
	f, openErr := os.OpenFile(os.Getenv("ERRGEN_OBSERVED"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if openErr != nil {
		panic(openErr)
	}
	defer f.Close()
	fmt.Fprintf(f, "%%s\t%%s\n", name, taxonomy.CodeOf(*err))
}
`

// instrument writes a copy of a package whose functions record their errors, and returns the names
// of the files.
func instrument(t *testing.T, from, to, path string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(from, "*.go"))
	require.NoError(t, err)
	pkg := ""
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, nil, parser.ParseComments)
		require.NoError(t, err)
		pkg = f.Name.Name
		for _, d := range f.Decls {
			if decl, ok := d.(*ast.FuncDecl); ok && decl.Body != nil && decl.Type.Results != nil {
				record(decl, path)
			}
		}
		out, err := os.Create(filepath.Join(to, filepath.Base(file)))
		require.NoError(t, err)
		require.NoError(t, printer.Fprint(out, fset, f))
		require.NoError(t, out.Close())
		names = append(names, filepath.Base(file))
	}
	require.NoError(t, os.WriteFile(filepath.Join(to, "observe.go"), fmt.Appendf(nil, observe, pkg), 0o600))
	return append(names, "observe.go")
}

// record makes a function record its error in a deferred call.
func record(decl *ast.FuncDecl, path string) {
	results := decl.Type.Results.List
	last := results[len(results)-1]
	if id, ok := last.Type.(*ast.Ident); !ok || id.Name != "error" || len(typeParams(decl)) > 0 {
		return
	}
	for i, r := range results {
		if len(r.Names) == 0 {
			r.Names = []*ast.Ident{ast.NewIdent(fmt.Sprintf("errgenResult%d", i))}
		}
		for j, n := range r.Names {
			if n.Name == "_" {
				r.Names[j] = ast.NewIdent(fmt.Sprintf("errgenResult%d_%d", i, j))
			}
		}
	}
	name := path + "." + decl.Name.Name
	if decl.Recv != nil {
		t := types.ExprString(decl.Recv.List[0].Type)
		star := strings.HasPrefix(t, "*")
		name = "(" + path + "." + strings.TrimPrefix(t, "*") + ")." + decl.Name.Name
		if strings.Contains(t, "[") {
			return
		}
		if star {
			name = "(*" + name[1:]
		}
	}
	call := &ast.CallExpr{Fun: ast.NewIdent("errgenObserve"), Args: []ast.Expr{
		&ast.BasicLit{Kind: token.STRING, Value: fmt.Sprintf("%q", name)},
		&ast.UnaryExpr{Op: token.AND, X: ast.NewIdent(last.Names[len(last.Names)-1].Name)}}}
	decl.Body.List = append([]ast.Stmt{&ast.DeferStmt{Call: call}}, decl.Body.List...)
}

func typeParams(decl *ast.FuncDecl) []*ast.Field {
	if decl.Type.TypeParams == nil {
		return nil
	}
	return decl.Type.TypeParams.List
}

// samples are arguments for parameters by type; the functions are called with each one.
var samples = map[string][]string{
	"int": {"0", "1", "2", "3", "4", "5", "9"}, "bool": {"true", "false"}, "string": {`""`, `"x"`},
	"context.Context": {"context.Background()", "ended"}, "error": {"nil", "errs.NewExists()", "os.ErrNotExist"},
	"[]int": {"[]int{0, 1, 2}"}, "[]byte": {`[]byte("{}")`, "[]byte(`{\"D\":\"a long text here\"}`)"},
	"*http.Client": {"http.DefaultClient"}, "taxonomy.Table": {"errs.Table"}, "[]retry.Option": {"nil"},
	"io.Reader": {`strings.NewReader("")`, `strings.NewReader("{}")`}, "map[int]bool": {"nil", "map[int]bool{1: true}"},
	"*http.Response": {"response(404)", "response(503)"},
}

// drive writes a test that calls the exported functions whose parameters have samples.
func drive(t *testing.T, from, to string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(from, "*.go"))
	require.NoError(t, err)
	var b strings.Builder
	pkg := ""
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		pkg = f.Name.Name
		for _, d := range f.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok || decl.Recv != nil || !decl.Name.IsExported() || len(typeParams(decl)) > 0 {
				continue
			}
			for _, args := range arguments(decl.Type.Params.List) {
				fmt.Fprintf(&b, "\t\tfunc() { %s(%s) },\n", decl.Name.Name, args)
			}
		}
	}
	condition := ""
	if pkg == "flows" {
		condition = "\t\tcond = !cond\n"
	}
	src := fmt.Sprintf(`package %s

import (
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/errgen/errgen/vet/internal/infer/testdata/errs"
)

var _, _, _ = http.DefaultClient, os.ErrNotExist, errs.Table

func response(status int) *http.Response {
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader("{}"))}
}

func TestDrive(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for range 2 {
%s		for _, f := range []func(){
%s		} {
			done := make(chan bool)
			go func() {
				defer close(done)
				defer func() { _ = recover() }()
				f()
			}()
			select {
			case <-done:
			case <-time.After(3 * time.Second):
			}
		}
	}
	_ = ended
}
`, pkg, condition, b.String())
	name := filepath.Join(to, "drive_test.go")
	require.NoError(t, os.WriteFile(name, []byte(src), 0o600))
	return name
}

// arguments returns lists of arguments: each sample of each parameter.
func arguments(params []*ast.Field) []string {
	lists := []string{""}
	for _, p := range params {
		values := samples[types.ExprString(p.Type)]
		for range max(1, len(p.Names)) {
			var next []string
			for _, l := range lists {
				for _, v := range values {
					next = append(next, strings.TrimPrefix(l+", "+v, ", "))
				}
			}
			lists = next
		}
	}
	return lists
}
