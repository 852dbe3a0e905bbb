package gen

import (
	"strconv"

	"github.com/errgen/errgen/runtime/internal/errtree"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// Bounds on the printed part of a tree of causes. They end cycles and trees that share branches.
const (
	maxDepth  = 32
	maxCauses = 128
)

// causeEncoder writes an error and the tree of its causes. It leaves out causes beyond the bounds.
type causeEncoder struct {
	// left is the number of causes that may still be written.
	left int
}

// cause appends a cause as a JSON object. An error or a code of a taxonomy is appended as its JSON,
// and any other error as its text and the errors of a taxonomy below it.
func (w *causeEncoder) cause(dst []byte, err error, depth int) []byte {
	w.left--
	if s, ok := err.(*taxonomy.Traced); ok {
		_, err = errtree.Below(s)
	}
	if c, ok := err.(taxonomy.Coded); ok {
		if out, ok := w.coded(dst, c, depth); ok {
			return out
		}
	}
	return w.other(dst, err, depth)
}

// coded appends an error or a code of a taxonomy. If it has no code or panics, as a nil pointer
// does, ok is false.
func (w *causeEncoder) coded(dst []byte, c taxonomy.Coded, depth int) (out []byte, ok bool) {
	defer func() {
		if recover() != nil {
			out, ok = dst, false
		}
	}()
	if u, ok := c.(*taxonomy.Unknown); ok {
		return u.AppendJSON(dst), true
	}
	if c.Taxonomy().Code(c.Row()) == nil {
		return dst, false
	}
	if e, ok := c.(taxonomy.Error); ok {
		return w.error(dst, e, depth), true
	}
	return appendCode(dst, c), true
}

// other appends an error that is not of a taxonomy.
func (w *causeEncoder) other(dst []byte, err error, depth int) []byte {
	dst = appendString(append(dst, `{"message":`...), causeString(err))
	joined, below := descend(err)
	switch {
	case joined != nil:
		dst = append(w.list(append(dst, `,"causes":[`...), joined, depth), ']')
	case below != nil && depth > 1 && w.left > 0:
		dst = w.cause(append(dst, `,"cause":`...), below, depth-1)
	}
	return append(dst, '}')
}

func (w *causeEncoder) list(dst []byte, errs []error, depth int) []byte {
	n := 0
	for _, e := range errs {
		if e == nil || depth <= 1 || w.left <= 0 {
			continue
		}
		if n++; n > 1 {
			dst = append(dst, ',')
		}
		dst = w.cause(dst, e, depth-1)
	}
	return dst
}

// appendCode appends a code constant, which is an error without context.
func appendCode(dst []byte, c taxonomy.Coded) []byte {
	t, row := c.Taxonomy(), c.Row()
	dst = appendText(appendHead(dst, t, row), c.Error())
	dst = strconv.AppendBool(append(dst, `","retryable":`...), t.Traits(row).Retryable)
	dst = appendIs(appendEffect(dst, t.Traits(row).Effect), t, row, false)
	return append(dst, `,"context":{}}`...)
}

// asError returns err as an error of a taxonomy, without a recorded stack around it. For any other
// error it returns nil.
func asError(err error) taxonomy.Error {
	if s, ok := err.(*taxonomy.Traced); ok {
		_, err = errtree.Below(s)
	}
	te, _ := err.(taxonomy.Error)
	return te
}

// descend returns the causes to show for an error that is not of a taxonomy: its branches, or the
// first error below it that is of a taxonomy or has branches.
func descend(err error) (joined []error, below error) {
	for range maxDepth {
		branches, one := errtree.Below(err)
		if one == nil {
			return branches, nil
		}
		if err = one; asError(err) != nil {
			return nil, err
		}
		if branches, _ := errtree.Below(err); len(branches) > 0 {
			return nil, err
		}
	}
	return nil, nil
}

// bounded reports whether err's tree is within the bounds.
func bounded(err error) bool { return errtree.Within(err, maxDepth, maxCauses) }
