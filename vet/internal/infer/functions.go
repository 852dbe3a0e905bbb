package infer

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

func isTable(t types.Type) bool { return types.TypeString(t, nil) == runtimePath+"taxonomy.Table" }

// followed has the types of the runtime whose values are followed like errors. A decision has the
// error in it.
var followed = map[string]bool{
	runtimePath + "taxonomy.Table": true, "*" + runtimePath + "httpcall.Client": true, decision: true,
}

const decision = runtimePath + "queue.Decision"

// function is the meaning of an atom of kind Func: a function, a closure, or those in a field that
// has a contract.
type function struct {
	fn       *ssa.Function
	bind     []ssa.Value // what the closure fn captured
	field    *types.Var
	contract *Contract
	frames   []site // the calls that returned the closure, from the innermost one
}

// inputs returns the arguments of a call and what the function captured. An argument that other
// code passes is nil.
func (f function) inputs(args []ssa.Value) []ssa.Value {
	if len(f.bind) == 0 {
		return args
	}
	list := make([]ssa.Value, len(f.fn.Params))
	copy(list, args)
	return append(list, f.bind...)
}

// function returns the value that is a function.
func (e *Engine) function(name string, f function, at string) *Set {
	e.functions[name] = f
	return one(Atom{Kind: Func, Name: name}, at)
}

// callees returns the functions of the scope that a value can be, also if callers pass them.
func (e *Engine) callees(s *Set) (list []function) {
	for a := range e.close(s).All() {
		switch f := e.functions[a.Name]; {
		case a.Kind != Func:
		case f.field != nil:
			list = append(list, e.callees(e.cells[f.field])...)
		case e.inScope(f.fn):
			list = append(list, f)
		}
	}
	return list
}

// resultOf is the operation on a value that is a function: its result j.
func resultOf(j int) string { return fmt.Sprint("r", j) }

// call returns result j of a function that other code calls with unknown arguments.
func (e *Engine) call(name string, j int, at string) *Set {
	return e.called.get(paramKey{name, j}, func() *Set {
		f := e.functions[name]
		if f.field == nil {
			return e.callFunction(f, j, nil, nil, at)
		}
		s := e.apply(e.cells[f.field], resultOf(j), at)
		if j == f.field.Type().Underlying().(*types.Signature).Results().Len()-1 {
			return e.promised(f.contract, s, at)
		}
		return s
	})
}

// callFunction returns result j of a function. args is nil if other code calls it.
func (e *Engine) callFunction(f function, j int, args []ssa.Value, b *ssa.BasicBlock, at string) *Set {
	if n := len(f.frames); n > 0 { // replace what the closure captured from the calls
		frame := f.frames[n-1]
		f.frames = f.frames[:n-1]
		s := e.callFunction(f, j, args, b, at)
		if b != nil && b.Parent() == frame.fn { // its own symbols are in s, too
			return e.close(s)
		}
		return e.instantiate(s, frame.fn, frame.args, frame.block, "")
	}
	if e.inScope(f.fn) {
		return e.kept(f.fn, j, e.instantiate(e.result(f.fn, j), f.fn, f.inputs(args), b, at), at)
	}
	if s := e.imported(f.fn); s != nil && j < len(s.Results) {
		return e.kept(f.fn, j, e.instantiate(s.Results[j].set(), f.fn, args, b, at), at)
	}
	if o, ok := origin(f.fn).Object().(*types.Func); ok && o.Pkg() != nil {
		if tax := e.taxonomy(o.Pkg().Path()); tax != nil && tax.factory(o.Name()) != "" {
			return one(Atom{Kind: Code, Name: tax.factory(o.Name())}, at)
		}
	}
	out := one(Atom{Kind: Foreign, Name: fullName(f.fn)}, at)
	e.edgeErrors(out, fullName(f.fn), f.fn.Signature, at)
	return out
}

// framed returns the closure that a call returned. The closures of a function that calls itself are
// the same for all calls.
func (e *Engine) framed(a Atom, call site) Atom {
	f := e.functions[a.Name]
	if slices.ContainsFunc(f.frames, func(s site) bool { return s.fn == call.fn }) {
		return a
	}
	f.frames = append(slices.Clone(f.frames), call)
	a.Name += fmt.Sprintf(" of %s:%d", call.block.Parent(), call.block.Index)
	for _, arg := range call.args {
		a.Name += " " + arg.Name()
	}
	e.functions[a.Name] = f
	return a
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

// site registers a call of a function of the scope.
func (e *Engine) site(fn *ssa.Function, at ssa.Instruction, args []ssa.Value) {
	if key := (siteKey{fn, at}); !e.siteOf[key] {
		e.siteOf[key], e.again = true, true
		e.sites[fn] = append(e.sites[fn], site{fn, args, at.Block()})
	}
}

// paramKey is a parameter.
type paramKey struct {
	owner string
	index int
}

const callbackReason = "an argument of a callback"

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
func (e *Engine) instantiate(s *Set, fn *ssa.Function, args []ssa.Value, b *ssa.BasicBlock, at string) *Set {
	out := new(Set)
	owner := e.id(fn)
	for a, p := range s.All() {
		if a.Kind == Func && b != nil && !slices.Contains(args, nil) && e.functions[a.Name].bind != nil {
			a = e.framed(a, site{fn, args, b})
		}
		if !a.Symbolic() || a.Owner != owner {
			out.addAll(single(a, p).via(at))
			continue
		}
		var v *Set
		if a.Index < len(args) && args[a.Index] != nil {
			v = e.valueAt(args[a.Index], b)
		} else {
			v = e.close(single(Atom{Kind: Param, Owner: owner, Index: a.Index}, p))
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
