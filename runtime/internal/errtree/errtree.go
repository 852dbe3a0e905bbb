// Package errtree inspects trees of foreign errors. Its walks end even in a cyclic tree. If
// Unwrap panics, the error wraps nothing. If Error panics, the text is a note.
//
// [taxonomy.First] walks by itself, because it is on the path of each look-up.
//
// [taxonomy.First]: https://pkg.go.dev/github.com/errgen/errgen/runtime/taxonomy#First
package errtree

import (
	"fmt"
	"iter"
	"log/slog"
	"reflect"
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
	left := maxErrors
	return find(err, maxDepth, &left, f)
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
	_, all := find(err, depth, &count, func(error) bool { return false })
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

// LogValue returns the log value of an error, or a note if it panics.
func LogValue(v slog.LogValuer) (value slog.Value) {
	defer func() {
		if recover() != nil {
			value = slog.StringValue(fmt.Sprintf("(%T panics when asked for its log value)", v))
		}
	}()
	return v.LogValue()
}

// Is reports whether target is in err's tree, as errors.Is does.
func Is(err, target error) bool {
	if err == nil || target == nil {
		return err == target
	}
	comparable := reflect.TypeOf(target).Comparable()
	found, _ := Find(err, func(e error) bool {
		return comparable && same(e, target) || says(e, target)
	})
	return found
}

// same compares two errors; a type can be comparable and a value of it not.
func same(a, b error) (is bool) {
	defer func() { _ = recover() }()
	return a == b
}

func says(err, target error) (is bool) {
	x, ok := err.(interface{ Is(error) bool })
	if !ok {
		return false
	}
	defer func() { _ = recover() }()
	return x.Is(target)
}

// As returns the first T in err's tree. Like errors.As, it calls the As methods of the errors.
func As[T error](err error) (as T, ok bool) {
	_, _ = Find(err, func(e error) bool {
		if as, ok = e.(T); !ok {
			as, ok = given[T](e)
		}
		return ok
	})
	return as, ok
}

// given calls err's As method for a T. It has a separate variable, so that the variable of As stays
// off the heap.
func given[T error](err error) (as T, ok bool) {
	x, asks := err.(interface{ As(any) bool })
	if !asks {
		return as, false
	}
	return asked[T](x)
}

func asked[T error](x interface{ As(any) bool }) (as T, ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	ok = x.As(&as)
	return as, ok
}
