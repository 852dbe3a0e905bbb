package infer

import (
	"fmt"
	"go/token"
	"strings"

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
		key := a
		key.Ops, key.Below = "", false
		v := e.closed.get(key, func() *Set { return e.callers(key) })
		applied := e.applyOps(v, a.Ops, p[0])
		if strings.Contains(a.Ops, "$") { // a table
			applied = e.close(applied)
		}
		out.addAll(applied)
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
	out := new(Set)
	if a.Kind == Free || a.Kind == CallFree {
		mc := e.closures[fn]
		if mc == nil {
			return one(Atom{Kind: Unknown, Name: "a captured variable"}, e.at(fn.Pos()))
		}
		if a.Kind == Free {
			return e.close(e.value(mc.Bindings[a.Index]))
		}
		for _, t := range e.resolve(mc.Bindings[a.Index]) {
			out.addAll(e.close(e.callTarget(t, a.Result, nil, mc.Block(), e.at(mc.Pos()))))
		}
		return out
	}
	sites := e.sites[fn].all()
	if len(sites) == 0 && (fn.Parent() != nil || e.named[fn]) && e.final {
		return one(Atom{Kind: Unknown, Name: callbackReason}, e.at(fn.Pos()))
	}
	for _, s := range sites {
		switch {
		case a.Index >= len(s.args):
		case a.Kind == Classified:
			out.addAll(e.close(e.classifiedByAll(e.tables(s.args[a.Index]), a.Name, e.at(fn.Pos()))))
		case a.Kind == Param:
			out.addAll(e.close(e.valueAt(s.args[a.Index], s.block)))
		default:
			for _, t := range e.resolve(s.args[a.Index]) {
				out.addAll(e.close(e.callTarget(t, a.Result, nil, s.block, "")))
			}
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
	return !e.named[fn] && !method || e.final && len(e.sites[fn].all()) == 0 || !e.Whole && token.IsExported(fn.Name())
}

func (e *Engine) parameterName(fn *ssa.Function, i int) string {
	name := fmt.Sprint(i)
	if i < len(fn.Params) {
		name = fn.Params[i].Name()
	}
	return "parameter " + name + " of " + fn.Name()
}
