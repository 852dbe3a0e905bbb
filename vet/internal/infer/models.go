package infer

import (
	"cmp"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// model returns result j of a call of a function that the analysis knows: those of errors, fmt and
// context, of errgen's runtime, and of generated packages.
func (e *Engine) model(fn, callee *ssa.Function, call ssa.CallInstruction, j int, at string) (*Set, bool) {
	obj := fn.Object()
	if obj == nil || obj.Pkg() == nil {
		return nil, false
	}
	c := &modelled{e: e, call: call, callee: callee, args: call.Common().Args, at: at, result: j}
	if t := e.taxonomy(obj.Pkg().Path()); t != nil {
		return c.generated(t, fn), true
	}
	name := fullName(fn)
	if m, ok := e.models[name]; ok {
		return m(c), true
	}
	switch recv := fn.Signature.Recv(); {
	case recv == nil:
	case isTable(fn.Signature.Results().At(j).Type()): // of a copy with a profile
		return c.arg(0), true
	case fn.Name() == "Unwrap" && strings.Contains(name, "taxonomy/gen.Base"):
		return e.apply(e.valueAt(embedding(c.args[0]), call.Block()), "u", at), true
	}
	return nil, false
}

// embedding returns the object whose embedded base is the receiver of a promoted method.
func embedding(v ssa.Value) ssa.Value {
	if fa, ok := v.(*ssa.FieldAddr); ok {
		return fa.X
	}
	return v
}

// modelled is a call of a function with a model.
type modelled struct {
	e      *Engine
	call   ssa.CallInstruction
	callee *ssa.Function
	args   []ssa.Value
	at     string
	result int
}

func (c *modelled) arg(i int) *Set { return c.e.valueAt(c.args[i], c.call.Block()) }

func (c *modelled) one(kind Kind, name string) *Set { return one(Atom{Kind: kind, Name: name}, c.at) }

// called returns a result of the functions that an argument can be.
func (c *modelled) called(arg, result int) *Set {
	return c.e.apply(c.arg(arg), resultOf(result), c.at)
}

// classified returns what tables make of an argument. A response, a text and evidence are foreign
// failures.
func (c *modelled) classified(tables string, arg int, source string) *Set {
	s := c.one(Foreign, valuePrefix+types.TypeString(unboxed(c.args[arg]).Type(), shortPkg))
	t := unboxed(c.args[arg]).Type()
	if c.e.isError(t) && !isEvidence(t) || types.IsInterface(t) {
		s = c.arg(arg)
	}
	return c.e.apply(s, "c"+tables+"#"+source, c.at)
}

// rest returns the values of variadic arguments.
func (c *modelled) rest(i int) *Set {
	list, ok := elements(c.args[i])
	if !ok {
		return c.arg(i)
	}
	out := new(Set)
	for _, v := range list {
		if m, ok := v.(*ssa.MakeInterface); ok && !c.e.carries(m.X.Type()) {
			continue
		}
		out.addAll(c.e.valueAt(v, c.call.Block()))
	}
	return out
}

// joined returns several errors in one: each may be the first or a later one.
func (c *modelled) joined(s *Set) *Set { return union(s, c.e.apply(s, "b", "")) }

// models returns the models by the full names of functions.
func models() map[string]func(*modelled) *Set {
	const dberr, httpcall, queue = runtimePath + "dberr.", runtimePath + "httpcall.", runtimePath + "queue."
	return map[string]func(*modelled) *Set{
		"errors.New":    func(c *modelled) *Set { return c.one(Foreign, "errors.New") },
		"errors.Join":   func(c *modelled) *Set { return c.joined(c.rest(0)).via(c.at) },
		"errors.Unwrap": func(c *modelled) *Set { return c.e.apply(c.arg(0), "u", c.at) },
		"fmt.Errorf":    errorf,
		"cmp.Or":        func(c *modelled) *Set { return c.rest(0) },
		"slices.Clone":  unchanged,
		"context.Cause": func(c *modelled) *Set {
			return union(c.one(Ended, "context.Cause"), c.e.cells[causeCell])
		},
		"errors.AsType": func(c *modelled) *Set {
			if codes := c.e.codesOfType(c.callee.TypeArgs()[0]); codes != nil && c.result == 0 {
				return c.e.apply(c.arg(0), opOf('t', codes...), c.at)
			}
			return c.arg(0)
		},

		runtimePath + "detect.Of":                   unchanged,
		runtimePath + "taxonomy.WithStack":          unchanged,
		runtimePath + "taxonomy.Attach":             unchanged,
		runtimePath + "taxonomy.First":              unchanged,
		runtimePath + "retry.Permanent":             unchanged,
		runtimePath + "retry.Do":                    retried,
		runtimePath + "retry.Value":                 retried,
		runtimePath + "problem.Read":                read,
		runtimePath + "rpc/grpcerr.FromStatus":      read,
		runtimePath + "rpc/connecterr.From":         read,
		"(" + runtimePath + "taxonomy.Table).Trace": func(c *modelled) *Set { return c.arg(1) },
		"(" + runtimePath + "taxonomy.Table).Classify": func(c *modelled) *Set {
			return c.classified(c.e.tables(c.args[0]), 1, c.e.sourceOfRaw(c.args[1]))
		},
		dberr + "Classify": func(c *modelled) *Set {
			out := union(c.classified(c.e.tables(c.args[0]), 2, sourceName(c.args[1])))
			for a := range c.arg(2).All() { // such as sql.ErrNoRows, which it does not change
				if a.Kind == Foreign {
					out.addAll(c.one(Foreign, dberr+"Classify"))
				}
			}
			return out
		},
		dberr + "Tx":                    func(c *modelled) *Set { return transaction(c, "(*database/sql.DB).BeginTx") },
		runtimePath + "dberr/pgxerr.Tx": func(c *modelled) *Set { return transaction(c, "(pgx/v5.Tx).Commit") },
		dberr + "Repeat":                func(c *modelled) *Set { return repeated(c, c.called(2, 1), 1) },
		"(*" + httpcall + "Client).Do":  func(c *modelled) *Set { return requested(c, 0) },
		httpcall + "JSON":               func(c *modelled) *Set { return requested(c, 1) },
		newClient: func(c *modelled) *Set {
			key := fmt.Sprintf("%s of %s", c.call.Value().Name(), c.call.Parent())
			c.e.clients[key] = c.call.Value()
			return c.one(Client, key)
		},
		runtimePath + "queue/natsqueue.Run": func(c *modelled) *Set {
			return c.one(Foreign, runtimePath+"queue/natsqueue.Run")
		},
		queue + "Call": func(c *modelled) *Set {
			return union(c.called(0, 0), c.one(Foreign, "*taxonomy.Evidence"))
		},
		queue + "Decide": func(c *modelled) *Set { // the error of the decision
			tables, source := c.e.tableIn(c.args[4])
			if tables == "" {
				tables = c.e.tables(c.args[1])
			}
			return union(c.classified(tables, 2, source), c.one(Ended, "queue.Decide"))
		},
	}
}

func unchanged(c *modelled) *Set { return c.arg(0) }

func errorf(c *modelled) *Set {
	format, ok := constString(c.args[0])
	s := new(Set)
	wraps := !ok || strings.Contains(format, "%w") || strings.Contains(format, "]w")
	if wraps {
		s = c.rest(1)
		if strings.Count(format, "%w") != 1 {
			s = c.joined(s)
		}
	}
	if !wraps || !ok {
		s = union(s, c.one(Foreign, "fmt.Errorf"))
	}
	return s.via(c.at)
}

// retried is the result of retry.Do and retry.Value: the operation's, classified by the table.
func retried(c *modelled) *Set {
	sig, ok := c.args[1].Type().Underlying().(*types.Signature)
	if !ok {
		return c.one(Unknown, "the operation of retry.Do")
	}
	out := c.called(1, sig.Results().Len()-1)
	if tables, source := c.e.tableIn(c.args[2]); tables != "" {
		out = c.e.apply(out, "c"+tables+"#"+source, c.at)
		options := optionsIn(c.args[2])
		if options.args("retry.WithBreaker") != nil || options.args("retry.WithSharedWait") != nil {
			out = union(out, c.e.classifiedByAll(tables, source, c.at)) // it refuses calls, or fails
		}
	}
	return union(out, c.ended())
}

// ended is the end of a context. If the program gives causes to contexts, no test of a code is dead.
func (c *modelled) ended() *Set {
	out := c.one(Ended, "retry.Do")
	if c.e.cells[causeCell].Len() > 0 || !c.e.Whole {
		out.add(Atom{Kind: Unknown, Name: "the cause of a context's end", Below: true}, []string{c.at})
	}
	return out
}

// read is what a client reads from a response. The first table classifies what it cannot decode.
func read(c *modelled) *Set {
	out := new(Set)
	list, known := elements(c.args[1])
	switch {
	case !known:
		return c.e.classifiedByAll(c.e.tables(c.args[1]), received, c.at)
	case len(list) == 0:
		return c.one(Foreign, "*taxonomy.Evidence")
	}
	for i, x := range list {
		source := decoded
		if i == 0 {
			source = received
		}
		out.addAll(c.e.classifiedByAll(c.e.tables(x), source, c.at))
	}
	return out
}

// generated is the result of a function of a generated package.
func (c *modelled) generated(t *Taxonomy, fn *ssa.Function) *Set {
	method := fn.Signature.Recv() != nil
	switch name := fn.Name(); {
	case method && name == "WithCause":
		return union(c.arg(0), c.e.apply(c.arg(1), "b", c.at))
	case method && strings.HasPrefix(name, "With"), name == "Attach":
		return c.arg(0)
	case method:
		return nil
	case name == "Classify" || name == "ClassifyEvidence":
		source := ""
		if len(c.args) > 1 {
			source = sourceIn(c.args[1])
		}
		return c.classified(t.Path, 0, cmp.Or(source, c.e.sourceOfRaw(c.args[0])))
	case name == "UnmarshalError" && c.result == 1:
		return c.one(Foreign, fullName(fn))
	case name == "UnmarshalError":
		return t.made(c.at)
	case name == "Recover": // it runs a strategy of the second argument, or fails itself
		return c.e.foreignCall(fullName(fn), c.call.Common(), c.call.Block(), c.at)
	case t.factory(name) != "":
		return c.one(Code, t.factory(name))
	}
	return nil
}

func isEvidence(t types.Type) bool {
	return types.TypeString(deref(t), nil) == runtimePath+"taxonomy.Evidence"
}

// sourceOfRaw returns the source of a failure that is classified, because evidence has one.
func (e *Engine) sourceOfRaw(v ssa.Value) string {
	if x := unboxed(v); isEvidence(x.Type()) {
		if load, ok := x.(*ssa.UnOp); ok {
			x = load.X
		}
		return sourceField(x)
	}
	for a := range e.value(v).All() {
		if a.Kind == Unknown || strings.Contains(a.Name, "taxonomy.Evidence") {
			return anySource
		}
	}
	return ""
}

// sourceField returns the source of evidence that is a literal.
func sourceField(v ssa.Value) (source string) {
	alloc, ok := v.(*ssa.Alloc)
	if !ok {
		return anySource
	}
	stores := 0
	for _, r := range *alloc.Referrers() {
		switch r := r.(type) {
		case *ssa.Store: // of a literal in a variable
			load, ok := r.Val.(*ssa.UnOp)
			if !ok {
				return anySource
			}
			source, stores = sourceField(load.X), stores+1
		case *ssa.FieldAddr:
			if deref(r.X.Type()).Underlying().(*types.Struct).Field(r.Field).Name() != "Source" {
				continue
			}
			for _, u := range *r.Referrers() {
				if s, ok := u.(*ssa.Store); ok {
					source, stores = sourceName(s.Val), stores+1
				}
			}
		}
	}
	if stores != 1 {
		return anySource
	}
	return source
}

// transaction is the result of Tx: the errors of the function and of the database, classified.
func transaction(c *modelled, database string) *Set {
	out := union(c.called(3, 0), c.one(Foreign, database))
	c.e.edgeErrors(out, database, c.callee.Signature, c.at)
	return repeated(c, out, 2)
}

// repeated is the result of a call that the table in an argument repeats.
func repeated(c *modelled, s *Set, table int) *Set {
	tables := c.e.tables(c.args[table])
	out := union(c.e.apply(s, "c"+tables+"#", c.at), c.ended())
	if options, ok := elements(c.args[len(c.args)-1]); !ok || len(options) > 0 { // of a breaker, perhaps
		out.addAll(c.e.classifiedByAll(tables, "", c.at))
	}
	return out
}

// newClient makes clients of services, which are followed to their calls.
const newClient = runtimePath + "httpcall.New"

// requested is the error of a request: what the client's table makes of its failures, and what it
// decodes. If the client's origin is not known, it is any one of the scope.
func requested(c *modelled, client int) *Set {
	if c.result == 0 {
		return nil
	}
	out := c.ended()
	if client > 0 { // JSON
		out = union(out, c.one(Foreign, "encoding/json.Marshal"), c.one(Foreign, "net/http.NewRequestWithContext"))
	}
	var made []*ssa.Call
	for a := range c.e.close(c.arg(client)).All() {
		if a.Kind == Client {
			made = append(made, c.e.clients[a.Name])
			continue
		}
		if made = c.e.runtimeCalls[newClient]; !c.e.Whole || len(made) == 0 {
			out.addAll(c.one(Unknown, "a client that another package makes"))
		}
		break
	}
	for _, call := range made {
		tables := c.e.tables(call.Call.Args[0])
		out.addAll(c.e.close(c.e.classifiedByAll(tables, sourceName(call.Call.Args[1]), c.at)))
		options := optionsIn(call.Call.Args[2])
		if options.open {
			out.addAll(c.e.close(c.e.classifiedByAll(tables, decoded, c.at)))
		}
		if options.args("httpcall.WithRetry") != nil { // a breaker, perhaps
			out.addAll(c.e.close(c.e.classifiedByAll(tables, "", c.at)))
		}
		if args := options.args("httpcall.Servers"); args != nil {
			for server := range strings.SplitSeq(c.e.tables(args[0]), "|") {
				if slices.Contains(strings.Split(tables, "|"), server) { // others are classified
					out.addAll(c.e.close(c.e.classified(server, decoded, c.at)))
				}
			}
		}
	}
	return out
}
