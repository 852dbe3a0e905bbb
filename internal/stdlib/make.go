package stdlib

import (
	"errors"
	"path"
	"slices"
)

// Make returns an error as programs meet it, for evidence that an example names: a value itself, or
// an error of a type with enough in it for its methods to work. It is none of the values that it
// need not be. The name is one of [Values] or [Types]; any other makes nothing.
func Make(name string) (error, bool) {
	if v, ok := values[name]; ok {
		return variable(v), true
	}
	s, ok := sampleOf(name)
	return s.err, ok
}

// Is reports whether err is, or wraps, the value or type of that name, as errors.Is and errors.As
// have it. It is false for a name that is neither in [Values] nor in [Types].
func Is(err error, name string) bool {
	if v, ok := values[name]; ok {
		return errors.Is(err, variable(v))
	}
	s, ok := sampleOf(name)
	return ok && s.is(err)
}

// Expr is an expression of Go.
type Expr struct {
	// Imports are the paths of the packages that Code names by the last element of their paths,
	// sorted.
	Imports []string
	Code    string
}

// GoExpr returns the expression of the error that [Make] returns.
func GoExpr(name string) (Expr, bool) {
	if v, ok := values[name]; ok {
		return Expr{Imports: []string{v.Package}, Code: path.Base(v.Package) + "." + v.Name}, true
	}
	t, ok := types[name]
	if !ok {
		return Expr{}, false
	}
	s, ok := sampleOf(name)
	imports := append(slices.Clone(s.imports), t.Package)
	slices.Sort(imports)
	return Expr{Imports: slices.Compact(imports), Code: s.code}, ok
}
