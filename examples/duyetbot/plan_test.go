package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

// TestPlan: what -dry promises is what can be.
func TestPlan(t *testing.T) {
	tests := []struct{ name, block, want string }{
		{"the profile", "  profile: default\n",
			"recovery   on, at most 3 times: wait_for_rate_limit, retry_with_backoff, install_dependency (once), " +
				"apply_lint_fix (2 times)\n"},
		{"more than policies allow",
			"  recovery: {max_recovery_attempts: 100, allowed_strategies: [wait_for_rate_limit]}\n",
			"recovery   on, at most 10 times: wait_for_rate_limit\n"},
		{"more than any policy allows",
			"  recovery: {max_recovery_attempts: 100, allowed_strategies: [install_dependency, fix_test]}\n",
			"recovery   on, at most 3 times: install_dependency (once), fix_test\n"},
		{"once", "  recovery: {max_recovery_attempts: 1}\n", "recovery   on, at most once: wait_for_rate_limit, "},
		{"no strategy", "  recovery: {allowed_strategies: []}\n", "recovery   on, but no strategy\n"},
		{"no attempts", "  recovery: {max_recovery_attempts: 0}\n", "recovery   on, but no strategy\n"},
		{"off", "  recovery: {enable_automatic_recovery: false}\n", "recovery   off\n"},
		{"one strategy twice", "  recovery: {allowed_strategies: [fix_test, fix_test]}\n",
			"recovery   on, at most 3 times: fix_test\n"},
		{"parts of a millisecond", "  retry: {initial_delay_ms: 1.5, max_delay_ms: 2.25}\n",
			"retry      on: 3 calls, 1.5ms to 2.25ms apart, times 2\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			describe(&b, tableOf(t, tt.block))
			assert.Contains(t, b.String(), tt.want)
		})
	}
}

// TestPlanIsKept: a strategy that never helps is run as often as -dry says.
func TestPlanIsKept(t *testing.T) {
	for strategy, failure := range map[string]evidence{
		"wait_for_rate_limit": answered("github", 429),
		"install_dependency":  {Source: "tool", Text: "Error: Cannot find module 'left-pad'"},
		"apply_lint_fix":      {Source: "verification", Type: "lint"},
		"fix_test":            {Source: "verification", Type: "test"},
	} {
		block := "  recovery: {max_recovery_attempts: 100, allowed_strategies: [" + strategy +
			"]}\n  retry: {enabled: false}\n"
		got := handle(t, block, failure.Source, &failure, always)
		tries := triesOf(tableOf(t, block))[strategy]
		ran := len(got.ran())
		if strategy == "wait_for_rate_limit" {
			assert.Equal(t, tries, ran)
			continue
		}
		require.Positive(t, tries, strategy)
		assert.LessOrEqual(t, ran, tries, strategy)
	}
}

// TestJitterOfProfiles: how much chance there is in the waits of each profile, and in those of the
// policies under it.
func TestJitterOfProfiles(t *testing.T) {
	const none, tenth = 0.0, 0.1
	for profile, want := range map[string]float64{
		"default": tenth, "strict": none, "lenient": tenth, "fast": tenth, "thorough": tenth,
	} {
		table, err := errs.Table.Profile(taxonomy.ProfileName(profile))
		require.NoError(t, err)
		own := table.Overlay.Retry.Policy
		require.NotNil(t, own, profile)
		assert.InDelta(t, want, own.Jitter, 0, profile)
		assert.Equal(t, want > 0, own.JitterKind == taxonomy.JitterProportional && own.Jitter > 0, profile)
		for _, name := range retryPolicies {
			if p := policyOf(table, name); p != nil {
				assert.InDelta(t, tenth, p.Jitter, 0, profile+" "+name)
			}
		}
	}
	for _, name := range []string{"llm", "github", "tool", "verification", "fixes"} {
		p := errs.Table.Policy(taxonomy.PolicyName(name))
		require.NotZero(t, p, name)
		assert.InDelta(t, tenth, p.Jitter, 0, name)
	}
}
