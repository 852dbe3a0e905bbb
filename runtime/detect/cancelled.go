package detect

import "context"

// cancelled reports whether err's tree holds a cancelled context. It is errors.Is, but it ends
// where a tree does not.
func cancelled(err error) bool {
	left := maxErrors
	found, _ := search(err, maxDepth, &left, isCancelled)
	return found
}

func isCancelled(err error) bool {
	if err == context.Canceled {
		return true
	}
	x, ok := err.(interface{ Is(error) bool })
	return ok && x.Is(context.Canceled)
}

// ends reports whether err's tree is small enough for errors.Is and errors.As, which would follow a
// cycle for ever.
func ends(err error) bool {
	left := maxErrors
	_, all := search(err, maxDepth, &left, func(error) bool { return false })
	return all
}

// search walks err's tree depth first until f says yes; all is false when the tree is deeper or
// larger than it may be.
func search(err error, depth int, left *int, f func(error) bool) (found, all bool) {
	for ; err != nil; depth-- {
		if *left--; *left < 0 || depth < 0 {
			return false, false
		}
		if f(err) {
			return true, true
		}
		switch x := err.(type) {
		case interface{ Unwrap() error }:
			err = x.Unwrap()
		case interface{ Unwrap() []error }:
			return searchEach(x.Unwrap(), depth-1, left, f)
		default:
			return false, true
		}
	}
	return false, true
}

func searchEach(errs []error, depth int, left *int, f func(error) bool) (found, all bool) {
	all = true
	for _, err := range errs {
		yes, complete := search(err, depth, left, f)
		if yes {
			return true, true
		}
		all = all && complete
	}
	return false, all
}
