package report

import (
	"fmt"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Bounds on the walk through an error's tree.
const (
	maxErrorDepth = 64
	maxErrors     = 256
)

// try calls f, and passes over a panic: the errors of others may panic when they are asked.
func try(f func()) {
	defer func() { _ = recover() }()
	f()
}

// errorText returns the text of an error, or a note when it panics.
func errorText(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("(%T panics when asked for its text)", err)
		}
	}()
	return err.Error()
}

// walk calls f with each error of a tree until f returns false, err first, depth first.
func walk(err error, f func(error) bool) {
	left := maxErrors
	walkWithin(err, maxErrorDepth, &left, f)
}

func walkWithin(err error, depth int, left *int, f func(error) bool) bool {
	if err == nil {
		return true
	}
	if *left--; *left < 0 || depth <= 0 || !f(err) {
		return false
	}
	for _, below := range unwrapped(err) {
		if !walkWithin(below, depth-1, left, f) {
			return false
		}
	}
	return true
}

// unwrapped returns what err wraps; a panic counts as nothing.
func unwrapped(err error) (below []error) {
	try(func() {
		switch x := err.(type) {
		case interface{ Unwrap() error }:
			below = []error{x.Unwrap()}
		case interface{ Unwrap() []error }:
			below = x.Unwrap()
		}
	})
	return below
}

// codedIn returns the first error in a tree that has a row in t, in any taxonomy for a nil t; nil
// when there is none.
func codedIn(err error, t *taxonomy.Taxonomy) (found taxonomy.Coded) {
	walk(err, func(e error) bool {
		c, ok := e.(taxonomy.Coded)
		if !ok {
			return true
		}
		try(func() {
			if of := c.Taxonomy(); of != nil && (t == nil || of == t) {
				found = c
			}
		})
		return found == nil
	})
	return found
}

// evidenceIn returns the first evidence in a tree, or nil.
func evidenceIn(err error) (found *taxonomy.Evidence) {
	walk(err, func(e error) bool {
		found, _ = e.(*taxonomy.Evidence)
		return found == nil
	})
	return found
}

// stackIn returns the stack that was recorded in a tree, innermost call first, or "".
func stackIn(err error) (stack string) {
	walk(err, func(e error) bool {
		if t, ok := e.(*taxonomy.Traced); ok && t != nil {
			try(func() { stack = string(t.AppendStack(nil)) })
		}
		return stack == ""
	})
	return stack
}
