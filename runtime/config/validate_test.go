package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/config"
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
  codes:
    PROVIDER_RATE_LIMIT: {reaction: backoff, http: 503}
    config: {reaction: stop}
    "*": {reaction: {retryable: again, permanent: stop}}
  reactions:
    wait: {log: {level: warn, message: "wait"}, session: fresh, then: stop}
  policies:
    rate_limit: {max_attempts: 4, max_delay: 1m, initial_delay: '${DELAY}', jitter: 0.1}
`), &into, env("DELAY", "7s"))
	require.NoError(t, err)
	assert.Empty(t, warnings)
	four, status := 4, 503
	message := "wait"
	assert.Equal(t, taxonomy.Overrides{
		Codes: map[string]taxonomy.TraitsOverride{
			"PROVIDER_RATE_LIMIT": {Reaction: &taxonomy.ReactionRef{Name: "backoff"}, HTTP: &status},
			"config":              {Reaction: &taxonomy.ReactionRef{Name: "stop"}},
			"*":                   {Reaction: &taxonomy.ReactionRef{Retryable: "again", Permanent: "stop"}},
		},
		Reactions: map[string]taxonomy.ReactionOverride{"wait": {Log: &taxonomy.LogOverride{Level: "warn",
			Message: &message}, Session: "fresh", Then: "stop"}},
		Policies: map[string]taxonomy.PolicyOverride{"rate_limit": {MaxAttempts: &four, MaxDelay: "1m",
			InitialDelay: "7s", Jitter: "0.1"}},
	}, into.Overrides)
	_, err = errs.Table.Override(into.Overrides)
	require.NoError(t, err)
}

func TestOverridesThatCannotBe(t *testing.T) {
	var into host
	warnings, err := config.Parse("c.yml", []byte(`
overrides:
  codes:
    A: {reaction: {retryable: again, permanant: x}}
    B: {http: many}
    C: {reaction: [a]}
`), &into)
	assert.Equal(t, []string{
		"invalid | overrides.codes.B.http | many | a whole number",
		"invalid | overrides.codes.C.reaction | a list | a mapping",
	}, problems(t, err))
	assert.Equal(t, `c.yml:4: overrides.codes.A.reaction.permanant: unknown key; did you mean "permanent"?`,
		strings.Join(warnings, "\n"))
}
