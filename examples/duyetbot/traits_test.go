package main

import (
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

// TestTraits checks the traits of every code against literals.
func TestTraits(t *testing.T) {
	const (
		low, medium, high, critical = taxonomy.SeverityLow, taxonomy.SeverityMedium,
			taxonomy.SeverityHigh, taxonomy.SeverityCritical
		retryable, recoverable, permanent, unknown = taxonomy.Retryable, taxonomy.Recoverable, taxonomy.Permanent,
			taxonomy.RecoverabilityUnknown
	)
	tests := []struct {
		row, code, category string
		severity            taxonomy.Severity
		recoverability      taxonomy.Recoverability
		reaction            string
	}{
		{"D9", "llm_rate_limit", "llm", high, retryable, "llm_wait_for_rate_limit"},
		{"D10", "llm_timeout", "llm", high, retryable, "llm_retry_with_backoff"},
		{"D11", "llm_quota_exceeded", "llm", critical, permanent, "fail"},
		{"B-D09", "llm_auth", "llm", high, permanent, "fail"},
		{"D12", "llm_invalid_request", "llm", medium, permanent, "fail"},
		{"D13", "llm_server_error", "llm", critical, retryable, "llm_retry"},
		{"D14", "github_rate_limit", "github", high, retryable, "github_wait_for_rate_limit"},
		{"D15", "github_timeout", "github", high, retryable, "github_retry_with_backoff"},
		{"D16", "github_not_found", "github", high, permanent, "fail"},
		{"D17", "github_forbidden", "github", high, permanent, "fail"},
		{"D18", "github_server_error", "github", critical, retryable, "github_retry"},
		{"D19", "github_validation", "github", medium, permanent, "fail"},
		{"D20", "tool_timeout", "tool", high, retryable, "tool_retry_with_backoff"},
		{"D21", "tool_not_found", "tool", medium, permanent, "fail"},
		{"D22", "tool_execution", "tool", medium, unknown, "fail"},
		{"D23", "tool_permission", "tool", high, permanent, "fail"},
		{"D24", "verification_failed", "verification", high, recoverable, "verify_again"},
		{"D25", "type_error", "verification", medium, recoverable, "apply_type_fix"},
		{"D26", "lint_error", "verification", low, recoverable, "apply_lint_fix"},
		{"D27", "test_failure", "verification", medium, recoverable, "fix_test"},
		{"D28", "build_failed", "verification", high, recoverable, "fix_build"},
		{"D29", "file_not_found", "file", medium, permanent, "fail"},
		{"D30", "file_permission", "file", high, permanent, "fail"},
		{"D31", "file_system", "file", high, unknown, "fail"},
		{"D32", "network_error", "network", medium, retryable, "tool_retry_with_backoff"},
		{"D33", "dns_error", "network", medium, retryable, "profiled_retry"},
		{"D34", "connection_error", "network", medium, retryable, "profiled_retry"},
		{"D35", "config_invalid", "config", medium, permanent, "fail"},
		{"D36", "config_missing", "config", medium, recoverable, "ask"},
		{"D37", "skill_not_found", "skill", medium, permanent, "fail"},
		{"D38", "skill_validation", "skill", medium, permanent, "fail"},
		{"D39", "skill_timeout", "skill", high, retryable, "profiled_retry"},
		{"D40 B-D03", "system_error", "system", critical, unknown, "fail"},
		{"D41 B-D01", "dependency_error", "dependency", high, recoverable, "install_dependency"},
	}
	assert.Len(t, maps.Collect(errs.Table.Taxonomy.Codes()), len(tests), "a code is missing here")
	for _, tt := range tests {
		t.Run(tt.row+" "+tt.code, func(t *testing.T) {
			row, ok := errs.Table.Taxonomy.Find(tt.code)
			require.True(t, ok)
			traits := errs.Table.Row(row)
			assert.Equal(t, tt.category, errs.Table.Taxonomy.Categories[row.Category()].Name)
			assert.Equal(t, tt.severity, traits.Severity)
			assert.Equal(t, tt.recoverability, traits.Recoverability)
			assert.Equal(t, tt.reaction, traits.Reaction.Name)
			assert.Equal(t, tt.recoverability == retryable || tt.code == "verification_failed", traits.Retryable)
		})
	}
}

// TestPolicyOfCode checks the policy of each code's retries, which follow its strategy if it has
// one.
func TestPolicyOfCode(t *testing.T) {
	tests := map[string]string{
		"llm_rate_limit": "llm", "llm_timeout": "llm", "llm_server_error": "llm",
		"github_rate_limit": "github", "github_timeout": "github", "github_server_error": "github",
		"tool_timeout": "tool", "network_error": "tool",
		"verification_failed": "verification", "type_error": "fixes", "lint_error": "fixes",
	}
	for code, policy := range tests {
		t.Run("D105 D114-D117 "+code, func(t *testing.T) {
			row, ok := errs.Table.Taxonomy.Find(code)
			require.True(t, ok)
			reaction := errs.Table.Row(row).Reaction
			if reaction.Then != nil && reaction.Then.Action == taxonomy.RetryOperation {
				reaction = reaction.Then
			}
			require.NotNil(t, reaction.Policy)
			assert.Equal(t, policy, reaction.Policy.Name)
		})
	}
}

// TestStrategyOfCode: eleven codes have a strategy.
func TestStrategyOfCode(t *testing.T) {
	want := map[string]string{
		"llm_rate_limit":    "wait_for_rate_limit",
		"llm_timeout":       "retry_with_backoff",
		"github_rate_limit": "wait_for_rate_limit",
		"github_timeout":    "retry_with_backoff",
		"dependency_error":  "install_dependency",
		"type_error":        "apply_type_fix",
		"lint_error":        "apply_lint_fix",
		"test_failure":      "fix_test",
		"build_failed":      "fix_build",
		"tool_timeout":      "retry_with_backoff",
		"network_error":     "retry_with_backoff",
	}
	for row, code := range errs.Table.Taxonomy.Codes() {
		t.Run("D96 "+code.Value, func(t *testing.T) {
			assert.Equal(t, want[code.Value], errs.Table.Row(row).Reaction.Strategy)
		})
	}
	names := make([]string, 0, 7)
	for _, s := range errs.Table.Taxonomy.Strategies {
		names = append(names, s.Name)
	}
	t.Run("D104 seven", func(t *testing.T) { assert.Equal(t, everything, names) })
}

// everything are all strategies.
var everything = []string{
	"wait_for_rate_limit", "retry_with_backoff", "install_dependency", "apply_type_fix", "apply_lint_fix", "fix_test",
	"fix_build",
}

func TestProfiles(t *testing.T) {
	type numbers struct {
		attempts     int
		initial, max time.Duration
		multiplier   float64
	}
	tests := []struct {
		row                            string
		name                           taxonomy.ProfileName
		text, severity, recoverability bool
		recovers                       bool
		maxRecoveries                  int
		allowed                        []string
		retries                        bool
		retry                          numbers
		level                          taxonomy.LogLevel
		stack, context                 bool
	}{
		{"D145", errs.ProfileDefault, true, true, true, true, 3,
			[]string{"wait_for_rate_limit", "retry_with_backoff", "install_dependency", "apply_lint_fix"},
			true, numbers{3, time.Second, 30 * time.Second, 2}, taxonomy.LogInfo, true, true},
		{"D146", errs.ProfileStrict, true, true, true, false, -1, []string{},
			false, numbers{1, 0, 0, 1}, taxonomy.LogError, true, true},
		{"D147", errs.ProfileLenient, true, true, true, true, 5, everything,
			true, numbers{5, 500 * time.Millisecond, 60 * time.Second, 2}, taxonomy.LogDebug, true, true},
		{"D148", errs.ProfileFast, false, true, false, false, 1, []string{"retry_with_backoff"},
			true, numbers{2, 100 * time.Millisecond, time.Second, 1.5}, taxonomy.LogWarn, false, false},
		{"D149", errs.ProfileThorough, true, true, true, true, 10, everything,
			true, numbers{10, time.Second, 2 * time.Minute, 2}, taxonomy.LogDebug, true, true},
	}
	for _, tt := range tests {
		t.Run(tt.row+" "+string(tt.name), func(t *testing.T) {
			table, err := errs.Table.Profile(tt.name)
			require.NoError(t, err)
			p := table.Overlay
			assert.Equal(t, taxonomy.Detection{Text: tt.text, Severity: tt.severity, Recoverability: tt.recoverability},
				p.Detection)
			assert.Equal(t, taxonomy.Recovery{Enabled: tt.recovers, MaxAttempts: tt.maxRecoveries, Allowed: tt.allowed},
				p.Recovery)
			assert.Equal(t, tt.retries, p.Retry.Enabled)
			require.NotNil(t, p.Retry.Policy)
			assert.Equal(
				t, tt.retry,
				numbers{p.Retry.Policy.MaxAttempts, p.Retry.Policy.InitialDelay, p.Retry.Policy.MaxDelay,
					p.Retry.Policy.Multiplier})
			assert.Equal(t, taxonomy.Reporting{LogLevel: tt.level, Stack: tt.stack, Context: tt.context}, p.Reporting)
		})
	}
	t.Run("D150 the one at the start", func(t *testing.T) {
		table, err := errs.Table.Profile("")
		require.NoError(t, err)
		assert.Equal(t, string(errs.ProfileDefault), table.Overlay.Name)
	})
	t.Run("D153 the names", func(t *testing.T) {
		assert.Equal(t, []string{"default", "strict", "lenient", "fast", "thorough"}, errs.Table.ProfileNames())
	})
}
