package infer

import (
	"fmt"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// close replaces all symbols by the values of all known callers.
func (e *Engine) close(s *Set) *Set {
	if !s.symbolic() {
		return s
	}
	out := new(Set)
	for a, p := range s.All() {
		if !a.Symbolic() {
			out.add(a, p)
			continue
		}
		a.Below = false
		out.addAll(e.closed.get(a, func() *Set {
			if a.Ops == "" {
				return e.callers(a)
			}
			ops := a.Ops
			a.Ops = ""
			return e.close(e.applyOps(e.close(single(a, p)), ops, p[0]))
		}))
	}
	return out
}

func (s *Set) symbolic() bool {
	for a := range s.All() {
		if a.Symbolic() {
			return true
		}
	}
	return false
}

// callers returns the values of a symbol at all known calls of its owner.
func (e *Engine) callers(a Atom) *Set {
	fn := e.byID[a.Owner]
	if fn == nil {
		return one(Atom{Kind: Unknown, Name: "a value of " + a.Owner}, "")
	}
	if i := a.Index - len(fn.Params); i >= 0 {
		if mc := e.closures[fn]; mc != nil {
			return e.close(e.value(mc.Bindings[i]))
		}
		return one(Atom{Kind: Unknown, Name: "a captured variable"}, e.at(fn.Pos()))
	}
	sites := e.sites[fn]
	if len(sites) == 0 && (fn.Parent() != nil || e.named[fn]) && e.final {
		return one(Atom{Kind: Unknown, Name: callbackReason}, e.at(fn.Pos()))
	}
	out := new(Set)
	for _, s := range sites {
		if a.Index < len(s.args) {
			out.addAll(e.close(e.valueAt(s.args[a.Index], s.block)))
		}
	}
	if e.openTo(fn) {
		out.add(Atom{Kind: Unknown, Name: e.parameterName(fn, a.Index)}, []string{e.at(fn.Pos())})
	}
	return out
}

// openTo reports whether there may be calls of a function that the scope does not have.
func (e *Engine) openTo(fn *ssa.Function) bool {
	if fn.Parent() != nil {
		return false
	}
	method := fn.Signature.Recv() != nil && e.invoked[fn.Name()]
	return !e.named[fn] && !method || e.final && len(e.sites[fn]) == 0 ||
		(!e.Whole || e.Library) && token.IsExported(fn.Name())
}

func (e *Engine) parameterName(fn *ssa.Function, i int) string {
	name := fmt.Sprint(i)
	if i < len(fn.Params) {
		name = fn.Params[i].Name()
	}
	return "parameter " + name + " of " + fn.Name()
}
