package check

import (
	"slices"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

// addReactions lists the reactions of the table, also those in place. The ones of profiles are
// checked where they are applied.
func (c *checker) addReactions() {
	t := c.t
	for _, name := range spec.Predeclared {
		text := spec.Text{V: name, Set: true}
		c.reactionNamed[name] = &spec.Reaction{Name: text, Action: text}
	}
	for i := range t.Reactions {
		c.reactionNamed[t.Reactions[i].Name.V] = &t.Reactions[i]
		c.addReaction(&t.Reactions[i])
	}
	c.addInPlace(t.Uncategorized)
	for _, k := range t.Categories {
		c.addInPlace(k.Traits.Reaction)
		for _, code := range k.Codes {
			c.addInPlace(code.Traits.Reaction)
			for _, w := range code.When {
				c.addInPlace(w.Traits.Reaction)
			}
		}
	}
}

func (c *checker) addReaction(r *spec.Reaction) {
	c.reactions = append(c.reactions, r)
	c.addInPlace(r.Then)
}

func (c *checker) addInPlace(ref *spec.ReactionRef) {
	if ref != nil && ref.Inline != nil {
		c.addReaction(ref.Inline)
	}
}

// then returns the reaction that follows r if it is exhausted, or nil if r ends the chain.
func (c *checker) then(r *spec.Reaction) *spec.Reaction {
	switch {
	case !slices.Contains([]string{"retry", "retry_operation", "recover", "escalate"}, r.Action.V) || r.Then == nil:
		return nil
	case r.Then.Inline != nil:
		return r.Then.Inline
	}
	return c.reactionNamed[r.Then.Name.V]
}

// refSpan is the token that chooses a reaction.
func refSpan(ref *spec.ReactionRef, retryable bool) diag.Span {
	switch {
	case ref == nil:
		return diag.Span{}
	case ref.ByFlag != nil && retryable:
		return firstSpan(ref.ByFlag.Retryable.Span, ref.Span)
	case ref.ByFlag != nil:
		return firstSpan(ref.ByFlag.Permanent.Span, ref.Span)
	}
	return firstSpan(ref.Name.Span, ref.Span)
}
