package infer

import (
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// foreignCall is the result of a function that the analysis does not see: its own errors, and all
// that it can reach from its arguments.
func (e *Engine) foreignCall(name string, common *ssa.CallCommon, b *ssa.BasicBlock, at string) *Set {
	r := e.reach(name, b, at)
	if common.Signature().Recv() != nil && len(common.Args) > 0 {
		object := common.Args[0]
		if strings.HasPrefix(name, "(reflect.Value).") && !isFresh(object) {
			return one(Atom{Kind: Unknown, Name: "reflection"}, at)
		}
		r.object(object)
		switch isContainer := containers.MatchString(name); {
		case isContainer && len(e.objects(object)) > 1:
			return r.out
		case isContainer:
			return one(Atom{Kind: Unknown, Name: "what a container holds"}, at)
		}
	}
	r.out.add(Atom{Kind: Foreign, Name: name}, []string{at})
	e.edgeErrors(r.out, name, common.Signature(), at)
	r.values(common.Args)
	return r.out
}

// isFresh reports whether reflection made a value, which has no errors of the program.
func isFresh(v ssa.Value) bool {
	made, ok := v.(*ssa.Call)
	return ok && made.Call.StaticCallee() != nil && fullName(made.Call.StaticCallee()) == "reflect.New"
}

// containers matches the methods of other packages that return no other errors than those that the
// object holds.
var containers = regexp.MustCompile(
	`^\(\*(sync(/atomic)?\.(Value|Pointer\[T\]|Map|Pool)|golang\.org/x/sync/errgroup\.Group)\)\.`)

// pipeCell is the cell of the errors that the program closes pipes with.
const pipeCell = "pipes"

// objects returns the places of an object of another package. The last one is for those whose
// origin is not known.
func (e *Engine) objects(object ssa.Value) []place {
	if name := types.TypeString(object.Type(), nil); name == "*io.PipeReader" || name == "*io.PipeWriter" {
		return []place{{key: pipeCell, shared: true}}
	}
	return append(e.placesOf(object), place{key: anyOf(object.Type()), shared: true})
}

// keep adds what a method of another package's object gets to the cell of the object, such as the
// functions of errgroup.Group.Go, which Wait returns.
func (e *Engine) keep(call ssa.CallInstruction) {
	common := call.Common()
	f := common.StaticCallee()
	if f == nil || e.inScope(f) || e.imported(f) != nil || len(common.Args) < 2 {
		return
	}
	object := common.Args[0]
	if f.Signature.Recv() == nil { // such as heap.Push, which gives the other arguments to our object
		boxed, ok := object.(*ssa.MakeInterface)
		if !ok || !e.ours(boxed.X.Type()) || e.isError(boxed.X.Type()) {
			return
		}
		object = boxed.X
	}
	r := e.reach(fullName(f), call.Block(), e.at(call.Pos()))
	if r.values(common.Args[1:]); r.out.Len() > 0 {
		e.grow(e.objects(object)[0].key, e.close(r.out))
	}
}

// reach collects the errors that a foreign function can return because it gets values.
type reach struct {
	e     *Engine
	name  string // of the function
	block *ssa.BasicBlock
	at    string
	out   *Set
	seen  map[any]bool // values and types
}

func (e *Engine) reach(name string, b *ssa.BasicBlock, at string) *reach {
	return &reach{e: e, name: name, block: b, at: at, out: new(Set), seen: make(map[any]bool)}
}

func (r *reach) first(key any) bool {
	seen := r.seen[key]
	r.seen[key] = true
	return !seen
}

func (r *reach) values(list []ssa.Value) {
	for _, v := range list {
		r.value(v)
	}
}

// value adds an error, what a function returns, and what the methods of an object return.
func (r *reach) value(v ssa.Value) {
	if list, ok := elements(v); ok {
		r.values(list)
		return
	}
	e := r.e
	_, boxed := v.(*ssa.MakeInterface)
	switch x := v.(type) {
	case *ssa.ChangeInterface:
		v = x.X
	case *ssa.ChangeType:
		v = x.X
	case *ssa.MakeInterface:
		r.methods(x.X.Type())
		if !e.isError(x.X.Type()) {
			v = x.X
		}
	}
	s := e.valueAt(v, r.block)
	for a, p := range s.All() { // functions, also those of a template.FuncMap
		if t := e.objectTypes[a.Name]; a.Kind == Object {
			r.methods(t)
		}
		if f := e.functions[a.Name]; a.Kind == Func && f.fn != nil {
			r.callback(single(a, p), f.fn.Signature)
		}
	}
	if sig, isFunc := v.Type().Underlying().(*types.Signature); isFunc {
		if made := e.madeElsewhere(v); made != nil {
			r.held(func(r *reach) { r.values(made.Call.Args) })
		} else {
			r.callback(s, sig)
		}
		return
	}
	iface, isInterface := v.Type().Underlying().(*types.Interface)
	if !prints(r.name) && e.carries(v.Type()) && (boxed || !isInterface || !iface.Empty()) {
		r.out.addAll(s)
	}
	if isInterface && !boxed {
		r.implementations(iface, v.Type())
	}
	// The functions in structs of errgen's runtime, such as proc.Command.Started, are not followed.
	if !strings.HasPrefix(types.TypeString(deref(v.Type()), nil), runtimePath) {
		r.held(func(r *reach) { r.object(v) })
	}
}

// held adds what other packages' objects and functions hold. If that is unknown, no test is dead.
func (r *reach) held(collect func(*reach)) {
	held := *r
	held.out = new(Set)
	collect(&held)
	for a, p := range held.out.All() {
		a.Below = a.Below || a.Kind == Unknown
		r.out.add(a, p)
	}
}

// prints reports whether a foreign function only prints the errors that it gets, so that it never
// returns them. It returns those of the methods that it calls.
func prints(name string) bool {
	name = strings.TrimLeft(name, "(*")
	return slices.ContainsFunc([]string{"encoding/json.", "fmt.", "log.", "log/slog."}, func(writer string) bool {
		return strings.HasPrefix(name, writer)
	})
}

// object adds what an object of another package holds: what it was made with, what its methods got,
// and what the program stores in the fields of its type, such as the Transport of an http.Client.
func (r *reach) object(v ssa.Value) {
	e := r.e
	n, named := types.Unalias(deref(v.Type())).(*types.Named)
	if !named || n.Obj().Pkg() == nil || e.ours(n) || !r.first(v) {
		return
	}
	for _, p := range e.objects(v) {
		r.out.addAll(e.close(e.cells[p.key]))
	}
	if st, ok := n.Underlying().(*types.Struct); ok {
		for field := range st.Fields() {
			r.values(e.assigned[field.Origin()])
			if iface, ok := field.Type().Underlying().(*types.Interface); ok && field.Exported() && !e.Whole {
				r.implementations(iface, field.Type())
			}
		}
	}
	if x, ok := v.(*ssa.Extract); ok {
		v = x.Tuple
	}
	if made := e.madeElsewhere(v); made != nil {
		r.values(made.Call.Args)
	}
}

// madeElsewhere returns the call of another package's function that a value is the result of, or nil.
func (e *Engine) madeElsewhere(v ssa.Value) *ssa.Call {
	call, ok := v.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil || e.inScope(call.Call.StaticCallee()) {
		return nil
	}
	return call
}

// callback adds what functions return that the foreign function may call.
func (r *reach) callback(s *Set, sig *types.Signature) {
	for param := range sig.Params().Variables() { // such as the function that an iter.Seq gets
		if _, ok := param.Type().Underlying().(*types.Signature); ok {
			r.out.add(Atom{Kind: Unknown, Name: "an argument of a callback of " + r.name}, []string{r.at})
		}
	}
	for i := range sig.Results().Len() {
		if !r.e.carries(sig.Results().At(i).Type()) {
			continue
		}
		for a, p := range r.e.apply(s, resultOf(i), r.at).All() {
			if a.Kind == Unknown && a.Name == callbackReason { // what the foreign function passes
				a = Atom{Kind: Foreign, Name: r.name}
			}
			r.out.add(a, p)
		}
	}
}

// implementations adds the codes of the objects that a value of an interface can be.
func (r *reach) implementations(iface *types.Interface, t types.Type) {
	if r.e.isError(t) || t.String() == "context.Context" {
		return
	}
	for m := range iface.Methods() {
		if n := m.Signature().Results().Len(); n == 0 || !r.e.isError(m.Signature().Results().At(n-1).Type()) {
			continue
		}
		for _, fn := range r.e.methodOf(t, m).funcs {
			r.codesReturned(fn)
		}
		if !r.e.Whole {
			r.out.add(elsewhere(m), []string{r.at})
		}
	}
}

// elsewhere represents the implementations of a method in other packages. No test is dead because
// of them.
func elsewhere(m *types.Func) Atom {
	return Atom{Kind: Unknown, Name: "implementations of " + m.FullName() + " in other packages", Below: true}
}

// methods adds the codes that the methods of a type, and of its exported fields, return.
func (r *reach) methods(t types.Type) {
	t = deref(t)
	if !r.first(t) {
		return
	}
	n, named := types.Unalias(t).(*types.Named)
	switch u := t.Underlying().(type) {
	case *types.Slice:
		r.methods(u.Elem())
	case *types.Map:
		r.methods(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if f.Exported() && (!named || r.e.ours(t)) {
				r.methods(f.Type())
			}
		}
	}
	if named && r.e.ours(t) {
		for m := range n.Origin().Methods() {
			if fn := r.e.declared(m); fn != nil && m.Exported() {
				r.codesReturned(fn)
			}
		}
	}
}

// codesReturned adds the codes that a function returns.
func (r *reach) codesReturned(fn *ssa.Function) {
	for _, s := range r.e.summaries[fn] {
		for a, p := range s.All() {
			if a.Kind == Code && !a.Below {
				r.out.addAll(single(a, p).via(r.at))
			}
		}
	}
}
