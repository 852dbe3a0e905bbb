package infer

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// The containers of the standard library hold any value. A store through a variable or a field goes
// to its cell. One through a pointer may concern each container of the type.

type containerMethod uint8

const (
	notContainer containerMethod = iota
	storesValue
	loadsValue
	swapsValues // both
)

var containerMethods = map[string]containerMethod{
	"(*sync/atomic.Value).Store": storesValue, "(*sync/atomic.Value).Load": loadsValue,
	"(*sync/atomic.Value).Swap": swapsValues, "(*sync/atomic.Value).CompareAndSwap": storesValue,
	"(*sync/atomic.Pointer[T]).Store": storesValue, "(*sync/atomic.Pointer[T]).Load": loadsValue,
	"(*sync/atomic.Pointer[T]).Swap": swapsValues, "(*sync/atomic.Pointer[T]).CompareAndSwap": storesValue,
	"(*sync.Map).Store": storesValue, "(*sync.Map).Load": loadsValue, "(*sync.Map).LoadAndDelete": loadsValue,
	"(*sync.Map).LoadOrStore": swapsValues, "(*sync.Map).Swap": swapsValues,
	"(*sync.Map).CompareAndSwap": storesValue, "(*sync.Pool).Put": storesValue, "(*sync.Pool).Get": loadsValue,
	"(*container/list.List).PushBack": storesValue, "(*container/list.List).PushFront": storesValue,
}

func (e *Engine) methodOfContainer(fn *ssa.Function) containerMethod {
	if fn.Signature.Recv() == nil {
		return notContainer
	}
	return containerMethods[fullName(fn)]
}

// containerCells returns the cell of a container, or "", and that of all of its type.
func (e *Engine) containerCells(v ssa.Value) (own, shared string) {
	shared = "any " + types.TypeString(deref(v.Type()), nil)
	switch x := v.(type) {
	case *ssa.Global, *ssa.FieldAddr:
		own = "in " + cellKey(x)
	case *ssa.Alloc:
		own = "in " + e.madeCell(x)
	case *ssa.FreeVar:
		if mc := e.closures[x.Parent()]; mc != nil {
			for i, fv := range x.Parent().FreeVars {
				if fv == x {
					return e.containerCells(mc.Bindings[i])
				}
			}
		}
	}
	return own, shared
}

// storeInContainer adds the arguments of a method that stores values, and reports whether a cell
// grew.
func (e *Engine) storeInContainer(call ssa.CallInstruction) (changed bool) {
	common := call.Common()
	fn := common.StaticCallee()
	if fn == nil || e.inScope(fn) || len(common.Args) < 2 {
		return false
	}
	if m := e.methodOfContainer(origin(fn)); m != storesValue && m != swapsValues {
		return false
	}
	own, shared := e.containerCells(common.Args[0])
	if own == "" {
		own = shared
	} else if e.cell("every" + strings.TrimPrefix(shared, "any")).addAll(e.argumentsOf(common, call)) {
		changed = true
	}
	return e.cell(own).addAll(e.argumentsOf(common, call)) || changed
}

func (e *Engine) argumentsOf(common *ssa.CallCommon, call ssa.CallInstruction) *Set {
	out := new(Set)
	for _, v := range common.Args[1:] {
		if e.carries(v.Type()) {
			out.addAll(e.close(e.valueAt(v, call.Block())))
		}
	}
	return out
}

// loaded returns what a container can hold.
func (e *Engine) loaded(common *ssa.CallCommon, _ string) *Set {
	own, shared := e.containerCells(common.Args[0])
	if own == "" {
		return union(e.cells[shared], e.cells["every"+strings.TrimPrefix(shared, "any")])
	}
	return union(e.cells[own], e.cells[shared])
}
