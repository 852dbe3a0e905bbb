// Package infer finds the errors that functions return, in programs that use generated packages.
//
// A summary of a function has an abstract value, a [Set], for each of its results. The parts of a
// set that depend on the caller are symbols: a parameter, or the result of calling a parameter. The
// engine computes summaries from the SSA form in rounds, until nothing changes:
//
//   - values.go has the values of instructions, functions.go the functions that a value can be, and
//     memory.go the variables in memory.
//   - calls.go has the results of calls, models.go those of functions that the analysis knows,
//     foreign.go those of functions that it does not see, and edges.go those of databases and clients.
//   - narrow.go removes errors that conditions have handled.
//   - A field, a global variable and a container has a cell: everything that is stored in it.
//
// The engine works on a whole program, or on one package with the summaries of others.
package infer

import (
	"fmt"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/ssa"
)

// MaxRounds limits the rounds. A test fails if a program reaches it.
const MaxRounds = 12

// Summary has the abstract value of each result of a function.
type Summary struct {
	Results []Fact
	// Narrow is set for a predicate of errors.
	Narrow []Predicate
}

// Fact is a [Set] in a form that facts can store.
type Fact struct {
	Atoms []Atom
	Paths [][]string
}

// AFact makes Summary a fact.
func (*Summary) AFact() {}

// Engine infers summaries for the functions of a scope.
type Engine struct {
	Fset  *token.FileSet
	Whole bool // the scope is all code of the program that can make errors with codes
	// Library is set if other packages may call the exported functions of a whole program.
	Library bool
	Root    string // places are relative to this directory

	Known      []*Taxonomy                               // the taxonomies that the scope imports
	Imported   func(*types.Func) *Summary                // the summary of another package's function, or nil
	ContractOf func(types.Object) *Contract              // the directive of a function, a method or a field
	Callees    func(ssa.CallInstruction) []*ssa.Function // if set, the callees of interface calls

	Funcs  []*ssa.Function
	Rounds int
	// Open reports that the rounds reached their limit, so sets may lack errors.
	Open bool

	errType      *types.Interface
	models       map[string]func(*modelled) *Set
	taxonomies   map[string]*Taxonomy
	ids          map[*ssa.Function]string
	places       map[token.Pos]string
	byID         map[string]*ssa.Function
	packages     map[string]bool // of the scope
	prog         *ssa.Program
	concrete     []types.Type // that become interfaces in the scope
	closures     map[*ssa.Function]*ssa.MakeClosure
	assigned     map[any][]ssa.Value // what the scope stores in fields and global variables
	functions    map[string]function // by the names of atoms
	objectTypes  map[string]types.Type
	structs      map[string]*types.Struct // without a name, by their text
	clients      map[string]*ssa.Call
	runtimeCalls map[string][]*ssa.Call // the calls of functions of errgen's runtime
	impls        map[string]implementations
	named        map[*ssa.Function]bool // the functions that the scope calls or uses as values
	invoked      map[string]bool        // the methods that calls of interfaces name
	entries      func() []Entry
	// unreachable has the blocks that a constant condition excludes.
	unreachable map[*ssa.BasicBlock]bool

	summaries map[*ssa.Function][]*Set
	cells     map[any]*Set
	grown     bool                     // whether a cell grew
	again     bool                     // whether there must be another round
	sites     map[*ssa.Function][]site // the calls of a function, in the order in which they were found
	siteOf    map[siteKey]bool
	// final is set after the first round, which registers all calls: a function without any is open.
	final bool

	values   memo[ssa.Value]
	memories memo[memKey]
	closed   memo[Atom]
	called   memo[paramKey] // results of functions
	// These are forgotten, too.
	narrowed   map[placeKey]*Set
	predicates map[paramKey]*Predicate

	testsOf map[ssa.Value][]test
}

// memo keeps sets until the engine forgets them. A set that is needed while it is computed, in a
// cycle, is the last one. If that grows, there must be another round.
type memo[K comparable] struct {
	now, last map[K]*Set
	read      map[K]bool // whether a set was needed while it was computed
	again     *bool
}

func newMemo[K comparable](again *bool) memo[K] {
	return memo[K]{now: make(map[K]*Set), last: make(map[K]*Set), read: make(map[K]bool), again: again}
}

func (m memo[K]) get(key K, compute func() *Set) *Set {
	if s, ok := m.now[key]; ok {
		if _, computing := m.read[key]; computing {
			m.read[key] = true
		}
		return s
	}
	old := m.last[key]
	m.now[key], m.read[key] = old, false
	s := compute()
	if old.Len() > 0 { // sets only grow
		s = union(old, s)
	}
	if m.read[key] && s.Len() > old.Len() {
		*m.again = true
	}
	delete(m.read, key)
	m.now[key], m.last[key] = s, s
	return s
}

type placeKey struct {
	v ssa.Value
	b *ssa.BasicBlock
}

// siteKey is a call of a function that the call may reach.
type siteKey struct {
	fn *ssa.Function
	at ssa.Instruction
}

// site is a call of a function of the scope.
type site struct {
	fn    *ssa.Function
	args  []ssa.Value // and what the function captured
	block *ssa.BasicBlock
}

// New returns an engine. The caller sets the exported fields, adds functions and calls Run.
func New(fset *token.FileSet, known []*Taxonomy) *Engine {
	e := &Engine{
		Fset: fset, Known: known,
		Imported:   func(*types.Func) *Summary { return nil },
		ContractOf: func(types.Object) *Contract { return nil },
		errType:    types.Universe.Lookup("error").Type().Underlying().(*types.Interface),
		taxonomies: make(map[string]*Taxonomy), ids: make(map[*ssa.Function]string), places: make(map[token.Pos]string),
		byID: make(map[string]*ssa.Function), packages: make(map[string]bool),
		closures: make(map[*ssa.Function]*ssa.MakeClosure), assigned: make(map[any][]ssa.Value),
		functions: make(map[string]function), objectTypes: make(map[string]types.Type),
		structs: make(map[string]*types.Struct), clients: make(map[string]*ssa.Call),

		runtimeCalls: make(map[string][]*ssa.Call), impls: make(map[string]implementations),
		named: make(map[*ssa.Function]bool), invoked: make(map[string]bool),
		unreachable: make(map[*ssa.BasicBlock]bool),
		summaries:   make(map[*ssa.Function][]*Set), cells: make(map[any]*Set),
		sites: make(map[*ssa.Function][]site), siteOf: make(map[siteKey]bool), narrowed: make(map[placeKey]*Set),
		predicates: make(map[paramKey]*Predicate),
		testsOf:    make(map[ssa.Value][]test),
		models:     models(),
	}
	e.values, e.memories = newMemo[ssa.Value](&e.again), newMemo[memKey](&e.again)
	e.closed, e.called = newMemo[Atom](&e.again), newMemo[paramKey](&e.again)
	e.entries = sync.OnceValue(e.findEntries)
	for _, t := range known {
		e.taxonomies[t.Path] = t
	}
	return e
}

// taxonomy returns the taxonomy of a generated package, or nil.
func (e *Engine) taxonomy(path string) *Taxonomy { return e.taxonomies[path] }

// at returns a place as file:line.
func (e *Engine) at(pos token.Pos) string {
	if !pos.IsValid() {
		return ""
	}
	text, ok := e.places[pos]
	if !ok {
		p := e.Fset.Position(pos)
		file, err := filepath.Rel(e.Root, p.Filename)
		if err != nil || strings.HasPrefix(file, "..") {
			file = filepath.Join(filepath.Base(filepath.Dir(p.Filename)), filepath.Base(p.Filename))
		}
		text = fmt.Sprintf("%s:%d", filepath.ToSlash(file), p.Line)
		e.places[pos] = text
	}
	return text
}

// origin returns the generic function of an instance.
func origin(fn *ssa.Function) *ssa.Function {
	if o := fn.Origin(); o != nil {
		return o
	}
	return fn
}

// id returns the name of a function that summaries of other packages use too.
func (e *Engine) id(fn *ssa.Function) string {
	fn = origin(fn)
	text, ok := e.ids[fn]
	if !ok {
		text = fn.String()
		e.ids[fn] = text
	}
	return text
}

func (e *Engine) inScope(fn *ssa.Function) bool { return e.byID[e.id(fn)] == origin(fn) }

// Add adds a function and its closures to the scope.
func (e *Engine) Add(fn *ssa.Function) {
	fn = origin(fn)
	if e.inScope(fn) || len(fn.Blocks) == 0 {
		return
	}
	if e.byID[e.id(fn)] != nil { // another use of a bound method or of a thunk
		e.ids[fn] = fmt.Sprintf("%s#%d", fn, len(e.Funcs))
	}
	e.byID[e.id(fn)], e.prog = fn, fn.Prog
	e.Funcs = append(e.Funcs, fn)
	if o, ok := fn.Object().(*types.Func); ok && fn.Synthetic == "" {
		e.packages[o.Pkg().Path()] = true
	}
	for _, f := range fn.AnonFuncs {
		e.Add(f)
	}
	e.addUnreachable(fn)
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			e.addInstruction(i)
		}
	}
}

// addUnreachable finds the blocks that constant conditions exclude.
func (e *Engine) addUnreachable(fn *ssa.Function) {
	reached := e.flow(fn.Blocks[0], one(Atom{}, ""), func(s *Set, p, b *ssa.BasicBlock) *Set {
		return e.onEdge(s, nil, p, b)
	})
	for _, b := range fn.Blocks {
		if b != fn.Recover && reached[b].Len() == 0 {
			e.unreachable[b] = true
		}
	}
}

func (e *Engine) addInstruction(i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.MakeClosure:
		f := i.Fn.(*ssa.Function)
		e.closures[f] = i
		e.Add(f) // a bound method, too
	case *ssa.MakeInterface:
		e.concrete = append(e.concrete, i.X.Type())
	case *ssa.Call:
		if f := i.Call.StaticCallee(); f != nil && f.Pkg != nil && strings.HasPrefix(f.Pkg.Pkg.Path(), runtimePath) {
			e.runtimeCalls[fullName(f)] = append(e.runtimeCalls[fullName(f)], i)
		}
	case *ssa.Store:
		e.assigned[e.cellKey(i.Addr)] = append(e.assigned[e.cellKey(i.Addr)], i.Val)
	}
	if c, ok := i.(ssa.CallInstruction); ok && c.Common().IsInvoke() {
		e.invoked[c.Common().Method.Name()] = true
	}
	for _, operand := range i.Operands(nil) {
		f, ok := (*operand).(*ssa.Function)
		if !ok {
			continue
		}
		e.named[origin(f)] = true
		if f.Synthetic != "" && f.Pkg == nil && f.Origin() == nil {
			e.Add(f) // a thunk or a wrapper
		}
	}
}

// Run infers until nothing changes, or the rounds reach their limit.
func (e *Engine) Run() {
	seen := make(map[string]bool)
	e.concrete = slices.DeleteFunc(e.concrete, func(t types.Type) bool {
		dup := seen[t.String()]
		seen[t.String()] = true
		return dup
	})
	order := e.bottomUp()
	for e.again = true; e.again || !e.final; {
		if e.Rounds == MaxRounds {
			e.Open = true
			return
		}
		e.final = e.Rounds > 0
		e.Rounds++
		e.again = false
		for _, fn := range order {
			if e.stores(fn) {
				e.forget()
			}
			e.analyze(fn)
		}
		e.forget()
	}
}

// forget drops the sets that were computed before a cell or a summary grew.
func (e *Engine) forget() {
	clear(e.narrowed)
	clear(e.predicates)
	clear(e.values.now)
	clear(e.memories.now)
	clear(e.closed.now)
	clear(e.called.now)
}

// bottomUp returns the functions of the scope with callees before callers, so that few rounds are
// needed.
func (e *Engine) bottomUp() (order []*ssa.Function) {
	seen := make(map[*ssa.Function]bool)
	var visit func(*ssa.Function)
	visit = func(fn *ssa.Function) {
		if seen[fn] || !e.inScope(fn) {
			return
		}
		seen[fn] = true
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				for _, operand := range i.Operands(nil) {
					if f, ok := (*operand).(*ssa.Function); ok {
						visit(origin(f))
					}
				}
			}
		}
		order = append(order, fn)
	}
	for _, fn := range e.Funcs {
		visit(fn)
	}
	return order
}

// analyze computes the values of a function's results.
func (e *Engine) analyze(fn *ssa.Function) {
	results := e.summaries[fn]
	if results == nil {
		results = make([]*Set, fn.Signature.Results().Len())
		for i := range results {
			results[i] = new(Set)
		}
		e.summaries[fn] = results
	}
	for _, b := range fn.Blocks {
		ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
		if !ok || b == fn.Recover && !recovers(fn) {
			continue
		}
		for i, v := range ret.Results {
			if !e.carries(v.Type()) {
				continue
			}
			at := e.at(ret.Pos())
			for a, p := range e.valueAt(v, b).All() {
				if !a.isError() && e.isError(v.Type()) {
					continue
				}
				if len(p) == 0 || p[0] == "" || a.Symbolic() {
					p = []string{at}
				}
				if results[i].add(a, p) {
					e.again = true
				}
			}
		}
	}
}

// result returns the value of a function's result in the last round.
func (e *Engine) result(fn *ssa.Function, i int) *Set {
	if s := e.summaries[origin(fn)]; i < len(s) {
		return s[i]
	}
	return nil
}

// recovers reports whether a deferred function may recover, so that the function returns after a
// panic.
func recovers(fn *ssa.Function) bool {
	for _, d := range defers(fn) {
		f := d.Call.StaticCallee()
		if f == nil {
			return true
		}
		for _, b := range f.Blocks {
			for _, i := range b.Instrs {
				if c, ok := i.(*ssa.Call); ok && isBuiltin(c.Common(), "recover") {
					return true
				}
			}
		}
	}
	return false
}

func isBuiltin(c *ssa.CallCommon, name string) bool {
	b, ok := c.Value.(*ssa.Builtin)
	return ok && b.Name() == name
}
