// Package program loads a whole program and infers the errors of its functions.
package program

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/callgraph/cha"
	"golang.org/x/tools/go/callgraph/vta"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/errgen/errgen/vet/internal/infer"
)

// Options select a program.
type Options struct {
	Dir      string
	Patterns []string
	// Dependencies also infers the errors of the packages that the patterns' packages import from
	// their own modules. Without them these errors would be foreign, and tests of their codes dead.
	Dependencies bool
	// VTA resolves the calls of interfaces by the types that reach them, over all dependencies. It
	// takes longer.
	VTA bool
	// Overlay has the contents of files that replace those on the disk, by absolute path.
	Overlay map[string][]byte
}

// Program is a loaded program. Its functions have summaries.
type Program struct {
	*infer.Engine
	Packages []*packages.Package // those of the patterns, without generated ones
	Funcs    []*ssa.Function     // the declared functions of these packages
	SSA      *ssa.Program
}

const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedTypes | packages.NeedTypesSizes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule

// Load loads the packages and infers the errors of their functions.
func Load(ctx context.Context, o Options) (*Program, error) {
	selected, err := addDependencies(ctx, &o)
	if err != nil {
		return nil, err
	}
	initial, fset, err := loadPackages(ctx, o)
	if err != nil {
		return nil, err
	}
	known, err := taxonomies(ctx, o.Dir, initial)
	if err != nil {
		return nil, err
	}
	p := &Program{Engine: infer.New(fset, known)}
	p.Whole, p.Library = true, selected != nil
	if p.Root, err = filepath.Abs(o.Dir); err != nil {
		return nil, err
	}
	var built []*ssa.Package
	if o.VTA {
		p.SSA, built = ssautil.AllPackages(initial, ssa.InstantiateGenerics)
	} else {
		p.SSA, built = ssautil.Packages(initial, 0)
	}
	p.SSA.Build()
	if o.VTA {
		p.Callees = callees(p.SSA)
	}
	contracts := make(map[types.Object]*infer.Contract)
	for i, pkg := range initial {
		if built[i] == nil || infer.IsGenerated(pkg.Types) {
			continue
		}
		if selected == nil || selected[pkg.PkgPath] {
			p.Packages = append(p.Packages, pkg)
		}
		p.AddContracts(pkg.Syntax, pkg.TypesInfo, func(f types.Object, c *infer.Contract) { contracts[f] = c })
		for _, fn := range infer.SourceFuncs(built[i], pkg.Syntax, pkg.TypesInfo) {
			p.Add(fn)
			if selected == nil || selected[pkg.PkgPath] {
				p.Funcs = append(p.Funcs, fn)
			}
		}
	}
	p.ContractOf = func(f types.Object) *infer.Contract { return contracts[f] }
	p.Run()
	return p, nil
}

// addDependencies adds the packages to the patterns that their packages import from their own
// modules. It returns the paths of the packages that the patterns select, or nil if they are all.
func addDependencies(ctx context.Context, o *Options) (map[string]bool, error) {
	for _, pattern := range o.Patterns {
		if strings.HasPrefix(pattern, "-") {
			return nil, fmt.Errorf("%q is not a pattern of packages", pattern)
		}
	}
	_, err := os.Stat(filepath.Join(o.Dir, "go.mod"))
	isFile := func(pattern string) bool { return strings.HasSuffix(pattern, ".go") }
	if !o.Dependencies || err == nil && slices.Contains(o.Patterns, "./...") ||
		slices.ContainsFunc(o.Patterns, isFile) {
		return nil, nil
	}
	const names = packages.NeedName | packages.NeedModule | packages.NeedImports | packages.NeedDeps
	list, err := packages.Load(&packages.Config{Context: ctx, Mode: names, Dir: o.Dir}, o.Patterns...)
	if err != nil {
		return nil, fmt.Errorf("find packages: %w", err)
	}
	selected, modules := make(map[string]bool), make(map[string]bool)
	for _, p := range list {
		selected[p.PkgPath] = true
		if p.Module != nil {
			modules[p.Module.Path] = true
		}
	}
	packages.Visit(list, nil, func(p *packages.Package) {
		if p.Module != nil && modules[p.Module.Path] && !selected[p.PkgPath] {
			o.Patterns = append(slices.Clip(o.Patterns), p.PkgPath)
		}
	})
	return selected, nil
}

// Entries returns the handlers and remote methods of the packages.
func (p *Program) Entries() []infer.Entry {
	files := make(map[*token.File]bool)
	for _, pkg := range p.Packages {
		for _, f := range pkg.Syntax {
			files[p.Fset.File(f.FileStart)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(p.Engine.Entries()), func(x infer.Entry) bool {
		return !files[p.Fset.File(x.Pos)]
	})
}

func loadPackages(ctx context.Context, o Options) ([]*packages.Package, *token.FileSet, error) {
	cfg := &packages.Config{Context: ctx, Mode: mode, Dir: o.Dir, Fset: token.NewFileSet(), Overlay: o.Overlay}
	if o.VTA {
		cfg.Mode |= packages.NeedDeps
	}
	initial, err := packages.Load(cfg, o.Patterns...)
	if err != nil {
		return nil, nil, fmt.Errorf("load packages: %w", err)
	}
	if len(initial) == 0 {
		return nil, nil, noPackages(ctx, o)
	}
	slices.SortFunc(initial, func(a, b *packages.Package) int { return strings.Compare(a.ID, b.ID) })
	var problems []error
	packages.Visit(initial, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			problems = append(problems, e)
		}
	})
	if len(problems) > 0 {
		return nil, nil, fmt.Errorf("load packages: %w", errors.Join(problems...))
	}
	return initial, cfg.Fset, nil
}

// noPackages returns why no package was loaded. Go list knows, but package packages does not return
// its message, such as "updates to go.mod needed".
func noPackages(ctx context.Context, o Options) error {
	list := exec.CommandContext(ctx, "go", append([]string{"list", "--"}, o.Patterns...)...)
	list.Dir = o.Dir
	_, err := list.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("load packages: %s", strings.TrimSpace(string(exit.Stderr)))
	}
	return errors.Join(errors.New("load packages: none match the patterns"), err)
}

// taxonomies returns those of the generated packages that the program has or imports. Packages of
// other modules are loaded from their source, because export data lacks the summaries.
func taxonomies(ctx context.Context, dir string, initial []*packages.Package) (known []*infer.Taxonomy, err error) {
	missing := make(map[string]bool)
	packages.Visit(initial, nil, func(p *packages.Package) {
		if p.Types != nil {
			for _, i := range p.Types.Imports() {
				missing[i.Path()] = missing[i.Path()] || infer.IsGenerated(i)
			}
		}
	})
	for _, p := range initial {
		missing[p.PkgPath] = false
	}
	maps.DeleteFunc(missing, func(_ string, is bool) bool { return !is })
	if len(missing) > 0 {
		cfg := &packages.Config{Context: ctx, Mode: mode, Dir: dir}
		more, err := packages.Load(cfg, slices.Sorted(maps.Keys(missing))...)
		if err != nil {
			return nil, fmt.Errorf("load generated packages: %w", err)
		}
		initial = slices.Concat(initial, more)
	}
	for _, p := range initial {
		if infer.IsGenerated(p.Types) {
			t, err := infer.ReadTaxonomy(p.Types)
			if err != nil {
				return nil, err
			}
			known = append(known, t)
		}
	}
	slices.SortFunc(known, func(a, b *infer.Taxonomy) int { return strings.Compare(a.Path, b.Path) })
	return known, nil
}

// callees returns the callees of the calls of interfaces.
func callees(prog *ssa.Program) func(ssa.CallInstruction) []*ssa.Function {
	graph := vta.CallGraph(ssautil.AllFunctions(prog), cha.CallGraph(prog))
	return func(call ssa.CallInstruction) (list []*ssa.Function) {
		node := graph.Nodes[call.Parent()]
		if node == nil {
			return nil
		}
		for _, edge := range node.Out {
			if edge.Site == call {
				list = append(list, edge.Callee.Func)
			}
		}
		slices.SortFunc(list, func(a, b *ssa.Function) int { return strings.Compare(a.String(), b.String()) })
		return list
	}
}

// Declaration returns the syntax of a declared function, or nil.
func Declaration(fn *ssa.Function) *ast.FuncDecl {
	decl, _ := fn.Syntax().(*ast.FuncDecl)
	return decl
}
