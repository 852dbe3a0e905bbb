package gen

import (
	"cmp"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// AppendPublic appends the public part of an error of a public code as a JSON object. Taxonomies
// with public codes refer to it.
func AppendPublic(dst []byte, e taxonomy.PublicError, row taxonomy.Row, traits *taxonomy.Traits) []byte {
	return appendPublic(dst, e, row, traits, maxDepth+1)
}

// appendPublic appends an error with at most depth levels. The reaction is included only if it
// differs from the code's, because a receiver cannot select the branch without the internal fields.
func appendPublic(dst []byte, e taxonomy.PublicError, row taxonomy.Row, traits *taxonomy.Traits, depth int) []byte {
	t := e.Taxonomy()
	c, code := t.Categories[row.Category()], t.Code(row)
	dst = append(dst, '{')
	if t.Domain != "" {
		dst = append(appendText(append(dst, `"domain":"`...), t.Domain), `",`...)
	}
	dst = appendText(append(dst, `"category":"`...), c.Name)
	dst = appendText(append(dst, `","code":"`...), code.Value)
	dst = append(dst, `","message":"`...)
	start := len(dst)
	dst = escapeTail(e.AppendMessage(dst), start)
	if traits.Retryable {
		dst = append(dst, `","retryable":true`...)
	} else {
		dst = append(dst, `","retryable":false`...)
	}
	dst = appendEffect(dst, declaredEffect(e, traits))
	if traits.Reaction != code.Reaction {
		dst = appendString(append(dst, `,"reaction":`...), traits.Reaction.Name)
	}
	dst = appendIs(dst, t, row, true)
	dst = e.AppendPublicContext(append(dst, `,"context":`...))
	if cause := e.Unwrap(); cause != nil && depth > 1 {
		dst = appendPublicCause(dst, cause, depth-1)
	}
	return append(dst, '}')
}

// appendPublicCause appends the first error of a taxonomy in a cause's tree, if its code is public.
// An error that panics, as a nil pointer does, is left out.
func appendPublicCause(dst []byte, cause error, depth int) (out []byte) {
	defer func() {
		if recover() != nil {
			out = dst
		}
	}()
	c, ok := taxonomy.First(cause, nil)
	if !ok {
		return dst
	}
	t, row := c.Taxonomy(), c.Row()
	if code := t.Code(row); code == nil || !code.Public {
		return dst
	}
	return appendPublic(append(dst, `,"cause":`...), taxonomy.AsPublic(c), row, t.Traits(row), depth)
}

// Sent returns the row that the sender of an error selected, if it differs from the row that the
// received context selects. Otherwise it returns selected, the row of the context.
func Sent[C Code](b *Base[C], selected taxonomy.Row) taxonomy.Row {
	if b.sent == 0 {
		return selected
	}
	return selected.When(b.sent - 1)
}

// setSent makes [Sent] return a branch.
func (b *Base[C]) setSent(branch uint8) { b.sent = branch + 1 }

// keepSent gives an error of a public code the `retryable` and the reaction that its sender sent.
// The context lacks the internal fields, so it may select another branch than the sender's.
func (w *envelope) keepSent(e taxonomy.Error, code *taxonomy.Code) {
	want := cmp.Or(w.Reaction, code.Reaction.Name)
	agrees := func(traits *taxonomy.Traits, sameReaction bool) bool {
		return traits.Retryable == w.Retryable.Or(false) && (!sameReaction || traits.Reaction.Name == want)
	}
	t, row := e.Taxonomy(), e.Row()
	selected := t.Traits(row)
	for _, sameReaction := range [2]bool{true, false} {
		if agrees(selected, sameReaction && w.Reaction != "") {
			return
		}
		for branch := range len(code.When) + 1 {
			if agrees(t.Traits(row.When(uint8(branch))), sameReaction) {
				e.(interface{ setSent(branch uint8) }).setSent(uint8(branch))
				return
			}
		}
	}
}
