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
	route := routeOf(call)
	served := Entry{Kind: "http", Pos: call.Pos()}
	options := optionsIn(call.Call.Args[1])
	if args := options.args("problem.ByTable"); args != nil {
		served.table = e.tableOf(args[0])
	}
	if args := options.args("problem.For"); args != nil {
		if load, ok := args[0].(*ssa.UnOp); ok {
			if g, ok := load.X.(*ssa.Global); ok {
				served.operation = g.Object()
			}
		}
	}
	handlers := e.close(e.value(call.Call.Args[0]))
	for a, p := range handlers.All() {
		entry, f := served, e.functions[a.Name]
		entry.Set = e.close(e.apply(single(a, p), resultOf(0), e.at(call.Pos())))
		if served.table != "" {
			entry.Set = e.apply(entry.Set, "c"+served.table+"#", e.at(call.Pos()))
		}
		entry.Name = a.Name
		if a.Kind == Func && f.fn != nil {
			entry.Func, entry.Name = f.fn, ShortName(strings.TrimSuffix(origin(f.fn).String(), "$bound"))
		}
		if route != "" {
			entry.Name = route
		}
		list = append(list, entry)
	}
	return list
}

// routeOf returns the pattern of the handler that a call of problem.Handler makes: that of
// mux.Handle(pattern, handler). It is empty for others.
func routeOf(call *ssa.Call) string {
	for _, r := range *call.Referrers() {
		use, ok := r.(ssa.CallInstruction)
		if !ok || len(use.Common().Args) < 2 {
			continue
		}
		args := use.Common().Args
		if pattern, ok := constString(args[len(args)-2]); ok {
			return pattern
		}
	}
	return ""
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
		for _, fn := range e.methodsOf([]types.Type{made.X.Type()}, m).funcs {
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
