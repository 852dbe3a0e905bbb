// Package findings has functions with the findings about them, in the comments `want`.
package findings

import (
	"context"
	"errors"
	"os"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/vet/internal/infer/testdata/errs"
)

var cond bool

// place has a contract that is wrong in both directions.
//
//errgen:errors NOT_FOUND EXISTS
func place() error { // want "place can return CLOSED, which its contract does not have" "place never returns EXISTS"
	if cond {
		return errs.NewNotFound("1")
	}
	return errs.NewClosed()
}

//errgen:errors NOT_FOUND
func open() error { // want "open can return an error without a code, of os.Open"
	if _, err := os.Open("x"); err != nil {
		return err
	}
	return errs.NewNotFound("1")
}

// Callers rely on the contract of place.
//
//errgen:errors NOT_FOUND EXISTS
func exact() error { return place() }

//errgen:errors NOT_FOUND foreign
func withForeign() error { return open2() }

func open2() error {
	if _, err := os.Open("x"); err != nil {
		return err
	}
	return errs.NewNotFound("1")
}

//errgen:errors MISSPELT
func misspelt() error { return nil } // want "no taxonomy here has the code MISSPELT"

//errgen:errors NOT_FOUND
func noError() int { return 1 } // want "noError has a contract and returns no error"

//errgen:errors NOT_FOUND
func panics() (err error) { // want "the contract of panics cannot be checked: unknown.the value of a panic."
	defer func() { err, _ = recover().(error) }()
	return errs.NewNotFound("1")
}

// The end of a context is no finding.
//
//errgen:errors DB_DOWN DB_FAILED
func ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := os.Open("x")
	return errs.Classify(err, detect.WithSource(errs.SourceDB))
}

type repo interface {
	//errgen:errors NOT_FOUND
	Get() error
}

type file struct{}

func (file) Get() error { return errs.NewDBDown() } // want "Get can return DB_DOWN, which its contract does not have"

type memory struct{}

func (memory) Get() error { return nil } // an implementation may return less

func useRepo(r repo) error {
	err := r.Get()
	if errors.Is(err, errs.CodeExists) { // want "EXISTS never arrives here; these do: NOT_FOUND"
		return nil
	}
	if _, ok := errors.AsType[*errs.StoreError](err); ok { // want "errs.StoreError never arrives here"
		return nil
	}
	return err
}

// The causes of an error are not in its contract.
//
//errgen:errors NOT_FOUND
func wraps() error { return errs.NewNotFound("1").WithCause(errs.NewClosed()) }

func useWraps() bool { return errors.Is(wraps(), errs.CodeClosed) }

func three() error {
	if cond {
		return errs.NewNotFound("1")
	}
	if len(os.Args) > 1 {
		return errs.NewExists()
	}
	return errs.NewClosed()
}

func switches() int {
	e, ok := errors.AsType[*errs.OrderError](three())
	if !ok {
		return 2
	}
	//errgen:exhaustive
	switch e.Code() { // want "CLOSED arrives here and has no case"
	case errs.CodeNotFound, errs.CodeExists:
	}
	//errgen:exhaustive
	switch taxonomy.CodeOf(three()) { // want "NOT_FOUND arrives here and has no case"
	case "CLOSED", "EXISTS":
	case "CLOSSED": // want "CLOSSED never arrives here"
	}
	//errgen:exhaustive
	switch e.Code() {
	case errs.CodeNotFound, errs.CodeExists, errs.CodeClosed:
	}
	switch e.Code() { // not marked
	case errs.CodeNotFound:
	}
	return 0
}

func twice() error {
	err := three()
	if errors.Is(err, errs.CodeNotFound) {
		return nil
	}
	if errors.Is(err, errs.CodeNotFound) { // want "NOT_FOUND never arrives here; these do: CLOSED, EXISTS"
		return nil
	}
	return err
}

func parents(err error) bool {
	return errors.Is(err, errs.CodePayment) // a parameter is open
}

func narrowed(e error) bool {
	err := three()
	return errors.Is(e, errs.CodePayment) || errors.Is(err, errs.CodeExists)
}

func dropped(err error) {
	errs.NewClosed()                  // want "the error is made and dropped"
	defer errs.NewClosed()            // want "the error is made and dropped"
	errs.Classify(err)                // want "the error is made and dropped"
	_ = errs.NewClosed()              // on purpose
	errs.NewClosed().WithOrderID("1") // want "the error is made and dropped"
}

func comparedCases(err error) int {
	switch err {
	case errs.CodeClosed: // want "a case does not find a typed or wrapped error: use errors.Is.err, errs.CodeClosed."
		return 1
	case nil:
		return 2
	}
	return 3
}

func constant() error { return errs.CodeClosed }

func typeOfConstant() bool {
	_, ok := errors.AsType[*errs.OrderError](constant()) // want "errs.OrderError never arrives here; these do: CLOSED"
	return ok
}

func compared(err error) int {
	if err == errs.CodeClosed { // want "== does not find a typed or wrapped error: use errors.Is.err, errs.CodeClosed."
		return 3
	}
	if err != nil && err.Error() == "closed" { // want "the text of an error is compared"
		return 4
	}
	if taxonomy.CodeOf(err) == "NOT_FOUND" { // not the same as errors.Is, which finds causes
		return 5
	}
	if taxonomy.CodeOf(err) == "NOT_FOUNT" { // want "no taxonomy here has the code NOT_FOUNT"
		return 6
	}
	if taxonomy.CodeOf(err) != "" {
		return 7
	}
	return 0
}

var _ = []any{
	useRepo, exact, withForeign, misspelt, noError, panics, ended, switches, twice, parents, narrowed, dropped,
	compared, comparedCases, typeOfConstant}

var _ = []repo{file{}, memory{}}

// A contract on a field says what its functions return.
type hooks struct {
	//errgen:errors NOT_FOUND foreign
	check func(n int) error // want "check can return CLOSED, which its contract does not have"
	//errgen:errors NOT_FOUND
	size int // want "size has a contract and is not a function"
}

func register() []hooks {
	return []hooks{
		{check: func(int) error { return errs.NewClosed() }},
		{check: func(int) error { return errs.NewNotFound("1") }},
	}
}

//errgen:errors NOT_FOUND foreign
func (h hooks) use() error { return h.check(1) }

//errgen:errors PAYMENT
func parentContract(expired bool) error {
	if expired {
		return errs.NewExpired(1)
	}
	return errs.NewDeclined()
}

//errgen:errors PAYMENT
func otherParentContract() error { // want "can return EXISTS" "never returns PAYMENT"
	return errs.NewExists()
}

func parentIsPromised() bool {
	return errors.Is(parentContract(true), errs.CodeExists) // want "EXISTS never arrives here"
}
