package infer

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/errgen/errgen/internal/summary"
)

// Finding is a problem at a place.
type Finding struct {
	Pos     token.Pos
	ID      string
	Message string
}

// The ids of findings. Text that is not in a finding's own line follows a colon, as a witness.
const (
	ContractID    = "contract"    // an error that the contract does not have
	SuperfluousID = "superfluous" // a code of a contract that never is returned
	ForeignID     = "foreign"     // an error without a code, with a contract or at a boundary
	DeadID        = "dead"        // a test or case that never holds
	MissingID     = "missing"     // a code without a case in an exhaustive switch
	UnknownID     = "unknown"     // a contract or an exhaustive switch that cannot be checked
	DroppedID     = "dropped"     // an error that is made and not used
	ComparedID    = "compared"    // a comparison that wrapped errors do not pass
	OperationID   = "operation"   // a public code that the operation of a handler does not declare
)

// IDs has the ids with a sentence about each.
var IDs = map[string]string{
	ContractID:    "A function returns a code that its contract does not have.",
	SuperfluousID: "A contract has a code that the function never returns.",
	ForeignID:     "A function with a contract, or at a boundary, returns an error without a code.",
	DeadID:        "A test of an error never holds.",
	MissingID:     "A code arrives at an exhaustive switch and has no case.",
	UnknownID:     "A contract or an exhaustive switch cannot be checked.",
	DroppedID:     "An error is made and dropped.",
	ComparedID:    "A comparison does not find wrapped errors, or depends on a text.",
	OperationID:   "A handler or remote method returns a public code that its operation does not declare.",
}

// Source is the syntax of a package of the scope.
type Source struct {
	Files  []*ast.File
	Info   *types.Info
	FuncOf func(*types.Func) *ssa.Function
}

// checker collects the findings of a package.
type checker struct {
	*Engine
	Source
	inFiles map[*token.File]bool
	calls   map[token.Pos]*ssa.Call
	list    []Finding
}

func (e *Engine) checker(src Source) *checker {
	c := &checker{Engine: e, Source: src, inFiles: make(map[*token.File]bool), calls: make(map[token.Pos]*ssa.Call)}
	for _, f := range src.Files {
		c.inFiles[e.Fset.File(f.FileStart)] = true
	}
	return c
}

func (c *checker) contains(pos token.Pos) bool { return pos.IsValid() && c.inFiles[c.Fset.File(pos)] }

// values calls a function with the calls and the comparisons of the package.
func (c *checker) values(visit func(ssa.Value, *ssa.BasicBlock)) {
	for _, fn := range c.Funcs {
		if !c.contains(fn.Pos()) {
			continue
		}
		for _, b := range fn.Blocks {
			if c.unreachable[b] {
				continue
			}
			for _, i := range b.Instrs {
				switch i := i.(type) {
				case *ssa.Call:
					c.calls[i.Pos()] = i
					visit(i, b)
				case *ssa.BinOp:
					visit(i, b)
				}
			}
		}
	}
}

// Findings returns the findings of a package, sorted by place.
func (e *Engine) Findings(src Source) []Finding {
	c := e.checker(src)
	c.values(c.dead)
	c.operations()
	e.AddContracts(src.Files, src.Info, c.contract)
	for _, f := range src.Files {
		c.file(f)
	}
	slices.SortStableFunc(c.list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Pos, b.Pos), strings.Compare(a.ID, b.ID), strings.Compare(a.Message, b.Message))
	})
	return slices.Compact(c.list)
}

func (c *checker) report(pos token.Pos, id, format string, args ...any) {
	c.list = append(c.list, Finding{pos, id, fmt.Sprintf(format, args...)})
}

func (c *checker) file(f *ast.File) {
	lines, boundary := c.directives(f)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt:
			c.dropped(n.X)
		case *ast.DeferStmt:
			c.dropped(n.Call)
		case *ast.GoStmt:
			c.dropped(n.Call)
		case *ast.BinaryExpr:
			c.compared(n)
		case *ast.SwitchStmt:
			c.comparedCases(n)
			if line := c.Fset.Position(n.Pos()).Line; lines[line] || lines[line-1] {
				c.exhaustive(n)
			}
		case *ast.FuncDecl:
			if boundary {
				c.boundary(n)
			}
		}
		return true
	})
}

// dropped reports a statement that makes an error: by a factory, a method of an error, or Classify.
func (c *checker) dropped(x ast.Expr) {
	call, ok := ast.Unparen(x).(*ast.CallExpr)
	if !ok {
		return
	}
	t := c.Info.TypeOf(call)
	if t == nil || !c.isError(t) {
		return
	}
	f, _ := typeutil.Callee(c.Info, call).(*types.Func)
	if c.generatedType(t) || f != nil && f.Pkg() != nil && f.Name() == "Classify" && c.taxonomy(f.Pkg().Path()) != nil {
		c.report(x.Pos(), DroppedID, "the error is made and dropped: return it, or log it")
	}
}

// directives returns the lines of //errgen:exhaustive, and whether the file has //errgen:boundary.
func (c *checker) directives(f *ast.File) (exhaustive map[int]bool, boundary bool) {
	exhaustive = make(map[int]bool)
	for _, g := range f.Comments {
		for _, comment := range g.List {
			switch strings.TrimSpace(comment.Text) {
			case "//errgen:exhaustive":
				exhaustive[c.Fset.Position(comment.Pos()).Line] = true
			case "//errgen:boundary":
				boundary = true
			}
		}
	}
	return exhaustive, boundary
}

// boundary reports the errors without a code of a function without a contract.
func (c *checker) boundary(decl *ast.FuncDecl) {
	obj, _ := c.Info.Defs[decl.Name].(*types.Func)
	if obj == nil || !obj.Exported() || c.FuncOf(obj) == nil || c.ContractOf(obj) != nil {
		return
	}
	s, _ := c.Result(c.FuncOf(obj))
	for a, p := range c.close(s).All() {
		if a.Kind == Foreign && !a.Below {
			c.reportForeign(obj.Name(), a, p, obj.Pos())
		}
	}
}

func (c *checker) reportForeign(name string, a Atom, p []string, pos token.Pos) {
	c.report(pos, ForeignID, "%s can return an error without a code, of %s: %s", name, ShortName(a.Name), Path(p))
}

// Path returns a witness as text.
func Path(p []string) string {
	p = slices.DeleteFunc(slices.Clone(p), func(place string) bool { return place == "" })
	return strings.Join(slices.Compact(p), " → ")
}

// contract compares a contract with what the function returns, with the implementations of the
// interface's method, or with the functions that the program stores in the field.
func (c *checker) contract(obj types.Object, contract *Contract) {
	switch obj := obj.(type) {
	case *types.Func:
		if fn := c.FuncOf(obj); fn != nil {
			s, ok := c.Result(fn)
			if !ok {
				c.report(obj.Pos(), ContractID, "%s has a contract and returns no error", obj.Name())
				return
			}
			c.checkContract(contract, obj.Name(), s, obj.Pos(), true)
			return
		}
		iface, _ := obj.Signature().Recv().Type().Underlying().(*types.Interface)
		for _, fn := range c.methodsOf(c.implementing(iface), obj).funcs {
			if s, ok := c.Result(fn); ok {
				c.checkContract(contract, fn.RelString(nil), s, fn.Pos(), false)
			}
		}
	case *types.Var:
		sig, isFunc := obj.Type().Underlying().(*types.Signature)
		if !isFunc || sig.Results().Len() == 0 {
			c.report(obj.Pos(), ContractID, "%s has a contract and is not a function that returns an error", obj.Name())
			return
		}
		for a, p := range c.cells[obj].All() {
			s := c.apply(single(a, p), resultOf(sig.Results().Len()-1), c.at(obj.Pos()))
			c.checkContract(contract, obj.Name(), s, obj.Pos(), false)
		}
	}
}

// checkContract reports the differences between a contract and the inferred set. If it is not
// exact, the function may return less than its contract.
func (c *checker) checkContract(contract *Contract, name string, s *Set, pos token.Pos, exact bool) {
	declared, keys := contract.Codes, contract.Keys
	for i, word := range declared {
		if word != ForeignWord && strings.HasPrefix(keys[i], "?") {
			c.report(pos, ContractID, "no taxonomy here has the code %s, which the contract of %s names", word, name)
		}
	}
	found, complete := make(map[string]bool), true
	for a, p := range c.close(s).All() {
		switch {
		case a.Below && a.Kind == Unknown:
			complete = false
		case a.Below || a.Kind == Ended:
		case a.Kind == Code:
			permitted := false
			for _, key := range keys {
				if slices.Contains(c.permits(key), a.Name) {
					found[key], permitted = true, true
				}
			}
			if !permitted {
				c.report(pos, ContractID, "%s can return %s, which its contract does not have: %s",
					name, c.Word(a, nil), Path(p))
			}
		case a.Kind == Foreign:
			if !slices.Contains(declared, ForeignWord) {
				c.reportForeign(name, a, p, pos)
			}
		default:
			complete = false
			c.report(pos, UnknownID, "the contract of %s cannot be checked: %s: %s", name, c.Word(a, nil), Path(p))
		}
	}
	for i, word := range declared {
		if exact && complete && !found[keys[i]] && word != ForeignWord && !strings.HasPrefix(keys[i], "?") {
			c.report(pos, SuperfluousID, "%s never returns %s, which its contract has", name, word)
		}
	}
}

// possible reports whether one of the codes can be in a value. With heads, causes do not count.
func possible(s *Set, codes []string, heads bool) bool {
	for a := range s.All() {
		if a.Kind == Unknown || a.Symbolic() {
			return true
		}
		if a.Kind == Code && slices.Contains(codes, a.Name) && !(heads && a.Below) {
			return true
		}
	}
	return false
}

// dead reports the tests that find nothing.
func (c *checker) dead(v ssa.Value, b *ssa.BasicBlock) {
	for _, t := range c.tests(v) {
		s := c.close(c.valueAt(t.err, b))
		found := s
		if t.how == summary.ByType { // which does not find code constants
			found = c.apply(s, t.yes, "")
		}
		if t.name != "" && !possible(found, t.codes, t.head) {
			c.report(t.pos, DeadID, "%s never arrives here%s", t.name, c.instead(s))
		}
	}
}

func (c *checker) instead(s *Set) string {
	if words := c.Words(s, nil); len(words) > 0 {
		return "; these do: " + strings.Join(words, ", ")
	}
	return ""
}

// exhaustive reports the codes that arrive at a switch and have no case.
func (c *checker) exhaustive(n *ast.SwitchStmt) {
	from, handled := c.switched(n)
	if from == nil {
		c.report(n.Pos(), UnknownID, "an exhaustive switch is on err.Code() or taxonomy.CodeOf(err)")
	}
	for a, p := range c.close(from).All() {
		switch {
		case a.Below || a.Kind == Ended || a.Kind == Foreign:
		case a.Kind == Code && !handled(a.Name):
			c.report(n.Pos(), MissingID, "%s arrives here and has no case: %s", c.Word(a, nil), Path(p))
		case a.Kind == Unknown || a.Symbolic():
			c.report(n.Pos(), UnknownID, "this switch cannot be checked: %s: %s", c.Word(a, nil), Path(p))
		}
	}
}

// switched returns the error whose code a switch is on, or nil, and a function that reports whether
// a code has a case.
func (c *checker) switched(n *ast.SwitchStmt) (from *Set, handled func(key string) bool) {
	tag, ok := ast.Unparen(n.Tag).(*ast.CallExpr)
	if !ok || c.calls[tag.Lparen] == nil {
		return nil, nil
	}
	call := c.calls[tag.Lparen]
	callee := call.Call.StaticCallee()
	if callee == nil || callee.Name() != "Code" && callee.Name() != "CodeOf" || len(call.Call.Args) == 0 {
		return nil, nil
	}
	err := embedding(call.Call.Args[0])
	var cases []string
	for _, r := range *call.Referrers() {
		if comparison, ok := r.(*ssa.BinOp); ok {
			for _, t := range c.tests(comparison) {
				if t.how != "" { // not the case of no code
					cases = append(cases, t.codes...)
				}
			}
		}
	}
	return union(c.valueAt(err, call.Block())), func(key string) bool { return slices.Contains(cases, key) }
}

// compared reports comparisons that do not find wrapped errors, or depend on a text.
func (c *checker) compared(n *ast.BinaryExpr) {
	if n.Op != token.EQL && n.Op != token.NEQ {
		return
	}
	for _, pair := range [][2]ast.Expr{{n.X, n.Y}, {n.Y, n.X}} {
		x, y := c.Info.Types[pair[0]], c.Info.Types[pair[1]]
		if x.Type == nil || y.Value == nil {
			continue
		}
		c.comparedCode(n.Pos(), "==", pair[0], pair[1])
		call, ok := ast.Unparen(pair[0]).(*ast.CallExpr)
		if !ok {
			continue
		}
		sel, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			continue
		}
		switch f, _ := c.Info.Uses[sel.Sel].(*types.Func); {
		case f == nil:
		case f.Name() == "Error" && len(call.Args) == 0 && c.isError(c.Info.TypeOf(sel.X)):
			c.report(n.Pos(), ComparedID, "the text of an error is compared: compare its code")
		case f.FullName() == runtimePath+"taxonomy.CodeOf":
			value := strings.Trim(y.Value.ExactString(), `"`)
			named := func(t *Taxonomy) bool { return t.Find(value) != nil }
			if value != "" && !slices.ContainsFunc(c.Known, named) {
				c.report(n.Pos(), ComparedID, "no taxonomy here has the code %s", value)
			}
		}
	}
}

// comparedCases reports the cases of a switch on an error that are code constants.
func (c *checker) comparedCases(n *ast.SwitchStmt) {
	for _, clause := range n.Body.List {
		for _, x := range clause.(*ast.CaseClause).List {
			if n.Tag != nil {
				c.comparedCode(x.Pos(), "a case", n.Tag, x)
			}
		}
	}
}

// comparedCode reports the comparison of an error with a code constant.
func (c *checker) comparedCode(pos token.Pos, how string, err, code ast.Expr) {
	x, y := c.Info.Types[err], c.Info.Types[code]
	if y.Value != nil && types.IsInterface(x.Type) && c.codeConst(ssa.NewConst(y.Value, y.Type)) != "" {
		c.report(pos, ComparedID, "%s does not find a typed or wrapped error: use errors.Is(%s, %s)",
			how, types.ExprString(err), types.ExprString(code))
	}
}
