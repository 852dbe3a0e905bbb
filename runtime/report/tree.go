package report

import (
	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// try calls f, and passes over a panic: the errors of others may panic when they are asked.
func try(f func()) {
	defer func() { _ = recover() }()
	f()
}

// codedIn returns the first error in a tree that has a row in t, in any taxonomy for a nil t; nil
// when there is none.
func codedIn(err error, t *taxonomy.Taxonomy) (found taxonomy.Coded) {
	for e := range errtree.Walk(err) {
		c, ok := e.(taxonomy.Coded)
		if !ok {
			continue
		}
		try(func() {
			if of := c.Taxonomy(); of != nil && (t == nil || of == t) {
				found = c
			}
		})
		if found != nil {
			break
		}
	}
	return found
}

// evidenceIn returns the first evidence in a tree, or nil.
func evidenceIn(err error) *taxonomy.Evidence {
	for e := range errtree.Walk(err) {
		if found, _ := e.(*taxonomy.Evidence); found != nil {
			return found
		}
	}
	return nil
}

// stackIn returns the stack that was recorded in a tree, innermost call first, or "".
func stackIn(err error) (stack string) {
	for e := range errtree.Walk(err) {
		if t, ok := e.(*taxonomy.Traced); ok && t != nil {
			try(func() { stack = string(t.AppendStack(nil)) })
		}
		if stack != "" {
			break
		}
	}
	return stack
}
