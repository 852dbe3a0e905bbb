package infer

import (
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
		for _, call := range e.runtimeCalls[d.maker] {
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
