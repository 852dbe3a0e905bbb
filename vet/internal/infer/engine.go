// Package infer finds the errors that functions return, in programs that use generated packages.
//
// A summary of a function has an abstract value, a [Set], for each of its results. The parts of a
// set that depend on the caller are symbols: a parameter, or the result of calling a parameter. The
// engine computes summaries from the SSA form in rounds, until nothing changes:
//
//   - values.go has the values of instructions, calls.go and models.go those of calls,
//     functions.go the functions that a value can be, and memory.go the variables in memory.
//   - narrow.go removes errors that conditions have handled.
//   - A field, a global variable and a container has a cell: everything that is stored in it.
//
// The engine works on a whole program, or on one package with the summaries of others.
package infer

import (
	"fmt"
	"go/constant"
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
	Whole bool   // the scope is all code of the program that can make errors with codes
	Root  string // places are relative to this directory

	Known      []*Taxonomy                               // the taxonomies that the scope imports
	Imported   func(*types.Func) *Summary                // the summary of another package's function, or nil
	ContractOf func(types.Object) *Contract              // the directive of a function, a method or a field
	Callees    func(ssa.CallInstruction) []*ssa.Function // if set, the callees of interface calls

	Funcs  []*ssa.Function
	Rounds int
	// Open reports that the rounds reached their limit, so sets may lack errors.
	Open bool

	errType    *types.Interface
	models     map[string]func(*modelled) *Set
	taxonomies map[string]*Taxonomy
	ids        map[*ssa.Function]string
	places     map[token.Pos]string
	byID       map[string]*ssa.Function
	packages   map[string]bool // of the scope
	byName     map[string][]*ssa.Function
	concrete   []types.Type // that become interfaces in the scope
	closures   map[*ssa.Function]*ssa.MakeClosure
	funcCells  map[string][]ssa.Value       // the functions that are stored in cells
	inField    map[types.Object][]ssa.Value // the functions that are stored in fields
	inContexts map[string][]*ssa.Call       // the calls of context.WithValue by the type of their keys
	makerCalls map[string][]*ssa.Call       // the calls that make clients and databases
	impls      map[string][]*ssa.Function
	// foreignMethods has the methods outside of the scope that a call of an interface reaches.
	foreignMethods map[string][]string
	named          map[*ssa.Function]bool // the functions that the scope calls or uses as values
	invoked        map[string]bool        // the methods that calls of interfaces name
	entries        func() []Entry
	// unreachable has the blocks that a constant condition excludes.
	unreachable map[*ssa.BasicBlock]bool

	summaries map[*ssa.Function][]*Set
	cells     map[string]*Set
	sites     map[*ssa.Function]*sites // the calls of a function
	// final is set after the first round, which registers all calls: a function without any is open.
	final bool

	values   memo[ssa.Value]
	memories memo[memKey]
	closed   memo[Atom]
	framed   memo[frameKey]
	written  memo[*ssa.Parameter] // what a function stores through a parameter
	// These are forgotten, too.
	narrowed   map[placeKey]*Set
	predicates map[paramKey]*Predicate

	targets    map[ssa.Value][]target
	resolving  map[ssa.Value]bool
	cyclic     bool // a value was needed while it was resolved
	registered bool // a call is new in this round
	// returning has the functions whose results are searched for functions.
	returning map[*ssa.Function]bool
	testsOf   map[ssa.Value][]test
	isPrivate map[*ssa.Parameter]bool
}

// memo keeps sets until the engine forgets them. A set that is needed while it is computed, in a
// cycle, is the last one.
type memo[K comparable] struct {
	now, last map[K]*Set
	read      map[K]bool // whether a set was needed while it was computed
	grown     bool       // whether such a set grew, so that there must be another round
}

func newMemo[K comparable]() memo[K] {
	return memo[K]{now: make(map[K]*Set), last: make(map[K]*Set), read: make(map[K]bool)}
}

func (m *memo[K]) get(key K, compute func() *Set) *Set {
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
	m.grown = m.grown || m.read[key] && s.Len() > old.Len()
	delete(m.read, key)
	m.now[key], m.last[key] = s, s
	return s
}

// next drops the sets, and reports whether they must be computed again.
func (m *memo[K]) next() (grown bool) {
	grown, m.grown = m.grown, false
	clear(m.now)
	return grown
}

type placeKey struct {
	v ssa.Value
	b *ssa.BasicBlock
}

// site is a call of a function of the scope.
type site struct {
	args, bind []ssa.Value
	block      *ssa.BasicBlock
}

// sites are calls in the order in which they were found.
type sites struct {
	list  []site
	index map[ssa.Instruction]int
}

func (s *sites) all() []site {
	if s == nil {
		return nil
	}
	return s.list
}

// put reports whether the call is new.
func (s *sites) put(at ssa.Instruction, x site) bool {
	if i, ok := s.index[at]; ok {
		s.list[i] = x
		return false
	}
	s.index[at] = len(s.list)
	s.list = append(s.list, x)
	return true
}

// New returns an engine. The caller sets the exported fields, adds functions and calls Run.
func New(fset *token.FileSet, known []*Taxonomy) *Engine {
	e := &Engine{
		Fset: fset, Known: known,
		Imported:   func(*types.Func) *Summary { return nil },
		ContractOf: func(types.Object) *Contract { return nil },
		errType:    types.Universe.Lookup("error").Type().Underlying().(*types.Interface),
		taxonomies: make(map[string]*Taxonomy), ids: make(map[*ssa.Function]string), places: make(map[token.Pos]string),
		byID: make(map[string]*ssa.Function), packages: make(map[string]bool), byName: make(map[string][]*ssa.Function),
		closures: make(map[*ssa.Function]*ssa.MakeClosure), funcCells: make(map[string][]ssa.Value),
		inField:    make(map[types.Object][]ssa.Value),
		inContexts: make(map[string][]*ssa.Call),
		makerCalls: make(map[string][]*ssa.Call), impls: make(map[string][]*ssa.Function),
		foreignMethods: make(map[string][]string),
		named:          make(map[*ssa.Function]bool), invoked: make(map[string]bool),
		unreachable: make(map[*ssa.BasicBlock]bool),
		summaries:   make(map[*ssa.Function][]*Set), cells: make(map[string]*Set),
		sites: make(map[*ssa.Function]*sites), values: newMemo[ssa.Value](), memories: newMemo[memKey](),
		closed: newMemo[Atom](), framed: newMemo[frameKey](), returning: make(map[*ssa.Function]bool),
		written: newMemo[*ssa.Parameter](), narrowed: make(map[placeKey]*Set),
		predicates: make(map[paramKey]*Predicate), targets: make(map[ssa.Value][]target),
		resolving: make(map[ssa.Value]bool), testsOf: make(map[ssa.Value][]test),
		isPrivate: make(map[*ssa.Parameter]bool),
		models:    models(),
	}
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
	e.byID[e.id(fn)] = fn
	e.Funcs = append(e.Funcs, fn)
	if o, ok := fn.Object().(*types.Func); ok && fn.Synthetic == "" {
		e.byName[o.Name()] = append(e.byName[o.Name()], fn)
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

// addUnreachable finds the blocks that a constant condition excludes. A block is reachable if one
// before it is.
func (e *Engine) addUnreachable(fn *ssa.Function) {
	reached := make(map[*ssa.BasicBlock]bool)
	var visit func(b *ssa.BasicBlock)
	visit = func(b *ssa.BasicBlock) {
		if b == nil || reached[b] {
			return
		}
		reached[b] = true
		succs := b.Succs
		if cond, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If); ok {
			if k, ok := cond.Cond.(*ssa.Const); ok {
				i := 1
				if constant.BoolVal(k.Value) {
					i = 0
				}
				succs = succs[i : i+1]
			}
		}
		for _, s := range succs {
			visit(s)
		}
	}
	visit(fn.Blocks[0])
	visit(fn.Recover)
	for _, b := range fn.Blocks {
		if !reached[b] {
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
		e.addMaker(i)
		if f := i.Call.StaticCallee(); f != nil && f.Name() == "WithValue" && fullName(f) == "context.WithValue" {
			key := contextKey(i.Call.Args[1])
			e.inContexts[key] = append(e.inContexts[key], i)
		}
	case *ssa.Store:
		if k := cellKey(i.Addr); k != "" && isTraced(i.Val.Type()) {
			e.funcCells[k] = append(e.funcCells[k], i.Val)
			if fa, ok := i.Addr.(*ssa.FieldAddr); ok {
				field := deref(fa.X.Type()).Underlying().(*types.Struct).Field(fa.Field).Origin()
				e.inField[field] = append(e.inField[field], i.Val)
			}
		}
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
	for changed := true; changed || !e.final; {
		if e.Rounds == MaxRounds {
			e.Open = true
			return
		}
		changed = false
		e.final = e.Rounds > 0
		e.Rounds++
		for _, fn := range order {
			if e.stores(fn) {
				e.forget()
				changed = true
			}
			if e.analyze(fn) {
				changed = true
			}
		}
		if e.forget() || e.registered {
			changed = true
		}
		e.registered = false
		clear(e.targets) // those of a function that a caller passes
	}
}

// forget drops the sets that were computed before a cell grew, and at the end of a round. It reports
// whether there must be another round.
func (e *Engine) forget() (incomplete bool) {
	clear(e.narrowed)
	clear(e.predicates)
	for _, grown := range []bool{e.values.next(), e.memories.next(), e.closed.next(), e.framed.next(),
		e.written.next()} {
		incomplete = incomplete || grown
	}
	return incomplete
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

// analyze computes the values of a function's results, and reports whether they grew.
func (e *Engine) analyze(fn *ssa.Function) (changed bool) {
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
				if len(p) == 0 || p[0] == "" || a.Symbolic() {
					p = []string{at}
				}
				if results[i].add(a, p) {
					changed = true
				}
			}
		}
	}
	return changed
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
