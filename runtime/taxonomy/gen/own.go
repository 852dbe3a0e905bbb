package gen

import (
	"unsafe"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// Errors of codes with fields have types of their own, whose first field is a common one, so that
// hundreds of types share their methods. These functions get from that field to the error around
// it. A pointer to a struct is a pointer to its first field, and generated packages declare the
// field so that it is in no other place; package gentest checks this.

// Outer returns the error of type *T whose first field o points to.
func Outer[T, F any](o *F) taxonomy.Error { return any((*T)(unsafe.Pointer(o))).(taxonomy.Error) }

// CopyOuter returns a copy of the error of type *T whose first field o points to.
func CopyOuter[T, F any](o *F) *T {
	e := *(*T)(unsafe.Pointer(o))
	return &e
}

// OwnText returns the message of e.
//
//go:noinline
func OwnText(e taxonomy.Error) string { return string(e.AppendMessage(make([]byte, 0, 128))) }
