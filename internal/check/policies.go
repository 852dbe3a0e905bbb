package check

import (
	"math"
	"time"

	"github.com/errgen/errgen/internal/spec"
)

// The numbers of a policy that does not say them.
const (
	defaultMaxAttempts  = 3
	defaultInitialDelay = time.Second
	defaultMaxDelay     = 30 * time.Second
)

// policyBounds finds policies whose numbers make no sense, each alone and together.
func policyBounds(p *pass) {
	for i := range p.t.Policies {
		policy := &p.t.Policies[i]
		p.bounds(policy, policy)
	}
	p.eachReaction(func(_ *view, _, r *spec.Reaction) {
		if r.Policy != nil && r.Policy.Inline != nil {
			p.bounds(r.Policy.Inline, r.Policy.Inline)
		}
	})
	for _, v := range p.views[1:] {
		for i := range v.profile.Policies {
			overlay := &v.profile.Policies[i]
			if combined := v.policies[overlay.Name.V]; combined != nil {
				p.bounds(combined, overlay)
			}
		}
		if v.profile.Retry.Set {
			p.bounds(&v.profile.Retry.Policy, &v.profile.Retry.Policy)
		}
		if n := v.profile.Recovery.MaxAttempts; n.Set && n.V < 0 {
			p.report(n.Span, "max_attempts is at least 0, not %d", n.V).hint("0 runs no strategy")
		}
	}
}

// bounds checks a policy as it is combined, and reports what its overlay had a part in.
func (p *pass) bounds(policy, overlay *spec.Policy) {
	p.withinNumbers("max_attempts", overlay.MaxAttempts, 1, "it counts calls in total, the first included")
	if m := overlay.Multiplier; m.Set && !(m.V >= 1 && !math.IsInf(m.V, 0)) {
		p.report(m.Span, "multiplier is at least 1")
	}
	if j := overlay.Jitter.Fraction; j.Set && !(j.V >= 0 && j.V <= 1) {
		p.report(j.Span, "jitter is between 0 and 1").
			hint("it is a share of the delay; or say none, full or decorrelated")
	}
	p.delays(policy, overlay)
	p.adaptBounds(policy, overlay)
	p.budgetBounds(policy.Budget, overlay.Budget)
}

func (p *pass) delays(policy, overlay *spec.Policy) {
	initial, most := policy.InitialDelay.Or(defaultInitialDelay), policy.MaxDelay.Or(defaultMaxDelay)
	at := first(overlay.MaxDelay.Span, overlay.InitialDelay.Span)
	if most >= initial || !at.Valid() {
		return
	}
	switch {
	case !policy.MaxDelay.Set:
		p.report(at, "initial_delay is above max_delay, which is %s unless said", defaultMaxDelay).
			hint("say max_delay as well")
	case !policy.InitialDelay.Set:
		p.report(at, "max_delay is below initial_delay, which is %s unless said", defaultInitialDelay).
			hint("say initial_delay as well")
	default:
		p.report(at, "max_delay is below initial_delay").related(policy.InitialDelay.Span, "initial_delay")
	}
}
