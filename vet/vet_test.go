package vet_test

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/packages"

	"github.com/errgen/errgen/vet"
	"github.com/errgen/errgen/vet/internal/infer"
	"github.com/errgen/errgen/vet/internal/program"
)

const testdata = "internal/infer/testdata"

// analyze runs the analyzer, which sees one package at a time.
func analyze(t *testing.T, dir string, patterns ...string) *checker.Graph {
	t.Helper()
	cfg := &packages.Config{Mode: packages.LoadAllSyntax, Dir: dir, Context: t.Context()}
	pkgs, err := packages.Load(cfg, patterns...)
	require.NoError(t, err)
	require.Zero(t, packages.PrintErrors(pkgs))
	g, err := checker.Analyze([]*analysis.Analyzer{vet.Analyzer}, pkgs, nil)
	require.NoError(t, err)
	for _, a := range g.Roots {
		require.NoError(t, a.Err)
	}
	return g
}

var wants = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)

// checkFindings compares findings by "file:line" with the comments `want` of packages.
func checkFindings(t *testing.T, pkgs []*packages.Package, got map[string][]string) {
	t.Helper()
	want := make(map[string][]string)
	for _, p := range pkgs {
		for _, f := range p.Syntax {
			for _, g := range f.Comments {
				for _, c := range g.List {
					if text, ok := strings.CutPrefix(c.Text, "// want "); ok {
						for _, m := range wants.FindAllStringSubmatch(text, -1) {
							place := place(p.Fset, c.Pos())
							want[place] = append(want[place], m[1])
						}
					}
				}
			}
		}
	}
	for _, place := range slices.Sorted(maps.Keys(want)) {
		for _, expr := range want[place] {
			i := slices.IndexFunc(got[place], func(m string) bool {
				found, err := regexp.MatchString(expr, m)
				return err == nil && found
			})
			if assert.GreaterOrEqual(t, i, 0, "%s: no finding %s among %q", place, expr, got[place]) {
				got[place] = slices.Delete(got[place], i, i+1)
			}
		}
	}
	for place, messages := range got {
		assert.Empty(t, messages, place)
	}
}

func place(fset *token.FileSet, pos token.Pos) string {
	p := fset.Position(pos)
	return filepath.Base(p.Filename) + ":" + strconv.Itoa(p.Line)
}

func TestFindingsOfAnalyzer(t *testing.T) {
	g := analyze(t, testdata, "./findings", "./boundary", "./operations/...")
	got := make(map[string][]string)
	var pkgs []*packages.Package
	for _, a := range g.Roots {
		pkgs = append(pkgs, a.Package)
		for _, d := range a.Diagnostics {
			assert.Contains(t, infer.IDs, d.Category)
			at := place(a.Package.Fset, d.Pos)
			got[at] = append(got[at], d.Message)
		}
	}
	checkFindings(t, pkgs, got)
}

func TestFindingsOfProgram(t *testing.T) {
	p := load(t, testdata, "./findings", "./boundary", "./operations/...")
	got := make(map[string][]string)
	for _, pkg := range p.Packages {
		src := infer.Source{Files: pkg.Syntax, Info: pkg.TypesInfo, FuncOf: p.SSA.FuncValue}
		for _, f := range p.Findings(src) {
			got[place(p.Fset, f.Pos)] = append(got[place(p.Fset, f.Pos)], f.Message)
		}
	}
	checkFindings(t, p.Packages, got)
}

// One package does not know the causes that other packages give to contexts.
func TestOnePackageReportsLess(t *testing.T) {
	p := load(t, testdata, "./forms")
	require.Len(t, p.Packages, 1)
	pkg := p.Packages[0]
	list := p.Findings(infer.Source{Files: pkg.Syntax, Info: pkg.TypesInfo, FuncOf: p.SSA.FuncValue})
	require.Len(t, list, 1)
	assert.Equal(t, infer.DeadID, list[0].ID)
	for _, a := range analyze(t, testdata, "./forms").Roots {
		assert.Empty(t, a.Diagnostics)
	}
}

func load(t *testing.T, dir string, patterns ...string) *program.Program {
	t.Helper()
	p, err := program.Load(t.Context(), program.Options{Dir: dir, Patterns: patterns})
	require.NoError(t, err)
	require.False(t, p.Open, "rounds")
	return p
}

// The set of a function that the analyzer infers contains the set of the whole program.
func TestModularContainsWhole(t *testing.T) {
	for _, c := range []struct{ dir, pattern string }{
		{testdata, "./flows"}, {testdata, "./more"}, {testdata, "./objects"}, {testdata, "./edges"},
		{testdata, "./pgxedges"}, {testdata, "./forms"}, {testdata, "./rpcedges"},
		{"../examples/quickstart", "./..."}, {"../examples/shop", "./..."},
	} {
		t.Run(c.dir+" "+c.pattern, func(t *testing.T) {
			if testing.Short() && c.dir == "../examples/shop" {
				t.Skip("loads all its dependencies")
			}
			p := load(t, c.dir, c.pattern)
			facts := make(map[string]*infer.Summary)
			for a := range analyze(t, c.dir, c.pattern).All() {
				for _, f := range a.AllObjectFacts() {
					if s, ok := f.Fact.(*infer.Summary); ok && a.Package.Types == f.Object.Pkg() {
						facts[f.Object.(*types.Func).FullName()] = s
					}
				}
			}
			compared := 0
			for _, fn := range p.Funcs {
				whole := p.SummaryOf(fn)
				obj, ok := fn.Object().(*types.Func)
				if whole == nil || !ok || !seesTaxonomy(fn.Pkg.Pkg) {
					continue
				}
				modular := facts[obj.FullName()]
				for i, r := range whole.Results {
					for _, a := range r.Atoms {
						compared++
						if modular == nil || i >= len(modular.Results) {
							assert.Fail(t, "no fact", "%s: %v", fn, a)
							continue
						}
						assert.True(t, covers(modular.Results[i].Atoms, a), "%s result %d: %v is not in %v", fn, i, a,
							modular.Results[i].Atoms)
					}
				}
			}
			assert.Positive(t, compared)
		})
	}
}

// seesTaxonomy reports whether a package imports a generated one. The analyzer infers nothing for
// other packages: all that they make is foreign.
func seesTaxonomy(p *types.Package) bool {
	return slices.ContainsFunc(p.Imports(), func(i *types.Package) bool {
		return infer.IsGenerated(i) || strings.HasPrefix(i.Path(), p.Path()+"/") && seesTaxonomy(i)
	})
}

// covers reports whether atoms contain an atom, or an unknown one in its place.
func covers(atoms []infer.Atom, a infer.Atom) bool {
	return slices.ContainsFunc(atoms, func(b infer.Atom) bool {
		return b == a || b.Kind == infer.Unknown || b.Kind == a.Kind && b.Name == a.Name && b.Index == a.Index &&
			b.Below == a.Below && b.Owner == a.Owner
	})
}

// The output is the same in every run.
func TestDeterminism(t *testing.T) {
	runs := 20
	if testing.Short() {
		runs = 3
	}
	first := ""
	for range runs {
		p := load(t, testdata, "./flows", "./more", "./findings")
		var b strings.Builder
		for _, fn := range p.Funcs {
			if s := p.SummaryOf(fn); s != nil {
				fmt.Fprintf(&b, "%s %+v\n", fn, *s)
			}
		}
		if first == "" {
			first = b.String()
		}
		require.Equal(t, first, b.String())
	}
}

// Few functions of a program have an error that is not known: none of shop and its client, at most
// 5 of 100 in all examples, and at most 15 of 100 in the runtime.
func TestUnknowns(t *testing.T) {
	if testing.Short() {
		t.Skip("loads all examples")
	}
	count := func(dir string, patterns ...string) (unknown, all int) {
		p := load(t, dir, patterns...)
		for _, fn := range p.Funcs {
			s, ok := p.Result(fn)
			if !ok {
				continue
			}
			all++
			for a, path := range s.All() {
				if a.Kind == infer.Unknown {
					unknown++
					t.Logf("%s: %s: %s", fn, a.Name, infer.Path(path))
					break
				}
			}
		}
		t.Logf("%s: %d of %d functions, %d rounds", dir, unknown, all, p.Rounds)
		return unknown, all
	}
	unknown, all := count("../examples/shop", "./...")
	assert.Zero(t, unknown)
	assert.Positive(t, all)
	for _, example := range []string{"aidf", "duyetbot", "orchestrator", "quickstart", "specrunner", "temporal"} {
		u, n := count("../examples/"+example, "./...")
		unknown, all = unknown+u, all+n
	}
	assert.LessOrEqual(t, unknown*100, all*5, "of the examples")
	unknown, all = count("..", "./runtime/...")
	assert.LessOrEqual(t, unknown*100, all*15, "of the runtime")
	assert.GreaterOrEqual(t, all, 400)
}
