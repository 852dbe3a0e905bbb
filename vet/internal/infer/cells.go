package infer

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// stores adds the values that a function stores to their cells, and registers its calls. It reports
// whether a cell grew.
func (e *Engine) stores(fn *ssa.Function) (grown bool) {
	e.grown = false
	put := func(to, v ssa.Value, b *ssa.BasicBlock) {
		if e.carries(v.Type()) {
			e.put(to, e.valueAt(v, b))
		}
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.ChangeType:
				e.convertFields(i.X.Type(), i.Type())
			case *ssa.Store:
				put(i.Addr, i.Val, b)
			case *ssa.MapUpdate:
				put(i.Map, i.Value, b)
			case *ssa.Send:
				put(i.Chan, i.X, b)
			case *ssa.Select:
				for _, s := range i.States {
					if s.Dir == types.SendOnly {
						put(s.Chan, s.Send, b)
					}
				}
			case ssa.CallInstruction:
				common := i.Common()
				e.keep(i)
				for j := range max(1, common.Signature().Results().Len()) {
					e.callResult(i, j)
				}
				if isBuiltin(common, "copy") {
					put(common.Args[0], common.Args[1], b)
				}
				if cause := causeOf(common); cause != nil {
					e.grow(causeCell, e.close(e.valueAt(cause, b)))
				}
				e.fill(common, e.at(i.Pos()))
				call, ok := i.(*ssa.Call)
				if f := common.StaticCallee(); f != nil && fullName(f) == "context.WithValue" {
					e.grow(contextKey(common.Args[1]), e.close(e.valueAt(common.Args[2], b)))
				}
				if ok && asTarget(call) != nil {
					e.put(unboxed(common.Args[1]), e.foundByAs(call))
				}
			}
		}
	}
	return e.grown
}

// fill stores all codes of a type in a variable that another package's function gets, such as
// json.Unmarshal.
func (e *Engine) fill(call *ssa.CallCommon, at string) {
	f := call.StaticCallee()
	if f == nil || e.inScope(f) || fullName(f) == "errors.As" {
		return
	}
	for _, arg := range call.Args {
		x, ok := unboxed(arg).(*ssa.Alloc)
		if !ok {
			continue
		}
		s := e.constants(deref(x.Type()), at)
		for _, key := range e.codesOfType(x.Type()) {
			s = union(s, one(Atom{Kind: Code, Name: key}, at))
		}
		e.grow(x, s)
	}
}

// convertFields lets the fields of a struct have what those of another one have that is converted to
// it, and the reverse for pointers.
func (e *Engine) convertFields(from, to types.Type) {
	st, ok := deref(from).Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i := range st.NumFields() {
		x, y := e.fieldOf(from, i), e.fieldOf(to, i)
		e.grow(y, e.cells[x])
		if isPointer(from) {
			e.grow(x, e.cells[y])
		}
	}
}

// causeOf returns the cause that a call gives to a context's end, or nil.
func causeOf(call *ssa.CallCommon) ssa.Value {
	f := call.StaticCallee()
	switch {
	case types.TypeString(call.Value.Type(), nil) == "context.CancelCauseFunc":
		return call.Args[0]
	case f != nil && (fullName(f) == "context.WithTimeoutCause" || fullName(f) == "context.WithDeadlineCause"):
		return call.Args[2]
	}
	return nil
}

// causeCell is the cell of the causes of all contexts.
const causeCell = "causes of contexts"

// grow adds a set to a cell. The key of a cell is a variable, a container, an object or a
// parameter, or the name of a field, a global variable or a type.
func (e *Engine) grow(key any, s *Set) {
	if e.cells[key] == nil {
		e.cells[key] = new(Set)
	}
	if e.cells[key].addAll(s) {
		e.grown, e.again = true, true
	}
}

// put stores a set at an address, or in a container.
func (e *Engine) put(to ssa.Value, s *Set) {
	if fa, ok := to.(*ssa.FieldAddr); ok && e.wraps(fa.X.Type()) { // the object has the errors of its fields
		to = fa.X
		e.grow(allOf(to.Type()), e.close(s))
	}
	for _, p := range e.placesOf(to) {
		t := s
		for _, c := range p.calls {
			t = e.instantiate(t, c.fn, c.args, c.block, "")
		}
		if p.shared {
			t = e.close(t)
		}
		e.grow(p.key, t)
	}
}

// place is a cell to which an address or a container belongs. The values in a shared one are
// closed, and those in others are in the terms of a function, to which calls lead.
type place struct {
	key    any
	shared bool
	calls  []site
}

// placesOf returns the places of an address, a container or an object, also in callers.
func (e *Engine) placesOf(v ssa.Value) (list []place) {
	seen := make(map[ssa.Value]bool)
	var visit func(v ssa.Value, calls []site)
	visit = func(v ssa.Value, calls []site) {
		if seen[v] {
			return
		}
		seen[v] = true
		switch x := v.(type) {
		case *ssa.Global, *ssa.FieldAddr:
			list = append(list, place{e.cellKey(x), true, calls})
			return
		case *ssa.IndexAddr, *ssa.ChangeType, *ssa.Slice:
			visit(operand(x), calls)
			return
		case *ssa.Phi:
			for _, y := range x.Edges {
				visit(y, calls)
			}
			return
		case *ssa.FreeVar:
			if mc := e.closures[x.Parent()]; mc != nil {
				f := function{fn: x.Parent(), bind: mc.Bindings}
				call := site{x.Parent(), f.inputs(nil), mc.Block()}
				visit(call.args[indexOf(x)], append(slices.Clip(calls), call))
			}
			return
		case *ssa.Alloc:
			list = append(list, place{x, false, calls})
			for _, r := range *x.Referrers() { // the containers that the variable holds
				if s, ok := r.(*ssa.Store); ok && s.Addr == x && isContainer(s.Val.Type()) {
					visit(s.Val, calls)
				}
			}
			return
		case *ssa.Parameter:
			list = append(list, place{x, false, calls})
			fn := x.Parent()
			i := slices.Index(fn.Params, x)
			for _, s := range e.sites[origin(fn)] {
				if i < len(s.args) {
					visit(s.args[i], append(slices.Clip(calls), s))
				}
			}
			return
		}
		if isPointer(v.Type()) && e.wraps(v.Type()) { // an object from elsewhere
			list = append(list, place{anyOf(v.Type()), true, calls})
			return
		}
		switch x := v.(type) {
		case *ssa.UnOp:
			visit(x.X, calls)
		case *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeSlice, *ssa.Call, *ssa.Extract:
			list = append(list, place{x, false, calls})
		}
	}
	visit(v, nil)
	return list
}

// cellKey returns the key of the cell of a field or a global variable, or nil.
func (e *Engine) cellKey(addr ssa.Value) any {
	switch x := addr.(type) {
	case *ssa.Global:
		return x
	case *ssa.FieldAddr:
		return e.fieldOf(x.X.Type(), x.Field)
	}
	return nil
}

// fieldOf returns a field of a struct, or of the struct that a pointer is to. The fields of identical
// struct types without a name are the same.
func (e *Engine) fieldOf(t types.Type, field int) *types.Var {
	st := deref(t).Underlying().(*types.Struct)
	if unnamed, ok := types.Unalias(deref(t)).(*types.Struct); ok {
		key := unnamed.String()
		if e.structs[key] == nil {
			e.structs[key] = unnamed
		}
		st = e.structs[key]
	}
	return st.Field(field).Origin()
}

// wraps reports whether values of a struct type are errors with an Unwrap method. Such a value has
// the errors of its fields, so that two objects are distinguished; see put.
func (e *Engine) wraps(t types.Type) bool {
	t = deref(t)
	if _, ok := t.Underlying().(*types.Struct); !ok || e.generatedType(t) {
		return false
	}
	if types.TypeString(t, nil) == decision {
		return true
	}
	p := types.NewPointer(t)
	return types.Implements(p, e.errType) && e.hasMethod(p, "Unwrap")
}

// allOf is the cell of the errors in the fields of all objects of a type.
func allOf(t types.Type) string {
	t = deref(t)
	if n, ok := types.Unalias(t).(*types.Named); ok {
		t = n.Origin()
	}
	return "all " + types.TypeString(t, nil)
}

// anyOf is the cell of the errors in those objects of a type whose origin is not known.
func anyOf(t types.Type) string { return "any " + types.TypeString(deref(t), nil) }

func deref(t types.Type) types.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

func isContainer(t types.Type) bool {
	switch t.Underlying().(type) {
	case *types.Map, *types.Chan, *types.Slice:
		return true
	}
	return false
}

// carries reports whether values of a type are, or contain, errors, functions, tables or clients.
func (e *Engine) carries(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Interface:
		return u.Empty() || types.Implements(t, e.errType)
	case *types.Slice:
		return e.carries(u.Elem())
	case *types.Array:
		return e.carries(u.Elem())
	case *types.Map:
		return e.carries(u.Elem())
	case *types.Chan:
		return e.carries(u.Elem())
	case *types.Pointer:
		if _, isStruct := u.Elem().Underlying().(*types.Struct); !isStruct && e.carries(u.Elem()) {
			return true
		}
	case *types.Signature:
		return true
	case *types.Basic:
		return types.Implements(t, e.errType)
	}
	return followed[types.TypeString(t, nil)] || types.Implements(t, e.errType) ||
		types.Implements(types.NewPointer(t), e.errType)
}

func (e *Engine) isError(t types.Type) bool { return types.Implements(t, e.errType) }
