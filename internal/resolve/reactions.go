package resolve

import (
	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// scope resolves reactions and policies: the table's as declared, a profile's under its overlays.
// What a profile does not change is the table's own, the same pointer.
type scope struct {
	b       *builder
	base    *scope // the table; nil for the table itself
	profile string

	reactionOverlay map[string]*spec.Reaction
	policyOverlay   map[string]*spec.Policy
	newReactions    map[string]*reactionDef // that only the profile has
	newPolicies     map[string]*policyDef

	memo       map[reactionKey]*model.Reaction // nil while being resolved
	policyMemo map[*spec.Policy]*model.Policy
	chains     map[*model.Reaction]bool
}

// reactionKey is a reaction with the profile's overlay, or plain without.
type reactionKey struct {
	decl  *spec.Reaction
	plain bool
}

func newScope(b *builder) *scope {
	return &scope{
		b:          b,
		memo:       make(map[reactionKey]*model.Reaction),
		policyMemo: make(map[*spec.Policy]*model.Policy),
		chains:     make(map[*model.Reaction]bool),
	}
}

// reaction resolves a declaration. It returns nil when the declaration is being resolved already: a
// cycle.
func (s *scope) reaction(def *reactionDef, plain bool) *model.Reaction {
	key := reactionKey{decl: def.decl, plain: plain}
	if r, known := s.memo[key]; known {
		return r
	}
	s.memo[key] = nil
	decl := def.decl
	if top := s.reactionOverlay[def.name]; top != nil && def.declared && !plain {
		decl = mergeReaction(decl, top)
	}
	r := s.resolve(def, decl, plain)
	if base := s.baseReaction(def); base != nil && sameReaction(r, base) {
		r = base
	} else {
		s.b.reactionSuffix[r] = def.suffix
	}
	s.memo[key] = r
	return r
}

func (s *scope) baseReaction(def *reactionDef) *model.Reaction {
	if s.base == nil {
		return nil
	}
	return s.base.memo[reactionKey{decl: def.decl}]
}

// sameReaction compares what is said; Var and Profile only say whose it is.
func sameReaction(a, b *model.Reaction) bool {
	x, y := *a, *b
	x.Var, y.Var, x.Profile, y.Profile = "", "", "", ""
	return x == y
}

func (s *scope) resolve(def *reactionDef, d *spec.Reaction, plain bool) *model.Reaction {
	action := actions.of(d.Action)
	r := &model.Reaction{
		Name: def.name, Doc: d.Doc.V, Action: action, Declared: def.declared, Profile: s.profile,
		Extent:           extents.of(d.Extent),
		Revert:           reverts.of(d.Revert),
		CountFailure:     d.CountFailure.Or(action == taxonomy.Retry || action == taxonomy.Recover),
		AcceptCompletion: d.AcceptCompletion.V,
		FeedBack:         d.FeedBack.V,
	}
	if d.Log != nil {
		r.LogLevel, r.LogMessage = logLevels.of(d.Log.Level), d.Log.Message.V
	}
	if ends(action) {
		return r
	}
	r.Policy = s.policy(d.Policy, def)
	r.HonorRetryAfter = d.HonorRetryAfter.V
	r.Shared = shares.of(d.Shared)
	r.Session = sessions.of(d.Session)
	switch action {
	case taxonomy.Recover:
		r.Strategy, r.Resume = d.Strategy.V, resumes.of(d.Resume)
	case taxonomy.Escalate:
		r.To, r.Purpose = s.b.escalationTarget(d.To), purposes.of(d.Purpose)
	case taxonomy.Retry, taxonomy.RetryOperation:
		r.To, r.Purpose = asked(d)
	}
	r.Then = s.then(r, d.Then, plain)
	return r
}

// ends reports whether an action leaves nothing to follow. An overlay may turn a retry into one;
// what the retry said of waiting and trying is dropped then.
func ends(a taxonomy.Action) bool {
	return a == taxonomy.Abort || a == taxonomy.Block || a == taxonomy.Continue
}

// escalationTarget is the lowest tier unless said: from there on that is always one tier up.
func (b *builder) escalationTarget(to spec.Text) string {
	if !to.Set && len(b.pkg.Tiers) > 0 {
		return b.pkg.Tiers[0].Name
	}
	return to.V
}

// asked returns whom a retry asks first, and for what: nobody without a purpose.
func asked(d *spec.Reaction) (to string, purpose taxonomy.Purpose) {
	if purpose = purposes.of(d.Purpose); purpose != taxonomy.PurposeNone {
		to = d.To.V
	}
	return to, purpose
}

// then resolves what follows r. A `then` that leads back to r is cut: r is followed by an end.
func (s *scope) then(r *model.Reaction, ref *spec.ReactionRef, plain bool) *model.Reaction {
	next, cycle := s.follow(r, ref, plain)
	if cycle {
		r.Cut = true
		return s.b.dead()
	}
	return next
}

func (s *scope) follow(r *model.Reaction, ref *spec.ReactionRef, plain bool) (next *model.Reaction, cycle bool) {
	if ref == nil && r.Action == taxonomy.Recover {
		ref = &spec.ReactionRef{Name: text("abort")}
	} else if ref == nil {
		ref = &spec.ReactionRef{Name: text("block")}
	}
	next = s.head(ref, plain)
	return next, next == nil
}

// head resolves a reference. It returns nil for a cycle.
func (s *scope) head(ref *spec.ReactionRef, plain bool) *model.Reaction {
	return s.reaction(s.def(ref), plain)
}

// def returns what a reference means; a name that is not declared means abort.
func (s *scope) def(ref *spec.ReactionRef) *reactionDef {
	known := s.b.reactions
	if ref.Inline != nil {
		if def := known.inline[ref.Inline]; def != nil {
			return def
		}
	}
	if def := known.reactions[ref.Name.V]; def != nil {
		return def
	}
	if def := s.newReactions[ref.Name.V]; def != nil {
		return def
	}
	return known.reactions["abort"]
}

// retriesLater reports whether r, or anything that may follow it, calls again.
func (s *scope) retriesLater(r *model.Reaction) bool {
	if r == nil {
		return false
	}
	if known, ok := s.chains[r]; ok {
		return known
	}
	s.chains[r] = r.Retries() || s.retriesLater(r.Then)
	return s.chains[r]
}

// dead is the end of a cycle that was cut.
func (b *builder) dead() *model.Reaction {
	if b.deadEnd == nil {
		b.deadEnd = &model.Reaction{Name: "abort"}
		b.reactionSuffix[b.deadEnd] = "Abort"
	}
	return b.deadEnd
}

// mergeReaction lays top over base, key by key; the two keys of `log` count as keys of their own.
func mergeReaction(base, top *spec.Reaction) *spec.Reaction {
	r := Kept(base, top)
	lay(&r.Doc, top.Doc)
	lay(&r.Action, top.Action)
	lay(&r.CountFailure, top.CountFailure)
	lay(&r.HonorRetryAfter, top.HonorRetryAfter)
	lay(&r.Shared, top.Shared)
	lay(&r.Revert, top.Revert)
	lay(&r.AcceptCompletion, top.AcceptCompletion)
	lay(&r.FeedBack, top.FeedBack)
	lay(&r.Extent, top.Extent)
	lay(&r.Strategy, top.Strategy)
	lay(&r.Session, top.Session)
	lay(&r.Resume, top.Resume)
	lay(&r.To, top.To)
	lay(&r.Purpose, top.Purpose)
	if top.Policy != nil {
		r.Policy = top.Policy
	}
	if top.Then != nil {
		r.Then = top.Then
	}
	r.Log = mergeLog(base.Log, top.Log)
	return &r
}

// Kept returns base with what is left of it under top. Whom to ask, and for what, was said of its
// action: an action of another kind drops it.
func Kept(base, top *spec.Reaction) spec.Reaction {
	r := *base
	if top.Action.Set && asks(top.Action) != asks(base.Action) {
		r.To, r.Purpose = spec.Text{}, spec.Text{}
	}
	return r
}

// asks returns the kind of an action by what `to` means to it; the retries are of one kind.
func asks(action spec.Text) taxonomy.Action {
	if a := actions.of(action); a != taxonomy.RetryOperation {
		return a
	}
	return taxonomy.Retry
}

func mergeLog(base, top *spec.Log) *spec.Log {
	if base == nil || top == nil {
		if top != nil {
			return top
		}
		return base
	}
	l := *base
	lay(&l.Level, top.Level)
	lay(&l.Message, top.Message)
	return &l
}
