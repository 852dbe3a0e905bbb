package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/errgen/errgen/internal/diag"
	"github.com/errgen/errgen/internal/spec"
)

// retries reports whether a reaction repeats the call that failed, unchanged.
func retries(r *spec.Reaction) bool {
	return r.Action.V == "retry" || r.Action.V == "retry_operation"
}

// reactions finds keys that an action does not take, those that it lacks, and retries that neither
// count as failures nor are bounded by a policy.
func reactions(c *checker) {
	for _, r := range c.reactions {
		for _, k := range r.Keys() {
			asksTier := k.Name == "to" && retries(r) && r.Purpose.Set
			if !slices.Contains(k.Actions, r.Action.V) && !asksTier {
				hint := k.Name + " goes with " + strings.Join(k.Actions, ", ")
				if k.Name == "to" {
					hint += ", and with a retry that has a purpose"
				}
				c.report("E-action", k.Span, fmt.Sprintf("%s does not take %s", r.Action.V, k.Name), hint,
					seeAlso(r.Action.Span, "the action"))
			}
		}
		at := firstSpan(r.Action.Span, r.Name.Span, r.Span)
		if r.Action.V == "recover" && !r.Strategy.Set {
			c.report("E-action", at, "recover needs a strategy", "name one of those under strategies")
		}
		if r.Action.V == "retry_operation" && r.Then == nil {
			c.report("E-action", at, "retry_operation needs then",
				"name the reaction that follows when its attempts are exhausted")
		}
		if retries(r) && r.Purpose.Set && !r.To.Set {
			c.report("E-action", firstSpan(r.Purpose.Span, at), r.Action.V+" with a purpose needs to",
				"name the tier that is asked")
		}
		if r.AcceptCompletion.V && !r.Revert.Set {
			c.report("E-action", firstSpan(r.AcceptCompletion.Span, at), "accept_completion needs revert",
				"set revert: it accepts the files that remain after a revert")
		}
		counts := r.CountFailure.Or(r.Action.V == "retry" || r.Action.V == "recover")
		if (retries(r) || r.Action.V == "recover") && !counts && r.Policy == nil {
			c.report("E-unbounded-retry", firstSpan(r.CountFailure.Span, at),
				"nothing bounds this reaction: it does not count as a failure and has no policy",
				"give it a policy, or set count_failure: true")
		}
	}
}

// tiers finds escalation without tiers, a person who is not the last tier, and a purpose for which
// a person would be asked: a person is asked a question, and then decides.
func tiers(c *checker) {
	persons := make(map[string]diag.Span)
	for i, t := range c.t.Tiers {
		if !t.Person.V {
			continue
		}
		persons[t.Name.V] = t.Name.Span
		if i < len(c.t.Tiers)-1 {
			next := c.t.Tiers[i+1].Name
			c.report("E-tiers", firstSpan(t.Person.Span, t.Name.Span), fmt.Sprintf("%q comes after a person", next.V),
				"make the person the last tier", seeAlso(next.Span, "the next tier"))
		}
		if t.Purpose.Set {
			c.report("E-tiers", t.Purpose.Span, "a person takes no purpose", "remove it: a person decides")
		}
	}
	for _, r := range c.reactions {
		at := firstSpan(r.To.Span, r.Purpose.Span, r.Action.Span, r.Name.Span)
		person, isPerson := persons[r.To.V]
		switch {
		case len(c.t.Tiers) == 0 && (r.Action.V == "escalate" || retries(r) && r.Purpose.Set):
			c.report("E-tiers", at, "there is no tier to ask", "declare the ladder under tiers")
		case isPerson && r.Action.V == "escalate" && r.Purpose.Set:
			c.report("E-tiers", r.Purpose.Span, fmt.Sprintf("%q is a person, and takes no purpose", r.To.V),
				"remove the purpose, or name another tier", seeAlso(person, "the person"))
		case isPerson && retries(r) && r.Purpose.Set:
			c.report("E-tiers", at, fmt.Sprintf("%s with a purpose cannot ask the person %q", r.Action.V, r.To.V),
				"name another tier, or escalate", seeAlso(person, "the person"))
		}
	}
}
