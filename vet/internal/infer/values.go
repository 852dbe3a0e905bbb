package infer

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/errgen/errgen/internal/summary"
)

// value returns what v can be, without the conditions at the place where it is used.
func (e *Engine) value(v ssa.Value) *Set {
	return e.values.get(v, func() *Set { return e.eval(v) })
}

func (e *Engine) eval(v ssa.Value) *Set {
	at := e.at(v.Pos())
	switch x := v.(type) {
	case *ssa.Const:
		if c := e.codeConst(x); c != "" {
			return one(Atom{Kind: Code, Name: c, Const: true}, at)
		}
	case *ssa.Function:
		return e.function(e.id(x), function{fn: x}, at)
	case *ssa.MakeClosure:
		f := function{fn: x.Fn.(*ssa.Function), bind: x.Bindings}
		return e.function(e.id(x.Parent())+"."+x.Name(), f, at)
	case *ssa.MakeInterface:
		return e.made(x, at)
	case *ssa.ChangeInterface:
		return e.valueAt(x.X, x.Block())
	case *ssa.TypeAssert:
		s := e.valueAt(x.X, x.Block())
		if load, ok := x.X.(*ssa.UnOp); ok && s.Len() == 0 && e.isError(x.AssertedType) {
			if fa, ok := load.X.(*ssa.FieldAddr); ok { // such as the Value of a list.Element
				s = e.foreignField(fa.X.Type(), e.fieldOf(fa.X.Type(), fa.Field), true, at)
			}
		}
		if codes := e.codesOfType(x.AssertedType); codes != nil {
			return e.apply(s, opOf('t', codes...), at)
		}
		return s
	case *ssa.Extract:
		return e.extract(x)
	case *ssa.Call:
		return e.callResult(x, 0)
	case *ssa.Phi:
		out := new(Set)
		for i, edge := range x.Edges {
			p := x.Block().Preds[i]
			out.addAll(e.onEdge(e.valueAt(edge, p), edge, p, x.Block()))
		}
		return out
	case *ssa.UnOp:
		switch {
		case x.Op == token.MUL && e.inMemory(x.X):
			return e.memory(x.X, x)
		case x.Op == token.MUL || x.Op == token.ARROW:
			return e.value(x.X)
		}
	case *ssa.Parameter, *ssa.FreeVar:
		return union(e.cells[x], e.symbol(x))
	case *ssa.ChangeType, *ssa.Lookup, *ssa.Index, *ssa.IndexAddr, *ssa.Range, *ssa.Slice:
		return e.value(operand(x))
	case *ssa.Field:
		return e.field(x.X, x.Field, at)
	case *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeSlice:
		return union(e.cells[x])
	case *ssa.FieldAddr:
		return e.field(x.X, x.Field, at)
	case *ssa.BinOp, *ssa.Convert: // a code that is computed
		return e.constants(x.Type(), at)
	case *ssa.Alloc:
		return union(e.cells[x])
	case *ssa.Global:
		return e.global(x, at)
	}
	return nil
}

// operand returns the first operand of an instruction.
func operand(v ssa.Value) ssa.Value { return *v.(ssa.Instruction).Operands(nil)[0] }

func (e *Engine) extract(x *ssa.Extract) *Set {
	switch t := x.Tuple.(type) {
	case *ssa.Call:
		return e.callResult(t, x.Index)
	case *ssa.TypeAssert:
		if x.Index == 0 {
			return e.value(t)
		}
	case *ssa.Next:
		if x.Index == 2 && !t.IsString {
			return e.value(t.Iter.(*ssa.Range).X)
		}
	case *ssa.Lookup, *ssa.UnOp:
		return e.value(operand(t))
	case *ssa.Select:
		n := 2
		for _, s := range t.States {
			if s.Dir == types.RecvOnly {
				if n == x.Index {
					return e.value(s.Chan)
				}
				n++
			}
		}
	}
	return nil
}

// symbol returns the value of a parameter, or of a captured variable, which the caller has.
func (e *Engine) symbol(v ssa.Value) *Set {
	return one(Atom{Kind: Param, Owner: e.id(v.Parent()), Index: indexOf(v)}, e.at(v.Parent().Pos()))
}

// indexOf returns the index of a parameter or a captured variable.
func indexOf(v ssa.Value) int {
	if x, ok := v.(*ssa.Parameter); ok {
		return slices.Index(x.Parent().Params, x)
	}
	fn := v.Parent()
	return len(fn.Params) + slices.Index(fn.FreeVars, v.(*ssa.FreeVar))
}

func (e *Engine) global(x *ssa.Global, at string) *Set {
	out := union(e.cells[x])
	_, isFunc := deref(x.Type()).Underlying().(*types.Signature)
	switch pkg := x.Pkg; {
	case x.Name() == "Table" && pkg != nil && isTable(deref(x.Type())):
		return one(Atom{Kind: Table, Name: pkg.Pkg.Path()}, at)
	case isFunc && len(e.assigned[x]) == 0:
		return one(Atom{Kind: Unknown, Name: "a function in " + x.String()}, at)
	case isFunc:
	case pkg != nil && e.packages[pkg.Pkg.Path()]:
	case pkg != nil && !e.Whole && e.seesCodes(pkg.Pkg):
		out.add(Atom{Kind: Unknown, Name: "variable " + x.String() + " of another package"}, []string{at})
	default:
		out.add(Atom{Kind: Foreign, Name: x.String()}, []string{at})
	}
	return out
}

// made returns the value of a concrete error that becomes an interface.
func (e *Engine) made(x *ssa.MakeInterface, at string) *Set {
	t := x.X.Type()
	_, generic := types.Unalias(t).(*types.TypeParam)
	switch {
	case generic || e.generatedType(t):
		return e.valueAt(x.X, x.Block())
	case !e.isError(t) && e.carries(t):
		return e.value(x.X)
	case !e.isError(t):
		if n, ok := types.Unalias(deref(t)).(*types.Named); ok && e.ours(n) && n.NumMethods() > 0 {
			e.objectTypes[t.String()] = t
			return one(Atom{Kind: Object, Name: t.String()}, at)
		}
		return nil
	}
	if k, ok := x.X.(*ssa.Const); ok {
		if c := e.codeConst(k); c != "" {
			return one(Atom{Kind: Code, Name: c, Const: true}, at)
		}
	}
	return e.wrapper(t, x.X, at)
}

// generatedType reports whether a type is of a generated package, or its stand-in for unknown
// codes.
func (e *Engine) generatedType(t types.Type) bool {
	tax, n := e.taxonomyOf(deref(t))
	return tax != nil || n != nil && n.String() == runtimePath+"taxonomy.Unknown"
}

// taxonomyOf returns the taxonomy of a type of a generated package, or nil.
func (e *Engine) taxonomyOf(t types.Type) (*Taxonomy, *types.Named) {
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return nil, nil
	}
	return e.taxonomy(n.Obj().Pkg().Path()), n
}

// wrapper returns the value of an error of another type: that of the errors in its fields, if it
// has a method Unwrap.
func (e *Engine) wrapper(t types.Type, v ssa.Value, at string) *Set {
	foreign := one(Atom{Kind: Foreign, Name: types.TypeString(t, shortPkg)}, at)
	if e.hasMethod(t, "Is") && e.ours(t) { // errors.Is may find anything
		reason := "the method Is of " + types.TypeString(t, shortPkg)
		foreign.add(Atom{Kind: Unknown, Name: reason, Below: true}, []string{at})
	}
	if !e.hasMethod(t, "Unwrap") {
		return foreign
	}
	if _, ok := deref(t).Underlying().(*types.Struct); !ok {
		if s := e.value(v); s.Len() > 0 && isContainer(deref(t)) { // type many []error
			return s
		}
		return foreign
	}
	out := union(e.value(v), e.cells[anyOf(t)])
	if obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "Unwrap"); obj != nil {
		if fn := e.declared(obj.(*types.Func)); fn != nil { // it may return more than the fields have
			out.addAll(e.instantiate(e.result(fn, 0), fn, []ssa.Value{v}, nil, at))
		}
	}
	if out.Len() == 0 && e.final { // without a cause it is an error of its own
		return foreign
	}
	return out
}

// field returns the value of a field. Objects that wrap errors are distinguished.
func (e *Engine) field(x ssa.Value, i int, at string) *Set {
	field := e.fieldOf(x.Type(), i)
	if contract := e.ContractOf(field); contract != nil {
		return e.function("field "+field.String(), function{field: field, contract: contract}, at)
	}
	out := union(e.cells[field])
	if e.wraps(x.Type()) {
		out.addAll(e.value(x))
		out.addAll(e.cells[anyOf(x.Type())])
	}
	if out.Len() == 0 && len(e.assigned[field]) == 0 {
		return e.foreignField(x.Type(), field, false, at)
	}
	return out
}

func (e *Engine) hasMethod(t types.Type, name string) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	_, ok := obj.(*types.Func)
	return ok
}

// ours reports whether a type is of a package of the scope.
func (e *Engine) ours(t types.Type) bool {
	n, ok := types.Unalias(deref(t)).(*types.Named)
	return ok && n.Obj().Pkg() != nil && e.packages[n.Obj().Pkg().Path()]
}

func shortPkg(p *types.Package) string { return p.Name() }

// foreignField is the value of a field that the scope never stores, or the error that it asserts to
// be in a field of type any.
func (e *Engine) foreignField(t types.Type, field *types.Var, asserted bool, at string) *Set {
	n, named := types.Unalias(deref(t)).(*types.Named)
	sig, isFunc := field.Type().Underlying().(*types.Signature)
	if !e.carries(field.Type()) {
		return nil
	}
	name := types.TypeString(deref(t), shortPkg) + "." + field.Name()
	switch {
	case isFunc && sig.Results().Len() == 0:
	case isFunc && (!named || e.ours(t) || !e.foreignPackage(n.Obj().Pkg())):
		return one(Atom{Kind: Unknown, Name: "a function in " + name}, at)
	case !named || e.ours(t) || !isFunc && !asserted && !e.isError(field.Type()):
	case !e.foreignPackage(n.Obj().Pkg()) || asserted:
		return one(Atom{Kind: Unknown, Name: "field " + name + " of another package"}, at)
	default:
		return one(Atom{Kind: Foreign, Name: name}, at)
	}
	return nil
}

// foreignPackage reports whether a package outside of the scope stores no errors with codes itself.
func (e *Engine) foreignPackage(p *types.Package) bool {
	return !strings.HasPrefix(p.Path()+"/", runtimePath) && (e.Whole || !e.seesCodes(p))
}

// seesCodes reports whether a package imports a taxonomy, so that its variables may hold codes.
func (e *Engine) seesCodes(p *types.Package) bool {
	return slices.ContainsFunc(p.Imports(), func(i *types.Package) bool { return e.taxonomy(i.Path()) != nil })
}

// elements returns the arguments for a variadic parameter, if they are written one by one.
func elements(v ssa.Value) (list []ssa.Value, ok bool) {
	if k, isConst := v.(*ssa.Const); isConst && k.IsNil() {
		return nil, true
	}
	sl, isSlice := v.(*ssa.Slice)
	if !isSlice {
		return nil, false
	}
	alloc, isAlloc := sl.X.(*ssa.Alloc)
	if !isAlloc {
		return nil, false
	}
	for _, r := range *alloc.Referrers() {
		if ia, ok := r.(*ssa.IndexAddr); ok {
			for _, u := range *ia.Referrers() {
				if s, ok := u.(*ssa.Store); ok {
					list = append(list, s.Val)
				}
			}
		}
	}
	return list, true
}

// unboxed returns the value that became an interface, or another type.
func unboxed(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		default:
			return v
		}
	}
}

// constantOf returns a constant, also in another form such as errs.CodeX.String(), or nil.
func constantOf(v ssa.Value) *ssa.Const {
	v = unboxed(v)
	if x, ok := v.(*ssa.Convert); ok {
		v = x.X
	}
	if call, ok := v.(*ssa.Call); ok && len(call.Call.Args) == 1 {
		if f := call.Call.StaticCallee(); f != nil && f.Name() == "String" {
			v = call.Call.Args[0]
		}
	}
	k, _ := v.(*ssa.Const)
	return k
}

func constString(v ssa.Value) (string, bool) {
	k := constantOf(v)
	if k == nil || k.Value == nil || k.Value.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(k.Value), true
}

// codeConst returns the key of a code constant, or "".
func (e *Engine) codeConst(k *ssa.Const) string {
	if k.Value == nil {
		return ""
	}
	t, named := e.codeType(k.Type())
	if t == nil {
		return ""
	}
	for i := range t.Codes {
		c, ok := named.Obj().Pkg().Scope().Lookup(t.Codes[i].Const).(*types.Const)
		if ok && types.Identical(c.Type(), named) && constant.Compare(c.Val(), token.EQL, k.Value) {
			return t.Key(t.Codes[i].Value)
		}
	}
	return ""
}

// codeType returns the taxonomy of a type of codes, or nil.
func (e *Engine) codeType(t types.Type) (*Taxonomy, *types.Named) {
	if b, ok := t.Underlying().(*types.Basic); !ok || b.Kind() != types.Uint16 {
		return nil, nil
	}
	return e.taxonomyOf(t)
}

// codesOf returns the code of a value that is a code constant, with the codes below it, or nil.
func (e *Engine) codesOf(v ssa.Value) []string {
	k, ok := unboxed(v).(*ssa.Const)
	if !ok {
		return nil
	}
	pkg, value, ok := strings.Cut(e.codeConst(k), "#")
	if !ok {
		return nil
	}
	return e.taxonomy(pkg).below(value)
}

// constants returns the codes that a value of a type of codes can be, or nil.
func (e *Engine) constants(t types.Type, at string) *Set {
	tax, _ := e.codeType(t)
	if tax == nil {
		return nil
	}
	out := new(Set)
	for _, key := range e.codesOfCodeType(t) {
		out.add(Atom{Kind: Code, Name: key, Const: true}, []string{at})
	}
	return out
}

// codesOfCodeType returns the codes whose constants have a type.
func (e *Engine) codesOfCodeType(t types.Type) []string {
	tax, named := e.codeType(t)
	return tax.where(func(c *summary.Code) bool {
		k, ok := named.Obj().Pkg().Scope().Lookup(c.Const).(*types.Const)
		return ok && types.Identical(k.Type(), named)
	})
}

// codesOfType returns the codes of a generated error type, or nil.
func (e *Engine) codesOfType(t types.Type) []string {
	tax, named := e.taxonomyOf(deref(t))
	if tax == nil {
		return nil
	}
	return tax.where(func(c *summary.Code) bool { return c.Type == named.Obj().Name() })
}
