package resolve

import (
	"cmp"
	"fmt"
	"time"

	"github.com/errgen/errgen/internal/diag"
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
	b.checkPolicy(d, &from.policy, p)
	b.origins[p] = from
	return p
}

// readPolicy returns the values of a policy, with the defaults of the language.
func readPolicy(d *spec.Policy, name string) *taxonomy.Policy {
	unset := taxonomy.DefaultPolicy(name)
	p := &taxonomy.Policy{
		Name: name, MaxAttempts: d.MaxAttempts.Or(unset.MaxAttempts),
		InitialDelay: d.InitialDelay.Or(unset.InitialDelay), MaxDelay: d.MaxDelay.Or(unset.MaxDelay),
		Multiplier: d.Multiplier.Or(unset.Multiplier), MaxElapsed: d.MaxElapsed.V,
		Backoff: word[taxonomy.Backoff](d.Backoff), JitterKind: word[taxonomy.JitterKind](d.Jitter.Kind),
		Jitter: d.Jitter.Fraction.V,
	}
	p.MaxRetryAfter = d.MaxRetryAfter.Or(p.MaxDelay)
	if p.Jitter > 0 {
		p.JitterKind = taxonomy.JitterProportional
	}
	if a := d.Adapt; a != nil {
		p.Adapt = &taxonomy.Adapt{Target: a.Target.Or(0.8), Window: a.Window.Or(50)}
		if t := a.Attempts; t != nil {
			p.Adapt.MinAttempts, p.Adapt.MaxAttempts = t.Min.Or(p.MaxAttempts), t.Max.Or(p.MaxAttempts)
		}
		if t := a.Delay; t != nil {
			p.Adapt.MinDelay, p.Adapt.MaxDelay = t.Min.Or(p.InitialDelay), t.Max.Or(p.InitialDelay)
		}
	}
	if b := d.Budget; b != nil {
		p.Budget = &taxonomy.Budget{
			Retries: b.Retries.Or(-1), Reserve: b.Reserve.Or(3), Window: b.Window.Or(10 * time.Second),
		}
		if c := b.Breaker; c != nil {
			p.Budget.Breaker = &taxonomy.Breaker{
				Failures: c.Failures.V, Of: c.Of.Or(c.Failures.V), Probe: c.Probe.Or(5 * time.Second),
				Successes: c.Successes.Or(1),
			}
		}
	}
	return p
}

// maxAdaptedAttempts is the highest limit of a range of attempts.
const maxAdaptedAttempts = 100

// checkPolicy reports numbers that contradict each other. d has the keys that are written here, and
// full has the keys of the complete policy.
func (b *builder) checkPolicy(d, full *spec.Policy, p *taxonomy.Policy) {
	at := cmp.Or(d.Name.Span, d.Span)
	report := func(at diag.Span, message, hint string) {
		b.problem("E-policy-bounds", at, fmt.Sprintf("policy %q: %s", p.Name, message), hint)
	}
	if p.MaxDelay < p.InitialDelay {
		report(cmp.Or(d.MaxDelay.Span, d.InitialDelay.Span, at),
			fmt.Sprintf("max_delay %s is below initial_delay %s", p.MaxDelay, p.InitialDelay),
			fmt.Sprintf("raise max_delay to %s or more, or lower initial_delay", p.InitialDelay))
	}
	if a := p.Adapt; a != nil {
		adapt := cmp.Or(d.Adapt, &spec.Adapt{Span: at})
		attempts := cmp.Or(adapt.Attempts, &spec.Attempts{Span: adapt.Span})
		switch {
		case full.Adapt.Attempts == nil && full.Adapt.Delay == nil:
			report(adapt.Span, "adapt needs attempts or delay", "add one of them, as in delay: {max: 10s}")
		case full.Adapt.Attempts == nil:
		case p.MaxAttempts > maxAdaptedAttempts:
			report(cmp.Or(attempts.Max.Span, attempts.Span),
				fmt.Sprintf("max_attempts %d is too high for adapt.attempts", p.MaxAttempts),
				fmt.Sprintf("lower max_attempts to %d or less, or remove attempts", maxAdaptedAttempts))
		case a.MinAttempts > p.MaxAttempts:
			report(cmp.Or(attempts.Min.Span, attempts.Span),
				fmt.Sprintf("adapt.attempts.min %d exceeds max_attempts %d", a.MinAttempts, p.MaxAttempts),
				fmt.Sprintf("lower min to %d or less, or raise max_attempts", p.MaxAttempts))
		case a.MaxAttempts < p.MaxAttempts:
			report(cmp.Or(attempts.Max.Span, attempts.Span),
				fmt.Sprintf("adapt.attempts.max %d is below max_attempts %d", a.MaxAttempts, p.MaxAttempts),
				fmt.Sprintf("raise max to %d or more, or lower max_attempts", p.MaxAttempts))
		}
		if full.Adapt.Delay != nil && p.MaxDelay >= p.InitialDelay {
			at := cmp.Or(adapt.Delay, &spec.Delays{Span: adapt.Span}).Span
			switch {
			case p.MaxDelay == 0:
				report(at, "max_delay 0s leaves adapt.delay no wait to change",
					"raise max_delay above 0s, or remove delay")
			case a.MinDelay > p.InitialDelay:
				report(at, fmt.Sprintf("adapt.delay.min %s exceeds initial_delay %s", a.MinDelay, p.InitialDelay),
					fmt.Sprintf("lower min to at most %s, or raise initial_delay", p.InitialDelay))
			case a.MaxDelay < p.InitialDelay:
				report(at, fmt.Sprintf("adapt.delay.max %s is below initial_delay %s", a.MaxDelay, p.InitialDelay),
					fmt.Sprintf("raise max to at least %s, or lower initial_delay", p.InitialDelay))
			case a.MaxDelay > p.MaxDelay:
				report(at, fmt.Sprintf("adapt.delay.max %s exceeds max_delay %s", a.MaxDelay, p.MaxDelay),
					fmt.Sprintf("lower max to at most %s, or raise max_delay", p.MaxDelay))
			case a.MaxDelay == 0:
				report(at, "adapt.delay.max 0s leaves no wait to change",
					fmt.Sprintf("set max to a delay above 0s, at most %s", p.MaxDelay))
			}
		}
	}
	if d.Budget == nil {
		return
	}
	budget, c := full.Budget, p.Budget.Breaker
	if !budget.Retries.Set && (c == nil || budget.Reserve.Set || budget.Window.Set) {
		report(d.Budget.Span, "a budget without retries can contain only breaker",
			"add retries, as in retries: 0.2; or remove the keys except breaker")
	}
	if c == nil {
		return
	}
	breaker := cmp.Or(d.Budget.Breaker, &spec.Breaker{Span: d.Budget.Span})
	switch place := cmp.Or(breaker.Failures.Span, breaker.Span); {
	case c.Failures == 0:
		report(place, "breaker needs failures", "add failures, as in failures: 5")
	case c.Failures > c.Of:
		report(place, fmt.Sprintf("breaker.failures %d exceeds of %d", c.Failures, c.Of),
			fmt.Sprintf("lower failures to %d or less, or raise of to %d or more", c.Of, c.Failures))
	}
}
