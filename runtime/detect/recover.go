package detect

import (
	"errors"
	"fmt"
	"strings"

	"github.com/errgen/errgen/runtime/internal/errtree"
)

// ask returns what f, a method of somebody else's, returns; the zero T when it panics.
func ask[T any](f func() T) (v T, ok bool) {
	defer func() {
		if recover() != nil {
			var none T
			v, ok = none, false
		}
	}()
	return f(), true
}

// try runs f and passes over a panic.
func try(f func()) {
	defer func() { _ = recover() }()
	f()
}

// textOr returns what f, the method of value for its text, returns; a note when it panics.
func textOr(value any, f func() string) string {
	if text, ok := ask(func() string { return f() }); ok {
		return text
	}
	return fmt.Sprintf("(%T panics when asked for its text)", value)
}

// textOf returns the text of an error; where it panics, a note and the text of the first error
// below that has one.
func textOf(err error) string {
	note := ""
	for range maxDepth {
		if text, ok := ask(func() string { return err.Error() }); ok {
			return note + text
		}
		if note == "" {
			note = fmt.Sprintf("(%T panics when asked for its text): ", err)
		}
		branches, one := errtree.Below(err)
		if len(branches) > 0 {
			one = branches[0]
		}
		if err = one; err == nil {
			break
		}
	}
	return strings.TrimSuffix(note, ": ")
}

// mute stands for an error that panics when it is asked for its text. Since whoever shows a chain
// asks each error in it, what it stands for is not in the chain: errors.Is and errors.As reach it
// all the same.
type mute struct {
	err  error
	text string
}

func (m *mute) Error() string { return m.text }

// Is reports whether errors.Is finds target in the error that m stands for.
func (m *mute) Is(target error) bool { return errtree.Is(m.err, target) }

// As has errors.As look in the error that m stands for.
func (m *mute) As(target any) bool {
	found, _ := ask(func() bool { return errtree.Ends(m.err) && errors.As(m.err, target) })
	return found
}
