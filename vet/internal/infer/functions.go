package infer

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

func isTable(t types.Type) bool { return types.TypeString(t, nil) == runtimePath+"taxonomy.Table" }

// isTraced reports whether the analysis follows the values of a type to their origins.
func isTraced(t types.Type) bool {
	return isFunc(t) || types.IsInterface(t) || isTable(t) ||
		types.TypeString(t, nil) == "*"+runtimePath+"httpcall.Client"
}

// target is a function that a value can be: one of the program, one that a caller passes, or an
// unknown one.
type target struct {
	fn      *ssa.Function
	bind    []ssa.Value // what the closure fn captured
	frames  []frame     // the calls that returned fn, from the innermost one
	symbol  *Atom       // CallParam or CallFree
	promise *Contract   // of the field that has the function
	results int         // the number of results of a function with a promise
	foreign string      // the name of a function that another package stores
	table   string      // the package whose Table the value is
	client  *ssa.Call   // the call of httpcall.New that made the value
	unknown string      // the reason
}

// frame is a call of fn, which returned a function that has captured fn's parameters and variables.
type frame struct {
	fn         *ssa.Function
	call       *ssa.Call
	args, bind []ssa.Value
}

type frameKey struct {
	fn     *ssa.Function
	call   *ssa.Call
	symbol Atom
}

// inFrame replaces the symbols of the function that a frame calls. A function can call itself there:
// after h = m(h), say.
func (e *Engine) inFrame(f frame, s *Set, at string) *Set {
	out := new(Set)
	for a, p := range s.All() {
		if !a.Symbolic() || a.Owner != e.id(f.fn) {
			out.add(a, p)
			continue
		}
		key := frameKey{f.fn, f.call, a}
		key.symbol.Ops, key.symbol.Below = "", false
		v := e.framed.get(key, func() *Set {
			return e.instantiate(single(key.symbol, p), f.fn, f.args, f.bind, f.call.Block(), at)
		})
		out.addAll(e.applyOps(v, e.bindTables(a.Ops, a.Owner, f.args), at))
	}
	return out
}

// resolve returns the functions that a value can be. In a cycle, a value that is being resolved has
// none, and the results on the way are not kept, because they lack its functions.
func (e *Engine) resolve(v ssa.Value) []target {
	if all, ok := e.targets[v]; ok {
		return all
	}
	if e.resolving[v] {
		e.cyclic = true
		return nil
	}
	e.resolving[v] = true
	outermost := len(e.resolving) == 1
	all := e.findTargets(v)
	delete(e.resolving, v)
	if !e.cyclic || outermost {
		e.targets[v] = all
	}
	if outermost {
		e.cyclic = false
	}
	return all
}

// functionSearch collects the functions that a value can be.
type functionSearch struct {
	e    *Engine
	seen map[ssa.Value]bool
	all  []target
}

func (e *Engine) findTargets(v ssa.Value) []target {
	s := &functionSearch{e: e, seen: make(map[ssa.Value]bool)}
	s.visit(v)
	return s.all
}

func (s *functionSearch) unknown(reason string) { s.all = append(s.all, target{unknown: reason}) }

// field visits the functions that are stored in a field. If it has a contract, that says what they
// return.
func (s *functionSearch) field(t types.Type, i int) {
	first := len(s.all)
	key := fieldKey(t, i)
	n, named := types.Unalias(deref(t)).(*types.Named)
	switch {
	case len(s.e.funcCells[key]) > 0 || !named || n.Obj().Pkg() == nil || s.e.ours(t) ||
		!s.e.foreignPackage(n.Obj().Pkg()):
		s.stored(key)
	default:
		s.all = append(s.all, target{foreign: strings.TrimPrefix(key, "field ")})
	}
	field := deref(t).Underlying().(*types.Struct).Field(i)
	if sig, ok := field.Type().Underlying().(*types.Signature); ok {
		for k := first; k < len(s.all); k++ {
			s.all[k].promise, s.all[k].results = s.e.ContractOf(field.Origin()), sig.Results().Len()
		}
	}
}

func (s *functionSearch) stored(key string) {
	values := s.e.funcCells[key]
	for _, x := range values {
		s.visit(x)
	}
	if len(values) == 0 {
		s.unknown("a function in " + strings.TrimPrefix(key, "field "))
	}
}

func (s *functionSearch) visit(v ssa.Value) {
	if s.seen[v] {
		return
	}
	s.seen[v] = true
	e := s.e
	switch x := v.(type) {
	case *ssa.Const: // nil
	case *ssa.Function:
		s.all = append(s.all, target{fn: x})
	case *ssa.MakeClosure:
		s.all = append(s.all, target{fn: x.Fn.(*ssa.Function), bind: x.Bindings})
	case *ssa.ChangeType:
		s.visit(x.X)
	case *ssa.MakeInterface:
		s.visit(x.X)
	case *ssa.TypeAssert:
		s.visit(x.X)
	case *ssa.Phi:
		for _, y := range x.Edges {
			s.visit(y)
		}
	case *ssa.Parameter:
		symbol := &Atom{Kind: CallParam, Owner: e.id(x.Parent()), Index: slices.Index(x.Parent().Params, x)}
		s.all = append(s.all, target{symbol: symbol})
	case *ssa.FreeVar:
		symbol := &Atom{Kind: CallFree, Owner: e.id(x.Parent()), Index: slices.Index(x.Parent().FreeVars, x)}
		s.all = append(s.all, target{symbol: symbol})
	case *ssa.UnOp:
		s.visit(x.X)
	case *ssa.Alloc:
		s.variable(x)
	case *ssa.Global:
		if x.Name() == "Table" && x.Pkg != nil && isTable(deref(x.Type())) {
			s.all = append(s.all, target{table: x.Pkg.Pkg.Path()})
			return
		}
		s.stored(cellKey(x))
	case *ssa.FieldAddr:
		s.field(x.X.Type(), x.Field)
	case *ssa.Field:
		s.field(x.X.Type(), x.Field)
	case *ssa.IndexAddr:
		s.visit(x.X)
	case *ssa.Index:
		s.visit(x.X)
	case *ssa.Slice:
		s.visit(x.X)
	case *ssa.Lookup:
		s.visit(x.X)
	case *ssa.MakeMap:
		for _, r := range *x.Referrers() {
			if u, ok := r.(*ssa.MapUpdate); ok {
				s.visit(u.Value)
			}
		}
	case *ssa.Extract:
		switch t := x.Tuple.(type) {
		case *ssa.Next:
			s.visit(t.Iter.(*ssa.Range).X)
		case *ssa.Lookup:
			s.visit(t.X)
		case *ssa.TypeAssert:
			s.visit(t.X)
		case *ssa.Call:
			s.returned(t, x.Index)
		default:
			s.unknown("a function from a tuple")
		}
	case *ssa.Call:
		s.returned(x, 0)
	case *ssa.MakeChan, *ssa.MakeSlice:
		s.unknown("a function from a container")
	default:
		s.unknown(fmt.Sprintf("a function from %T", v))
	}
}

// variable visits the values that are stored in a variable, also by closures.
func (s *functionSearch) variable(x *ssa.Alloc) {
	for _, r := range *x.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr == x {
				s.visit(r.Val)
			}
		case *ssa.IndexAddr:
			for _, u := range *r.Referrers() {
				if st, ok := u.(*ssa.Store); ok {
					s.visit(st.Val)
				}
			}
		case *ssa.MakeClosure:
			f := r.Fn.(*ssa.Function)
			for _, u := range *f.FreeVars[slices.Index(r.Bindings, ssa.Value(x))].Referrers() {
				if st, ok := u.(*ssa.Store); ok && isFunc(st.Val.Type()) {
					s.visit(st.Val)
				}
			}
		}
	}
}

// returned visits the functions that a call returns.
func (s *functionSearch) returned(call *ssa.Call, result int) {
	e, args := s.e, call.Call.Args
	if isBuiltin(call.Common(), "append") {
		for _, a := range args {
			s.visit(a)
		}
		return
	}
	f := call.Call.StaticCallee()
	if call.Call.IsInvoke() && call.Call.Method.FullName() == "(context.Context).Value" {
		if values, ok := e.contextValues(call.Common()); ok {
			for _, v := range values {
				s.visit(v)
			}
			return
		}
	}
	switch {
	case f == nil:
	case isTable(call.Type()) && f.Signature.Recv() != nil && isTable(f.Signature.Recv().Type()):
		s.visit(args[0]) // the table of a copy with a profile
		return
	case fullName(f) == newClient:
		s.all = append(s.all, target{client: call})
		return
	}
	var callees []target
	switch {
	case call.Call.IsInvoke():
		impls, complete, _ := e.implementations(call)
		for _, f := range impls {
			callees = append(callees, target{fn: f})
		}
		if !complete {
			callees = append(callees, target{unknown: "a function that a call of an interface returns"})
		}
		args = append([]ssa.Value{call.Call.Value}, args...)
	case f != nil:
		callees = e.resolve(call.Call.Value)
	default:
		callees = e.origins(call.Call.Value)
	}
	for _, t := range callees {
		switch {
		case t.fn != nil && e.inScope(t.fn):
			s.returnedBy(t, call, result, args)
		case t.fn != nil && strings.HasPrefix(fullName(t.fn), "sync.Once"): // it calls what it gets
			s.visit(args[0])
		default:
			s.unknown(cmp.Or(t.unknown, "a function that a call of another package returns"))
		}
	}
}

// returnedBy visits the functions that a function of the scope returns to a call.
func (s *functionSearch) returnedBy(t target, call *ssa.Call, result int, args []ssa.Value) {
	e, f := s.e, origin(t.fn)
	var passed []ssa.Value
	e.site(f, call, args, t.bind)
	if e.returning[f] {
		s.unknown("a function that a recursive call returns")
		return
	}
	e.returning[f] = true
	for _, b := range f.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || result >= len(ret.Results) {
			continue
		}
		for _, r := range e.resolve(ret.Results[result]) {
			y := r.symbol
			if r.promise == nil && y != nil && y.Owner == e.id(f) && y.Kind == CallParam && y.Index < len(args) {
				passed = append(passed, args[y.Index])
				continue
			}
			if r.fn != nil {
				r.frames = append(slices.Clone(r.frames), frame{f, call, args, t.bind})
				r.frames = append(r.frames, t.frames...)
			}
			s.all = append(s.all, r)
		}
	}
	delete(e.returning, f)
	for _, v := range passed {
		s.visit(v)
	}
}

// origins returns the targets of a value. What the known callers pass replaces its symbols.
func (e *Engine) origins(v ssa.Value) (list []target) {
	seen := make(map[Atom]bool)
	var visit func(v ssa.Value)
	visit = func(v ssa.Value) {
		for _, t := range e.resolve(v) {
			if t.symbol == nil {
				list = append(list, t)
				continue
			}
			owner, i := e.byID[t.symbol.Owner], t.symbol.Index
			switch mc := e.closures[owner]; {
			case seen[*t.symbol]:
				continue
			case owner == nil || t.symbol.Kind == CallFree && mc == nil || e.openTo(owner):
				list = append(list, target{unknown: "what a caller passes"})
			case t.symbol.Kind == CallFree:
				seen[*t.symbol] = true
				visit(mc.Bindings[i])
				continue
			case e.final && len(e.sites[owner].all()) == 0:
				list = append(list, target{unknown: callbackReason})
			}
			seen[*t.symbol] = true
			for _, s := range e.sites[owner].all() {
				if i < len(s.args) {
					visit(s.args[i])
				}
			}
		}
	}
	visit(v)
	return list
}

// site registers a call of a function of the scope.
func (e *Engine) site(fn *ssa.Function, at ssa.Instruction, args, bind []ssa.Value) {
	if e.sites[fn] == nil {
		e.sites[fn] = &sites{index: make(map[ssa.Instruction]int)}
	}
	if e.sites[fn].put(at, site{args, bind, at.Block()}) {
		e.registered = true
	}
}

// paramKey is a parameter.
type paramKey struct {
	owner string
	index int
}

const callbackReason = "an argument of a callback"

// callTarget returns result j of calling a target. args is nil if another package calls it.
func (e *Engine) callTarget(t target, j int, args []ssa.Value, b *ssa.BasicBlock, at string) *Set {
	switch {
	case t.promise != nil && j == t.results-1:
		promise := t.promise
		t.promise = nil
		return e.promised(promise, e.callTarget(t, j, args, b, at), at)
	case len(t.frames) > 0:
		f := t.frames[len(t.frames)-1]
		t.frames = t.frames[:len(t.frames)-1]
		s := e.callTarget(t, j, args, b, at)
		if b != nil && b.Parent() == f.fn { // its own symbols are in s, too
			return e.close(s)
		}
		return e.inFrame(f, s, at)
	case t.foreign != "":
		return one(Atom{Kind: Foreign, Name: t.foreign}, at)
	case t.unknown != "":
		return one(Atom{Kind: Unknown, Name: t.unknown}, at)
	case t.symbol != nil:
		a := *t.symbol
		a.Result = j
		return one(a, at)
	case e.inScope(t.fn):
		return e.kept(t.fn, j, e.instantiate(e.result(t.fn, j), t.fn, args, t.bind, b, at), at)
	}
	if s := e.imported(t.fn); s != nil && j < len(s.Results) {
		return e.kept(t.fn, j, e.instantiate(s.Results[j].set(), t.fn, args, nil, b, at), at)
	}
	if o, ok := origin(t.fn).Object().(*types.Func); ok && o.Pkg() != nil {
		if tax := e.taxonomy(o.Pkg().Path()); tax != nil {
			if c := e.factory(tax, o.Name()); c != "" {
				return one(Atom{Kind: Code, Name: c}, at)
			}
		}
	}
	out := one(Atom{Kind: Foreign, Name: fullName(t.fn)}, at)
	e.edgeErrors(out, fullName(t.fn), at)
	return out
}

// kept returns the result of a call if the function keeps its contract, on which callers rely.
// Without a contract it returns s.
func (e *Engine) kept(fn *ssa.Function, j int, s *Set, at string) *Set {
	obj, ok := origin(fn).Object().(*types.Func)
	if !ok || j != fn.Signature.Results().Len()-1 {
		return s
	}
	contract := e.ContractOf(obj.Origin())
	if contract == nil {
		return s
	}
	return e.promised(contract, s, at)
}

func (f Fact) set() *Set {
	s := new(Set)
	for i, a := range f.Atoms {
		s.add(a, f.Paths[i])
	}
	return s
}

func (e *Engine) imported(fn *ssa.Function) *Summary {
	if o, ok := origin(fn).Object().(*types.Func); ok {
		return e.Imported(o)
	}
	return nil
}

// instantiate replaces the symbols of a summary by the values of a call.
func (e *Engine) instantiate(s *Set, fn *ssa.Function, args, bind []ssa.Value, b *ssa.BasicBlock, at string) *Set {
	out := new(Set)
	owner := e.id(fn)
	called := func(v ssa.Value, result int) *Set {
		all := new(Set)
		for _, t := range e.resolve(v) {
			all.addAll(e.callTarget(t, result, nil, b, at))
		}
		return all
	}
	for a, p := range s.All() {
		if !a.Symbolic() || a.Owner != owner {
			out.addAll(single(a, p).via(at))
			continue
		}
		var v *Set
		switch {
		case a.Kind == Param && a.Index < len(args):
			v = e.valueAt(args[a.Index], b)
		case a.Kind == CallParam && a.Index < len(args):
			v = called(args[a.Index], a.Result)
		case a.Kind == Free && a.Index < len(bind):
			v = e.value(bind[a.Index])
		case a.Kind == CallFree && a.Index < len(bind):
			v = called(bind[a.Index], a.Result)
		case a.Kind == Classified && a.Index < len(args):
			v = e.classifiedByAll(e.tables(args[a.Index]), a.Name, at)
		default:
			symbol := a
			symbol.Ops, symbol.Below = "", false
			v = e.close(single(symbol, p))
		}
		out.addAll(e.applyOps(v, e.bindTables(a.Ops, owner, args), at))
	}
	return out
}

func fullName(fn *ssa.Function) string {
	fn = origin(fn)
	if o, ok := fn.Object().(*types.Func); ok {
		return o.FullName()
	}
	return fn.String()
}
