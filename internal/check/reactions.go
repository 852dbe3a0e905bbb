package check

import (
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

// eachReaction visits every reaction that is written down, in place or by name, with the view that
// it belongs to. An overlay is visited as it is combined, with what it says itself as written.
func (p *pass) eachReaction(visit func(v *view, combined, written *spec.Reaction)) {
	var inline func(v *view, ref *spec.ReactionRef)
	reaction := func(v *view, combined, written *spec.Reaction) {
		visit(v, combined, written)
		inline(v, written.Then)
	}
	inline = func(v *view, ref *spec.ReactionRef) {
		if ref != nil && ref.Inline != nil {
			reaction(v, ref.Inline, ref.Inline)
		}
	}
	for i := range p.t.Reactions {
		r := &p.t.Reactions[i]
		reaction(p.base, r, r)
	}
	inline(p.base, p.t.Uncategorized)
	for _, c := range p.t.Categories {
		inline(p.base, c.Traits.Reaction)
	}
	for _, c := range p.codes {
		inline(p.base, c.Traits.Reaction)
		for _, w := range c.When {
			inline(p.base, w.Traits.Reaction)
		}
	}
	for _, v := range p.views[1:] {
		for i := range v.profile.Reactions {
			written := &v.profile.Reactions[i]
			if combined := v.reactions[written.Name.V]; combined != nil {
				reaction(v, combined, written)
			}
		}
		for _, o := range v.profile.Codes {
			inline(v, o.Traits.Reaction)
		}
	}
}

// actionsOf says which actions take a key. Keys that are not here go with every action.
var actionsOf = map[string][]string{
	"policy":            {"retry", "retry_operation", "recover"},
	"honor_retry_after": {"retry", "retry_operation", "recover"},
	"shared":            {"retry", "retry_operation", "recover"},
	"then":              {"retry", "retry_operation", "recover", "escalate"},
	"extent":            {"abort", "block"},
	"strategy":          {"recover"},
	"resume":            {"recover"},
	"session":           {"retry", "retry_operation", "recover", "escalate"},
	"to":                {"escalate"},
	"purpose":           {"retry", "retry_operation", "escalate"},
	"feed_back":         {"retry", "retry_operation", "recover", "escalate", "continue", "block"},
}

// written is a key of a reaction and where its value stands.
type written struct {
	key string
	at  diag.Span
}

// keysOf lists the keys of a reaction that not every action takes.
func keysOf(r *spec.Reaction) []written {
	var out []written
	add := func(key string, set bool, at diag.Span) {
		if set {
			out = append(out, written{key, at})
		}
	}
	if r.Policy != nil {
		add("policy", true, first(r.Policy.Name.Span, r.Policy.Span))
	}
	if r.Then != nil {
		add("then", true, refSpan(r.Then, false))
	}
	add("honor_retry_after", r.HonorRetryAfter.Set, r.HonorRetryAfter.Span)
	add("shared", r.Shared.Set, r.Shared.Span)
	add("extent", r.Extent.Set, r.Extent.Span)
	add("strategy", r.Strategy.Set, r.Strategy.Span)
	add("resume", r.Resume.Set, r.Resume.Span)
	add("session", r.Session.Set, r.Session.Span)
	add("to", r.To.Set, r.To.Span)
	add("purpose", r.Purpose.Set, r.Purpose.Span)
	add("feed_back", r.FeedBack.Set, r.FeedBack.Span)
	return out
}

func actionKeys(p *pass) {
	p.eachReaction(func(_ *view, combined, reaction *spec.Reaction) {
		if !combined.Action.Set {
			return
		}
		for _, k := range keysOf(reaction) {
			fits := actionsOf[k.key]
			if slices.Contains(fits, combined.Action.V) || k.key == "to" && retries(combined) &&
				(combined.Purpose.Given() || reaction.Purpose.Given()) {
				continue
			}
			p.report(k.at, "%s does not take %s", combined.Action.V, k.key).
				hint("%s goes with %s", k.key, strings.Join(fits, ", ")+alsoWith(k.key)).
				related(combined.Action.Span, "the action")
		}
	})
}

// alsoWith says what else would have a reaction take a key.
func alsoWith(key string) string {
	if key != "to" {
		return ""
	}
	return ", and with a retry that has a purpose"
}

// actionNeeds finds reactions that lack what their action cannot do without.
func actionNeeds(p *pass) {
	p.eachReaction(func(_ *view, r, reaction *spec.Reaction) {
		at := first(reaction.Action.Span, reaction.Name.Span, reaction.Span)
		switch {
		case r.Action.V == "recover" && !r.Strategy.Set:
			p.report(at, "recover needs a strategy")
		case r.Action.V == "retry_operation" && r.Then == nil:
			p.report(at, "retry_operation needs then: what follows when its tries are used up")
		}
		if retries(r) && r.Purpose.Set && !r.To.Given() && !reaction.To.Given() {
			p.report(first(reaction.Purpose.Span, at), "%s with a purpose needs to: the tier that is asked", r.Action.V)
		}
		if r.AcceptCompletion.V && !r.Revert.Set {
			p.report(first(reaction.AcceptCompletion.Span, at),
				"accept_completion needs revert: it accepts what is left after one")
		}
	})
}

// thenCycle finds reactions that lead back to themselves.
func thenCycle(p *pass) {
	for _, v := range p.views {
		done := make(map[*spec.Reaction]bool)
		for i := range p.t.Reactions {
			p.thenCycleFrom(v, v.reactions[p.t.Reactions[i].Name.V], done)
		}
	}
}

func (p *pass) thenCycleFrom(v *view, r *spec.Reaction, done map[*spec.Reaction]bool) {
	var path []*spec.Reaction
	for ; r != nil && !done[r]; r = v.then(r) {
		done[r] = true
		path = append(path, r)
	}
	from := slices.Index(path, r)
	if r == nil || from < 0 {
		return
	}
	cycle := append(path[from:], r)
	last := cycle[len(cycle)-2]
	at := refSpan(last.Then, false)
	if !p.reported(at) {
		p.report(at, "then leads in a circle: %s", strings.Join(reactionNames(cycle), ", "))
	}
}

func reactionNames(rs []*spec.Reaction) []string {
	out := make([]string, len(rs))
	for i, r := range rs {
		out[i] = r.Name.V
		if out[i] == "" {
			out[i] = "(in place)"
		}
	}
	return out
}

// unboundedRetry finds retries that neither count as failures nor are bounded by a policy.
func unboundedRetry(p *pass) {
	p.eachReaction(func(_ *view, r, reaction *spec.Reaction) {
		counts := r.CountFailure.Or(r.Action.V == "retry" || r.Action.V == "recover")
		if !retries(r) && r.Action.V != "recover" || counts || r.Policy != nil {
			return
		}
		at := first(reaction.CountFailure.Span, reaction.Action.Span, reaction.Name.Span, reaction.Span)
		p.report(at, "nothing bounds this: it does not count as a failure and has no policy").
			hint("give it a policy, or let it count")
	})
}

func escalationWithoutTiers(p *pass) {
	if len(p.t.Tiers) > 0 {
		return
	}
	p.eachReaction(func(_ *view, r, reaction *spec.Reaction) {
		if retries(r) && r.Purpose.Set {
			p.report(first(reaction.Purpose.Span, reaction.Action.Span, reaction.Name.Span), "there is nobody to ask").
				hint("declare the ladder under tiers")
		}
		if r.Action.V == "escalate" {
			p.report(first(reaction.To.Span, reaction.Action.Span, reaction.Name.Span),
				"there is nobody to escalate to").hint("declare the ladder under tiers")
		}
	})
}

func personNotLast(p *pass) {
	for i, t := range p.t.Tiers {
		if t.Person.V && i < len(p.t.Tiers)-1 {
			p.report(first(t.Person.Span, t.Name.Span), "a person is the last tier, and %q comes after %q",
				p.t.Tiers[i+1].Name.V, t.Name.V).
				related(p.t.Tiers[i+1].Name.Span, "the next tier")
		}
	}
}

// personAsked finds purposes for which a person would be asked: a person is asked a question, and
// then decides.
func personAsked(p *pass) {
	person := make(map[string]diag.Span)
	for _, t := range p.t.Tiers {
		if !t.Person.V {
			continue
		}
		person[t.Name.V] = t.Name.Span
		if t.Purpose.Set {
			p.report(t.Purpose.Span, "a person takes no purpose: a person decides").
				related(first(t.Person.Span, t.Name.Span), "the person")
		}
	}
	p.eachReaction(func(_ *view, r, reaction *spec.Reaction) {
		at, is := person[r.To.V]
		switch {
		case !is:
		case r.Action.V == "escalate" && reaction.Purpose.Set:
			p.report(reaction.Purpose.Span, "%q is a person, and takes no purpose: a person decides", r.To.V).
				hint("remove the purpose, or name another tier").related(at, "the person")
		case retries(r) && r.Purpose.Set:
			p.report(first(reaction.To.Span, reaction.Purpose.Span, reaction.Action.Span, reaction.Name.Span),
				"%s with a purpose asks a tier that is no person, and %q is one", r.Action.V, r.To.V).
				hint("name another tier, or escalate").related(at, "the person")
		}
	})
}

// predeclaredAgain finds reactions that take the name of one that every taxonomy has.
func predeclaredAgain(p *pass) {
	for _, r := range p.t.Reactions {
		if slices.Contains(predeclared, r.Name.V) {
			p.report(r.Name.Span, "reaction %q is predeclared", r.Name.V).
				hint("choose another name; a profile may overlay it")
		}
	}
}
