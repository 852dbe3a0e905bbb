package infer

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// callResult returns result j of a call, and registers the call.
func (e *Engine) callResult(call ssa.CallInstruction, j int) *Set {
	common, at := call.Common(), e.at(call.Pos())
	results := common.Signature().Results()
	wanted := j < results.Len() && e.carries(results.At(j).Type())
	if _, ok := common.Value.(*ssa.Builtin); ok {
		return e.builtin(call, at)
	}
	if common.IsInvoke() {
		return e.invoke(call, j, wanted)
	}
	callee, ok := common.Value.(*ssa.Function)
	if !ok {
		return e.dynamic(call, j, wanted)
	}
	b, fn := call.Block(), origin(callee)
	if e.inScope(fn) {
		e.site(fn, call, common.Args)
	}
	if !wanted {
		return nil
	}
	if s, ok := e.model(fn, callee, call, j, at); ok {
		return s
	}
	if e.inScope(fn) {
		return e.callFunction(function{fn: fn}, j, common.Args, b, at)
	}
	if s := e.imported(fn); s != nil && j < len(s.Results) {
		return e.callFunction(function{fn: fn}, j, common.Args, b, at)
	}
	if _, ok := results.At(j).Type().Underlying().(*types.Signature); ok {
		if strings.HasPrefix(fullName(fn), "sync.Once") { // it calls what it gets
			return e.value(common.Args[0])
		}
		return one(Atom{Kind: Unknown, Name: "a function that a call of another package returns"}, at)
	}
	return e.foreignCall(fullName(fn), common, b, at)
}

func (e *Engine) builtin(call ssa.CallInstruction, at string) *Set {
	common := call.Common()
	switch {
	case isBuiltin(common, "append"):
		out := new(Set)
		for _, a := range common.Args {
			out.addAll(e.valueAt(a, call.Block()))
		}
		return out
	case isBuiltin(common, "recover"):
		return one(Atom{Kind: Unknown, Name: "the value of a panic"}, at)
	}
	return nil
}

// dynamic returns result j of a call of a function value.
func (e *Engine) dynamic(call ssa.CallInstruction, j int, wanted bool) *Set {
	common, out := call.Common(), new(Set)
	s := e.valueAt(common.Value, call.Block())
	for _, f := range e.callees(s) {
		e.site(origin(f.fn), call, f.inputs(common.Args))
	}
	if !wanted {
		return nil
	}
	at := e.at(call.Pos())
	_, returnsFunc := common.Signature().Results().At(j).Type().Underlying().(*types.Signature)
	if returnsFunc { // which has captured the arguments
		s = e.close(s)
	}
	for a, p := range s.All() {
		switch f := e.functions[a.Name]; {
		case a.Kind == Func && f.fn != nil:
			out.addAll(e.callFunction(f, j, common.Args, call.Block(), at))
		case returnsFunc && a.Kind == Unknown && a.Name != callbackReason:
			out.add(Atom{Kind: Unknown, Name: "what a caller passes"}, p)
		default:
			out.addAll(e.apply(single(a, p), resultOf(j), at))
		}
	}
	return out
}

// invoke returns result j of a call of an interface's method.
func (e *Engine) invoke(call ssa.CallInstruction, j int, wanted bool) *Set {
	common, out := call.Common(), new(Set)
	at, b, m := e.at(call.Pos()), call.Block(), common.Method
	pkg := m.Pkg()
	switch {
	case wanted && m.Name() == "Unwrap":
		return e.apply(e.valueAt(common.Value, b), "u", at)
	case pkg != nil && pkg.Path() == "context" && m.Name() == "Err":
		return one(Atom{Kind: Ended, Name: "context.Context.Err"}, at)
	case pkg != nil && pkg.Path() == "context" && m.Name() == "Value":
		if key := contextKey(common.Args[0]); e.knowsKey(common.Args[0]) {
			return union(e.cells[key], e.cells[contextKey(nil)])
		}
	}
	contract := e.ContractOf(m)
	if j != common.Signature().Results().Len()-1 {
		contract = nil
	}
	impls := e.implementations(call)
	for _, f := range impls.funcs {
		args := append([]ssa.Value{common.Value}, common.Args...)
		e.site(f, call, args)
		if wanted {
			result := e.result(f, j)
			out.addAll(e.instantiate(result, f, args, b, at))
			if !e.carries(common.Value.Type()) { // the errors that the object wraps are not in its value
				for a := range result.All() {
					if a.Kind == Param && a.Index == 0 && a.Owner == e.id(f) {
						out.addAll(e.applyOps(e.cells[allOf(f.Signature.Recv().Type())], a.Ops, at))
					}
				}
			}
		}
	}
	switch {
	case !wanted:
	case contract != nil:
		n, named := types.Unalias(common.Value.Type()).(*types.Named)
		if !e.Whole && !impls.exact && !(named && !n.Obj().Exported()) { // the causes of other implementations
			out.add(Atom{Kind: Unknown, Name: "interface call " + ShortName(m.FullName()), Below: true}, []string{at})
		}
		return e.promised(contract, out, at)
	case impls.exact:
	case pkg != nil && !e.packages[pkg.Path()] && (e.Whole || !e.seesCodes(pkg)):
		out = union(out, e.foreignCall(m.FullName(), common, b, at))
		if !e.Whole { // no test is dead because of it
			out.add(elsewhere(m), []string{at})
		}
		return out
	default:
		for _, f := range impls.foreign { // such as those of *sql.DB
			out.add(Atom{Kind: Foreign, Name: f.FullName()}, []string{at})
			e.edgeErrors(out, f.FullName(), f.Signature(), at)
		}
		if e.Callees == nil && (!e.Whole || len(impls.funcs)+len(impls.foreign) == 0) {
			out.add(Atom{Kind: Unknown, Name: "interface call " + ShortName(m.FullName())}, []string{at})
		}
	}
	return out
}

// contextKey returns the cell of the values that contexts have for a key. All keys of a type have
// one, and those whose type is not known.
func contextKey(key ssa.Value) string {
	if m, ok := key.(*ssa.MakeInterface); ok && !isTypeParam(m.X.Type()) {
		return "context " + types.TypeString(m.X.Type(), nil)
	}
	return "context"
}

// knowsKey reports whether no other package stores values in contexts for a key.
func (e *Engine) knowsKey(key ssa.Value) bool {
	m, ok := key.(*ssa.MakeInterface)
	if !ok || !e.ours(m.X.Type()) {
		return false
	}
	return e.Whole || !types.Unalias(deref(m.X.Type())).(*types.Named).Obj().Exported()
}

// implementations are the methods that a call of an interface can reach.
type implementations struct {
	funcs   []*ssa.Function // of the scope
	foreign []*types.Func   // others
	exact   bool            // the types of the value are visible, so that there are no more
}

func (e *Engine) implementations(call ssa.CallInstruction) (x implementations) {
	if e.Callees != nil {
		for _, f := range e.Callees(call) {
			if e.inScope(f) {
				x.funcs = append(x.funcs, origin(f))
			}
		}
		return x
	}
	common := call.Common()
	if found, ok := concreteTypes(common.Value, make(map[ssa.Value]bool)); ok {
		x = e.methodsOf(found, common.Method)
		x.exact = len(x.funcs) == len(found) && len(found) > 0
		return x
	}
	return e.methodOf(common.Value.Type(), common.Method)
}

// methodOf returns the implementations of the method of an interface.
func (e *Engine) methodOf(t types.Type, m *types.Func) implementations {
	key := t.String() + "." + m.Name()
	x, ok := e.impls[key]
	if iface, isInterface := t.Underlying().(*types.Interface); !ok && isInterface {
		x = e.methodsOf(e.implementing(iface), m)
		e.impls[key] = x
	}
	return x
}

// implementing returns the types that the scope converts to interfaces and that implement one.
func (e *Engine) implementing(iface *types.Interface) []types.Type {
	return slices.DeleteFunc(slices.Clone(e.concrete), func(t types.Type) bool { return !types.Implements(t, iface) })
}

// methodsOf returns the methods of types that implement a method.
func (e *Engine) methodsOf(list []types.Type, m *types.Func) (x implementations) {
	for _, t := range list {
		obj, _, _ := types.LookupFieldOrMethod(t, true, m.Pkg(), m.Name())
		f, ok := obj.(*types.Func)
		if !ok {
			continue
		}
		if fn := e.declared(f); fn != nil {
			x.funcs = append(x.funcs, fn)
		} else if f.Pkg() != nil && !e.packages[f.Pkg().Path()] {
			x.foreign = append(x.foreign, f)
		}
	}
	return x
}

// declared returns the function of the scope that is declared as obj, or nil.
func (e *Engine) declared(obj *types.Func) *ssa.Function {
	if fn := e.prog.FuncValue(obj.Origin()); fn != nil && e.inScope(fn) {
		return fn
	}
	return nil
}

// concreteTypes returns the types of an interface value, if all are visible in the function.
func concreteTypes(v ssa.Value, seen map[ssa.Value]bool) (list []types.Type, ok bool) {
	if seen[v] {
		return nil, true
	}
	seen[v] = true
	switch x := v.(type) {
	case *ssa.MakeInterface:
		return []types.Type{x.X.Type()}, !types.IsInterface(x.X.Type()) && !isTypeParam(x.X.Type())
	case *ssa.ChangeInterface:
		return concreteTypes(x.X, seen)
	case *ssa.Phi:
		for _, y := range x.Edges {
			ts, ok := concreteTypes(y, seen)
			if !ok {
				return nil, false
			}
			list = append(list, ts...)
		}
		return list, true
	}
	return nil, false
}

func isTypeParam(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.TypeParam)
	return ok
}
