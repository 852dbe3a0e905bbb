package taxonomy

// Bounds on the walk through an error's tree, so that a cycle, or a tree that shares its branches,
// ends.
const (
	maxDepth  = 64
	maxErrors = 1024
)

// First returns the first error in err's tree, err included, that has a row in taxonomy t; with a
// nil t, in any taxonomy. The tree is walked depth first as errors.Is does it, to a depth of 64 and
// 1024 errors.
func First(err error, t *Taxonomy) (Coded, bool) {
	for range maxDepth {
		switch x := err.(type) {
		case Coded:
			if t == nil || x.Taxonomy() == t {
				return x, true
			}
			left := maxErrors
			c := below(x, t, maxDepth, &left)
			return c, c != nil
		case interface{ Unwrap() error }:
			err = x.Unwrap()
		case interface{ Unwrap() []error }:
			left := maxErrors
			c := below(err, t, maxDepth, &left)
			return c, c != nil
		default:
			return nil, false
		}
	}
	return nil, false
}

// below is First without err itself.
func below(err error, t *Taxonomy, depth int, left *int) Coded {
	switch x := err.(type) {
	case interface{ Unwrap() error }:
		return walk(x.Unwrap(), t, depth-1, left)
	case interface{ Unwrap() []error }:
		for _, e := range x.Unwrap() {
			if c := walk(e, t, depth-1, left); c != nil {
				return c
			}
		}
	}
	return nil
}

func walk(err error, t *Taxonomy, depth int, left *int) Coded {
	if *left--; *left < 0 || depth <= 0 {
		return nil
	}
	if c, ok := err.(Coded); ok && (t == nil || c.Taxonomy() == t) {
		return c
	}
	return below(err, t, depth, left)
}
