package infer

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"unique"
)

// Kind is the kind of an [Atom].
type Kind uint8

// The kinds. A caller replaces a Param, which is a symbol, by its own values.
const (
	Code    Kind = iota // Name is the path of the generated package, "#" and the code
	Foreign             // an error without a code; Name is the function or type that made it
	Unknown             // the analysis cannot tell; Name is the reason
	Ended               // the context's end, which Classify and retry.Do return unchanged
	Func                // a function; Name is its key in Engine.functions
	Table               // a table of errors; Name is the path of the generated package
	Client              // a client of a service; Name is its key in Engine.clients
	Object              // an object whose methods foreign code may call; Name is its key in Engine.objectTypes
	Param               // the value of parameter Index of Owner; captured variables follow the parameters
)

// Atom is one possible error of a value.
type Atom struct {
	Kind Kind
	Name string
	// Const is set for a code constant, which errors.AsType does not find.
	Const bool
	// Below is set for an error that is only a cause. Code and CodeOf do not return its code, and
	// errors.Is finds it, so a condition must not remove the errors above it.
	Below bool

	// These are for symbols. Ops are the operations for the values that replace the symbol.
	Owner string
	Index int
	Ops   string
}

// isError reports whether the atom is an error, or may be replaced by one.
func (a Atom) isError() bool { return a.Kind <= Ended || a.Symbolic() }

// Symbolic reports whether a caller must replace the atom.
func (a Atom) Symbolic() bool { return a.Kind == Param }

// onlyCause reports whether the values that replace a symbol become causes.
func (a Atom) onlyCause() bool {
	ops := ";" + a.Ops
	return strings.LastIndex(ops, ";b;") > strings.LastIndex(ops, ";u;")
}

// Set is an abstract error value: the errors that it can be. Each has a witness, the places from
// the function to the origin. An empty or nil set is a nil error. The order is that of insertion,
// so that all results are the same in every run.
type Set struct {
	atoms []atomRef
	paths [][]string
	// foreign counts the foreign errors. A set names the first ones only.
	foreign int
}

// atomRef is a unique pointer to an atom, which is quick to compare.
type atomRef = unique.Handle[Atom]

// The longest witness, and the most foreign errors in a set.
const (
	maxPath    = 8
	maxForeign = 24
)

// otherForeign represents the foreign errors that a set does not name.
var otherForeign = unique.Make(Atom{Kind: Foreign, Name: "other packages"})

func one(a Atom, at string) *Set { return single(a, []string{at}) }

func single(a Atom, path []string) *Set {
	return &Set{atoms: []atomRef{unique.Make(a)}, paths: [][]string{path}}
}

// Len returns the number of atoms.
func (s *Set) Len() int {
	if s == nil {
		return 0
	}
	return len(s.atoms)
}

// All returns the atoms with their witnesses.
func (s *Set) All() iter.Seq2[Atom, []string] {
	return func(yield func(Atom, []string) bool) {
		if s == nil {
			return
		}
		for i := range len(s.atoms) { // the set may grow meanwhile
			if !yield(s.atoms[i].Value(), s.paths[i]) {
				return
			}
		}
	}
}

func (s *Set) find(a atomRef) int {
	if s == nil {
		return -1
	}
	return slices.Index(s.atoms, a)
}

// add keeps the shortest witness of an atom, and reports whether the atom is new.
func (s *Set) add(a Atom, path []string) bool { return s.addRef(unique.Make(a), path) }

func (s *Set) addRef(a atomRef, path []string) bool {
	if i := s.find(a); i >= 0 {
		if old := s.paths[i]; len(path) < len(old) || len(path) == len(old) && slices.Compare(path, old) < 0 {
			s.paths[i] = path
		}
		return false
	}
	if a.Value().Kind == Foreign {
		if s.foreign++; s.foreign > maxForeign && a != otherForeign {
			return s.addRef(otherForeign, path)
		}
	}
	s.atoms, s.paths = append(s.atoms, a), append(s.paths, path)
	return true
}

// addAll reports whether an atom of o is new.
func (s *Set) addAll(o *Set) (grown bool) {
	if o == nil || o == s {
		return false
	}
	for i, a := range o.atoms {
		grown = s.addRef(a, o.paths[i]) || grown
	}
	return grown
}

// via returns the set as seen from a call at a place.
func (s *Set) via(at string) *Set {
	if at == "" {
		return s
	}
	out := new(Set)
	if s == nil {
		return out
	}
	for i, a := range s.atoms {
		p := s.paths[i]
		if len(p) < maxPath {
			p = append([]string{at}, p...)
		}
		out.addRef(a, p)
	}
	return out
}

// within reports whether all atoms are in o.
func (s *Set) within(o *Set) bool {
	if s == nil {
		return true
	}
	for _, a := range s.atoms {
		if o.find(a) < 0 && (a.Value().Kind != Foreign || o.find(otherForeign) < 0) {
			return false
		}
	}
	return true
}

// union returns a new set.
func union(sets ...*Set) *Set {
	out := new(Set)
	for _, s := range sets {
		out.addAll(s)
	}
	return out
}

// An operation changes a set. It is text, so that facts can store it: a letter and its operands,
// which are codes.
//
//	-a,b  errors.Is found none of these             +a,b  errors.Is found one of these
//	x a,b CodeOf or Code returned none of these     h a,b it returned one of these
//	y a,b errors.AsType found no error of these     T a,b it found one somewhere in the tree
//	t a,b the value is the error that errors.AsType found
//	c t#s the value was classified by tables t with source s, or "?" for any source; see tables.go
//	0     the error is nil
//	b     the value became a cause
//	u     the value was unwrapped, so its causes count
//	rj    the value is a function that was called, for result j
//	ks    the value is a table that classified a failure of source s
const (
	filters    = "-+xhyT"
	maxFilters = 6
)

func opOf(letter byte, operands ...string) string {
	slices.Sort(operands)
	return string(letter) + strings.Join(operands, ",")
}

// addOp appends an operation to those of a symbol. Filters between two other operations are facts
// about one value. So their order does not matter, and without one the result is only less exact.
// That keeps the number of symbols small.
func addOp(ops, op string) string {
	list := strings.SplitAfter(ops, ";")
	list = list[:len(list)-1]
	op += ";"
	first := len(list)
	for first > 0 && strings.IndexByte(filters, list[first-1][0]) >= 0 {
		first--
	}
	if strings.IndexByte(filters, op[0]) < 0 {
		if first == len(list) && first > 0 && list[first-1] == op && (op[0] != 'r' || first > 3) {
			return ops // the operations can be repeated
		}
		return ops + op
	}
	last := list[first:]
	at, found := slices.BinarySearch(last, op)
	if found || len(last) == maxFilters {
		return ops
	}
	return strings.Join(slices.Insert(slices.Clone(list), first+at, op), "")
}

// apply returns the set after an operation.
func (e *Engine) apply(s *Set, op, at string) *Set {
	if op == "" || s.Len() == 0 {
		return s
	}
	if op == "0" || op[0] == 'c' && op[1] == '#' { // nil, or by a table that has not been found yet
		return nil
	}
	var operands []string
	if op[0] != 'c' && len(op) > 1 {
		operands = strings.Split(op[1:], ",")
	}
	hidden := false // whether errors.Is may have found a cause
	if op[0] == '+' || op[0] == 'T' {
		for a := range s.All() {
			hidden = hidden || a.Below && (a.Kind != Code || slices.Contains(operands, a.Name))
		}
	}
	out := new(Set)
	for a, p := range s.All() {
		if a.Symbolic() {
			a.Ops = addOp(a.Ops, op)
			out.add(a, p)
			continue
		}
		if op[0] == 'r' || op[0] == 'k' {
			e.applyCall(out, a, p, op, at)
			continue
		}
		if !a.isError() {
			continue
		}
		in := a.Kind == Code && slices.Contains(operands, a.Name)
		keep, guess := true, false // guess: an unknown error that was found to have one of these codes
		switch op[0] {
		case '-':
			keep = !in
		case '+', 'T':
			keep = hidden || a.Below || in && !(a.Const && op[0] == 'T')
			guess = !keep && a.Kind == Unknown
		case 'x':
			keep = a.Below || !in
		case 'h':
			keep = a.Below || in
			guess = a.Kind == Unknown
		case 'y':
			keep = !in || a.Const
		case 't':
			keep = in && !a.Const || a.Below
			guess = a.Kind == Unknown && !a.Below // an unknown cause may be the error that was found
			a.Below = a.Below && !in
		case 'b':
			keep = a.Kind != Foreign && a.Kind != Ended
			a.Below = true
		case 'u':
			a.Below = false
		case 'c':
			e.classify(out, a, p, op[1:], at)
			continue
		}
		if keep {
			out.add(a, p)
		}
		if guess {
			for _, c := range operands {
				out.add(Atom{Kind: Code, Name: c}, []string{at})
			}
		}
	}
	return out
}

// applyCall adds the result of calling an atom, or of classifying by it.
func (e *Engine) applyCall(out *Set, a Atom, p []string, op, at string) {
	switch {
	case op[0] == 'k' && a.Kind == Table:
		out.addAll(e.classified(a.Name, op[1:], at))
	case op[0] == 'k':
		out.add(Atom{Kind: Unknown, Name: tableReason}, []string{at})
	case a.Kind == Func:
		j, _ := strconv.Atoi(op[1:])
		out.addAll(e.call(a.Name, j, at))
	case a.Kind == Foreign || a.Kind == Unknown:
		out.add(a, p)
	}
}

// applyOps applies the operations of a symbol.
func (e *Engine) applyOps(s *Set, ops, at string) *Set {
	for op := range strings.SplitSeq(strings.TrimSuffix(ops, ";"), ";") {
		s = e.apply(s, op, at)
	}
	return s
}

// valuePrefix begins the name of a failure that is not an error, such as a response.
const valuePrefix = "value of type "
