package infer

import (
	"go/types"
	"slices"
	"strings"
)

// edges are the functions of the runtime that make databases and clients whose errors are
// classified, with the methods that return these errors: by the prefix of the method's full name,
// or of the type of one of its parameters.
var edges = []struct{ method, maker string }{
	{"database/sql.", runtimePath + "dberr.Connector"},
	{runtimePath + "dberr/pgxerr.", runtimePath + "dberr/pgxerr.Wrap"},
	{"github.com/jackc/pgx/v5", runtimePath + "dberr/pgxerr.Wrap"},
	{"pgx/v5.", runtimePath + "dberr/pgxerr.Wrap"},
	{"google.golang.org/grpc.ClientStream", runtimePath + "rpc/grpcerr.StreamClient"},
	{"google.golang.org/grpc.CallOption", runtimePath + "rpc/grpcerr.UnaryClient"},
	{"connectrpc.com/connect.Client[", runtimePath + "rpc/connecterr.Interceptor"},
	{"connectrpc.com/connect.ServerStreamForClient[", runtimePath + "rpc/connecterr.Interceptor"},
	{"connectrpc.com/connect.ClientStreamForClient[", runtimePath + "rpc/connecterr.Interceptor"},
	{"connectrpc.com/connect.BidiStreamForClient[", runtimePath + "rpc/connecterr.Interceptor"},
	{"connectrpc.com/connect.Request[", runtimePath + "rpc/connecterr.Interceptor"},
}

// edgeErrors adds the errors with codes of a function of a database driver, of database/sql or of a
// client of gRPC or Connect. Each one of the program may be the one that is called. In one package
// those of others are not known, so that no test of a code is dead.
func (e *Engine) edgeErrors(out *Set, name string, sig *types.Signature, at string) {
	names := []string{name}
	for p := range sig.Params().Variables() {
		names = append(names, types.TypeString(p.Type(), nil))
	}
	for _, d := range edges {
		if !slices.ContainsFunc(names, func(s string) bool {
			return strings.HasPrefix(strings.TrimLeft(s, "(*[]"), d.method)
		}) {
			continue
		}
		for _, call := range e.runtimeCalls[d.maker] {
			// The table is an argument before the source, or an option of a client.
			tables, source := "", received
			if args := call.Call.Args; len(args) > 1 {
				tables, source = e.tables(args[1]), sourceName(args[2])
			} else if options := optionsIn(args[0]); options.args("rpc.ByTable") != nil {
				tables = e.tables(options.args("rpc.ByTable")[0])
			} else if options.open {
				tables = unknownTable
			}
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
