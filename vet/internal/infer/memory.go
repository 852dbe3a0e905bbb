package infer

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// A variable that a closure captures, or whose address is taken, is not an SSA register. Its value
// is found by a forward analysis of its function: stores replace it, conditions narrow it, calls of
// closures and deferred functions change it.

type memKey struct {
	addr ssa.Value
	at   ssa.Instruction
}

// inMemory reports whether memory finds the value at an address: that of an error variable of the
// function, a captured one, or a pointer parameter.
func (e *Engine) inMemory(addr ssa.Value) bool {
	switch addr.(type) {
	case *ssa.Alloc, *ssa.FreeVar, *ssa.Parameter:
		t := deref(addr.Type())
		return t != addr.Type() && e.isError(t) && !isContainer(t) &&
			(types.IsInterface(t) || isPointer(t) || !e.wraps(t))
	}
	return false
}

// memory returns what a variable can hold just before an instruction.
func (e *Engine) memory(addr ssa.Value, at ssa.Instruction) *Set {
	return e.memories.get(memKey{addr, at}, func() *Set { return e.findMemory(addr, at) })
}

func (e *Engine) findMemory(addr ssa.Value, at ssa.Instruction) *Set {
	fn := at.Parent()
	entry := new(Set)
	switch x := addr.(type) {
	case *ssa.FreeVar:
		entry = e.freeVar(x)
	case *ssa.Parameter:
		entry = e.parameter(x)
	}
	if escapes(addr) {
		return union(e.value(addr), one(Atom{Kind: Unknown, Name: "a variable whose address is stored"}, e.at(addr.Pos())))
	}
	in := map[*ssa.BasicBlock]*Set{fn.Blocks[0]: entry}
	blocks := fn.DomPreorder()
	for changed := true; changed; {
		changed = false
		for _, b := range blocks {
			switch {
			case b == fn.Recover && len(b.Preds) == 0:
				if in[b] == nil { // after a panic the variable has one of its values
					in[b] = union(e.value(addr))
				}
			case b != fn.Blocks[0]:
				s := new(Set)
				for _, p := range b.Preds {
					if in[p] != nil {
						s.addAll(e.memoryEdge(e.memoryBlock(in[p], addr, p, nil), addr, p, b))
					}
				}
				if in[b] == nil || !s.within(in[b]) {
					in[b], changed = union(in[b], s), true
				}
			}
		}
	}
	if in[at.Block()] == nil {
		return nil
	}
	return e.memoryBlock(in[at.Block()], addr, at.Block(), at)
}

// memoryBlock returns the value of a variable in a block before an instruction, or at its end.
func (e *Engine) memoryBlock(s *Set, addr ssa.Value, b *ssa.BasicBlock, until ssa.Instruction) *Set {
	for _, i := range b.Instrs {
		if i == until {
			return s
		}
		switch x := i.(type) {
		case *ssa.Store:
			if x.Addr == addr {
				s = e.valueAt(x.Val, b)
			}
		case *ssa.RunDefers:
			for _, d := range slices.Backward(defers(b.Parent())) {
				after, changes := e.memoryCall(s, addr, d)
				if changes && !d.Block().Dominates(b) {
					after = union(after, s)
				}
				if changes {
					s = after
				}
			}
		case *ssa.Call:
			if t := asTarget(x); t != nil && unboxed(x.Call.Args[1]) == addr {
				s = e.valueAt(x.Call.Args[0], b)
				if codes := e.codesOfType(t); codes != nil {
					s = e.apply(s, opOf('t', codes...), e.at(x.Pos()))
				}
				continue
			}
			if after, changes := e.memoryCall(s, addr, x); changes {
				s = union(s, after)
			}
		case *ssa.Go:
			if writtenThrough(addr) {
				s = union(s, e.value(addr))
			}
		}
	}
	return s
}

// escapes reports whether the address of a variable is stored, so that other functions may write it.
func escapes(addr ssa.Value) bool {
	return slices.ContainsFunc(*addr.Referrers(), func(r ssa.Instruction) bool {
		s, ok := r.(*ssa.Store)
		return ok && s.Val == addr
	})
}

func defers(fn *ssa.Function) (list []*ssa.Defer) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if d, ok := i.(*ssa.Defer); ok {
				list = append(list, d)
			}
		}
	}
	return list
}

// memoryCall returns the value of a variable after a call, and whether the call can change it.
func (e *Engine) memoryCall(s *Set, addr ssa.Value, call ssa.CallInstruction) (*Set, bool) {
	common := call.Common()
	if mc, ok := common.Value.(*ssa.MakeClosure); ok {
		if k := slices.Index(mc.Bindings, addr); k >= 0 {
			f := mc.Fn.(*ssa.Function)
			e.site(f, call, common.Args, mc.Bindings)
			return e.after(s, f, f.FreeVars[k], Atom{Kind: Free, Index: k}, mc.Bindings, call), true
		}
	}
	if k := slices.Index(common.Args, addr); k >= 0 && !common.IsInvoke() {
		f := common.StaticCallee()
		if f != nil && e.inScope(f) {
			f = origin(f)
			e.site(f, call, common.Args, nil)
			return e.after(s, f, f.Params[k], Atom{Kind: Param, Index: k}, nil, call), true
		}
		if f != nil && fullName(f) != "errors.As" { // it may store an error
			return union(s, e.foreignCall(fullName(f), common, call.Block(), e.at(call.Pos()))), true
		}
	}
	if _, isDefer := call.(*ssa.Defer); !isDefer && writtenThrough(addr) {
		if _, ok := common.Value.(*ssa.Builtin); !ok {
			return union(e.value(addr)), true
		}
	}
	return nil, false
}

// after returns the value of a variable after a call of f, which has it as v, the value of symbol.
func (e *Engine) after(s *Set, f *ssa.Function, v ssa.Value, symbol Atom, bind []ssa.Value,
	call ssa.CallInstruction) *Set {
	out := new(Set)
	at, args := e.at(call.Pos()), call.Common().Args
	for _, b := range f.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for a, p := range e.memory(v, ret).All() {
			if a.Symbolic() && a.Owner == e.id(f) && a.Kind == symbol.Kind && a.Index == symbol.Index {
				out.addAll(e.applyOps(s, a.Ops, at))
			} else {
				out.addAll(e.instantiate(single(a, p), f, args, bind, call.Block(), at))
			}
		}
	}
	return out
}

// memoryEdge narrows a variable by the condition at the end of block p.
func (e *Engine) memoryEdge(s *Set, addr ssa.Value, p, b *ssa.BasicBlock) *Set {
	cond, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If)
	if !ok || p.Succs[0] == p.Succs[1] {
		return s
	}
	if _, ok := cond.Cond.(*ssa.Const); ok {
		return e.assume(s, nil, cond.Cond, p.Succs[0] == b)
	}
	for _, r := range *addr.Referrers() { // loads before the condition, without a store between
		if l, ok := r.(*ssa.UnOp); ok && l.Block().Dominates(p) && e.unchanged(addr, l, p) {
			s = e.assume(s, l, cond.Cond, p.Succs[0] == b)
		}
	}
	return s
}

// unchanged reports whether a variable keeps its value from a load to the end of block p.
func (e *Engine) unchanged(addr ssa.Value, load *ssa.UnOp, p *ssa.BasicBlock) bool {
	seen := make(map[*ssa.BasicBlock]bool)
	var clean func(b *ssa.BasicBlock) bool
	clean = func(b *ssa.BasicBlock) bool {
		for _, i := range slices.Backward(b.Instrs) {
			if i == load {
				return true
			}
			switch x := i.(type) {
			case *ssa.Store:
				if x.Addr == addr {
					return false
				}
			case ssa.CallInstruction:
				if _, d := i.(*ssa.Defer); !d && (writtenThrough(addr) || slices.Contains(x.Common().Args, addr)) {
					return false
				}
			}
		}
		if seen[b] {
			return true
		}
		seen[b] = true
		for _, q := range b.Preds {
			if !clean(q) {
				return false
			}
		}
		return true
	}
	return clean(p)
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}

// writtenThrough reports whether the calls of a function may write one of its variables: a closure
// that is not only deferred does.
func writtenThrough(addr ssa.Value) bool {
	alloc, ok := addr.(*ssa.Alloc)
	if !ok {
		return false
	}
	for _, r := range *alloc.Referrers() {
		mc, ok := r.(*ssa.MakeClosure)
		if !ok {
			continue
		}
		fv := mc.Fn.(*ssa.Function).FreeVars[slices.Index(mc.Bindings, addr)]
		writes := slices.ContainsFunc(*fv.Referrers(), func(u ssa.Instruction) bool {
			_, load := u.(*ssa.UnOp)
			return !load
		})
		if writes && slices.ContainsFunc(*mc.Referrers(), func(u ssa.Instruction) bool {
			_, deferred := u.(*ssa.Defer)
			return !deferred
		}) {
			return true
		}
	}
	return false
}

// contents returns all that a variable, a field or an element can hold. Its callers use value.
func (e *Engine) contents(addr ssa.Value) *Set {
	switch x := addr.(type) {
	case *ssa.Alloc:
		return e.variable(x)
	case *ssa.IndexAddr:
		out := new(Set)
		for _, r := range *x.Referrers() {
			if s, ok := r.(*ssa.Store); ok && s.Addr == x {
				out.addAll(e.valueAt(s.Val, s.Block()))
			}
		}
		if _, ok := x.X.(*ssa.Alloc); !ok {
			out.addAll(e.value(x.X))
		}
		return out
	case *ssa.FieldAddr:
		if !e.wraps(x.X.Type()) && e.wraps(x.Type()) {
			out := union(e.cells[cellKey(x)])
			e.addOwn(out, x)
			return out
		}
		return e.fieldOf(x.X, x.Field, e.at(x.Pos()))
	case *ssa.Global:
		out := union(e.cells[cellKey(x)])
		switch pkg := x.Pkg; {
		case pkg != nil && e.packages[pkg.Pkg.Path()]:
		case pkg != nil && !e.Whole && e.seesCodes(pkg.Pkg):
			name := "variable " + x.String() + " of another package"
			out.add(Atom{Kind: Unknown, Name: name}, []string{e.at(x.Pos())})
		default:
			out.add(Atom{Kind: Foreign, Name: x.String()}, []string{e.at(x.Pos())})
		}
		return out
	}
	return nil
}

// variable returns all that is stored in a variable of a function, by it, its closures and callees.
func (e *Engine) variable(x *ssa.Alloc) *Set {
	out := union(e.cells[e.madeCell(x)])
	if t := deref(x.Type()); !isPointer(t) && e.wraps(t) {
		e.own(out, x)
		if out.Len() == 0 && e.final { // without a cause it is an error of its own
			out.add(Atom{Kind: Foreign, Name: types.TypeString(t, shortPkg)}, []string{e.at(x.Pos())})
		}
		return out
	}
	e.storedIn(out, x)
	return out
}

// own adds the errors in an object that is a variable, or in one of its fields.
func (e *Engine) own(out *Set, x *ssa.Alloc, field ...int) {
	e.addOwn(out, x, field...)
	e.storedIn(out, x)
}

// storedIn adds the values that are stored in a variable as a whole.
func (e *Engine) storedIn(out *Set, x *ssa.Alloc) {
	for _, r := range *x.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr == x {
				out.addAll(e.valueAt(r.Val, r.Block()))
			}
		case *ssa.IndexAddr:
			out.addAll(e.value(r))
		case *ssa.MakeClosure:
			f := r.Fn.(*ssa.Function)
			e.capturedStores(out, f, f.FreeVars[slices.Index(r.Bindings, ssa.Value(x))], r)
		case *ssa.MakeInterface: // errors.As(err, &x)
			for _, u := range *r.Referrers() {
				call, ok := u.(*ssa.Call)
				if !ok || asTarget(call) == nil {
					continue
				}
				s := e.valueAt(call.Call.Args[0], call.Block())
				if codes := e.codesOfType(asTarget(call)); codes != nil {
					s = e.apply(s, opOf('t', codes...), e.at(call.Pos()))
				}
				out.addAll(s)
			}
		case ssa.CallInstruction: // f(&err)
			e.storesOfCall(out, x, r)
		}
	}
}

// storesOfCall adds what a callee stores in a variable whose address it gets.
func (e *Engine) storesOfCall(out *Set, addr ssa.Value, call ssa.CallInstruction) {
	f := call.Common().StaticCallee()
	if f == nil || !e.inScope(f) {
		return
	}
	f = origin(f)
	args := call.Common().Args
	for i, arg := range args {
		if arg != addr {
			continue
		}
		e.site(f, call, args, nil)
		stored := e.written.get(f.Params[i], func() *Set { return e.storedThrough(f.Params[i]) })
		out.addAll(e.instantiate(stored, f, args, nil, call.Block(), e.at(call.Pos())))
	}
}

// storedThrough returns what a function stores in the variable that it gets as a parameter.
func (e *Engine) storedThrough(p *ssa.Parameter) *Set {
	out := new(Set)
	if isPointer(p.Type()) && e.wraps(p.Type()) {
		e.addOwn(out, p)
	}
	for _, r := range *p.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr == p {
				out.addAll(e.valueAt(r.Val, r.Block()))
			}
		case *ssa.MakeClosure:
			f := r.Fn.(*ssa.Function)
			e.capturedStores(out, f, f.FreeVars[slices.Index(r.Bindings, ssa.Value(p))], r)
		}
	}
	return out
}

// capturedStores adds what a closure stores in a variable that it captured.
func (e *Engine) capturedStores(out *Set, f *ssa.Function, fv *ssa.FreeVar, mc *ssa.MakeClosure) {
	for _, r := range *fv.Referrers() {
		switch r := r.(type) {
		case *ssa.Store:
			if r.Addr == fv {
				out.addAll(e.instantiate(e.valueAt(r.Val, r.Block()), f, nil, mc.Bindings, mc.Block(), ""))
			}
		case *ssa.MakeClosure: // captured again
			inner := r.Fn.(*ssa.Function)
			s := new(Set)
			e.capturedStores(s, inner, inner.FreeVars[slices.Index(r.Bindings, ssa.Value(fv))], r)
			out.addAll(e.instantiate(s, f, nil, mc.Bindings, mc.Block(), ""))
		case ssa.CallInstruction:
			e.storesOfCall(out, fv, r)
		}
	}
}
