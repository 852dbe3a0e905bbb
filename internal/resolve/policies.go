package resolve

import (
	"cmp"
	"time"

	"github.com/errgen/errgen/internal/model"
	"github.com/errgen/errgen/internal/spec"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// policyOf returns a policy that a reaction refers to, or nil. A policy in place has the reaction's
// name.
func (b *builder) policyOf(ref *spec.PolicyRef, name, end string) *taxonomy.Policy {
	switch {
	case ref == nil:
		return nil
	case ref.Inline != nil:
		return b.policy(ref.Inline, ref.Inline, name, end)
	}
	return b.policyNamed(ref.Name.V)
}

// policyNamed returns a declared policy, or nil.
func (b *builder) policyNamed(name string) *taxonomy.Policy {
	if d := b.policies[name]; d != nil {
		return b.policy(name, d, name, suffix(name, 0))
	}
	return nil
}

// policy returns the policy of a key with a declaration.
func (b *builder) policy(key any, d *spec.Policy, name, end string) *taxonomy.Policy {
	p := b.policyFor[key]
	if p == nil {
		p = b.makePolicy(d, name, origin{key: key, end: end, policy: *d})
		b.policyFor[key] = p
	}
	return p
}

// makePolicy makes a policy of a given origin. d has the keys that are written here.
func (b *builder) makePolicy(d *spec.Policy, name string, from origin) *taxonomy.Policy {
	from.doc = from.policy.Doc.V
	p := readPolicy(&from.policy, name)
	b.pkg.MadePolicies = append(b.pkg.MadePolicies, model.Made[taxonomy.Policy, spec.Policy]{
		Value: p, Written: d, Complete: &from.policy, At: cmp.Or(d.Name.Span, d.Span),
	})
	b.origins[p] = from
	return p
}

// readPolicy returns the values of a policy, with the defaults of the language.
func readPolicy(d *spec.Policy, name string) *taxonomy.Policy {
	p := taxonomy.DefaultPolicy(name)
	setKeys(&p, d)
	p.Name, p.MaxRetryAfter = name, d.MaxRetryAfter.Or(p.MaxDelay)
	p.JitterKind, p.Jitter = word[taxonomy.JitterKind](d.Jitter.Kind), d.Jitter.Fraction.V
	if p.Jitter > 0 {
		p.JitterKind = taxonomy.JitterProportional
	}
	if a := d.Adapt; a != nil {
		p.Adapt = &taxonomy.Adapt{Target: 0.8, Window: 50}
		setKeys(p.Adapt, a)
		if t := a.Attempts; t != nil {
			p.Adapt.MinAttempts, p.Adapt.MaxAttempts = t.Min.Or(p.MaxAttempts), t.Max.Or(p.MaxAttempts)
		}
		if t := a.Delay; t != nil {
			p.Adapt.MinDelay, p.Adapt.MaxDelay = t.Min.Or(p.InitialDelay), t.Max.Or(p.InitialDelay)
		}
	}
	if b := d.Budget; b != nil {
		p.Budget = &taxonomy.Budget{Retries: -1, Reserve: 3, Window: 10 * time.Second}
		setKeys(p.Budget, b)
		if c := b.Breaker; c != nil {
			p.Budget.Breaker = &taxonomy.Breaker{Of: c.Failures.V, Probe: 5 * time.Second, Successes: 1}
			setKeys(p.Budget.Breaker, c)
		}
	}
	return &p
}
