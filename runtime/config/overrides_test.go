package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/config"
	"github.com/errgen/errgen/runtime/taxonomy"
)

type host struct {
	Overrides taxonomy.Overrides `yaml:"overrides"`
}

// What a run changes of the table can stand in the host's configuration.
func TestOverrides(t *testing.T) {
	var into host
	warnings, err := config.Parse("c.yml", []byte(`
overrides:
  codes:
    PROVIDER_RATE_LIMIT: {reaction: {action: retry, policy: {max_attempts: 3, initial_delay: '${DELAY}', jitter: 0.1}, then: stop}}
    config: {reaction: stop}
    "*": {reaction: {retryable: again, permanent: stop}}
  reactions:
    wait: {log: {level: warn, message: "wait"}, session: fresh}
  policies:
    rate_limit: {max_attempts: 4, max_delay: 1m}
`), &into, env("DELAY", "7s"))
	require.NoError(t, err)
	assert.Empty(t, warnings)
	three, four := 3, 4
	message := "wait"
	assert.Equal(t, taxonomy.Overrides{
		Codes: map[string]taxonomy.TraitsOverride{
			"PROVIDER_RATE_LIMIT": {Reaction: &taxonomy.ReactionRef{Inline: &taxonomy.ReactionOverride{
				Action: "retry", Then: &taxonomy.ReactionRef{Name: "stop"},
				Policy: &taxonomy.PolicyRef{Inline: &taxonomy.PolicyOverride{MaxAttempts: &three, InitialDelay: "7s",
					Jitter: "0.1"}},
			}}},
			"config": {Reaction: &taxonomy.ReactionRef{Name: "stop"}},
			"*":      {Reaction: &taxonomy.ReactionRef{Retryable: "again", Permanent: "stop"}},
		},
		Reactions: map[string]taxonomy.ReactionOverride{"wait": {Log: &taxonomy.LogOverride{Level: "warn",
			Message: &message}, Session: "fresh"}},
		Policies: map[string]taxonomy.PolicyOverride{"rate_limit": {MaxAttempts: &four, MaxDelay: "1m"}},
	}, into.Overrides)
	_, err = errs.Table.Override(into.Overrides)
	require.NoError(t, err)
}

func TestOverridesThatCannotBe(t *testing.T) {
	var into host
	warnings, err := config.Parse("c.yml", []byte(`
overrides:
  codes:
    A: {reaction: {action: retry, polcy: x}}
    B: {reaction: {policy: {max_attempts: many}}}
    C: {reaction: [a]}
`), &into)
	assert.Equal(t, []string{
		"invalid | overrides.codes.B.reaction.policy.max_attempts | many | a whole number",
		"invalid | overrides.codes.C.reaction | a list | a mapping",
	}, problems(t, err))
	assert.Equal(t, `c.yml:4: overrides.codes.A.reaction.polcy: unknown key; did you mean "policy"?`, warnings.String())
}
