package infer

import (
	"go/constant"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// valueAt returns what v can be in block b. The conditions on the way from v's definition to b
// remove the errors that were handled.
func (e *Engine) valueAt(v ssa.Value, b *ssa.BasicBlock) *Set {
	base := e.value(v)
	switch {
	case base.Len() == 0 || b == nil:
		return base
	case e.unreachable[b]:
		return nil
	}
	def := definition(v, b)
	if def == nil || def == b || def.Parent() != b.Parent() || !def.Dominates(b) || !tested(v) {
		return base
	}
	key := placeKey{v, b}
	if s, ok := e.narrowed[key]; ok {
		return s
	}
	s := e.flow(def, base, func(s *Set, p, x *ssa.BasicBlock) *Set { return e.onEdge(s, v, p, x) })[b]
	e.narrowed[key] = s
	return s
}

// flow is a forward analysis of the blocks below the first one. It returns the set at the beginning
// of each: the union of those that the edges lead there.
func (e *Engine) flow(first *ssa.BasicBlock, base *Set,
	edge func(s *Set, p, x *ssa.BasicBlock) *Set) map[*ssa.BasicBlock]*Set {
	in := map[*ssa.BasicBlock]*Set{first: base}
	blocks := first.Parent().DomPreorder()
	for changed := true; changed; {
		changed = false
		for _, x := range blocks {
			if x == first || !first.Dominates(x) {
				continue
			}
			s := new(Set)
			for _, p := range x.Preds {
				if first.Dominates(p) && in[p] != nil {
					s.addAll(edge(in[p], p, x))
				}
			}
			if in[x] == nil || !s.within(in[x]) {
				in[x], changed = union(in[x], s), true
			}
		}
	}
	return in
}

// definition returns the block where v gets its value, or nil.
func definition(v ssa.Value, b *ssa.BasicBlock) *ssa.BasicBlock {
	switch v := v.(type) {
	case *ssa.Parameter, *ssa.FreeVar:
		return b.Parent().Blocks[0]
	case ssa.Instruction:
		return v.Block()
	}
	return nil
}

// tested reports whether a condition may concern v, to save time.
func tested(v ssa.Value) bool {
	return slices.ContainsFunc(*v.Referrers(), func(r ssa.Instruction) bool {
		switch r.(type) {
		case *ssa.BinOp, *ssa.Call, *ssa.Extract, *ssa.TypeAssert, *ssa.ChangeInterface, *ssa.MakeInterface,
			*ssa.FieldAddr:
			return true
		}
		return false
	})
}

// onEdge applies the condition of the edge from p to b to a value of v.
func (e *Engine) onEdge(s *Set, v ssa.Value, p, b *ssa.BasicBlock) *Set {
	cond, ok := p.Instrs[len(p.Instrs)-1].(*ssa.If)
	if !ok || p.Succs[0] == p.Succs[1] {
		return s
	}
	return e.assume(s, v, cond.Cond, p.Succs[0] == b)
}

// assume applies a condition to a value of v.
func (e *Engine) assume(s *Set, v, cond ssa.Value, holds bool) *Set {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return e.assume(s, v, c.X, !holds)
		}
	case *ssa.Const:
		if constant.BoolVal(c.Value) != holds {
			return nil
		}
	}
	for _, t := range e.tests(cond) {
		if same(t.err, v) {
			op := t.no
			if holds {
				op = t.yes
			}
			s = e.apply(s, op, e.at(t.pos))
		}
	}
	call, ok := cond.(*ssa.Call)
	if x, isExtract := cond.(*ssa.Extract); isExtract {
		call, ok = x.Tuple.(*ssa.Call)
	}
	if !ok || call.Call.StaticCallee() == nil {
		return s
	}
	for i, arg := range call.Call.Args {
		if same(arg, v) {
			if p := e.predicate(call.Call.StaticCallee(), i); p != nil {
				s = e.applyPredicate(s, p, holds, e.at(call.Pos()))
			}
		}
	}
	return s
}

// Predicate is the effect of a function such as isMissing(err) on its parameter Index: the
// operations on each path that returns true, and false. Without a path the function never does.
type Predicate struct {
	Index       int
	True, False []string
}

// applyPredicate returns the union of what the paths of a predicate let through.
func (e *Engine) applyPredicate(s *Set, p *Predicate, holds bool, at string) *Set {
	paths := p.False
	if holds {
		paths = p.True
	}
	out := new(Set)
	for _, ops := range paths {
		out.addAll(e.applyOps(s, ops, at))
	}
	return out
}

// predicate returns the effect of a function on a parameter, or nil if it has no effect. The
// function returns a bool, or a value and a bool.
func (e *Engine) predicate(fn *ssa.Function, i int) *Predicate {
	fn = origin(fn)
	results := fn.Signature.Results()
	if n := results.Len(); n == 0 || !types.Identical(results.At(n-1).Type().Underlying(), types.Typ[types.Bool]) {
		return nil
	}
	if !e.inScope(fn) {
		if s := e.imported(fn); s != nil {
			for j := range s.Narrow {
				if s.Narrow[j].Index == i {
					return &s.Narrow[j]
				}
			}
		}
		return nil
	}
	if i >= len(fn.Params) || !e.isError(fn.Params[i].Type()) {
		return nil
	}
	key := paramKey{e.id(fn), i}
	if p, ok := e.predicates[key]; ok {
		return p
	}
	e.predicates[key] = nil // a recursive function narrows nothing
	p := &Predicate{Index: i}
	for _, b := range fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			e.returnsOf(p, fn, fn.Params[i], ret.Results[results.Len()-1], b)
		}
	}
	e.predicates[key] = p
	return p
}

// returnsOf adds the paths of one return to a predicate.
func (e *Engine) returnsOf(p *Predicate, fn *ssa.Function, param *ssa.Parameter, result ssa.Value, b *ssa.BasicBlock) {
	add := func(s *Set, value ssa.Value) {
		for _, holds := range []bool{true, false} {
			paths := &p.False
			if holds {
				paths = &p.True
			}
			for a := range e.assume(s, param, value, holds).All() {
				if a.Kind == Param && a.Owner == e.id(fn) && !slices.Contains(*paths, a.Ops) {
					*paths = append(*paths, a.Ops)
				}
			}
		}
	}
	phi, ok := result.(*ssa.Phi)
	if !ok || phi.Block() != b {
		add(e.valueAt(param, b), result)
		return
	}
	for i, q := range b.Preds {
		add(e.onEdge(e.valueAt(param, q), param, q, b), phi.Edges[i])
	}
}

// same reports whether two values are the same error.
func same(x, v ssa.Value) bool {
	x, v = unboxed(x), unboxed(v)
	return x == v || sameLoad(x, v)
}

// sameLoad reports whether two loads of a variable in a block have no store or call between them.
func sameLoad(x, v ssa.Value) bool {
	a, ok1 := x.(*ssa.UnOp)
	b, ok2 := v.(*ssa.UnOp)
	if !ok1 || !ok2 || a.Op != token.MUL || b.Op != token.MUL || a.X != b.X || a.Block() != b.Block() {
		return false
	}
	list := a.Block().Instrs
	i, j := slices.Index(list, ssa.Instruction(a)), slices.Index(list, ssa.Instruction(b))
	return !slices.ContainsFunc(list[min(i, j):max(i, j)], func(i ssa.Instruction) bool { return mayWrite(i, a.X) })
}
