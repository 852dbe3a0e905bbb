package infer

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// databases are the functions that make databases and clients whose errors are classified: by the
// prefix of the full names of methods that return them.
var databases = []struct{ method, maker string }{
	{"database/sql.", runtimePath + "dberr.Connector"},
	{runtimePath + "dberr/pgxerr.", runtimePath + "dberr/pgxerr.Wrap"},
	{"github.com/jackc/pgx/v5", runtimePath + "dberr/pgxerr.Wrap"},
	{"pgx/v5.", runtimePath + "dberr/pgxerr.Wrap"},
	{"google.golang.org/grpc.ClientStream", runtimePath + "rpc/grpcerr.StreamClient"},
	{"google.golang.org/grpc.ClientConn", runtimePath + "rpc/grpcerr.UnaryClient"},
}

// edgeErrors adds the errors with codes of a function of a database driver, of database/sql or of a
// client of gRPC. Each one of the program may be the one that is called. In one package those of
// others are not known, so that no test of a code is dead.
func (e *Engine) edgeErrors(out *Set, name, at string) {
	name = strings.TrimLeft(name, "(*")
	for _, d := range databases {
		if !strings.HasPrefix(name, d.method) {
			continue
		}
		for _, call := range e.makerCalls[d.maker] {
			tables, source := e.edgeTable(call)
			out.addAll(e.close(e.classifiedByAll(tables, source, at)))
			out.add(Atom{Kind: Ended, Name: "a cancellation, which the edge does not change"}, []string{at})
		}
		if !e.Whole && slices.ContainsFunc(e.Known, (*Taxonomy).hasSources) {
			const name = "a database or client that another package makes"
			out.add(Atom{Kind: Unknown, Name: name, Below: true}, []string{at})
		}
		return
	}
}

// edgeTable returns the table and the source of a database, or the table in a client's options.
func (e *Engine) edgeTable(call *ssa.Call) (tables, source string) {
	args := call.Call.Args
	if len(args) > 1 {
		return e.tables(args[1]), sourceName(args[2])
	}
	options, known := optionsIn(args[0])
	for _, o := range options {
		if o.name == runtimePath+"rpc.ByTable" {
			return e.tables(o.args[0]), received
		}
	}
	if !known {
		return unknownTable, received
	}
	return "", received
}

// addMaker registers the calls of the functions that make databases and clients.
func (e *Engine) addMaker(call *ssa.Call) {
	f := call.Call.StaticCallee()
	if f == nil || f.Object() == nil || f.Object().Pkg() == nil ||
		!strings.HasPrefix(f.Object().Pkg().Path(), runtimePath) {
		return
	}
	name := fullName(f)
	isMaker := func(d struct{ method, maker string }) bool { return d.maker == name }
	if name == newClient || slices.ContainsFunc(databases, isMaker) {
		e.makerCalls[name] = append(e.makerCalls[name], call)
	}
}

// addForeignMethods adds the errors of the methods of types outside of the scope that an interface
// call can reach, such as those of *sql.DB, and reports whether there are any.
func (e *Engine) addForeignMethods(out *Set, call *ssa.CallCommon, at string) bool {
	key := call.Value.Type().String() + "." + call.Method.Name()
	names, ok := e.foreignMethods[key]
	if !ok {
		names = e.foreignMethodsOf(call)
		e.foreignMethods[key] = names
	}
	for _, name := range names {
		out.add(Atom{Kind: Foreign, Name: name}, []string{at})
		e.edgeErrors(out, name, at)
	}
	return len(names) > 0
}

func (e *Engine) foreignMethodsOf(call *ssa.CallCommon) (names []string) {
	iface, ok := call.Value.Type().Underlying().(*types.Interface)
	if !ok {
		return nil
	}
	for _, t := range e.concrete {
		if !types.Implements(t, iface) {
			continue
		}
		obj, _, _ := types.LookupFieldOrMethod(t, true, call.Method.Pkg(), call.Method.Name())
		if f, ok := obj.(*types.Func); ok && f.Pkg() != nil && !e.packages[f.Pkg().Path()] {
			names = append(names, f.FullName())
		}
	}
	return names
}
