package main

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/errgen/errgen/runtime/config"
	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

// handling is a skill's error-handling: a profile and changes to it. An absent value is the
// profile's.
type handling struct {
	Profile   string           `yaml:"profile"`
	Detection detectionChanges `yaml:"detection"`
	Recovery  recoveryChanges  `yaml:"recovery"`
	Retry     retryChanges     `yaml:"retry"`
	Reporting reportingChanges `yaml:"reporting"`
}

type detectionChanges struct {
	Patterns       *bool `yaml:"enable_pattern_matching"`
	Severity       *bool `yaml:"enable_severity_inference"`
	Recoverability *bool `yaml:"enable_recoverability_inference"`
}

type recoveryChanges struct {
	Automatic *bool `yaml:"enable_automatic_recovery"`
	// MaxAttempts is the number of fixes for one failure; 0 disables recovery.
	MaxAttempts *int                       `yaml:"max_recovery_attempts"`
	Allowed     taxonomy.AllowedStrategies `yaml:"allowed_strategies"`
}

type retryChanges struct {
	Enabled      *bool    `yaml:"enabled"`
	MaxAttempts  *int     `yaml:"max_attempts"`
	InitialDelay *float64 `yaml:"initial_delay_ms"`
	MaxDelay     *float64 `yaml:"max_delay_ms"`
	Multiplier   *float64 `yaml:"backoff_multiplier"`
}

type reportingChanges struct {
	LogLevel string `yaml:"log_level"`
	Stack    *bool  `yaml:"include_stack_trace"`
	Context  *bool  `yaml:"include_context"`
}

// Validate implements [config.Validator].
func (r *recoveryChanges) Validate() []config.Problem {
	var p config.Findings
	if r.MaxAttempts != nil {
		if *r.MaxAttempts < 0 {
			p = append(
				p, config.Problem{Field: "max_recovery_attempts", Expected: "a number, 0 or more; 0 is no recovery"})
		}
	}
	names := make([]string, 0, len(errs.Table.Taxonomy.Strategies))
	for _, s := range errs.Table.Taxonomy.Strategies {
		names = append(names, s.Name)
	}
	for i, name := range r.Allowed {
		p.Word(fmt.Sprintf("allowed_strategies[%d]", i), cmp.Or(name, " "), names)
	}
	return p
}

// maxDelay is the longest delay, in milliseconds.
const maxDelay = int64(math.MaxInt64 / time.Millisecond)

// Validate implements [config.Validator].
func (r *retryChanges) Validate() []config.Problem {
	var p config.Findings
	if n := r.MaxAttempts; n != nil && *n < 1 {
		p = append(p, config.Problem{Field: "max_attempts", Expected: "1 or more; it counts calls in total"})
	}
	for field, n := range map[string]*float64{"initial_delay_ms": r.InitialDelay, "max_delay_ms": r.MaxDelay} {
		if n != nil && !(*n >= 0 && *n <= float64(maxDelay)) {
			p = append(p, config.Problem{Field: field, Expected: fmt.Sprintf("milliseconds, from 0 to %d", maxDelay)})
		}
	}
	if m := r.Multiplier; m != nil && !(*m >= 1 && !math.IsInf(*m, 0)) {
		p = append(p, config.Problem{Field: "backoff_multiplier", Expected: "1 or more"})
	}
	return p
}

// Validate implements [config.Validator].
func (r *reportingChanges) Validate() []config.Problem {
	var p config.Findings
	p.Word("log_level", r.LogLevel, []string{"debug", "info", "warn", "error"})
	return p
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

// table returns the table of the skill. A given profile replaces everything that the skill sets.
func (s *skill) table(profile string) (taxonomy.Table, error) {
	if profile != "" {
		return errs.Table.Profile(taxonomy.ProfileName(profile))
	}
	table, err := errs.Table.Profile(taxonomy.ProfileName(s.Handling.Profile))
	if err != nil {
		return taxonomy.Table{}, err
	}
	table, err = table.Override(s.Handling.overrides(table))
	if err != nil {
		return taxonomy.Table{}, fmt.Errorf("%s: error-handling: %w", s.path, err)
	}
	return table, nil
}
