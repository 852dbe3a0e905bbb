package infer

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// stores adds the values that a function stores in fields, globals and containers to their cells,
// and registers its calls. It reports whether a cell grew.
func (e *Engine) stores(fn *ssa.Function) (changed bool) {
	put := func(to, v ssa.Value, b *ssa.BasicBlock) {
		if !e.carries(v.Type()) {
			return
		}
		for _, k := range e.rootCells(to) {
			if e.cell(k).addAll(e.close(e.valueAt(v, b))) {
				changed = true
			}
		}
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
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
			case *ssa.Call:
				if e.storeInContainer(i) {
					changed = true
				}
				for j := range max(1, i.Call.Signature().Results().Len()) {
					e.callResult(i, j)
				}
				if types.TypeString(i.Call.Value.Type(), nil) == "context.CancelCauseFunc" &&
					e.cell(causeCell).addAll(e.close(e.valueAt(i.Call.Args[0], b))) {
					changed = true
				}
			case *ssa.Go:
				e.callResult(i, 0)
			case *ssa.Defer:
				e.callResult(i, 0)
			}
		}
	}
	return changed
}

// causeCell is the cell of the causes of all contexts.
const causeCell = "causes of contexts"

func (e *Engine) cell(key string) *Set {
	if e.cells[key] == nil {
		e.cells[key] = new(Set)
	}
	return e.cells[key]
}

// cellKey returns the key of the cell of a field or a global variable, or "".
func cellKey(addr ssa.Value) string {
	switch x := addr.(type) {
	case *ssa.Global:
		return "global " + x.String()
	case *ssa.FieldAddr:
		return fieldKey(x.X.Type(), x.Field)
	}
	return ""
}

func fieldKey(t types.Type, field int) string {
	t = deref(t)
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return ""
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		t = n.Origin()
	}
	return "field " + types.TypeString(t, nil) + "." + st.Field(field).Name()
}

func (e *Engine) madeCell(v ssa.Value) string { return "made " + e.id(v.Parent()) + "." + v.Name() }

func (e *Engine) paramCell(p *ssa.Parameter) string {
	return "param " + e.id(p.Parent()) + "." + p.Name()
}

// rootCells returns the cells of the place that an address or a container belongs to.
func (e *Engine) rootCells(v ssa.Value) (keys []string) {
	seen := make(map[ssa.Value]bool)
	add := func(key string) {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	var visit func(v ssa.Value, inside bool)
	visit = func(v ssa.Value, inside bool) {
		if seen[v] {
			return
		}
		seen[v] = true
		switch x := v.(type) {
		case *ssa.Global, *ssa.FieldAddr:
			add(cellKey(x))
		case *ssa.IndexAddr:
			visit(x.X, true)
		case *ssa.UnOp:
			visit(x.X, true)
		case *ssa.ChangeType:
			visit(x.X, true)
		case *ssa.Slice:
			visit(x.X, true)
		case *ssa.Phi:
			for _, y := range x.Edges {
				visit(y, true)
			}
		case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeChan, *ssa.MakeSlice:
			before := len(keys)
			if a, ok := x.(*ssa.Alloc); ok && inside && isContainer(deref(x.Type())) { // a variable that holds it
				for _, r := range *a.Referrers() {
					if s, ok := r.(*ssa.Store); ok && s.Addr == x {
						visit(s.Val, true)
					}
				}
			}
			if len(keys) == before && (inside || isContainer(x.Type())) {
				add(e.madeCell(x))
			}
		case *ssa.FreeVar:
			if mc := e.closures[x.Parent()]; mc != nil {
				bound := mc.Bindings[slices.Index(x.Parent().FreeVars, x)]
				if a, ok := bound.(*ssa.Alloc); !ok || isContainer(deref(a.Type())) { // memory.go has other variables
					visit(bound, true)
				}
			}
		case *ssa.Parameter:
			add(e.paramCell(x))
			i := slices.Index(x.Parent().Params, x)
			for _, s := range e.sites[origin(x.Parent())].all() { // the containers of the callers
				if i < len(s.args) {
					visit(s.args[i], true)
				}
			}
		}
	}
	visit(v, false)
	return keys
}

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

// isFunc reports whether values of a type are, or contain, functions.
func isFunc(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Signature:
		return true
	case *types.Map:
		return isFunc(u.Elem())
	case *types.Slice:
		return isFunc(u.Elem())
	}
	return false
}

// carries reports whether values of a type are, or contain, errors that the analysis follows.
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
	case *types.Basic:
		return types.Implements(t, e.errType)
	}
	return types.Implements(t, e.errType) || types.Implements(types.NewPointer(t), e.errType)
}

func (e *Engine) isError(t types.Type) bool { return types.Implements(t, e.errType) }
