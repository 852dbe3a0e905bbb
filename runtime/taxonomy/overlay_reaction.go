package taxonomy

import (
	"slices"
	"strings"
)

// follow resolves a reference; name is what one in place is called.
func (v *overlay) follow(ref *ReactionRef, name, at string) *Reaction {
	switch {
	case ref.Retryable != "" || ref.Permanent != "":
		v.problem(at, "only overrides of codes choose by retryable and permanent")
	case ref.Inline != nil:
		return v.past(v.inPlace(ref.Inline, name, at))
	case v.reactions.named[ref.Name] == nil:
		v.unknown(at, "reaction", ref.Name, v.reactions.names)
	default:
		return v.after(v.reactions.named[ref.Name], false, at)
	}
	return v.reactions.named[Abort.String()]
}

// after is head for what follows another: a chain that leads back is a mistake, and cut.
func (v *overlay) after(base *Reaction, plain bool, at string) *Reaction {
	if r := v.head(base, plain); r != nil {
		return r
	}
	from := max(0, slices.Index(v.path, base.Name))
	v.problem(at, "then leads in a circle: %s", strings.Join(append(slices.Clone(v.path[from:]), base.Name), ", "))
	return v.reactions.named[Abort.String()]
}

// head resolves a reaction and passes over what the profile has switched off. It returns nil for
// one that is being resolved already.
func (v *overlay) head(base *Reaction, plain bool) *Reaction {
	return v.past(v.reaction(base, plain))
}

func (v *overlay) past(r *Reaction) *Reaction {
	if r != nil && r.Then != nil && v.off(r) {
		return r.Then
	}
	return r
}

// off reports whether the profile goes past r at once.
func (v *overlay) off(r *Reaction) bool { return v.now.off(r) }

func (p *Profile) off(r *Reaction) bool {
	switch {
	case retries(r):
		return !p.Retry.Enabled
	case r.Action == Recover:
		return !p.Recovery.Permits(r.Strategy)
	}
	return false
}

// reaction returns base under the overrides; base itself where they change nothing.
func (v *overlay) reaction(base *Reaction, plain bool) *Reaction {
	key := reactionKey{base: base, plain: plain}
	if r, known := v.memo[key]; known {
		return r
	}
	v.memo[key] = nil
	v.path = append(v.path, base.Name)
	var top *ReactionOverride
	if over, ok := v.over.Reactions[base.Name]; ok && !plain && v.reactions.has(base, base.Name) {
		top = &over
	}
	r := v.lay(*base, top, plain, "reactions."+base.Name)
	if *r == *base {
		r = base
	}
	v.path = v.path[:len(v.path)-1]
	v.memo[key] = r
	return r
}

// inPlace returns a reaction that stands in the overrides.
func (v *overlay) inPlace(top *ReactionOverride, name, at string) *Reaction {
	if r := v.inline[top]; r != nil {
		return r
	}
	if top.Action == "" {
		v.problem(at, "a reaction in place needs an action")
	}
	v.path = append(v.path, name)
	r := v.lay(Reaction{Name: name}, top, false, at)
	v.path = v.path[:len(v.path)-1]
	v.inline[top] = r
	return r
}

// lay lays top, which may be nil, over base.
func (v *overlay) lay(base Reaction, top *ReactionOverride, plain bool, at string) *Reaction {
	r := base
	said := top != nil
	if !said {
		top = &ReactionOverride{}
	}
	r.Action = parsed(v, at+".action", actionWords[:], top.Action, base.Action)
	if asks(r.Action) != asks(base.Action) {
		r.To, r.Purpose = "", PurposeNone
	}
	v.revive(&r, &base)
	v.layWords(&r, top, at)
	layFlag(&r.CountFailure, top.CountFailure)
	layFlag(&r.HonorRetryAfter, top.HonorRetryAfter)
	layFlag(&r.AcceptCompletion, top.AcceptCompletion)
	layFlag(&r.FeedBack, top.FeedBack)
	if top.Policy != nil {
		r.Policy = v.policyOf(top.Policy, base.Name, at+".policy")
	} else {
		r.Policy = v.policy(r.Policy)
	}
	v.trim(&r)
	if !ends(r.Action) {
		r.Then = v.then(&r, &base, top.Then, plain, at+".then")
	}
	if said {
		v.check(&r, top, at)
	}
	return &r
}

// revive gives a reaction that gets another action what goes with that: whether it counts, unless
// that was said otherwise, and what a profile that made it end has taken from the table's own.
func (v *overlay) revive(r, base *Reaction) {
	if r.Action == base.Action {
		return
	}
	if base.CountFailure == counts(base.Action) {
		r.CountFailure = counts(r.Action)
	}
	if !ends(base.Action) || ends(r.Action) {
		return
	}
	for _, own := range v.table.Taxonomy.Reactions {
		if own.Name != base.Name || own == base || ends(own.Action) {
			continue
		}
		r.Policy, r.Then, r.Strategy = own.Policy, own.Then, own.Strategy
		r.Session, r.Resume, r.Shared, r.HonorRetryAfter = own.Session, own.Resume, own.Shared, own.HonorRetryAfter
		if asks(r.Action) == asks(own.Action) {
			r.To, r.Purpose = own.To, own.Purpose
		}
		if r.Action == own.Action {
			r.CountFailure = own.CountFailure
		}
		return
	}
}

// trim takes away what the action does not take, and gives an escalation its default.
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
	case r.Action != Escalate && !asksFirst(r):
		r.To, r.Purpose = "", PurposeNone
	}
}

// asks returns the kind of an action by what a tier means to it; the retries are of one kind. An
// action of another kind drops what was said of whom to ask.
func asks(a Action) Action {
	if a == RetryOperation {
		return Retry
	}
	return a
}

// asksFirst reports whether r asks a tier before it tries again.
func asksFirst(r *Reaction) bool { return retries(r) && r.Purpose != PurposeNone }

// then resolves what follows r: what is said, what followed before, or what follows such an action
// unless said. What followed before counts as said unless it is what the former action has without.
func (v *overlay) then(r, base *Reaction, said *ReactionRef, plain bool, at string) *Reaction {
	if said != nil {
		return v.follow(said, base.Name+".then", at)
	}
	if r.Then != nil && (r.Action == base.Action || ends(base.Action) || r.Then.Name != unlessSaid(base.Action)) {
		return v.after(r.Then, plain, at)
	}
	if r.Action == RetryOperation {
		v.problem(
			strings.TrimSuffix(at, ".then"), "retry_operation needs then: what follows when its tries are used up")
	}
	return v.after(v.reactions.named[unlessSaid(r.Action)], plain, at)
}

// unlessSaid names what follows an action.
func unlessSaid(a Action) string {
	if a == Recover {
		return Abort.String()
	}
	return Block.String()
}

// counts reports whether an action counts as a failure unless said.
func counts(a Action) bool { return a == Retry || a == Recover }

// ends reports whether an action leaves nothing to follow.
func ends(a Action) bool { return a == Abort || a == Block || a == Continue }

func layFlag(dst, top *bool) {
	if top != nil {
		*dst = *top
	}
}

// layWords lays the words over r.
func (v *overlay) layWords(r *Reaction, top *ReactionOverride, at string) {
	r.Shared = parsed(v, at+".shared", sharedWords[:], top.Shared, r.Shared)
	r.Extent = parsed(v, at+".extent", extentWords[:], top.Extent, r.Extent)
	r.Session = parsed(v, at+".session", sessionWords[:], top.Session, r.Session)
	r.Purpose = parsed(v, at+".purpose", purposeWords[:], top.Purpose, r.Purpose)
	r.Resume = parsed(v, at+".resume", resumeWords[:], top.Resume, r.Resume)
	r.Revert = parsed(v, at+".revert", revertWords[:], top.Revert, r.Revert)
	if top.Strategy != "" {
		r.Strategy = top.Strategy
	}
	if top.To != "" {
		r.To = top.To
	}
	if top.Log == nil {
		return
	}
	r.LogLevel = parsed(v, at+".log.level", logLevelWords[:], top.Log.Level, r.LogLevel)
	if top.Log.Message != nil {
		r.LogMessage = *top.Log.Message
	}
}
