package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor/config"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func TestFindings(t *testing.T) {
	var f config.Findings
	words := []string{"log", "desktop", "webhook"}
	f.Word("channel", "", words)
	f.Word("channel", "desktop", words)
	f.NotNegative("limit", 0)
	assert.Empty(t, f)
	f.Word("channel", "pigeon", words)
	f.NotNegative("limit", -1)
	assert.Equal(t, config.Findings{
		{Field: "channel", Expected: "log, desktop or webhook"},
		{Field: "limit", Expected: "0 (the default) or more"},
	}, f)
}

func TestOneOf(t *testing.T) {
	for want, words := range map[string][]string{
		"": nil, "a": {"a"}, "a or b": {"a", "b"}, "a, b or c": {"a", "b", "c"},
	} {
		assert.Equal(t, want, config.OneOf(words))
	}
}

type host struct {
	Overrides taxonomy.Overrides `yaml:"overrides"`
}

// What a run changes of the table can be part of the host's configuration.
func TestOverrides(t *testing.T) {
	var into host
	warnings, err := config.Parse("c.yml", []byte(`
overrides:
  codes: {PROVIDER_RATE_LIMIT: backoff, config: stop, "*": stop}
  policies:
    rate_limit: {max_attempts: 4, max_delay: 1m, initial_delay: '${DELAY}', backoff: linear, jitter: 0.1}
  recovery: {allowed: []}
  reporting: {log_level: warn, stack: true}
  retry: {enabled: false, max_attempts: 4}
`), &into, env("DELAY", "7s"))
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.Equal(t, taxonomy.Overrides{
		Codes: map[string]string{"PROVIDER_RATE_LIMIT": "backoff", "config": "stop", "*": "stop"},
		Policies: map[string]taxonomy.Numbers{"rate_limit": {MaxAttempts: new(4),
			MaxDelay: new(taxonomy.Duration(time.Minute)), InitialDelay: new(taxonomy.Duration(7 * time.Second)),
			Backoff: new(taxonomy.Linear), Jitter: new(0.1)}},
		Recovery:  taxonomy.RecoveryOverride{Allowed: []string{}},
		Reporting: taxonomy.ReportingOverride{LogLevel: new(taxonomy.LogWarn), Stack: new(true)},
		Retry:     taxonomy.RetryOverride{Enabled: new(false), Numbers: taxonomy.Numbers{MaxAttempts: new(4)}},
	}, into.Overrides)
	_, err = errs.Table.Override(into.Overrides)
	require.NoError(t, err)
}

func TestOverridesThatCannotBe(t *testing.T) {
	var into host
	warnings, err := config.Parse("c.yml", []byte(`
overrides:
  codes: {A: {reaction: again}}
  policies: {p: {max_attempts: many, initial_delay: soon, backof: linear}}
`), &into)
	assert.Equal(t, []string{
		"invalid | overrides.codes.A | a mapping | a text",
		"invalid | overrides.policies.p.max_attempts | many | a whole number",
		"invalid | overrides.policies.p.initial_delay | soon | a duration with a unit, such as \"30s\"",
	}, problems(t, err))
	assert.Equal(t, `c.yml:4: overrides.policies.p.backof: unknown key; did you mean "backoff"?`,
		strings.Join(warnings, "\n"))
}
