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
		keys := e.rootCells(to, false)
		if isPointer(to.Type()) && e.wraps(to.Type()) { // a whole object
			keys = append(keys, e.fieldCells(to.Type())...)
		}
		for _, k := range keys {
			if e.cell(k).addAll(e.close(e.valueAt(v, b))) {
				changed = true
			}
		}
	}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Store:
				if t := e.ownField(i.Addr); t != nil {
					if e.carries(i.Val.Type()) && e.cell(allOf(t)).addAll(e.close(e.valueAt(i.Val, b))) {
						changed = true
					}
					continue
				}
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
				if e.keep(i) {
					changed = true
				}
				if isBuiltin(common, "copy") {
					put(common.Args[0], common.Args[1], b)
				}
				for j := range max(1, common.Signature().Results().Len()) {
					e.callResult(i, j)
				}
				if cause := causeOf(common); cause != nil && e.cell(causeCell).addAll(e.close(e.valueAt(cause, b))) {
					changed = true
				}
			}
		}
	}
	return changed
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

// wraps reports whether values of a struct type are errors with an Unwrap method. Such a value has
// the errors of its fields, so that two objects are distinguished; see addOwn.
func (e *Engine) wraps(t types.Type) bool {
	t = deref(t)
	if _, ok := t.Underlying().(*types.Struct); !ok || e.generatedType(t) {
		return false
	}
	p := types.NewPointer(t)
	return types.Implements(p, e.errType) && e.hasMethod(p, "Unwrap")
}

// ownField returns the type of the object that a store concerns, if the object wraps errors and is
// a variable of the function or of all its callers. No other object is concerned.
func (e *Engine) ownField(addr ssa.Value) types.Type {
	object := addr
	if fa, ok := addr.(*ssa.FieldAddr); ok && e.wraps(fa.X.Type()) {
		object = fa.X
	}
	root, _ := fieldPath(object)
	if p, ok := root.(*ssa.Parameter); root == nil || ok && !e.private(p) || !e.wraps(object.Type()) {
		return nil
	}
	return deref(object.Type())
}

func isAlloc(v ssa.Value) bool {
	_, ok := v.(*ssa.Alloc)
	return ok
}

// fieldCells returns the cells of the fields of an object that have errors.
func (e *Engine) fieldCells(t types.Type) (keys []string) {
	st := deref(t).Underlying().(*types.Struct)
	for i := range st.NumFields() {
		if e.carries(st.Field(i).Type()) {
			keys = append(keys, fieldKey(t, i))
		}
	}
	return keys
}

// fieldPath returns the variable or the pointer parameter that a field, or a field of a field, is
// in, and the fields from there. It returns nil for an object from elsewhere.
func fieldPath(addr ssa.Value) (root ssa.Value, path []int) {
	for {
		switch x := addr.(type) {
		case *ssa.FieldAddr:
			path = append(path, x.Field)
			addr = x.X
			continue
		case *ssa.Alloc, *ssa.Parameter:
			slices.Reverse(path)
			return x, path
		}
		return nil, nil
	}
}

// private reports whether all known calls pass variables as a parameter, so that each caller sees
// what the function stores there.
func (e *Engine) private(p *ssa.Parameter) bool {
	if e.isPrivate[p] { // in a cycle
		return true
	}
	e.isPrivate[p] = true
	defer delete(e.isPrivate, p)
	i := slices.Index(p.Parent().Params, p)
	for _, s := range e.sites[origin(p.Parent())].all() {
		if i >= len(s.args) {
			return false
		}
		root, _ := fieldPath(s.args[i])
		if outer, ok := root.(*ssa.Parameter); root == nil || ok && !e.private(outer) {
			return false
		}
	}
	return true
}

// addOwn adds what a function stores in an object, which is one of its variables or a field there.
func (e *Engine) addOwn(out *Set, object ssa.Value, field ...int) {
	root, path := fieldPath(object)
	if root == nil {
		return
	}
	path = append(path, field...)
	var visit func(addr ssa.Value, rest []int)
	visit = func(addr ssa.Value, rest []int) {
		for _, r := range *addr.Referrers() {
			switch r := r.(type) {
			case *ssa.FieldAddr:
				switch {
				case len(rest) == 0:
					visit(r, nil)
				case r.Field == rest[0]:
					visit(r, rest[1:])
				}
			case *ssa.Store:
				_, isVar := addr.(*ssa.Alloc) // see storedIn
				if r.Addr == addr && !isVar && e.carries(r.Val.Type()) {
					out.addAll(e.valueAt(r.Val, r.Block()))
				}
			case ssa.CallInstruction:
				if addr != root || !isAlloc(root) {
					e.storesOfCall(out, addr, r)
				}
			}
		}
	}
	visit(root, path)
}

// allOf is the cell of the errors in the fields of all objects of a type.
func allOf(t types.Type) string {
	t = deref(t)
	if n, ok := types.Unalias(t).(*types.Named); ok {
		t = n.Origin()
	}
	return "all " + types.TypeString(t, nil)
}

func (e *Engine) madeCell(v ssa.Value) string { return "made " + e.id(v.Parent()) + "." + v.Name() }

func (e *Engine) paramCell(p *ssa.Parameter) string {
	return "param " + e.id(p.Parent()) + "." + p.Name()
}

// rootCells returns the cells of the place that an address belongs to, or a container or an object
// inside.
func (e *Engine) rootCells(v ssa.Value, inside bool) (keys []string) {
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
		case *ssa.Call, *ssa.Extract: // an object
			add(e.madeCell(x))
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
	visit(v, inside)
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
