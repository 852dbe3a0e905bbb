package infer

import (
	"go/types"
	"regexp"
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

// foreignCall is a call of a function that the analysis does not see: its own errors, and those of
// the functions, errors and objects that it gets. An object also has those that its other methods
// got, such as errgroup.Group.Go for the result of Wait.
func (e *Engine) foreignCall(name string, common *ssa.CallCommon, b *ssa.BasicBlock, at string) *Set {
	if strings.HasPrefix(name, "(reflect.Value).") && !isFresh(common.Args[0]) {
		return one(Atom{Kind: Unknown, Name: "reflection"}, at)
	}
	c := &foreignCall{e: e, name: name, block: b, at: at, out: new(Set)}
	if common.Signature().Recv() != nil && len(common.Args) > 0 {
		objects := e.objects(common.Args[0])
		for _, p := range objects {
			c.out.addAll(e.close(e.cells[p.key]))
		}
		c.object(common.Args[0], make(map[ssa.Value]bool))
		if isContainer := containers.MatchString(name); isContainer && len(objects) > 1 {
			return c.out
		} else if isContainer {
			return one(Atom{Kind: Unknown, Name: "what a container holds"}, at)
		}
	}
	c.out.add(Atom{Kind: Foreign, Name: name}, []string{at})
	e.edgeErrors(c.out, name, at)
	c.arguments(common.Args)
	return c.out
}

// isFresh reports whether reflection made a value, which has no errors of the program.
func isFresh(v ssa.Value) bool {
	made, ok := v.(*ssa.Call)
	return ok && made.Call.StaticCallee() != nil && fullName(made.Call.StaticCallee()) == "reflect.New"
}

// containers matches the methods of the standard library's containers, which return no other
// errors.
var containers = regexp.MustCompile(`^\(\*sync(/atomic)?\.(Value|Pointer\[T\]|Map|Pool)\)\.`)

// pipeCell is the cell of the errors that the program closes pipes with.
const pipeCell = "pipes"

func isPipe(t types.Type) bool {
	name := types.TypeString(t, nil)
	return name == "*io.PipeReader" || name == "*io.PipeWriter"
}

// objects returns the places of an object of another package. The last one is for those whose
// origin is not known.
func (e *Engine) objects(object ssa.Value) []place {
	if isPipe(object.Type()) {
		return []place{{key: pipeCell, shared: true}}
	}
	return append(e.placesOf(object), place{key: anyOf(object.Type()), shared: true})
}

// keep adds what a method of another package's object gets to the cell of the object.
func (e *Engine) keep(call ssa.CallInstruction) {
	common := call.Common()
	f := common.StaticCallee()
	if f == nil || f.Signature.Recv() == nil || e.inScope(f) || e.imported(f) != nil || len(common.Args) < 2 {
		return
	}
	c := &foreignCall{e: e, name: fullName(f), block: call.Block(), at: e.at(call.Pos()), out: new(Set)}
	if c.arguments(common.Args[1:]); c.out.Len() > 0 {
		e.grow(e.objects(common.Args[0])[0].key, e.close(c.out))
	}
}

// object adds what an object of another package was made with, and what the program stores in the
// fields of its type, such as the Transport of an http.Client.
func (c *foreignCall) object(v ssa.Value, seen map[ssa.Value]bool) {
	if seen[v] {
		return
	}
	seen[v] = true
	e := c.e
	if st, ok := deref(v.Type()).Underlying().(*types.Struct); ok && !e.ours(v.Type()) {
		for field := range st.Fields() {
			c.arguments(e.assigned[field.Origin()])
			if iface, ok := field.Type().Underlying().(*types.Interface); ok && field.Exported() && !e.Whole {
				c.implementations(iface, field.Type())
			}
		}
	}
	if x, ok := v.(*ssa.Extract); ok {
		v = x.Tuple
	}
	made, ok := v.(*ssa.Call)
	if !ok || made.Call.StaticCallee() == nil || e.inScope(made.Call.StaticCallee()) {
		return
	}
	c.arguments(made.Call.Args)
	for _, arg := range made.Call.Args {
		c.object(arg, seen)
	}
}

type foreignCall struct {
	e     *Engine
	name  string
	block *ssa.BasicBlock
	at    string
	out   *Set
}

func (c *foreignCall) arguments(list []ssa.Value) {
	for _, v := range list {
		c.argument(v)
	}
}

func (c *foreignCall) argument(v ssa.Value) {
	if list, ok := elements(v); ok {
		c.arguments(list)
		return
	}
	e := c.e
	switch x := v.(type) {
	case *ssa.ChangeInterface:
		v = x.X
	case *ssa.ChangeType:
		v = x.X
	case *ssa.MakeInterface:
		if t := x.X.Type(); !e.isError(t) && e.carries(t) { // a function, say
			v = x.X
		}
	}
	for a, p := range e.valueAt(v, c.block).All() { // functions, also those of a template.FuncMap
		if f := e.functions[a.Name]; a.Kind == Func && f.fn != nil {
			c.callback(single(a, p), f.fn.Signature)
		}
	}
	if sig, ok := v.Type().Underlying().(*types.Signature); ok {
		c.callback(e.valueAt(v, c.block), sig)
		return
	}
	_, boxed := v.(*ssa.MakeInterface)
	iface, ok := v.Type().Underlying().(*types.Interface)
	if !prints(c.name) && (boxed || e.carries(v.Type()) && !(ok && iface.Empty())) {
		c.out.addAll(e.valueAt(v, c.block))
	}
	switch m, boxed := v.(*ssa.MakeInterface); {
	case boxed: // an object whose methods it may call
		e.methodErrors(c.out, m.X.Type(), c.at, make(map[types.Type]bool))
	case ok:
		c.implementations(iface, v.Type())
	}
	if isPipe(unboxed(v).Type()) {
		c.out.addAll(e.close(e.cells[pipeCell]))
	}
}

// callback adds what functions return that the foreign function may call.
func (c *foreignCall) callback(s *Set, sig *types.Signature) {
	e := c.e
	for param := range sig.Params().Variables() { // such as the function that an iter.Seq gets
		if _, ok := param.Type().Underlying().(*types.Signature); ok {
			c.out.add(Atom{Kind: Unknown, Name: "an argument of a callback of " + c.name}, []string{c.at})
		}
	}
	for i := range sig.Results().Len() {
		if !e.carries(sig.Results().At(i).Type()) {
			continue
		}
		for a, p := range e.apply(s, resultOf(i), c.at).All() {
			if a.Kind == Unknown && a.Name == callbackReason { // what the foreign function passes
				a = Atom{Kind: Foreign, Name: c.name}
			}
			c.out.add(a, p)
		}
	}
}

// implementations adds the codes of the objects that a value of an interface can be.
func (c *foreignCall) implementations(iface *types.Interface, t types.Type) {
	if c.e.isError(t) || t.String() == "context.Context" {
		return
	}
	for m := range iface.Methods() {
		if n := m.Signature().Results().Len(); n == 0 || !c.e.isError(m.Signature().Results().At(n-1).Type()) {
			continue
		}
		for _, fn := range c.e.methodOf(t, m).funcs {
			c.e.codesReturned(c.out, fn, c.at)
		}
		if !c.e.Whole {
			c.out.add(elsewhere(m), []string{c.at})
		}
	}
}

// elsewhere represents the implementations of a method in other packages. No test is dead because
// of them.
func elsewhere(m *types.Func) Atom {
	return Atom{Kind: Unknown, Name: "implementations of " + m.FullName() + " in other packages", Below: true}
}

// prints reports whether a foreign function only prints the errors that it gets, so that it never
// returns them. It returns those of the methods that it calls.
func prints(name string) bool {
	name = strings.TrimLeft(name, "(*")
	return slices.ContainsFunc([]string{"encoding/json.", "fmt.", "log.", "log/slog."}, func(writer string) bool {
		return strings.HasPrefix(name, writer)
	})
}

// methodErrors adds the codes that the methods of a type, and of its exported fields, return.
func (e *Engine) methodErrors(out *Set, t types.Type, at string, seen map[types.Type]bool) {
	t = deref(t)
	if seen[t] {
		return
	}
	seen[t] = true
	switch u := t.Underlying().(type) {
	case *types.Slice:
		e.methodErrors(out, u.Elem(), at, seen)
	case *types.Map:
		e.methodErrors(out, u.Elem(), at, seen)
	case *types.Struct:
		if _, named := types.Unalias(t).(*types.Named); named && !e.ours(t) {
			return
		}
		for f := range u.Fields() {
			if f.Exported() {
				e.methodErrors(out, f.Type(), at, seen)
			}
		}
	}
	if n, ok := types.Unalias(t).(*types.Named); ok && e.ours(t) {
		for m := range n.Origin().Methods() {
			fn := e.declared(m)
			if fn == nil || !m.Exported() {
				continue
			}
			e.codesReturned(out, fn, at)
		}
	}
}

// codesReturned adds the codes that a function returns.
func (e *Engine) codesReturned(out *Set, fn *ssa.Function, at string) {
	for _, s := range e.summaries[fn] {
		for a, p := range s.All() {
			if a.Kind == Code && !a.Below {
				out.addAll(single(a, p).via(at))
			}
		}
	}
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
		for _, name := range impls.foreign { // such as those of *sql.DB
			out.add(Atom{Kind: Foreign, Name: name}, []string{at})
			e.edgeErrors(out, name, at)
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
	foreign []string        // the full names of others
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
			x.foreign = append(x.foreign, f.FullName())
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
