package infer

import (
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
	if t := e.taxonomy(obj.Pkg().Path()); t != nil {
		return e.generated(t, fn, call, j, at), true
	}
	c := &modelled{e: e, args: call.Common().Args, block: call.Block(), at: at, result: j}
	name := fullName(fn)
	if m, ok := e.models[name]; ok {
		return m(c), true
	}
	if name == "errors.AsType" {
		if codes := e.codesOfType(callee.TypeArgs()[0]); codes != nil && j == 0 {
			return e.apply(c.arg(0), opOf('t', codes...), at), true
		}
		return c.arg(0), true
	}
	if fn.Name() == "Unwrap" && strings.Contains(name, "taxonomy/gen.Base") {
		return e.apply(c.arg(0), "u", at), true
	}
	return nil, false
}

// modelled is a call of a function with a model.
type modelled struct {
	e      *Engine
	args   []ssa.Value
	block  *ssa.BasicBlock
	at     string
	result int
}

func (c *modelled) arg(i int) *Set { return c.e.valueAt(c.args[i], c.block) }

func (c *modelled) one(kind Kind, name string) *Set { return one(Atom{Kind: kind, Name: name}, c.at) }

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
		out.addAll(c.e.valueAt(v, c.block))
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
		"context.Cause": func(c *modelled) *Set {
			return union(c.one(Ended, "context.Cause"), c.e.cells[causeCell])
		},
		runtimePath + "detect.Of":                      func(c *modelled) *Set { return c.arg(0) },
		runtimePath + "taxonomy.WithStack":             func(c *modelled) *Set { return c.arg(0) },
		runtimePath + "taxonomy.Attach":                func(c *modelled) *Set { return c.arg(0) },
		runtimePath + "retry.Permanent":                func(c *modelled) *Set { return c.arg(0) },
		runtimePath + "retry.Do":                       retried,
		runtimePath + "retry.Value":                    retried,
		"(" + runtimePath + "taxonomy.Table).Classify": classifiedByTable,
		runtimePath + "problem.Read":                   read,
		runtimePath + "rpc/grpcerr.FromStatus":         read,
		runtimePath + "rpc/connecterr.From":            read,

		dberr + "Classify": func(c *modelled) *Set {
			op := "c" + c.e.tables(c.args[0]) + "#" + sourceName(c.args[1])
			return c.e.apply(c.e.raw(c.args[2], c.block, c.at), op, c.at)
		},
		dberr + "Tx":                    func(c *modelled) *Set { return transaction(c, "(*database/sql.DB).BeginTx") },
		runtimePath + "dberr/pgxerr.Tx": func(c *modelled) *Set { return transaction(c, "(pgx/v5.Tx).Commit") },
		dberr + "Repeat":                func(c *modelled) *Set { return repeated(c, c.called(2, 1), 1) },
		"(*" + httpcall + "Client).Do":  func(c *modelled) *Set { return requested(c, 0) },
		httpcall + "JSON":               func(c *modelled) *Set { return requested(c, 1) },
		queue + "Call": func(c *modelled) *Set {
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
		options, _ := optionsIn(c.args[2])
		if slices.ContainsFunc(options, func(o option) bool {
			return o.name == runtimePath+"retry.WithBreaker" || o.name == runtimePath+"retry.WithSharedWait"
		}) {
			out = union(out, c.e.classifiedByAll(tables, source, c.at)) // it refuses calls, or fails
		}
	}
	return union(out, c.ended())
}

// ended is the end of a context. If the program gives causes to contexts, no test of a code is dead.
func (c *modelled) ended() *Set {
	out := c.one(Ended, "retry.Do")
	if c.e.cells[causeCell].Len() > 0 {
		out.add(Atom{Kind: Unknown, Name: "the cause of a context's end", Below: true}, []string{c.at})
	}
	return out
}

func classifiedByTable(c *modelled) *Set {
	op := "c" + c.e.tables(c.args[0]) + "#" + c.e.sourceOfRaw(c.args[1], "")
	return c.e.apply(c.e.raw(c.args[1], c.block, c.at), op, c.at)
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

// generated returns result j of a function of a generated package.
func (e *Engine) generated(t *Taxonomy, fn *ssa.Function, call ssa.CallInstruction, j int, at string) *Set {
	common, b, name := call.Common(), call.Block(), fn.Name()
	arg := func(i int) *Set { return e.valueAt(common.Args[i], b) }
	if fn.Signature.Recv() != nil {
		switch {
		case name == "WithCause":
			return union(arg(0), e.apply(arg(1), "b", at))
		case strings.HasPrefix(name, "With"):
			return arg(0)
		case name == "Unwrap":
			return e.apply(arg(0), "u", at)
		}
		return nil
	}
	switch name {
	case "Classify", "ClassifyEvidence":
		source := ""
		if len(common.Args) > 1 {
			source = sourceIn(common.Args[1])
		}
		op := "c" + t.Path + "#" + e.sourceOfRaw(common.Args[0], source)
		return e.apply(e.raw(common.Args[0], b, at), op, at)
	case "UnmarshalError":
		if j == 1 {
			return one(Atom{Kind: Foreign, Name: fullName(fn)}, at)
		}
		out := new(Set)
		for _, c := range t.Codes {
			if c.Factory != "" {
				out.add(Atom{Kind: Code, Name: t.Key(c.Value)}, []string{at})
			}
		}
		return out
	case "Attach":
		return arg(0)
	}
	if c := e.factory(t, name); c != "" {
		return one(Atom{Kind: Code, Name: c}, at)
	}
	if name == "Recover" { // it runs a strategy of the second argument, or fails itself
		return e.foreignCall(fullName(fn), common, b, at)
	}
	return nil
}

// factory returns the code that a factory gives to its errors, or "".
func (e *Engine) factory(t *Taxonomy, name string) string {
	for i := range t.Codes {
		if t.Codes[i].Factory == name {
			return t.Key(t.Codes[i].Value)
		}
	}
	return ""
}

// raw returns the set of an argument that is classified. A response, a text and evidence are
// foreign failures.
func (e *Engine) raw(v ssa.Value, b *ssa.BasicBlock, at string) *Set {
	t := unboxed(v).Type()
	if e.isError(t) && !isEvidence(t) || types.IsInterface(t) {
		return e.valueAt(v, b)
	}
	return one(Atom{Kind: Foreign, Name: valuePrefix + types.TypeString(t, shortPkg)}, at)
}

func isEvidence(t types.Type) bool {
	return types.TypeString(deref(t), nil) == runtimePath+"taxonomy.Evidence"
}

// sourceOfRaw returns the source that classification sees, because evidence has its own.
func (e *Engine) sourceOfRaw(v ssa.Value, source string) string {
	if source != "" {
		return source
	}
	if x := unboxed(v); isEvidence(x.Type()) {
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
	c.e.edgeErrors(out, database, c.at)
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
	for _, t := range c.e.origins(c.args[client]) {
		if t.client == nil {
			made = nil
			break
		}
		made = append(made, t.client)
	}
	if len(made) == 0 {
		made = c.e.makerCalls[newClient]
		if !c.e.Whole || len(made) == 0 {
			out.addAll(c.one(Unknown, "a client that another package makes"))
		}
	}
	for _, call := range made {
		tables := c.e.tables(call.Call.Args[0])
		out.addAll(c.e.close(c.e.classifiedByAll(tables, sourceName(call.Call.Args[1]), c.at)))
		options, known := optionsIn(call.Call.Args[2])
		if !known {
			out.addAll(c.e.close(c.e.classifiedByAll(tables, decoded, c.at)))
		}
		for _, o := range options {
			if o.name == runtimePath+"httpcall.WithRetry" { // a breaker, perhaps
				out.addAll(c.e.close(c.e.classifiedByAll(tables, "", c.at)))
			}
			if o.name != runtimePath+"httpcall.Servers" {
				continue
			}
			for server := range strings.SplitSeq(c.e.tables(o.args[0]), "|") {
				if slices.Contains(strings.Split(tables, "|"), server) { // others are classified
					out.addAll(c.e.close(c.e.classified(server, decoded, c.at)))
				}
			}
		}
	}
	return out
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
	tables, source := e.tableIn(args[4])
	if tables == "" {
		tables = e.tables(args[1])
	}
	s := e.apply(e.valueAt(args[2], call.Block()), "c"+tables+"#"+source, at)
	return union(s, one(Atom{Kind: Ended, Name: "queue.Decide"}, at)), true
}
