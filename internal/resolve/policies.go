package resolve

import (
	"time"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// The numbers of a policy that does not say.
const (
	defaultMaxAttempts  = 3
	defaultInitialDelay = time.Second
	defaultMaxDelay     = 30 * time.Second
	defaultMultiplier   = 2
)

// policyNumbers applies the defaults. What a profile changes must be laid over the declaration
// before, so that max_retry_after still follows max_delay.
func policyNumbers(name string, d *spec.Policy) taxonomy.Policy {
	p := taxonomy.Policy{
		Name:         name,
		MaxAttempts:  d.MaxAttempts.Or(defaultMaxAttempts),
		InitialDelay: d.InitialDelay.Or(defaultInitialDelay),
		MaxDelay:     d.MaxDelay.Or(defaultMaxDelay),
		Multiplier:   d.Multiplier.Or(defaultMultiplier),
		MaxElapsed:   d.MaxElapsed.V,
		Backoff:      backoffs.of(d.Backoff),
		JitterKind:   jitters.of(d.Jitter.Kind),
	}
	p.MaxRetryAfter = d.MaxRetryAfter.Or(p.MaxDelay)
	if fraction := d.Jitter.Fraction.V; fraction > 0 {
		p.JitterKind, p.Jitter = taxonomy.JitterProportional, fraction
	}
	p.Adapt, p.Budget = adapt(d.Adapt, &p), budget(d.Budget)
	return p
}

// mergePolicy lays top over base, key by key.
func mergePolicy(base, top *spec.Policy) *spec.Policy {
	p := *base
	lay(&p.Doc, top.Doc)
	lay(&p.MaxAttempts, top.MaxAttempts)
	lay(&p.InitialDelay, top.InitialDelay)
	lay(&p.MaxDelay, top.MaxDelay)
	lay(&p.Multiplier, top.Multiplier)
	lay(&p.Backoff, top.Backoff)
	lay(&p.MaxElapsed, top.MaxElapsed)
	lay(&p.MaxRetryAfter, top.MaxRetryAfter)
	if top.Jitter.Fraction.Set || top.Jitter.Kind.Set {
		p.Jitter = top.Jitter
	}
	p.Adapt, p.Budget = MergeAdapt(p.Adapt, top.Adapt), MergeBudget(p.Budget, top.Budget)
	return &p
}

// lay replaces base by top where top is given.
func lay[T any](base *spec.Val[T], top spec.Val[T]) {
	if top.Set {
		*base = top
	}
}

// policy resolves a reference in the scope; nil stands for none, and for a name that is not
// declared.
func (s *scope) policy(ref *spec.PolicyRef, owner *reactionDef) *model.Policy {
	switch {
	case ref == nil:
		return nil
	case ref.Inline != nil:
		return s.policyOf(&policyDef{name: owner.name, suffix: owner.suffix, decl: ref.Inline})
	}
	if def := s.policyDef(ref.Name.V); def != nil {
		return s.policyOf(def)
	}
	return nil
}

func (s *scope) policyDef(name string) *policyDef {
	if def := s.b.reactions.policies[name]; def != nil {
		return def
	}
	return s.newPolicies[name]
}

func (s *scope) policyOf(def *policyDef) *model.Policy {
	if p := s.policyMemo[def.decl]; p != nil {
		return p
	}
	decl := def.decl
	if top := s.policyOverlay[def.name]; top != nil && def.declared {
		decl = mergePolicy(decl, top)
	}
	p := &model.Policy{Doc: decl.Doc.V, Declared: def.declared, Profile: s.profile,
		Policy: policyNumbers(def.name, decl)}
	if base := s.basePolicy(def); base != nil && samePolicy(p, base) {
		p = base
	} else {
		s.b.policySuffix[p] = def.suffix
	}
	s.policyMemo[def.decl] = p
	return p
}

func (s *scope) basePolicy(def *policyDef) *model.Policy {
	if s.base == nil {
		return nil
	}
	return s.base.policyMemo[def.decl]
}

func samePolicy(a, b *model.Policy) bool {
	return a.Doc == b.Doc && a.Policy.Equal(&b.Policy)
}
