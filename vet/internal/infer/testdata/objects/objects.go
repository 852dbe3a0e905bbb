// Package objects has functions whose errors are in the fields of objects.
package objects

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/vet/internal/infer/testdata/errs"
)

// failure wraps an error.
type failure struct {
	op  string
	err error
}

func (f *failure) Error() string { return f.op + ": " + f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// Cause returns what the failure wraps.
//
// want: $f
func (f *failure) Cause() error { return f.err }

func failed(op string, err error) *failure { return &failure{op, err} }

func (f *failure) set(err error) { f.err = err }

// Two objects of a type are distinguished.
//
// want: NOT_FOUND
func First() error { return failed("get", errs.NewNotFound("1")) }

// want: CLOSED
func Second() error { return failed("close", errs.NewClosed()).Cause() }

// want: EXISTS
func Field() error {
	f := failed("put", errs.NewExists())
	return f.err
}

// want: DB_DOWN
func Set() error {
	f := new(failure)
	f.set(errs.NewDBDown())
	return f
}

// shared is a type whose objects are changed by functions that did not make them.
type shared struct{ error }

func (s *shared) Unwrap() error { return s.error }

func (s *shared) replace(with *shared) { *s = *with }

func share(err error) *shared { return &shared{err} }

// want: DB_FAILED DECLINED over: EXISTS
func Replaced() error {
	s := share(errs.NewDBFailed())
	s.replace(share(errs.NewDeclined()))
	return s
}

// want: CLOSED over: DECLINED EXISTS
func Untouched() error { return share(errs.NewClosed()) }

// want: DB_FAILED EXISTS over: DECLINED
func Changed() error {
	s := share(errs.NewDBFailed())
	s.error = errs.NewExists()
	return s
}

type walk struct {
	found failure
	depth int
}

// An object in a field has the cell of the field.
//
// want: CLOSED over: INTERNAL
func Nested() error {
	w := walk{depth: 1}
	w.found.err = errs.NewClosed()
	return &w.found
}

// want: INTERNAL over: CLOSED
func NestedValue() error {
	var w walk
	w.found.set(errs.NewInternal())
	f := w.found
	return f.err
}

// want: NOT_FOUND
func Asserted() error {
	f, ok := errors.AsType[*failure](First())
	if !ok {
		return nil
	}
	return f.err
}

type reason interface{ Cause() error }

// The interface is not an error, so each object of the type may be there.
//
// want: NOT_FOUND over: CLOSED EXISTS DB_DOWN INTERNAL
func Hidden() error { return hidden().Cause() }

func hidden() reason { return failed("hidden", errs.NewNotFound("2")) }

// want: foreign(taxonomy.Evidence)
func Evidence() error { return &taxonomy.Evidence{Type: "x"} }

// want: EXISTS
func Observed() error {
	ev := detect.Of(errs.NewExists())
	ev.Text = "text"
	return &ev
}

// unwraps asks for a method in place of an error.
func unwraps(x interface{ Unwrap() error }) error { return x.Unwrap() }

// want: CLOSED
func Unwrapped() error {
	if x, ok := Second2().(interface{ Unwrap() error }); ok {
		return unwraps(x)
	}
	return nil
}

func Second2() error { return failed("close", errs.NewClosed()) }

type (
	errorKey struct{}
	checkKey struct{}
)

// want: DECLINED
func ContextValue(ctx context.Context) error {
	ctx = context.WithValue(ctx, errorKey{}, errs.NewDeclined())
	return fromContext(ctx)
}

// want: DECLINED
func fromContext(ctx context.Context) error {
	err, _ := ctx.Value(errorKey{}).(error)
	return err
}

// want: EXISTS
func ContextFunction(ctx context.Context) error {
	return check(context.WithValue(ctx, checkKey{}, func() error { return errs.NewExists() }))
}

func check(ctx context.Context) error {
	if f, ok := ctx.Value(checkKey{}).(func() error); ok {
		return f()
	}
	return nil
}

// An error that is printed is not returned.
//
// want: foreign(json.Marshal)
func Printed() error {
	_, err := json.Marshal(map[string]error{"error": First()})
	return err
}

type options struct {
	// check may fail.
	//
	//errgen:errors NOT_FOUND foreign
	check func(id string) error
}

// want: NOT_FOUND foreign(a_contract_with_foreign_errors)
func Promised(o options) error { return o.check("1") }
