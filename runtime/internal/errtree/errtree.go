// Package errtree asks errors of any origin what they wrap. It is errors.Is and errors.As, but ends
// where a tree does not, and an error that panics when it is asked wraps nothing.
package errtree

import "reflect"

// Bounds on a walk. What is deeper in a tree, or comes later in it, is not found.
const (
	maxDepth  = 1024
	maxErrors = 16 << 10
)

// Is reports whether target is in err's tree, as errors.Is does.
func Is(err, target error) bool {
	if err == nil || target == nil {
		return err == target
	}
	comparable := reflect.TypeOf(target).Comparable()
	found, _ := search(err, func(e error) bool {
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

// As returns the first error in err's tree that is a T, or that gives one when it is asked, as
// errors.As does.
func As[T error](err error) (as T, ok bool) {
	_, _ = search(err, func(e error) bool {
		if as, ok = e.(T); !ok {
			as, ok = given[T](e)
		}
		return ok
	})
	return as, ok
}

// given asks err for a T. What it fills in is a variable of its own, so that nobody else's is on
// the heap.
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

// Ends reports whether all of err's tree is within the bounds, so that errors.Is and errors.As end.
func Ends(err error) bool {
	_, all := search(err, func(error) bool { return false })
	return all
}

// search walks err's tree depth first, err first, until f says yes; all is false when the tree has
// more than is looked at.
func search(err error, f func(error) bool) (found, all bool) {
	left := maxErrors
	return within(err, maxDepth, &left, f)
}

func within(err error, depth int, left *int, f func(error) bool) (found, all bool) {
	for ; err != nil; depth-- {
		if *left--; *left < 0 || depth <= 0 {
			return false, false
		}
		if f(err) {
			return true, true
		}
		branches, one := below(err)
		if branches != nil {
			return each(branches, depth-1, left, f)
		}
		err = one
	}
	return false, true
}

func each(branches []error, depth int, left *int, f func(error) bool) (found, all bool) {
	all = true
	for _, err := range branches {
		if *left <= 0 {
			return false, false
		}
		yes, complete := within(err, depth, left, f)
		if yes {
			return true, true
		}
		all = all && complete
	}
	return false, all
}

// below returns what err wraps: branches, or one error.
func below(err error) (branches []error, one error) {
	defer func() { _ = recover() }()
	switch x := err.(type) {
	case interface{ Unwrap() error }:
		one = x.Unwrap()
	case interface{ Unwrap() []error }:
		branches = x.Unwrap()
	}
	return branches, one
}
