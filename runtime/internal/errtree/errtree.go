// Package errtree inspects trees of foreign errors. Its walks end even in a cyclic tree. If
// Unwrap panics, the error wraps nothing. If Error panics, the text is a note.
//
// [taxonomy.First] walks a chain without forks by itself, because it is on the path of each look-up.
//
// [taxonomy.First]: https://pkg.go.dev/github.com/errgen/errgen/runtime/taxonomy#First
package errtree

import (
	"errors"
	"fmt"
	"iter"
)

// The bounds of a walk. It does not reach deeper or later errors.
const (
	maxDepth  = 1024
	maxErrors = 16 << 10
)

// maxText is how many bytes of an error's text are taken. All callers show far less, and mask
// secrets first, which reads all of it.
const maxText = 256 << 10

// Walk returns the errors of err's tree, err first, depth first, as errors.Is visits them.
func Walk(err error) iter.Seq[error] {
	return func(yield func(error) bool) { Find(err, func(e error) bool { return !yield(e) }) }
}

// Find walks err's tree as [Walk] does until f returns true, and reports whether it did. If f never
// did and the tree is beyond the bounds of a walk, all is false.
func Find(err error, f func(error) bool) (found, all bool) {
	return FindWithin(err, maxDepth, maxErrors, f)
}

// FindWithin is [Find] for the part of the tree that is at most depth deep, and at most count errors
// of it.
func FindWithin(err error, depth, count int, f func(error) bool) (found, all bool) {
	return find(err, depth, &count, f)
}

func find(err error, depth int, left *int, f func(error) bool) (found, all bool) {
	for ; err != nil; depth-- {
		if *left--; *left < 0 || depth <= 0 {
			return false, false
		}
		if f(err) {
			return true, true
		}
		branches, one := Below(err)
		if branches != nil {
			return findEach(branches, depth-1, left, f)
		}
		err = one
	}
	return false, true
}

func findEach(branches []error, depth int, left *int, f func(error) bool) (found, all bool) {
	all = true
	for _, err := range branches {
		if *left <= 0 {
			return false, false
		}
		yes, complete := find(err, depth, left, f)
		if yes {
			return true, true
		}
		all = all && complete
	}
	return false, all
}

// Ends reports whether all of err's tree is within the bounds, so that errors.Is and errors.As end.
func Ends(err error) bool { return Within(err, maxDepth, maxErrors) }

// Within reports whether err's tree is at most depth deep and has at most count errors.
func Within(err error, depth, count int) bool {
	_, all := FindWithin(err, depth, count, func(error) bool { return false })
	return all
}

// Below returns what err wraps: the branches if its tree forks, or one error.
func Below(err error) (branches []error, one error) {
	switch x := err.(type) {
	case interface{ Unwrap() error }:
		return nil, unwrap(x)
	case interface{ Unwrap() []error }:
		return fork(x), nil
	}
	return nil, nil
}

func unwrap(x interface{ Unwrap() error }) (below error) {
	defer func() { _ = recover() }()
	return x.Unwrap()
}

func fork(x interface{ Unwrap() []error }) (below []error) {
	defer func() { _ = recover() }()
	return x.Unwrap()
}

// Text returns the text of an error; if it is very long, its beginning. It is empty for nil, and a
// note if the Error method panics.
func Text(err error) (text string) {
	if err == nil {
		return ""
	}
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("(%T panics when asked for its text)", err)
		}
	}()
	text = err.Error()
	return text[:min(len(text), maxText)]
}

// TreeText is [Text] for an error whose method may call those of all errors below it. If the tree
// is beyond the bounds, so that the call may not end, it returns a note.
func TreeText(err error) string {
	if !Ends(err) {
		return fmt.Sprintf("(%T has too many causes to be shown)", err)
	}
	return Text(err)
}

// Is reports whether target is in err's tree, as errors.Is does. It is false if a method panics.
func Is(err, target error) (is bool) {
	defer func() { _ = recover() }()
	return Ends(err) && errors.Is(err, target)
}

// As returns the first T in err's tree, as errors.AsType does. If a method panics, it finds
// nothing.
func As[T error](err error) (as T, ok bool) {
	defer func() { _ = recover() }()
	if !Ends(err) {
		return as, false
	}
	return errors.AsType[T](err)
}
