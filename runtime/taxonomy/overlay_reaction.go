package taxonomy

import (
	"slices"
)

// reactionNamed returns the named reaction as the table's profile has it, or abort.
func (v *overlay) reactionNamed(name, at string) *Reaction {
	if r := v.reactions[name]; r != nil {
		return r
	}
	v.unknown(at, "reaction", name, sortedKeys(v.reactions))
	return v.reactions[Abort.String()]
}

// reaction returns base and everything that may follow it with the overrides; base itself if they
// change nothing. The profile that results is not used if a `then` leads in a circle.
func (v *overlay) reaction(base *Reaction, plain bool) *Reaction {
	key := reactionKey{base, plain}
	if r, known := v.done[key]; known {
		if r == nil {
			v.problem("reactions."+base.Name+".then", "then leads in a circle")
			return v.reactions[Abort.String()]
		}
		return r
	}
	v.done[key] = nil
	r := *base
	at := "reactions." + base.Name
	top, ok := v.over.Reactions[base.Name]
	if ok = ok && !plain; ok {
		v.mergeReaction(&r, &top, at)
	}
	r.Policy = v.policy(r.Policy)
	if r.Then != nil {
		r.Then = v.reaction(r.Then, plain)
	}
	if ok {
		v.checkReaction(&r, &top, at)
	}
	if r == *base {
		v.done[key] = base
	} else {
		v.done[key] = &r
	}
	return v.done[key]
}

// mergeReaction applies top to r.
func (v *overlay) mergeReaction(r *Reaction, top *ReactionOverride, at string) {
	before := r.Action
	v.setWord(&r.Action, top.Action, at+".action")
	if r.Action != before {
		if r.CountFailure == counts(before) {
			r.CountFailure = counts(r.Action)
		}
		if r.Then != nil && r.Then.Name == follower(before) {
			r.Then = nil
		}
		if r.Retries() != (&Reaction{Action: before}).Retries() {
			r.To, r.Purpose = "", PurposeNone
		}
	}
	v.merge(r, top, at)
	if top.Policy != "" {
		if r.Policy = v.policies[top.Policy]; r.Policy == nil {
			v.unknown(at+".policy", "policy", top.Policy, sortedKeys(v.policies))
		}
	}
	v.trim(r)
	switch {
	case ends(r.Action):
	case top.Then != "":
		r.Then = v.reactionNamed(top.Then, at+".then")
	case r.Then == nil:
		if r.Action == RetryOperation {
			v.problem(at, "retry_operation needs then: the reaction when its attempts are exhausted")
		}
		r.Then = v.reactions[follower(r.Action)]
	}
}

// trim removes the fields that the action does not take, and gives an escalation its default.
func (v *overlay) trim(r *Reaction) {
	if ends(r.Action) {
		r.Policy, r.Then, r.HonorRetryAfter, r.Shared, r.Session = nil, nil, false, SharedRun, SessionKeep
	}
	if r.Action != Recover {
		r.Strategy, r.Resume = "", ResumeIteration
	}
	tiers := v.table.Taxonomy.Tiers
	switch {
	case r.Action == Escalate && r.To == "" && len(tiers) > 0:
		r.To = tiers[0].Name
	case r.Action != Escalate && !(r.Retries() && r.Purpose != PurposeNone):
		r.To, r.Purpose = "", PurposeNone
	}
}

// follower returns the name of the reaction that follows an action by default.
func follower(a Action) string {
	if a == Recover {
		return Abort.String()
	}
	return Block.String()
}

// counts reports whether an action counts as a failure by default.
func counts(a Action) bool { return a == Retry || a == Recover }

// ends reports whether nothing follows an action.
func ends(a Action) bool { return a == Abort || a == Block || a == Continue }

// checkReaction reports mistakes in r, to which top was applied.
func (v *overlay) checkReaction(r *Reaction, top *ReactionOverride, at string) {
	t := v.table.Taxonomy
	tiers := make([]string, len(t.Tiers))
	for i := range t.Tiers {
		tiers[i] = t.Tiers[i].Name
	}
	waits := r.Retries() || r.Action == Recover
	asks := r.Retries() && r.Purpose != PurposeNone
	switch {
	case r.Action == Recover && r.Strategy == "":
		v.problem(at, "recover needs a strategy")
	case (r.Action == Escalate || asks) && len(tiers) == 0:
		v.problem(at, "the taxonomy has no tiers")
	case waits && !r.CountFailure && r.Policy == nil:
		v.problem(at, "a reaction that does not count as a failure needs a policy")
	}
	key := ".to"
	if top.To == "" {
		key = ".purpose"
	}
	i := slices.Index(tiers, r.To)
	if asks && len(tiers) > 0 && (i < 0 || t.Tiers[i].Person) {
		v.problem(at+key, "%s with a purpose needs to: a tier that is not a person, not %q", r.Action, r.To)
	}
	if r.Action == Escalate && top.Purpose != "" && i >= 0 && t.Tiers[i].Person {
		v.problem(at+".purpose", "%q is a person, and takes no purpose", r.To)
	}
	if top.To != "" && r.Retries() && top.Purpose == "" && !asks {
		v.problem(at+".to", "%s without a purpose does not take it", r.Action)
	}
	if r.AcceptCompletion && r.Revert == RevertNone {
		v.problem(at+".accept_completion", "accept_completion needs revert")
	}
	if top.Log != nil && r.LogLevel == LogNone {
		v.problem(at, "log needs a level")
	}
	if top.Strategy != "" {
		v.declared(at+".strategy", "strategy", top.Strategy, names(t.Strategies))
	}
	if top.To != "" {
		v.declared(at+".to", "tier", top.To, tiers)
	}
}

// takes reports whether a reaction with an action has a key.
func takes(a Action, key string) bool {
	again := a == Retry || a == RetryOperation
	switch key {
	case "policy", "honor_retry_after", "shared":
		return again || a == Recover
	case "then", "session":
		return !ends(a)
	case "extent":
		return a == Abort || a == Block
	case "strategy", "resume":
		return a == Recover
	case "to", "purpose":
		return again || a == Escalate
	case "feed_back":
		return a != Abort
	}
	return true
}
