package main

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/errgen/errgen/runtime/config"
	"github.com/errgen/errgen/runtime/taxonomy"

	"specrunner.example.com/runner/errs"
)

// Where things are, seen from the project's directory, unless a setting or the command line says
// otherwise.
const (
	defaultConfig   = "specrunner.yml"
	defaultTasks    = "spec/tasks.md"
	defaultStopFile = "spec/.executor-stop"
)

// attemptsPolicy is the taxonomy's policy that max_retries and retry_delay change.
const attemptsPolicy = "attempts"

// settings are what a configuration file says. What is on the command line outweighs it.
type settings struct {
	Tasks    string `yaml:"tasks"`
	State    string `yaml:"state"`
	Prefix   string `yaml:"prefix"`
	StopFile string `yaml:"stop_file"`

	// MaxRetries is how many attempts a task has in all, the first one among them; 0 is what the
	// taxonomy says.
	MaxRetries int `yaml:"max_retries"`
	// RetryDelay is how long is waited before the next attempt; absent is what the taxonomy says.
	RetryDelay *time.Duration `yaml:"retry_delay"`
	// MaxConsecutiveFailures is after how many attempts that failed in a row, of whatever tasks,
	// none is begun any more; 0 is no limit.
	MaxConsecutiveFailures int `yaml:"max_consecutive_failures"`
	// OnFailure is what becomes of the rest of the queue when a task fails.
	OnFailure string `yaml:"on_failure"`

	Agent  agentSettings  `yaml:"agent"`
	Hooks  hookSettings   `yaml:"hooks"`
	Limits limitSettings  `yaml:"limits"`
	Budget budgetSettings `yaml:"budget"`

	Profile   string             `yaml:"profile"`
	Overrides taxonomy.Overrides `yaml:"overrides"`
}

// limitSettings bound the run of a task; see executor.Limits. Each has a default.
type limitSettings struct {
	// Iterations bounds the attempts of a run, also those that do not count.
	Iterations int `yaml:"iterations"`
	// Attempt is how long a call of the agent may take.
	Attempt time.Duration `yaml:"attempt"`
	// Run is how long the whole run of a task may take, with all waits; 0 is no limit.
	Run   time.Duration `yaml:"run"`
	Grace time.Duration `yaml:"grace"`
	// Context is how many bytes of history a prompt has at most.
	Context int `yaml:"context"`
}

// budgetSettings say what may be spent.
type budgetSettings struct {
	Attempt *spendSettings           `yaml:"attempt"`
	Task    *spendSettings           `yaml:"task"`
	All     *spendSettings           `yaml:"all"`
	Tasks   map[string]spendSettings `yaml:"tasks"` // outweighs Task
	// Assume is what a call is taken to have cost of which nobody knows; without it such a call
	// holds the run.
	Assume *spendSettings `yaml:"assume"`
}

// spendSettings are a limit; what is absent has none.
type spendSettings struct {
	Tokens *int64   `yaml:"tokens"`
	USD    *float64 `yaml:"usd"`
}

// maxSpend bounds amounts to what can be counted in millionths.
const maxSpend = 1e12

// failurePolicies are what can become of the rest of the queue when a task fails.
var failurePolicies = []string{"stop", "skip", "continue"}

// Validate is asked by the configuration's loader.
func (s *settings) Validate() []config.Problem {
	var p config.Findings
	p.NotNegative("max_retries", int64(s.MaxRetries))
	p.NotNegative("max_consecutive_failures", int64(s.MaxConsecutiveFailures))
	if s.RetryDelay != nil && *s.RetryDelay < 0 {
		p = append(p, config.Problem{Field: "retry_delay", Expected: "0s or more"})
	}
	p.Word("on_failure", s.OnFailure, failurePolicies)
	p.Word("profile", s.Profile, errs.Table.ProfileNames())
	if err := checkPrefix(s.Prefix); err != nil {
		p = append(p, config.Problem{Field: "prefix", Expected: err.Error()})
	}
	if s.State != "" && s.Prefix != "" {
		p = append(p, config.Problem{Field: "prefix", Expected: "nothing beside state, which names the same"})
	}
	return p
}

// Validate is asked by the configuration's loader.
func (l *limitSettings) Validate() []config.Problem {
	var p config.Findings
	p.NotNegative("iterations", int64(l.Iterations))
	p.NotNegative("attempt", int64(l.Attempt))
	p.NotNegative("run", int64(l.Run))
	p.NotNegative("grace", int64(l.Grace))
	p.NotNegative("context", int64(l.Context))
	return p
}

// Validate is asked by the configuration's loader.
func (s *spendSettings) Validate() []config.Problem {
	var p config.Findings
	if s.Tokens != nil && *s.Tokens < 0 {
		p = append(p, config.Problem{Field: "tokens", Expected: "0 or more"})
	}
	if s.USD != nil && (!(*s.USD >= 0 && *s.USD <= maxSpend) || math.IsNaN(*s.USD)) {
		p = append(p, config.Problem{Field: "usd", Expected: "0 or more"})
	}
	return p
}

// checkPrefix refuses a prefix that would lead to another directory.
func checkPrefix(prefix string) error {
	if len(prefix) > 64 || strings.ContainsFunc(prefix, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' ||
			r == '.')
	}) {
		return errors.New("at most 64 letters, digits, '-', '_' and '.'")
	}
	return nil
}

// laidOver returns the overrides with what max_retries and retry_delay say, which the overrides
// outweigh.
func (s *settings) laidOver() taxonomy.Overrides {
	o := s.Overrides
	policy := o.Policies[attemptsPolicy]
	if policy.MaxAttempts == nil && s.MaxRetries > 0 {
		policy.MaxAttempts = &s.MaxRetries
	}
	if policy.InitialDelay == "" && s.RetryDelay != nil {
		policy.InitialDelay = s.RetryDelay.String()
		if declared := errs.Table.Policy(errs.PolicyAttempts); policy.MaxDelay == "" &&
			*s.RetryDelay > declared.MaxDelay {
			policy.MaxDelay = s.RetryDelay.String()
		}
	}
	if policy == (taxonomy.PolicyOverride{}) {
		return o
	}
	all := map[string]taxonomy.PolicyOverride{attemptsPolicy: policy}
	for name, p := range o.Policies {
		if name != attemptsPolicy {
			all[name] = p
		}
	}
	o.Policies = all
	return o
}

// adjusted returns the table as the profile and the overrides have it.
func (s *settings) adjusted(profile string) (taxonomy.Table, error) {
	table, err := errs.Table.Profile(taxonomy.ProfileName(profile))
	if err != nil {
		return table, fmt.Errorf("profile: %w", err)
	}
	return table.Override(s.laidOver())
}
