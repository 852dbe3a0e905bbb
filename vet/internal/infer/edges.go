package infer

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// The edges of errgen's runtime classify the errors of databases, of services and of queues. The
// analysis of a program does not see their code, so these are their models.

// edges returns the models of the edges by the full names of functions.
func edges() map[string]func(*modelled) *Set {
	const (
		dberr  = runtimePath + "dberr."
		pgxerr = runtimePath + "dberr/pgxerr."
		client = "(*" + runtimePath + "httpcall.Client).Do"
	)
	return map[string]func(*modelled) *Set{
		dberr + "Classify": func(c *modelled) *Set {
			source := anySource
			if s, ok := constString(c.args[1]); ok {
				source = s
			}
			return c.e.apply(c.e.raw(c.args[2], c.block, c.at), "c"+c.e.tables(c.args[0])+"#"+source, c.at)
		},
		dberr + "Tx": func(c *modelled) *Set {
			return transaction(c, "(*database/sql.DB).BeginTx", 3)
		},
		pgxerr + "Tx":                 func(c *modelled) *Set { return transaction(c, "(pgx/v5.Tx).Commit", 3) },
		dberr + "Repeat":              func(c *modelled) *Set { return repeated(c, c.called(2, 1), 1) },
		client:                        func(c *modelled) *Set { return requested(c, 0) },
		runtimePath + "httpcall.JSON": func(c *modelled) *Set { return requested(c, 1) },
		runtimePath + "queue.Call": func(c *modelled) *Set {
			return union(c.called(0, 0), c.one(Foreign, "*taxonomy.Evidence"))
		},
	}
}

// called returns a result of the functions that an argument can be.
func (c *modelled) called(arg, result int) *Set {
	out := new(Set)
	for _, t := range c.e.resolve(c.args[arg]) {
		out.addAll(c.e.callTarget(t, result, nil, c.block, c.at))
	}
	return out
}

// transaction is the result of Tx: the errors of the function and of the database, classified.
func transaction(c *modelled, database string, function int) *Set {
	out := union(c.called(function, 0), c.one(Foreign, database))
	c.e.edgeErrors(out, database, c.at)
	return repeated(c, out, 2)
}

// repeated is the result of a call that the table in an argument repeats.
func repeated(c *modelled, s *Set, table int) *Set {
	return union(c.e.apply(s, "c"+c.e.tables(c.args[table])+"#", c.at), c.one(Ended, "retry.Do"))
}

// requested is the error of a request: what the client's table makes of its failures, and what it
// decodes.
func requested(c *modelled, client int) *Set {
	if c.result == 0 {
		return nil
	}
	out := c.one(Ended, "retry.Do")
	if client > 0 { // JSON
		out = union(out, c.one(Foreign, "encoding/json.Marshal"), c.one(Foreign, "net/http.NewRequestWithContext"))
	}
	for _, made := range c.e.makersOf(c.args[client], runtimePath+"httpcall.New") {
		if made == nil {
			out.addAll(c.one(Unknown, "a client that another package makes"))
			continue
		}
		tables, source := c.e.tables(made.Call.Args[0]), anySource
		if s, ok := constString(made.Call.Args[1]); ok {
			source = s
		}
		out.addAll(c.e.close(c.e.classifiedByAll(tables, source, c.at)))
		options, known := optionsIn(made.Call.Args[2])
		if !known {
			out.addAll(c.e.close(c.e.classifiedByAll(tables, decoded, c.at)))
		}
		for _, o := range options {
			if call, ok := o.(*ssa.Call); ok && call.Call.StaticCallee() != nil &&
				fullName(call.Call.StaticCallee()) == runtimePath+"httpcall.Servers" {
				for server := range strings.SplitSeq(c.e.tables(call.Call.Args[0]), "|") {
					if slices.Contains(strings.Split(tables, "|"), server) { // others are classified
						out.addAll(c.e.close(c.e.classified(server, decoded, c.at)))
					}
				}
			}
		}
	}
	return out
}

// makersOf returns the calls of a function that can have made a value. The call is nil if another
// package, or an unknown function, made it. If the origin of the value is not known, these are all
// calls of the scope.
func (e *Engine) makersOf(v ssa.Value, maker string) (calls []*ssa.Call) {
	seen := make(map[ssa.Value]bool)
	var visit func(v ssa.Value) bool
	visit = func(v ssa.Value) bool {
		if seen[v] {
			return true
		}
		seen[v] = true
		for _, t := range e.resolve(v) {
			switch {
			case t.made != nil:
				if !slices.Contains(calls, t.made) {
					calls = append(calls, t.made)
				}
			case t.symbol != nil && t.symbol.Kind == CallParam && e.byID[t.symbol.Owner] != nil &&
				!e.openTo(e.byID[t.symbol.Owner]):
				for _, s := range e.sites[e.byID[t.symbol.Owner]].all() {
					if t.symbol.Index >= len(s.args) || !visit(s.args[t.symbol.Index]) {
						return false
					}
				}
			case t.symbol != nil && t.symbol.Kind == CallFree && e.closures[e.byID[t.symbol.Owner]] != nil:
				if !visit(e.closures[e.byID[t.symbol.Owner]].Bindings[t.symbol.Index]) {
					return false
				}
			default:
				return false
			}
		}
		return true
	}
	if visit(v) && len(calls) > 0 {
		return calls
	}
	calls = slices.Clone(e.makerCalls[maker])
	if !e.Whole || len(calls) == 0 {
		calls = append(calls, nil)
	}
	return calls
}

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
		if s, ok := constString(args[2]); ok {
			return e.tables(args[1]), s
		}
		return e.tables(args[1]), anySource
	}
	options, known := optionsIn(args[0])
	for _, o := range options {
		option, ok := o.(*ssa.Call)
		if ok {
			callee := option.Call.StaticCallee()
			if callee != nil && fullName(callee) == runtimePath+"rpc.ByTable" {
				return e.tables(option.Call.Args[0]), received
			}
		}
		known = known && ok
	}
	if !known {
		return unknownTable, received
	}
	return "", received
}

// decided returns the error of a decision of a queue, which the table classifies, if v is the
// result of queue.Decide.
func (e *Engine) decided(v ssa.Value, at string) (*Set, bool) {
	if alloc, ok := v.(*ssa.Alloc); ok {
		for _, r := range *alloc.Referrers() {
			if s, ok := r.(*ssa.Store); ok && s.Addr == alloc {
				v = s.Val
			}
		}
		if !onlyStored(alloc) {
			return nil, false
		}
	}
	call, ok := v.(*ssa.Call)
	if !ok || call.Call.StaticCallee() == nil || fullName(call.Call.StaticCallee()) != runtimePath+"queue.Decide" {
		return nil, false
	}
	args := call.Call.Args
	tables, source := e.tableIn(args[4:])
	if tables == "" {
		tables = e.tables(args[1])
	}
	s := e.apply(e.valueAt(args[2], call.Block()), "c"+tables+"#"+source, at)
	return union(s, one(Atom{Kind: Ended, Name: "queue.Decide"}, at)), true
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
	if makers[name] || slices.ContainsFunc(databases, isMaker) {
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
