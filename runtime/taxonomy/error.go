package taxonomy

import "github.com/errgen/errgen/runtime/internal/errtree"

// Row is the address of a row of a taxonomy's table: a category, a code of it and a `when` branch.
// A new code at the end of a category changes no other row, but another order of codes does. Store
// codes, not rows.
type Row uint32

// The rows of errors without a code.
const (
	// RowUnknown is the row of the zero values of errors. It has the traits of the taxonomy's
	// fallback.
	RowUnknown Row = 0
	// RowUnknownPermanent is the row of a received unknown code that must not be retried.
	RowUnknownPermanent Row = 1
	// RowUnknownRetry is the row of a received unknown code that may be retried. Its reaction is a
	// retry with the default policy, which honors a hint.
	RowUnknownRetry Row = 2
)

// The bits of a row: 10 for the category, 14 for the code, 8 for the branch.
const branchBits, codeBits = 8, 14

// At returns the row of a code without a `when` branch. category is the index of its category, and
// code is its place in the category, from 1. Code 0, or one above 16383, is no code.
func At(category int, code uint16) Row {
	if code >= 1<<codeBits {
		code = 0
	}
	return Row(category)<<(codeBits+branchBits) | Row(code)<<branchBits
}

// When returns the row of a branch of r's code, counted from 1.
func (r Row) When(branch uint8) Row { return r&^(1<<branchBits-1) | Row(branch) }

// Category returns the index of the category.
func (r Row) Category() int { return int(r >> (codeBits + branchBits)) }

// Code returns the place of the code in its category, from 1, or 0 if the row has no code.
func (r Row) Code() int { return int(r >> branchBits & (1<<codeBits - 1)) }

// Branch returns the `when` branch, counted from 1; 0 means no branch.
func (r Row) Branch() int { return int(r & (1<<branchBits - 1)) }

// Coded has a row in a taxonomy's table: an error or a code constant.
type Coded interface {
	error
	// Taxonomy returns the taxonomy that the row belongs to; never nil.
	Taxonomy() *Taxonomy
	// Row returns the row that the code and its `when` rules select.
	Row() Row
}

// Error is a generated error. All other properties of an error are functions over its row.
type Error interface {
	Coded
	// Unwrap returns the cause, or nil.
	Unwrap() error
	// AppendMessage appends the message.
	AppendMessage(dst []byte) []byte
	// AppendContext appends the context as a JSON object, secrets masked.
	AppendContext(dst []byte) []byte
	// AppendJSON appends the error as a JSON object, secrets masked.
	AppendJSON(dst []byte) []byte
}

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
			return search(err, t)
		case interface{ Unwrap() error }:
			err = x.Unwrap()
		case interface{ Unwrap() []error }:
			return search(err, t)
		default:
			return nil, false
		}
	}
	return nil, false
}

// search is First for a tree that forks, or that contains errors of several taxonomies.
func search(err error, t *Taxonomy) (first Coded, found bool) {
	found, _ = errtree.FindWithin(err, maxDepth, maxErrors, func(e error) bool {
		c, ok := e.(Coded)
		if ok = ok && (t == nil || c.Taxonomy() == t); ok {
			first = c
		}
		return ok
	})
	return first, found
}
