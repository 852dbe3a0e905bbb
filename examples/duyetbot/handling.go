package main

import (
	"cmp"
	"fmt"
	"time"

	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

// handling is a skill's error-handling: a profile and changes to it. An absent value does not
// change the profile.
type handling struct {
	Profile   string `yaml:"profile"`
	Detection struct {
		Patterns       *bool `yaml:"enable_pattern_matching"`
		Severity       *bool `yaml:"enable_severity_inference"`
		Recoverability *bool `yaml:"enable_recoverability_inference"`
	} `yaml:"detection"`
	Recovery struct {
		Automatic *bool `yaml:"enable_automatic_recovery"`
		// MaxAttempts is the number of fixes for one failure; 0 disables recovery.
		MaxAttempts *int                       `yaml:"max_recovery_attempts"`
		Allowed     taxonomy.AllowedStrategies `yaml:"allowed_strategies"`
	} `yaml:"recovery"`
	Retry     retryChanges `yaml:"retry"`
	Reporting struct {
		LogLevel string `yaml:"log_level"`
		Stack    *bool  `yaml:"include_stack_trace"`
		Context  *bool  `yaml:"include_context"`
	} `yaml:"reporting"`
}

type retryChanges struct {
	Enabled      *bool    `yaml:"enabled"`
	MaxAttempts  *int     `yaml:"max_attempts"`
	InitialDelay *float64 `yaml:"initial_delay_ms"`
	MaxDelay     *float64 `yaml:"max_delay_ms"`
	Multiplier   *float64 `yaml:"backoff_multiplier"`
}

// table returns the table of the skill. A given profile replaces everything that the skill sets.
func (s *skill) table(profile string) (taxonomy.Table, error) {
	name := cmp.Or(profile, s.Handling.Profile)
	table, err := errs.Table.Profile(taxonomy.ProfileName(name))
	if err != nil {
		//lint:ignore ST1005 the design specifies this text
		return table, fmt.Errorf("Profile not found: %s (%w)", name, err)
	}
	if profile == "" {
		table, err = table.Override(s.Handling.overrides(table))
	}
	if err != nil {
		return table, fmt.Errorf("%s: error-handling: %w", s.path, err)
	}
	return table, nil
}

// overrides returns the changes to a profile.
func (h *handling) overrides(profile taxonomy.Table) taxonomy.Overrides {
	return taxonomy.Overrides{
		Detection: &taxonomy.DetectionOverride{Text: h.Detection.Patterns, Severity: h.Detection.Severity,
			Recoverability: h.Detection.Recoverability},
		Recovery: &taxonomy.RecoveryOverride{Enabled: h.Recovery.Automatic, MaxAttempts: h.Recovery.MaxAttempts,
			Allowed: h.Recovery.Allowed},
		Retry:    &taxonomy.RetryOverride{Enabled: h.Retry.Enabled, PolicyOverride: h.Retry.numbers()},
		Policies: h.Retry.policies(profile),
		Reporting: &taxonomy.ReportingOverride{LogLevel: h.Reporting.LogLevel, Stack: h.Reporting.Stack,
			Context: h.Reporting.Context},
	}
}

// retryPolicies are the taxonomy's policies for retries. The numbers of a skill apply to all of
// them.
var retryPolicies = []taxonomy.PolicyName{errs.PolicyLLM, errs.PolicyGithub, errs.PolicyTool, errs.PolicyVerification}

// numbers returns the changes to the profile's policy.
func (r *retryChanges) numbers() taxonomy.PolicyOverride {
	o := taxonomy.PolicyOverride{MaxAttempts: r.MaxAttempts, Multiplier: r.Multiplier}
	if r.InitialDelay != nil {
		o.InitialDelay = duration(*r.InitialDelay).String()
	}
	if r.MaxDelay != nil {
		o.MaxDelay = duration(*r.MaxDelay).String()
	}
	return o
}

func duration(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// policies returns the changes to the policies for retries.
func (r *retryChanges) policies(profile taxonomy.Table) map[string]taxonomy.PolicyOverride {
	all := map[string]taxonomy.PolicyOverride{}
	if *r == (retryChanges{}) {
		return all
	}
	for _, name := range retryPolicies {
		p := policyOf(profile, name)
		if p == nil {
			p = profile.Overlay.Retry.Policy // the profile does not retry, and none is in use
		}
		all[string(name)] = r.over(p)
	}
	return all
}

// policyOf returns a policy with the numbers of the table's profile, or nil if no code uses it.
func policyOf(table taxonomy.Table, name taxonomy.PolicyName) *taxonomy.Policy {
	for row := range table.Taxonomy.Codes() {
		for r := range table.Row(row).Reaction.Chain() {
			if r.Policy != nil && r.Policy.Name == string(name) {
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
	if r.MaxDelay != nil {
		most = duration(*r.MaxDelay)
		if r.InitialDelay == nil {
			initial = min(initial, most)
		}
	} else if r.InitialDelay != nil {
		most = max(initial, most)
	}
	o.InitialDelay, o.MaxDelay = initial.String(), most.String()
	if a := p.Adapt; a != nil {
		least, attempts := min(a.MinAttempts, *o.MaxAttempts), *o.MaxAttempts
		o.Adapt = &taxonomy.AdaptOverride{
			Attempts: &taxonomy.AttemptsOverride{Min: &least, Max: &attempts},
			Delay: &taxonomy.DelayOverride{Min: min(a.MinDelay, initial).String(),
				Max: min(max(a.MaxDelay, initial), max(most, 1)).String()},
		}
	}
	return o
}
