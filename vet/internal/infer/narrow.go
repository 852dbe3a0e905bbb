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
	in := map[*ssa.BasicBlock]*Set{def: base}
	blocks := b.Parent().DomPreorder()
	for changed := true; changed; { // a forward analysis of the blocks below def
		changed = false
		for _, x := range blocks {
			if x == def || !def.Dominates(x) {
				continue
			}
			s := new(Set)
			for _, p := range x.Preds {
				if def.Dominates(p) && in[p] != nil {
					s.addAll(e.onEdge(in[p], v, p, x))
				}
			}
			if in[x] == nil || !s.within(in[x]) {
				in[x], changed = union(in[x], s), true
			}
		}
	}
	e.narrowed[key] = in[b]
	return in[b]
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
	case *ssa.BinOp:
		if c.Op == token.EQL || c.Op == token.NEQ {
			return e.assumeEqual(s, v, c, holds == (c.Op == token.EQL))
		}
	case *ssa.Extract: // errors.AsType
		if call, ok := c.Tuple.(*ssa.Call); ok && c.Index == 1 {
			if t := asType(call); t != nil && e.same(call.Call.Args[0], v) {
				return e.assumeType(s, t, holds, e.at(c.Pos()))
			}
			return e.assumeCall(s, v, call, holds)
		}
		if ta, ok := c.Tuple.(*ssa.TypeAssert); ok && c.Index == 1 && holds && e.same(ta.X, v) {
			if codes := e.codesOfType(ta.AssertedType); codes != nil {
				return e.apply(s, opOf('t', codes...), e.at(c.Pos()))
			}
		}
	case *ssa.Call:
		return e.assumeCall(s, v, c, holds)
	case *ssa.Const:
		if constant.BoolVal(c.Value) != holds {
			return nil
		}
	}
	return s
}

// test applies one of two filters. Without codes, a filter that removes them removes nothing.
func (e *Engine) test(s *Set, yes, no byte, codes []string, holds bool, at string) *Set {
	letter := no
	if holds {
		letter = yes
	}
	if len(codes) == 0 && !holds {
		return s
	}
	return e.apply(s, opOf(letter, codes...), at)
}

// assumeType applies the result of errors.As and errors.AsType for a type.
func (e *Engine) assumeType(s *Set, t types.Type, holds bool, at string) *Set {
	if tax, named := e.codeType(t); tax != nil { // it finds the codes of errors, and constants
		codes := e.constants(tax, named)
		return e.test(s, '+', '-', codes, holds, at)
	}
	codes := e.codesOfType(t)
	if codes == nil {
		return s
	}
	return e.test(s, 'T', 'y', codes, holds, at)
}

// constants returns the codes whose constants have a type.
func (e *Engine) constants(t *Taxonomy, named *types.Named) []string {
	return t.where(func(c *summary.Code) bool {
		k, ok := named.Obj().Pkg().Scope().Lookup(c.Const).(*types.Const)
		return ok && types.Identical(k.Type(), named)
	})
}

func (e *Engine) assumeEqual(s *Set, v ssa.Value, c *ssa.BinOp, holds bool) *Set {
	at := e.at(c.Pos())
	x, y := c.X, c.Y
	if _, ok := x.(*ssa.Const); ok {
		x, y = y, x
	}
	if k, ok := y.(*ssa.Const); ok && k.IsNil() {
		if e.same(x, v) {
			if holds {
				return nil
			}
			return s
		}
		if from, t := e.typedFrom(x); from != nil && e.same(from, v) { // the result of AsType
			return e.assumeType(s, t, !holds, at)
		}
		return s
	}
	if codes, from, typed := e.comparedCode(x, y); from != nil {
		if e.same(from, v) {
			return e.test(s, 'h', 'x', codes, holds, at)
		}
		if inner, _ := e.typedFrom(from); typed && inner != nil && e.same(inner, v) {
			return e.test(s, '+', 'x', codes, holds, at) // not equal: CodeOf may still be another error's
		}
		return s
	}
	if codes := e.codesOf(y); codes != nil && holds && e.same(x, v) {
		return e.apply(s, opOf('h', codes...), at)
	}
	return s
}

func (e *Engine) assumeCall(s *Set, v ssa.Value, c *ssa.Call, holds bool) *Set {
	callee := c.Call.StaticCallee()
	if callee == nil || c.Call.IsInvoke() {
		return s
	}
	for i, arg := range c.Call.Args {
		if e.same(arg, v) {
			s = e.assumeArgument(s, c, callee, i, holds)
		}
	}
	return s
}

// assumeArgument applies the result of a predicate to its argument.
func (e *Engine) assumeArgument(s *Set, c *ssa.Call, callee *ssa.Function, i int, holds bool) *Set {
	at := e.at(c.Pos())
	switch name := fullName(callee); {
	case name == "errors.Is":
		if codes := e.codesOf(c.Call.Args[1]); codes != nil && i == 0 {
			return e.test(s, '+', '-', codes, holds, at)
		}
		return s
	case name == "errors.As":
		if t := asTarget(c); t != nil && i == 0 {
			return e.assumeType(s, t, holds, at)
		}
		return s
	case name == runtimePath+"taxonomy.IsRetryable":
		return e.assumeRetryable(s, holds, at)
	case callee.Pkg == nil:
	case e.taxonomy(callee.Pkg.Pkg.Path()) != nil:
		codes, ok := e.taxonomy(callee.Pkg.Pkg.Path()).selected(callee.Name())
		if ok {
			return e.test(s, 'h', 'x', codes, holds, at)
		}
		return s
	}
	if p := e.predicate(callee, i); p != nil {
		return e.applyPredicate(s, p, holds, at)
	}
	return s
}

// assumeRetryable keeps the errors whose code is retryable, or is not.
func (e *Engine) assumeRetryable(s *Set, holds bool, at string) *Set {
	var codes []string
	for _, t := range e.Known {
		codes = append(codes, t.where(func(c *summary.Code) bool {
			return c.Retryable == summary.Depends || (c.Retryable == summary.Yes) == holds
		})...)
	}
	kept := e.apply(s, opOf('h', codes...), at)
	if !holds { // errors without a code are not retryable
		kept = union(kept)
		for a, p := range s.All() {
			if a.Kind != Code {
				kept.add(a, p)
			}
		}
	}
	return kept
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
	key := passKey{e.id(fn), i}
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
	add := func(s *Set, value ssa.Value, holds bool) {
		if k, ok := value.(*ssa.Const); ok {
			if constant.BoolVal(k.Value) != holds {
				return
			}
		} else {
			s = e.assume(s, param, value, holds)
		}
		paths := &p.False
		if holds {
			paths = &p.True
		}
		for a := range s.All() {
			if a.Kind == Param && a.Owner == e.id(fn) && !slices.Contains(*paths, a.Ops) {
				*paths = append(*paths, a.Ops)
			}
		}
	}
	for _, holds := range []bool{true, false} {
		phi, ok := result.(*ssa.Phi)
		if !ok {
			add(e.valueAt(param, b), result, holds)
			continue
		}
		if phi.Block() != b || !slices.Contains(b.Instrs, ssa.Instruction(phi)) {
			add(e.valueAt(param, b), result, holds)
			continue
		}
		for i, edge := range phi.Edges {
			q := b.Preds[i]
			add(e.onEdge(e.valueAt(param, q), param, q, b), edge, holds)
		}
	}
}

// same reports whether two values are the same error.
func (e *Engine) same(x, v ssa.Value) bool {
	x, v = identity(x), identity(v)
	return x == v || sameLoad(x, v)
}

// identity returns the value whose interface or other interface v is.
func identity(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.ChangeInterface:
			v = x.X
		case *ssa.MakeInterface:
			v = x.X
		default:
			return v
		}
	}
}

// sameLoad reports whether two loads of a variable in a block have no store or call between them.
func sameLoad(x, v ssa.Value) bool {
	a, ok1 := x.(*ssa.UnOp)
	b, ok2 := v.(*ssa.UnOp)
	if !ok1 || !ok2 || a.Op != token.MUL || b.Op != token.MUL || a.X != b.X || a.Block() != b.Block() {
		return false
	}
	between := false
	for _, i := range a.Block().Instrs {
		if i == ssa.Instruction(a) || i == ssa.Instruction(b) {
			if between {
				return true
			}
			between = true
			continue
		}
		if !between {
			continue
		}
		switch i := i.(type) {
		case *ssa.Store:
			if i.Addr == a.X {
				return false
			}
		case *ssa.Call:
			if writtenThrough(a.X) || slices.Contains(i.Call.Args, a.X) {
				return false
			}
		}
	}
	return false
}

// typedFrom returns the error that x was taken from by errors.AsType, errors.As or an assertion,
// and the type.
func (e *Engine) typedFrom(x ssa.Value) (ssa.Value, types.Type) {
	switch x := x.(type) {
	case *ssa.Extract:
		if call, ok := x.Tuple.(*ssa.Call); ok && x.Index == 0 {
			if t := asType(call); t != nil {
				return call.Call.Args[0], t
			}
		}
		if ta, ok := x.Tuple.(*ssa.TypeAssert); ok && x.Index == 0 {
			return ta.X, ta.AssertedType
		}
	case *ssa.TypeAssert:
		return x.X, x.AssertedType
	case *ssa.UnOp:
		if a, ok := x.X.(*ssa.Alloc); ok {
			for _, r := range *a.Referrers() {
				mi, ok := r.(*ssa.MakeInterface)
				if !ok {
					continue
				}
				for _, u := range *mi.Referrers() {
					if call, ok := u.(*ssa.Call); ok && asTarget(call) != nil {
						return call.Call.Args[0], deref(a.Type())
					}
				}
			}
		}
	}
	return nil, nil
}

// asType returns the type argument of a call of errors.AsType, or nil.
func asType(call *ssa.Call) types.Type {
	if f := call.Call.StaticCallee(); f != nil && len(f.TypeArgs()) == 1 && fullName(f) == "errors.AsType" {
		return f.TypeArgs()[0]
	}
	return nil
}

// asTarget returns the type that a call of errors.As looks for, or nil.
func asTarget(call *ssa.Call) types.Type {
	if f := call.Call.StaticCallee(); f != nil && f.Name() == "As" && fullName(f) == "errors.As" {
		if mi, ok := call.Call.Args[1].(*ssa.MakeInterface); ok {
			return deref(mi.X.Type())
		}
	}
	return nil
}

// comparedCode recognizes e.Code() == CodeX, taxonomy.CodeOf(err) == "X", CategoryOf, and a code
// that errors.AsType found.
func (e *Engine) comparedCode(x, y ssa.Value) (codes []string, from ssa.Value, typed bool) {
	k, isConst := y.(*ssa.Const)
	if !isConst || k.Value == nil {
		return nil, nil, false
	}
	if inner, t := e.typedFrom(x); inner != nil {
		if tax, _ := e.codeType(t); tax != nil {
			if c := e.codeConst(k); c != "" {
				return []string{c}, x, true
			}
		}
	}
	if c, ok := x.(*ssa.Convert); ok {
		x = c.X
	}
	call, ok := x.(*ssa.Call)
	if !ok {
		return nil, nil, false
	}
	f := call.Call.StaticCallee()
	if f == nil || len(call.Call.Args) == 0 {
		return nil, nil, false
	}
	arg := call.Call.Args[0]
	switch name := f.Name(); {
	case name == "Code":
		if c := e.codeConst(k); c != "" {
			if fa, ok := arg.(*ssa.FieldAddr); ok { // promoted from the embedded base
				arg = fa.X
			}
			return []string{c}, arg, true
		}
	case k.Value.Kind() != constant.String:
	case fullName(f) == runtimePath+"taxonomy.CodeOf":
		for _, t := range e.Known {
			codes = append(codes, t.Key(constant.StringVal(k.Value)))
		}
		return codes, arg, false
	case name == "CategoryOf" && f.Pkg != nil:
		category := func(c *summary.Code) bool { return c.Category == constant.StringVal(k.Value) }
		if t := e.taxonomy(f.Pkg.Pkg.Path()); t != nil {
			return t.where(category), arg, false
		}
		if strings.HasPrefix(f.Pkg.Pkg.Path()+"/", runtimePath) {
			for _, t := range e.Known {
				codes = append(codes, t.where(category)...)
			}
			return codes, arg, false
		}
	}
	return nil, nil, false
}
