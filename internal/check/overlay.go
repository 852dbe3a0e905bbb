package check

import (
	"maps"

	"github.com/errgen/errgen/internal/resolve"
	"github.com/errgen/errgen/internal/spec"
)

// over returns what an overlay says, or what lies below where it is silent.
func over[T any](top, below spec.Val[T]) spec.Val[T] {
	if top.Set {
		return top
	}
	return below
}

// overPointer is over for what is a pointer when given.
func overPointer[T any](top, below *T) *T {
	if top != nil {
		return top
	}
	return below
}

func overTraits(top, below spec.Traits) spec.Traits {
	return spec.Traits{
		Kind:           over(top.Kind, below.Kind),
		Severity:       over(top.Severity, below.Severity),
		Retryable:      over(top.Retryable, below.Retryable),
		Recoverability: over(top.Recoverability, below.Recoverability),
		Reaction:       overPointer(top.Reaction, below.Reaction),
		HTTP:           over(top.HTTP, below.HTTP),
		GRPC:           over(top.GRPC, below.GRPC),
	}
}

func overPolicy(top, below *spec.Policy) *spec.Policy {
	p := *below
	p.MaxAttempts = over(top.MaxAttempts, below.MaxAttempts)
	p.InitialDelay = over(top.InitialDelay, below.InitialDelay)
	p.MaxDelay = over(top.MaxDelay, below.MaxDelay)
	p.Multiplier = over(top.Multiplier, below.Multiplier)
	p.Backoff = over(top.Backoff, below.Backoff)
	p.MaxElapsed = over(top.MaxElapsed, below.MaxElapsed)
	p.MaxRetryAfter = over(top.MaxRetryAfter, below.MaxRetryAfter)
	if top.Jitter.Fraction.Set || top.Jitter.Kind.Set {
		p.Jitter = top.Jitter
	}
	p.Adapt = resolve.MergeAdapt(below.Adapt, top.Adapt)
	p.Budget = resolve.MergeBudget(below.Budget, top.Budget)
	p.Span = first(top.Span, below.Span)
	return &p
}

func overReaction(top, below *spec.Reaction) *spec.Reaction {
	r := resolve.Kept(below, top)
	r.Action = over(top.Action, below.Action)
	r.Policy = overPointer(top.Policy, below.Policy)
	r.CountFailure = over(top.CountFailure, below.CountFailure)
	r.HonorRetryAfter = over(top.HonorRetryAfter, below.HonorRetryAfter)
	r.Shared = over(top.Shared, below.Shared)
	r.Then = overPointer(top.Then, below.Then)
	r.Log = overPointer(top.Log, below.Log)
	r.Revert = over(top.Revert, below.Revert)
	r.AcceptCompletion = over(top.AcceptCompletion, below.AcceptCompletion)
	r.FeedBack = over(top.FeedBack, below.FeedBack)
	r.Extent = over(top.Extent, below.Extent)
	r.Strategy = over(top.Strategy, below.Strategy)
	r.Session = over(top.Session, below.Session)
	r.Resume = over(top.Resume, below.Resume)
	r.To = over(top.To, r.To)
	r.Purpose = over(top.Purpose, r.Purpose)
	r.Span = first(top.Span, below.Span)
	return &r
}

// overlaid returns the table as a profile has it. What the profile names and the table lacks is
// left out; another rule reports it.
func (s *scope) overlaid(profile *spec.Profile) *view {
	v := &view{profile: profile, groups: s.groups.list, reactions: maps.Clone(s.base.reactions),
		policies: maps.Clone(s.base.policies)}
	for i := range profile.Reactions {
		top := &profile.Reactions[i]
		if below, ok := v.reactions[top.Name.V]; ok {
			v.reactions[top.Name.V] = overReaction(top, below)
		}
	}
	for i := range profile.Policies {
		top := &profile.Policies[i]
		if below, ok := v.policies[top.Name.V]; ok {
			v.policies[top.Name.V] = overPolicy(top, below)
		}
	}
	return v
}

// resolve follows a reference to its reaction. It returns nil for a name that is not declared, and
// abort for no reference at all.
func (v *view) resolve(ref *spec.ReactionRef, retryable bool) *spec.Reaction {
	switch {
	case ref == nil:
		return v.reactions["abort"]
	case ref.Inline != nil:
		return ref.Inline
	case ref.ByFlag != nil:
		return v.reactions[byFlag(ref.ByFlag, retryable).V]
	default:
		return v.reactions[ref.Name.V]
	}
}

func byFlag(b *spec.ByFlag, retryable bool) spec.Text {
	if retryable {
		return b.Retryable
	}
	return b.Permanent
}

// then returns the reaction that follows r, or nil where r ends or goes on by itself.
func (v *view) then(r *spec.Reaction) *spec.Reaction {
	if r.Then != nil {
		return v.resolve(r.Then, false)
	}
	switch r.Action.V {
	case "retry", "escalate":
		return v.reactions["block"]
	case "recover":
		return v.reactions["abort"]
	}
	return nil
}

// search looks for the first reaction of a kind among one and those that follow it. It remembers
// what it found: chains are long where many codes share them.
type search struct {
	view  *view
	is    func(*spec.Reaction) bool
	found map[*spec.Reaction]*spec.Reaction
}

func newSearch(v *view, is func(*spec.Reaction) bool) *search {
	return &search{view: v, is: is, found: make(map[*spec.Reaction]*spec.Reaction)}
}

// from returns r or the first after it that is of the kind, or nil.
func (s *search) from(r *spec.Reaction) *spec.Reaction {
	var path []*spec.Reaction
	var hit *spec.Reaction
	for ; r != nil; r = s.view.then(r) {
		if known, seen := s.found[r]; seen {
			hit = known
			break
		}
		s.found[r] = nil // ends a circle
		path = append(path, r)
		if s.is(r) {
			hit = r
			break
		}
	}
	for _, step := range path {
		s.found[step] = hit
	}
	return hit
}

// called is how a reaction is spoken of.
func called(r *spec.Reaction) string {
	if r.Name.V == "" {
		return "the reaction"
	}
	return `reaction "` + r.Name.V + `"`
}
