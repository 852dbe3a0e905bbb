package infer

import (
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Entry is a handler or a remote method, with the errors that it returns.
type Entry struct {
	Kind string // "http" or "rpc"
	Name string // the pattern of the route, or the name of the function
	Func *ssa.Function
	Pos  token.Pos
	Set  *Set

	table     string       // the generated package of problem.ByTable, or ""
	operation types.Object // the variable of problem.For, or nil
	method    string       // the full method, or ""
}

// Entries returns the handlers and remote methods of the scope, after Run.
func (e *Engine) Entries() []Entry { return e.entries() }

func (e *Engine) findEntries() (list []Entry) {
	for _, fn := range e.Funcs {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				call, ok := i.(*ssa.Call)
				if !ok || call.Call.StaticCallee() == nil {
					continue
				}
				callee := call.Call.StaticCallee()
				name := callee.Name()
				switch args := call.Call.Args; {
				case fullName(callee) == runtimePath+"problem.Handler":
					list = append(list, e.handlers(call)...)
				case strings.HasPrefix(name, "Register") && strings.HasSuffix(name, "Server") && len(args) == 2:
					list = append(list, e.remote(args[1], "_", "_FullMethodName")...)
				case strings.HasPrefix(name, "New") && strings.HasSuffix(name, "Handler") && len(args) == 2:
					list = append(list, e.remote(args[0], "", "Procedure")...)
				}
			}
		}
	}
	return list
}

// handlers returns the functions that a call of problem.Handler serves.
func (e *Engine) handlers(call *ssa.Call) (list []Entry) {
	routes := routesOf(call)
	served := Entry{Kind: "http", Pos: call.Pos()}
	options, _ := elements(call.Call.Args[1])
	for _, o := range options {
		c, ok := o.(*ssa.Call)
		if !ok || c.Call.StaticCallee() == nil {
			continue
		}
		switch fullName(c.Call.StaticCallee()) {
		case runtimePath + "problem.ByTable":
			served.table = e.tableOf(c.Call.Args[0])
		case runtimePath + "problem.For":
			if load, ok := c.Call.Args[0].(*ssa.UnOp); ok {
				if g, ok := load.X.(*ssa.Global); ok {
					served.operation = g.Object()
				}
			}
		}
	}
	for _, t := range e.resolve(call.Call.Args[0]) {
		entry := served
		entry.Set = e.close(e.callTarget(t, 0, nil, call.Block(), e.at(call.Pos())))
		if served.table != "" {
			entry.Set = e.apply(entry.Set, "c"+served.table+"#", e.at(call.Pos()))
		}
		entry.Name = t.unknown
		if t.fn != nil {
			entry.Func, entry.Name = t.fn, ShortName(strings.TrimSuffix(e.id(t.fn), "$bound"))
		}
		if route, ok := routes[unbound(t.fn)]; ok {
			entry.Name = route
		}
		list = append(list, entry)
	}
	return list
}

// unbound returns the method of a method value.
func unbound(fn *ssa.Function) types.Object {
	if fn == nil {
		return nil
	}
	return fn.Object()
}

// routesOf returns the patterns of the handlers that a call of problem.Handler makes: that of
// mux.Handle(pattern, handler), or those of a map from patterns to functions that is ranged over.
func routesOf(call *ssa.Call) map[types.Object]string {
	routes := make(map[types.Object]string)
	for _, r := range *call.Referrers() {
		use, ok := r.(ssa.CallInstruction)
		if !ok || len(use.Common().Args) < 2 {
			continue
		}
		args := use.Common().Args
		pattern := args[len(args)-2]
		if text, ok := constString(pattern); ok {
			if f, ok := functionOf(call.Call.Args[0]); ok {
				routes[f] = text
			}
			continue
		}
		key, ok := pattern.(*ssa.Extract)
		if !ok {
			continue
		}
		next, ok := key.Tuple.(*ssa.Next)
		if !ok {
			continue
		}
		made, ok := next.Iter.(*ssa.Range).X.(*ssa.MakeMap)
		if !ok {
			continue
		}
		for _, r := range *made.Referrers() {
			if u, ok := r.(*ssa.MapUpdate); ok {
				text, isConst := constString(u.Key)
				if f, ok := functionOf(u.Value); ok && isConst {
					routes[f] = text
				}
			}
		}
	}
	return routes
}

// functionOf returns the declared function, or the method, of a function value.
func functionOf(v ssa.Value) (types.Object, bool) {
	switch x := v.(type) {
	case *ssa.Function:
		return x.Object(), x.Object() != nil
	case *ssa.MakeClosure:
		f := x.Fn.(*ssa.Function)
		return f.Object(), f.Object() != nil
	case *ssa.ChangeType:
		return functionOf(x.X)
	}
	return nil, false
}

// remote returns the methods of a service, which is registered as an interface of generated code.
// The full name of each method is a constant there: Orders_Place_FullMethodName of gRPC, or
// OrdersPlaceProcedure of Connect.
func (e *Engine) remote(service ssa.Value, before, after string) (list []Entry) {
	made, ok := service.(*ssa.MakeInterface)
	if !ok {
		return nil
	}
	iface, _ := made.Type().Underlying().(*types.Interface)
	named, _ := types.Unalias(made.Type()).(*types.Named)
	if iface == nil || named == nil || named.Obj().Pkg() == nil {
		return nil
	}
	name := strings.TrimSuffix(strings.TrimSuffix(named.Obj().Name(), "Server"), "Handler")
	for m := range iface.Methods() {
		method, _ := named.Obj().Pkg().Scope().Lookup(name + before + m.Name() + after).(*types.Const)
		for _, fn := range e.method(made.X.Type(), m) {
			if method == nil || strings.HasSuffix(e.Fset.Position(fn.Pos()).Filename, ".pb.go") {
				continue // not implemented
			}
			if s, ok := e.Result(fn); ok {
				list = append(list, Entry{
					Kind: "rpc", Name: ShortName(e.id(fn)), Func: fn, Pos: fn.Pos(), Set: e.close(s),
					method: constant.StringVal(method.Val()),
				})
			}
		}
	}
	return list
}
