package check

import (
	"cmp"
	"slices"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

// row is what the table, or a profile, says of a code, or of a code under one of its branches.
type row struct {
	*code
	when     *spec.When // nil for the code as such
	view     *view
	traits   spec.Traits
	reaction *spec.Reaction // nil when it is not declared
	overlay  *spec.Overlay  // the profile's overlay that gave the reaction; nil when none did
}

// rowsOf works out the rows of a view, without branches that leave the reaction and its conditions
// alone: what is to be said of those is said of their code. Each trait keeps the place where it was
// written, be it the category, the code, the branch or the profile.
func (s *scope) rowsOf(v *view) []row {
	var out []row
	for _, c := range s.codes {
		own := overTraits(c.Traits, c.category.Traits)
		out = append(out, v.row(c, nil, own))
		for i := range c.When {
			if w := &c.When[i]; decides(w.Traits) {
				out = append(out, v.row(c, w, overTraits(w.Traits, own)))
			}
		}
	}
	return out
}

// decides reports whether a branch has a part in what is done about the error.
func decides(t spec.Traits) bool {
	return t.Retryable.Set || t.Recoverability.Set || t.Reaction != nil
}

func (v *view) row(c *code, w *spec.When, traits spec.Traits) row {
	r := row{code: c, when: w, view: v, traits: traits}
	if v.profile != nil {
		r.applyOverlays()
	}
	r.reaction = v.resolve(r.traits.Reaction, r.traits.Retryable.V)
	return r
}

// applyOverlays lets the profile's overlays speak, the most specific last. What would make retried
// what is not retryable is passed over.
func (r *row) applyOverlays() {
	retryable, reaction := r.traits.Retryable, r.traits.Reaction
	overlays := r.view.overlaysOf(r.code)
	slices.Reverse(overlays)
	for _, o := range overlays {
		r.traits = overTraits(o.Traits, r.traits)
	}
	if !retryable.V {
		r.traits.Retryable = retryable
	}
	r.traits.Reaction = reaction
	for _, o := range overlays {
		if o.Traits.Reaction == nil {
			continue
		}
		chosen := r.view.resolve(o.Traits.Reaction, r.traits.Retryable.V)
		if chosen != nil && retries(chosen) && !r.traits.Retryable.V {
			continue
		}
		r.traits.Reaction, r.overlay = o.Traits.Reaction, o
	}
}

// overlaysOf returns a profile's overlays of a code, the most specific first.
func (v *view) overlaysOf(c *code) []*spec.Overlay {
	var exact, category, groups, all []*spec.Overlay
	for i := range v.profile.Codes {
		o := &v.profile.Codes[i]
		switch key := o.Key.V; {
		case key == c.Name.V:
			exact = append(exact, o)
		case key == c.category.Name.V:
			category = append(category, o)
		case key == "*":
			all = append(all, o)
		case len(key) > 1 && key[0] == '@' && c.in(key[1:]):
			groups = append(groups, o)
		}
	}
	slices.SortStableFunc(groups, func(a, b *spec.Overlay) int {
		return cmp.Compare(v.groupRank(a.Key.V[1:]), v.groupRank(b.Key.V[1:]))
	})
	return slices.Concat(exact, category, groups, all)
}

// groupRank is the place of a group among those declared: of two groups the first one wins.
func (v *view) groupRank(name string) int {
	return slices.Index(v.groups, name)
}

func (c *code) in(group string) bool {
	return slices.ContainsFunc(c.Groups, func(g spec.Text) bool { return g.V == group })
}

// reactionSpan is where the row's reaction was chosen; no place when it is the default.
func (r *row) reactionSpan() diag.Span {
	return refSpan(r.traits.Reaction, r.traits.Retryable.V)
}

// refSpan is the token that chooses a reaction.
func refSpan(ref *spec.ReactionRef, retryable bool) diag.Span {
	switch {
	case ref == nil:
		return diag.Span{}
	case ref.ByFlag != nil:
		return first(byFlag(ref.ByFlag, retryable).Span, ref.Span)
	default:
		return first(ref.Name.Span, ref.Span)
	}
}

// retries reports whether a reaction does again what failed, unchanged.
func retries(r *spec.Reaction) bool {
	return r.Action.V == "retry" || r.Action.V == "retry_operation"
}

// ownSpan is the first of the candidates that stands in the row's branch, else in its code, else
// the branch or the code itself. A trait that stands in the category concerns many codes, so that
// it is no place to point at.
func (r *row) ownSpan(candidates ...diag.Span) diag.Span {
	if r.when != nil {
		if at := among(r.when.Traits, candidates); at.Valid() {
			return at
		}
	}
	if at := among(r.Traits, candidates); at.Valid() {
		return at
	}
	if r.when != nil {
		return first(r.when.Span, r.Name.Span)
	}
	return r.Name.Span
}

// among returns the first candidate that is the place of one of the traits.
func among(t spec.Traits, candidates []diag.Span) diag.Span {
	own := []diag.Span{t.Retryable.Span, t.Recoverability.Span, refSpan(t.Reaction, true), refSpan(t.Reaction, false)}
	for _, c := range candidates {
		if c.Valid() && slices.Contains(own, c) {
			return c
		}
	}
	return diag.Span{}
}

// where names the row in a message.
func (r *row) where() string {
	if r.when != nil {
		return r.Name.V + " in this branch"
	}
	return r.Name.V
}
