package taxonomy

import (
	"math"
	"strconv"
	"time"
)

// policyOf resolves a reference; owner is what one in place is called.
func (v *overlay) policyOf(ref *PolicyRef, owner, at string) *Policy {
	if ref.Inline != nil {
		p := newPolicy(owner)
		v.layPolicy(&p, ref.Inline, at)
		return &p
	}
	p := v.policies.named[ref.Name]
	if p == nil {
		v.unknown(at, "policy", ref.Name, v.policies.names)
	}
	return v.policy(p)
}

// newPolicy returns a policy that does not say its numbers.
func newPolicy(name string) Policy {
	const most = 30 * time.Second
	return Policy{Name: name, MaxAttempts: 3, InitialDelay: time.Second, MaxDelay: most, MaxRetryAfter: most,
		Multiplier: 2}
}

// policy returns base under the overrides; base itself where they change nothing.
func (v *overlay) policy(base *Policy) *Policy {
	if base == nil {
		return nil
	}
	top, ok := v.over.Policies[base.Name]
	if !ok || !v.policies.has(base, base.Name) {
		return base
	}
	if p := v.laid[base]; p != nil {
		return p
	}
	p := *base
	v.layPolicy(&p, &top, "policies."+base.Name)
	v.laid[base] = &p
	if p.Equal(base) {
		v.laid[base] = base
	}
	return v.laid[base]
}

// layPolicy lays top over p. A MaxRetryAfter that is MaxDelay follows it.
func (v *overlay) layPolicy(p *Policy, top *PolicyOverride, at string) {
	follows := p.MaxRetryAfter == p.MaxDelay
	if n := top.MaxAttempts; n != nil {
		switch p.MaxAttempts = *n; {
		case *n < 1:
			v.problem(at+".max_attempts", "at least 1, not %d: it counts calls in total, the first included", *n)
		case *n > mostNumber:
			v.problem(at+".max_attempts", "at most %d, not %d", mostNumber, *n)
		}
	}
	if f := top.Multiplier; f != nil {
		if p.Multiplier = *f; !(*f >= 1) || math.IsInf(*f, 0) {
			v.problem(at+".multiplier", "at least 1, not %v", *f)
		}
	}
	v.duration(&p.InitialDelay, top.InitialDelay, at+".initial_delay")
	v.duration(&p.MaxDelay, top.MaxDelay, at+".max_delay")
	v.duration(&p.MaxElapsed, top.MaxElapsed, at+".max_elapsed")
	if follows {
		p.MaxRetryAfter = p.MaxDelay
	}
	v.duration(&p.MaxRetryAfter, top.MaxRetryAfter, at+".max_retry_after")
	if top.Backoff != "" {
		p.Backoff = parsed(v, at+".backoff", backoffWords[:], top.Backoff, p.Backoff)
	}
	v.jitter(p, top.Jitter, at+".jitter")
	if (top.InitialDelay != "" || top.MaxDelay != "") && p.MaxDelay < p.InitialDelay {
		v.problem(at, "max_delay %s is below initial_delay %s", p.MaxDelay, p.InitialDelay)
	}
	v.layAdapt(p, top, at+".adapt")
	v.layBudget(p, top.Budget, at+".budget")
}

func (v *overlay) duration(dst *time.Duration, text, at string) {
	if text == "" {
		return
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		v.problem(at, "%q is no duration, such as 1.5s or 2h", text)
	case d < 0:
		v.problem(at, "%s is negative", text)
	default:
		*dst = d
	}
}

func (v *overlay) jitter(p *Policy, text JitterText, at string) {
	switch text {
	case "":
	case "none":
		p.JitterKind, p.Jitter = JitterNone, 0
	case "full":
		p.JitterKind, p.Jitter = JitterFull, 0
	case "decorrelated":
		p.JitterKind, p.Jitter = JitterDecorrelated, 0
	default:
		f, err := strconv.ParseFloat(string(text), 64)
		if err != nil || !(f >= 0 && f <= 1) {
			v.problem(at, "%q is neither a number from 0 to 1 nor none, full or decorrelated", text)
			return
		}
		p.JitterKind, p.Jitter = JitterNone, f
		if f > 0 {
			p.JitterKind = JitterProportional
		}
	}
}
