package infer

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
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
	case *ssa.MakeInterface:
		return e.made(x, at)
	case *ssa.ChangeInterface:
		return e.valueAt(x.X, x.Block())
	case *ssa.ChangeType:
		return e.value(x.X)
	case *ssa.TypeAssert:
		s := e.valueAt(x.X, x.Block())
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
	case *ssa.Parameter:
		return e.parameterValue(x)
	case *ssa.FreeVar:
		return e.freeVar(x)
	case *ssa.Lookup:
		return e.value(x.X)
	case *ssa.Index:
		return e.value(x.X)
	case *ssa.Range:
		return e.value(x.X)
	case *ssa.Slice:
		return e.value(x.X)
	case *ssa.Field:
		return e.fieldOf(x.X, x.Field, at)
	case *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeSlice:
		out := union(e.cells[e.madeCell(x)])
		e.calleeCells(out, x)
		return out
	case *ssa.Alloc, *ssa.Global, *ssa.FieldAddr, *ssa.IndexAddr:
		return e.contents(x)
	}
	return nil
}

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
	case *ssa.Lookup:
		return e.value(t.X)
	case *ssa.UnOp:
		return e.value(t.X)
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

func (e *Engine) parameter(x *ssa.Parameter) *Set {
	fn := x.Parent()
	return one(Atom{Kind: Param, Owner: e.id(fn), Index: slices.Index(fn.Params, x)}, e.at(fn.Pos()))
}

// parameterValue is the value that the caller passes, and what the function stores there.
func (e *Engine) parameterValue(x *ssa.Parameter) *Set {
	out := union(e.cells[e.paramCell(x)], e.parameter(x))
	if isPointer(x.Type()) && e.wraps(x.Type()) {
		e.addOwn(out, x)
	}
	return out
}

func (e *Engine) freeVar(x *ssa.FreeVar) *Set {
	fn := x.Parent()
	return one(Atom{Kind: Free, Owner: e.id(fn), Index: slices.Index(fn.FreeVars, x)}, e.at(fn.Pos()))
}

// calleeCells adds what callees store in a container that they get as an argument.
func (e *Engine) calleeCells(out *Set, v ssa.Value) {
	for _, r := range *v.Referrers() {
		c, ok := r.(ssa.CallInstruction)
		if !ok {
			continue
		}
		if f := c.Common().StaticCallee(); f != nil && e.inScope(f) {
			for i, arg := range c.Common().Args {
				if arg == v {
					out.addAll(e.cells[e.paramCell(origin(f).Params[i])])
				}
			}
		}
	}
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
	n, ok := types.Unalias(deref(t)).(*types.Named)
	return ok && n.Obj().Pkg() != nil && (e.taxonomy(n.Obj().Pkg().Path()) != nil ||
		n.String() == runtimePath+"taxonomy.Unknown")
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
	st, ok := deref(t).Underlying().(*types.Struct)
	if !ok {
		if s := e.value(v); s.Len() > 0 && isContainer(deref(t)) { // type many []error
			return s
		}
		return foreign
	}
	out := new(Set)
	alloc, _ := v.(*ssa.Alloc)
	if load, ok := v.(*ssa.UnOp); ok && load.Op == token.MUL {
		alloc, _ = load.X.(*ssa.Alloc)
	}
	if alloc == nil || !onlyStored(alloc) {
		for i := range st.NumFields() {
			if typ := st.Field(i).Type(); e.isError(typ) || isContainer(typ) && e.carries(typ) {
				out.addAll(e.cells[fieldKey(t, i)])
			}
		}
		out.addAll(e.value(v))
	} else {
		e.own(out, alloc)
	}
	if out.Len() == 0 && e.final { // without a cause it is an error of its own
		return foreign
	}
	return out
}

// fieldOf returns the value of a field. Objects that wrap errors are distinguished.
func (e *Engine) fieldOf(x ssa.Value, field int, at string) *Set {
	out := union(e.cells[fieldKey(x.Type(), field)])
	if !e.wraps(x.Type()) {
		if types.TypeString(deref(x.Type()), nil) == runtimePath+"queue.Decision" {
			if s, ok := e.decided(x, at); ok {
				return s
			}
		}
		if out.Len() == 0 {
			return e.foreignField(x.Type(), field, at)
		}
		return out
	}
	switch x := x.(type) {
	case *ssa.Alloc:
		e.own(out, x, field)
		return out
	case *ssa.Parameter:
		e.addOwn(out, x, field)
	case *ssa.FieldAddr:
		e.addOwn(out, x, field)
		out.addAll(e.cells[cellKey(x)])
		return out
	}
	out.addAll(e.value(x))
	if out.Len() == 0 {
		return e.foreignField(x.Type(), field, at)
	}
	return out
}

func (e *Engine) hasMethod(t types.Type, name string) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	_, ok := obj.(*types.Func)
	return ok
}

// onlyStored reports whether a variable is a literal that no other function fills.
func onlyStored(alloc *ssa.Alloc) bool {
	return !slices.ContainsFunc(*alloc.Referrers(), func(r ssa.Instruction) bool {
		switch r := r.(type) {
		case *ssa.FieldAddr, *ssa.MakeInterface, *ssa.Return, *ssa.UnOp, *ssa.DebugRef:
			return false
		case *ssa.Store:
			return r.Addr == alloc
		}
		return true
	})
}

// ours reports whether a type is of a package of the scope.
func (e *Engine) ours(t types.Type) bool {
	n, ok := types.Unalias(deref(t)).(*types.Named)
	return ok && n.Obj().Pkg() != nil && e.packages[n.Obj().Pkg().Path()]
}

func shortPkg(p *types.Package) string { return p.Name() }

// foreignField is the value of a field that the scope never stores.
func (e *Engine) foreignField(t types.Type, field int, at string) *Set {
	st, ok := deref(t).Underlying().(*types.Struct)
	n, named := types.Unalias(deref(t)).(*types.Named)
	if !ok || !named || n.Obj().Pkg() == nil || !e.carries(st.Field(field).Type()) {
		return nil
	}
	name := n.Obj().Pkg().Name() + "." + n.Obj().Name() + "." + st.Field(field).Name()
	switch path := n.Obj().Pkg().Path(); {
	case e.packages[path]:
		return nil
	case !e.foreignPackage(n.Obj().Pkg()) || !e.isError(st.Field(field).Type()): // any value
		return one(Atom{Kind: Unknown, Name: "field " + name + " of another package"}, at)
	}
	return one(Atom{Kind: Foreign, Name: name}, at)
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

// unboxed returns the value that became an interface.
func unboxed(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.MakeInterface:
			v = x.X
		case *ssa.ChangeType:
			v = x.X
		default:
			return v
		}
	}
}

func constString(v ssa.Value) (string, bool) {
	k, ok := unboxed(v).(*ssa.Const)
	if !ok || k.Value == nil || k.Value.Kind() != constant.String {
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
func (e *Engine) codeType(typ types.Type) (*Taxonomy, *types.Named) {
	named, ok := types.Unalias(typ).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return nil, nil
	}
	if b, ok := named.Underlying().(*types.Basic); !ok || b.Kind() != types.Uint16 {
		return nil, nil
	}
	return e.taxonomy(named.Obj().Pkg().Path()), named
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

// codesOfType returns the codes of a generated error type, or nil.
func (e *Engine) codesOfType(t types.Type) []string {
	named, ok := types.Unalias(deref(t)).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return nil
	}
	tax := e.taxonomy(named.Obj().Pkg().Path())
	if tax == nil {
		return nil
	}
	return tax.ofType(named.Obj().Name())
}
