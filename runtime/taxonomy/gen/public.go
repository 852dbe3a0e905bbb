package gen

import (
	"cmp"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// AppendPublic appends the JSON of a public view that has a code. Taxonomies with public codes refer
// to it.
func AppendPublic(dst []byte, v taxonomy.PublicView) []byte {
	return appendPublic(dst, v, maxDepth+1)
}

// appendPublic appends a view with depth levels at the most. The reaction is part of it only if it
// differs from the code's, because a receiver cannot find that out without the internal fields.
func appendPublic(dst []byte, v taxonomy.PublicView, depth int) []byte {
	c := v.Err()
	t, row := c.Taxonomy(), c.Row()
	dst = appendHead(dst, t, row)
	start := len(dst)
	dst = escapeTail(v.AppendMessage(dst), start)
	if v.Retryable() {
		dst = append(dst, `","retryable":true`...)
	} else {
		dst = append(dst, `","retryable":false`...)
	}
	if row.Branch() != 0 {
		if r := t.Traits(row).Reaction; r != t.Code(row).Reaction {
			dst = appendString(append(dst, `,"reaction":`...), r.Name)
		}
	}
	dst = v.AppendContext(append(dst, `,"context":`...))
	if e, ok := c.(taxonomy.Error); ok && depth > 1 && e.Unwrap() != nil {
		dst = appendPublicCause(dst, v, depth-1)
	}
	return append(dst, '}')
}

// appendPublicCause appends the view's cause, if it is public; a cause that panics, as a nil pointer
// does, is left out.
func appendPublicCause(dst []byte, v taxonomy.PublicView, depth int) (out []byte) {
	defer func() {
		if recover() != nil {
			out = dst
		}
	}()
	if cause, ok := v.Cause(); ok {
		return appendPublic(append(dst, `,"cause":`...), cause, depth)
	}
	return dst
}

// Sent returns the row of an error: the one that its context selects, or the one that its sender
// selected if the context was not sent completely.
func Sent[C Code](b *Base[C], selected taxonomy.Row) taxonomy.Row {
	if b.sent == 0 {
		return selected
	}
	return selected.When(b.sent - 1)
}

// setSent makes [Sent] return a branch.
func (b *Base[C]) setSent(branch uint8) { b.sent = branch + 1 }

// keepSent makes an error of a public code keep the `retryable` and the reaction that its sender
// gave it, where its context, without internal fields, selects another branch.
func (w *envelope) keepSent(e taxonomy.Error, code *taxonomy.Code) {
	reaction := unquote(w.reaction)
	want := cmp.Or(reaction, code.Reaction.Name)
	agrees := func(traits *taxonomy.Traits, sameReaction bool) bool {
		return traits.Retryable == w.retryable && (!sameReaction || traits.Reaction.Name == want)
	}
	t, row := e.Taxonomy(), e.Row()
	if agrees(t.Traits(row), reaction != "") {
		return
	}
	for _, sameReaction := range [2]bool{true, false} {
		for branch := range len(code.When) + 1 {
			if agrees(t.Traits(row.When(uint8(branch))), sameReaction) {
				e.(interface{ setSent(branch uint8) }).setSent(uint8(branch))
				return
			}
		}
	}
}
