package infer

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// SourceFuncs returns the initializer and the declared functions of a package, in order.
func SourceFuncs(pkg *ssa.Package, files []*ast.File, info *types.Info) (list []*ssa.Function) {
	if f := pkg.Func("init"); f != nil {
		list = append(list, f)
	}
	for _, file := range files {
		for _, d := range file.Decls {
			decl, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if obj, ok := info.Defs[decl.Name].(*types.Func); ok {
				if fn := pkg.Prog.FuncValue(obj); fn != nil {
					list = append(list, fn)
				}
			}
		}
	}
	return list
}

// AddContracts finds the directives //errgen:errors of functions, of methods of interfaces, and of
// fields that are functions.
func (e *Engine) AddContracts(files []*ast.File, info *types.Info, found func(types.Object, *Contract)) {
	add := func(name *ast.Ident, doc *ast.CommentGroup) {
		if list, ok := Directive(doc, "errors"); ok {
			if obj := info.Defs[name]; obj != nil {
				found(obj, &Contract{list, e.codesNamed(obj.Pkg(), list), e.at(name.Pos())})
			}
		}
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				add(n.Name, n.Doc)
			case *ast.InterfaceType:
				for _, m := range n.Methods.List {
					if len(m.Names) == 1 {
						add(m.Names[0], m.Doc)
					}
				}
			case *ast.StructType:
				for _, f := range n.Fields.List {
					for _, name := range f.Names {
						add(name, f.Doc)
					}
				}
			}
			return true
		})
	}
}

// Directive returns the operands of a directive //errgen:name in a comment, and whether it is
// there.
func Directive(doc *ast.CommentGroup, name string) (operands []string, ok bool) {
	if doc == nil {
		return nil, false
	}
	for _, c := range doc.List {
		if rest, found := strings.CutPrefix(c.Text, "//errgen:"+name); found && (rest == "" || rest[0] == ' ') {
			return strings.Fields(rest), true
		}
	}
	return nil, false
}

// Result returns the value of a function's last result, and whether that is an error. The symbols
// of the function stay; others are replaced by what the known callers pass.
func (e *Engine) Result(fn *ssa.Function) (*Set, bool) {
	n := fn.Signature.Results().Len()
	if n == 0 || !e.isError(fn.Signature.Results().At(n-1).Type()) {
		return nil, false
	}
	out := new(Set)
	for a, p := range e.ownSymbols(e.result(fn, n-1), fn).All() {
		if !a.Below && !a.onlyCause() {
			out.add(a, p)
		}
	}
	return out, true
}

// ownSymbols replaces the symbols that are not of the function.
func (e *Engine) ownSymbols(s *Set, fn *ssa.Function) *Set {
	out := new(Set)
	for a, p := range s.All() {
		if a.Symbolic() && a.Owner == e.id(fn) {
			out.add(a, p)
		} else {
			out.addAll(e.close(single(a, p)))
		}
	}
	return out
}

// Close replaces all symbols by what the known callers pass.
func (e *Engine) Close(s *Set) *Set { return e.close(s) }

// SummaryOf returns the summary of a function for other packages, or nil if they need none.
func (e *Engine) SummaryOf(fn *ssa.Function) *Summary {
	s := &Summary{}
	needed := false
	for _, r := range e.summaries[origin(fn)] {
		var f Fact
		for a, p := range e.ownSymbols(r, fn).All() {
			if a.Kind == Func || a.Kind == Client || a.Kind == Object {
				a = Atom{Kind: Unknown, Name: "a function or client of another package"}
			}
			f.Atoms, f.Paths = append(f.Atoms, a), append(f.Paths, p)
			needed = true
		}
		s.Results = append(s.Results, f)
	}
	for i := range fn.Params {
		if p := e.predicate(fn, i); p != nil {
			s.Narrow = append(s.Narrow, *p)
			needed = true
		}
	}
	if !needed {
		return nil
	}
	return s
}

// Words returns the visible atoms of a set in a canonical form and order: codes, "(context)",
// "foreign(os.Open)", "unknown(reason)", and "$err" for a parameter of fn.
func (e *Engine) Words(s *Set, fn *ssa.Function) (words []string) {
	for a := range s.All() {
		if w := e.Word(a, fn); w != "" && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	slices.Sort(words)
	return words
}

// Word returns the text of an atom, or "" if it is only a cause.
func (e *Engine) Word(a Atom, fn *ssa.Function) string {
	if a.Below {
		return ""
	}
	switch a.Kind {
	case Code:
		_, value, _ := strings.Cut(a.Name, "#")
		return value
	case Foreign:
		return "foreign(" + ShortName(a.Name) + ")"
	case Unknown:
		return "unknown(" + a.Name + ")"
	case Ended:
		return "(context)"
	}
	if !a.Symbolic() {
		return ""
	}
	name, ops := "a captured variable", a.Ops
	if fn != nil && a.Index < len(fn.Params) && a.Kind == Param {
		name = fn.Params[a.Index].Name()
	}
	if strings.HasPrefix(ops, "k") {
		return "$" + name + ".Classify()"
	}
	if strings.HasPrefix(ops, "r") {
		_, ops, _ = strings.Cut(ops, ";")
		name += "()"
	}
	if strings.HasPrefix(ops, "c") {
		name = "classified " + name
	}
	return "$" + name
}

// ShortName returns a name such as os.File.Close.
func ShortName(name string) string {
	name = strings.NewReplacer("(", "", ")", "", "*", "").Replace(name)
	return name[strings.LastIndexByte(name, '/')+1:]
}

// Declared returns the declared function that a function value calls: the method of a bound method.
func (e *Engine) Declared(fn *ssa.Function) *ssa.Function {
	if fn == nil || fn.Synthetic == "" {
		return fn
	}
	if obj, ok := fn.Object().(*types.Func); ok {
		return e.declared(obj)
	}
	return nil
}
