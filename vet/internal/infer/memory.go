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
	b, fn := at.Block(), at.Parent()
	if b == fn.Recover && len(b.Preds) == 0 { // after a panic the variable has one of its values
		return e.memoryBlock(e.value(addr), addr, b, at)
	}
	if slices.ContainsFunc(*addr.Referrers(), func(r ssa.Instruction) bool { _, ok := r.(*ssa.Phi); return ok }) {
		return e.value(addr) // it is one of several variables that a pointer is to
	}
	if escapes(addr) {
		escaped := Atom{Kind: Unknown, Name: "a variable whose address is stored"}
		return union(e.value(addr), one(escaped, e.at(addr.Pos())))
	}
	entry := new(Set)
	if _, ok := addr.(*ssa.Alloc); !ok {
		entry = e.symbol(addr)
	}
	in := e.flow(fn.Blocks[0], entry, func(s *Set, p, x *ssa.BasicBlock) *Set {
		return e.memoryEdge(e.memoryBlock(s, addr, p, nil), addr, p, x)
	})
	if in[b] == nil {
		return nil
	}
	return e.memoryBlock(in[b], addr, b, at)
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
				s = e.foundByAs(x)
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
			args := function{fn: f, bind: mc.Bindings}.inputs(common.Args)
			e.site(f, call, args)
			return e.after(s, f, f.FreeVars[k], args, call), true
		}
	}
	if k := slices.Index(common.Args, addr); k >= 0 && !common.IsInvoke() {
		f := common.StaticCallee()
		if f != nil && e.inScope(f) {
			f = origin(f)
			e.site(f, call, common.Args)
			return e.after(s, f, f.Params[k], common.Args, call), true
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

// after returns the value of a variable after a call of f, whose parameter or captured variable v it
// is.
func (e *Engine) after(s *Set, f *ssa.Function, v ssa.Value, args []ssa.Value, call ssa.CallInstruction) *Set {
	out, at := new(Set), e.at(call.Pos())
	for _, b := range f.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok {
			continue
		}
		for a, p := range e.memory(v, ret).All() {
			if a.Symbolic() && a.Owner == e.id(f) && a.Index == indexOf(v) {
				out.addAll(e.applyOps(s, a.Ops, at))
			} else {
				out.addAll(e.instantiate(single(a, p), f, args, call.Block(), at))
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
			if mayWrite(i, addr) {
				return false
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

// mayWrite reports whether an instruction may change a variable.
func mayWrite(i ssa.Instruction, addr ssa.Value) bool {
	switch x := i.(type) {
	case *ssa.Store:
		return x.Addr == addr
	case *ssa.Defer:
		return false
	case ssa.CallInstruction:
		return writtenThrough(addr) || slices.Contains(x.Common().Args, addr)
	}
	return false
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

// foundByAs returns what a call of errors.As stores in its target.
func (e *Engine) foundByAs(call *ssa.Call) *Set {
	s := e.valueAt(call.Call.Args[0], call.Block())
	if codes := e.codesOfType(asTarget(call)); codes != nil {
		s = e.apply(s, opOf('t', codes...), e.at(call.Pos()))
	}
	return s
}
