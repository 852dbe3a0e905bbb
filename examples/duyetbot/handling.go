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
		MaxAttempts *int     `yaml:"max_recovery_attempts"`
		Allowed     []string `yaml:"allowed_strategies"`
	} `yaml:"recovery"`
	Retry     retryChanges `yaml:"retry"`
	Reporting struct {
		LogLevel *taxonomy.LogLevel `yaml:"log_level"`
		Stack    *bool              `yaml:"include_stack_trace"`
		Context  *bool              `yaml:"include_context"`
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
		table, err = table.Override(s.Handling.overrides())
	}
	if err != nil {
		return table, fmt.Errorf("%s: error-handling: %w", s.path, err)
	}
	return table, nil
}

// retryPolicies are the taxonomy's policies for retries. The numbers of a skill apply to all of
// them.
var retryPolicies = []taxonomy.PolicyName{errs.PolicyLLM, errs.PolicyGithub, errs.PolicyTool, errs.PolicyVerification}

// overrides returns the changes to a profile.
func (h *handling) overrides() taxonomy.Overrides {
	numbers := taxonomy.Numbers{
		MaxAttempts: h.Retry.MaxAttempts, Multiplier: h.Retry.Multiplier,
		InitialDelay: duration(h.Retry.InitialDelay), MaxDelay: duration(h.Retry.MaxDelay),
	}
	policies := map[string]taxonomy.Numbers{}
	for _, name := range retryPolicies {
		policies[string(name)] = numbers
	}
	return taxonomy.Overrides{
		Detection: taxonomy.DetectionOverride{Text: h.Detection.Patterns, Severity: h.Detection.Severity,
			Recoverability: h.Detection.Recoverability},
		Recovery: taxonomy.RecoveryOverride{Enabled: h.Recovery.Automatic, MaxAttempts: h.Recovery.MaxAttempts,
			Allowed: h.Recovery.Allowed},
		Retry:    taxonomy.RetryOverride{Enabled: h.Retry.Enabled, Numbers: numbers},
		Policies: policies,
		Reporting: taxonomy.ReportingOverride{LogLevel: h.Reporting.LogLevel, Stack: h.Reporting.Stack,
			Context: h.Reporting.Context},
	}
}

func duration(ms *float64) *taxonomy.Duration {
	if ms == nil {
		return nil
	}
	return new(taxonomy.Duration(*ms * float64(time.Millisecond)))
}
