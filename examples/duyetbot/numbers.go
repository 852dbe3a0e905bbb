package main

import (
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"
)

// retryPolicies are the taxonomy's policies for retries. The numbers of a skill apply to all of
// them.
var retryPolicies = []string{"llm", "github", "tool", "verification"}

// numbers returns the changes to the profile's policy.
func (r *retryChanges) numbers() taxonomy.PolicyOverride {
	return taxonomy.PolicyOverride{
		MaxAttempts: r.MaxAttempts, InitialDelay: milliseconds(r.InitialDelay), MaxDelay: milliseconds(r.MaxDelay),
		Multiplier: r.Multiplier,
	}
}

func milliseconds(n *float64) string {
	if n == nil {
		return ""
	}
	return duration(*n).String()
}

func duration(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// policies returns the changes to the policies for retries.
func (r *retryChanges) policies(profile taxonomy.Table) map[string]taxonomy.PolicyOverride {
	if *r == (retryChanges{}) {
		return nil
	}
	all := map[string]taxonomy.PolicyOverride{}
	for _, name := range retryPolicies {
		p := policyOf(profile, name)
		if p == nil {
			p = profile.Overlay.Retry.Policy // the profile does not retry, and none is in use
		}
		all[name] = r.over(p)
	}
	return all
}

// policyOf returns a policy with the numbers of the table's profile, or nil if no code uses it.
func policyOf(table taxonomy.Table, name string) *taxonomy.Policy {
	for row := range table.Taxonomy.Codes() {
		for r := range table.Row(row).Reaction.Chain() {
			if r.Policy != nil && r.Policy.Name == name {
				return r.Policy
			}
		}
	}
	return nil
}

// over returns the changes to a policy. If the skill sets one limit and it contradicts another one
// of the policy, the skill's limit wins. Learned numbers stay within the limits.
func (r *retryChanges) over(p *taxonomy.Policy) taxonomy.PolicyOverride {
	o := r.numbers()
	if o.MaxAttempts == nil {
		o.MaxAttempts = &p.MaxAttempts
	}
	if o.Multiplier == nil {
		o.Multiplier = &p.Multiplier
	}
	initial, most := p.InitialDelay, p.MaxDelay
	if r.InitialDelay != nil {
		initial = duration(*r.InitialDelay)
	}
	switch {
	case r.MaxDelay != nil:
		most = duration(*r.MaxDelay)
		initial = min(initial, most)
	case r.InitialDelay != nil:
		most = max(initial, most)
	}
	if a := p.Adapt; a != nil {
		if a.MaxDelay > 0 && most == 0 {
			most = 1 // the bounds of adapt must not be equal
		}
		o.Adapt = within(a, r.MaxAttempts, initial, most)
	}
	o.InitialDelay, o.MaxDelay = initial.String(), most.String()
	return o
}

// within returns the changes to the bounds of a policy's adapt.
func within(a *taxonomy.Adapt, attempts *int, initial, most time.Duration) *taxonomy.AdaptOverride {
	o := &taxonomy.AdaptOverride{}
	if a.MaxAttempts > 0 && attempts != nil {
		least, n := min(a.MinAttempts, *attempts), *attempts
		o.Attempts = &taxonomy.AttemptsOverride{Min: &least, Max: &n}
	}
	if a.MaxDelay > 0 {
		longest := min(max(a.MaxDelay, initial), most)
		o.Delay = &taxonomy.DelayOverride{Min: min(a.MinDelay, initial).String(), Max: longest.String()}
	}
	return o
}
