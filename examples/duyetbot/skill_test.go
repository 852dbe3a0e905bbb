package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/report"
	"github.com/errgen/errgen/runtime/retry"

	"bot.example.com/duyetbot/errs"
)

// written writes a skill and returns its path.
func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "skill.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestFaultySkills(t *testing.T) {
	const head = "name: s\ncommand: ['true']\n"
	tests := []struct {
		row, name, text string
		want            []string
	}{
		{"D151 D152 B-D25", "unknown profile", head + "error-handling: {profile: careful}",
			[]string{"Profile not found: careful"}},
		{"D154", "unknown key", head + "error-handling:\n  retry: {maxAttempts: 3}\n",
			[]string{"skill.yaml:4: ", "error-handling.retry.maxAttempts: unknown key"}},
		{"", "unknown strategy", head + "error-handling: {recovery: {allowed_strategies: [pray]}}",
			[]string{`recovery.allowed: no strategy "pray"`}},
		{"", "an unknown level", head + "error-handling: {reporting: {log_level: loud}}",
			[]string{`reporting.log_level is "loud"`}},
		{"", "negative",
			head + "error-handling: {retry: {initial_delay_ms: -1}, recovery: {max_recovery_attempts: -1}}",
			[]string{"initial_delay: -1ms", "recovery.max_attempts: -1"}},
		{"", "a delay that is not a number", head + "error-handling: {retry: {max_delay_ms: .nan}}",
			[]string{"max_delay: "}},
		{"", "longest below first", head + "error-handling: {retry: {initial_delay_ms: 5000, max_delay_ms: 10}}",
			[]string{"error-handling: ", "max_delay"}},
		{"", "no command", "name: s", []string{"command", "a program and its arguments"}},
		{"", "no name", "command: [x]", []string{"name", "lower-case letters"}},
		{"", "unknown source", head + "source: gremlins", []string{`source is "gremlins", expected llm, github`}},
		{"", "a directory elsewhere", head + "dir: ../..", []string{"dir", "below that of the skill's file"}},
		{"", "half a repository", head + "github: {owner: acme}", []string{"github.repo"}},
		{"", "a fix without a check", head + "tools:\n  lint: {fix: [eslint, --fix]}\n",
			[]string{"skill.yaml:4: tools.lint.check"}},
		{"", "a file in a script", head + "tools:\n  lint: {fix: [sh, -c, '{file}'], check: [eslint]}\n",
			[]string{"skill.yaml:4: tools.lint.fix", "expected placeholders"}},
		{"", "an installer without a package", head + "tools:\n  install: {command: [npm, install]}\n",
			[]string{"skill.yaml:4: tools.install.command", "{package}"}},
	}
	for _, tt := range tests {
		t.Run(tt.row+" "+tt.name, func(t *testing.T) {
			_, err := newSession(io.Discard, retry.System).load(t.Context(), []string{written(t, tt.text)}, "")
			require.Error(t, err)
			for _, want := range tt.want {
				assert.ErrorContains(t, err, want)
			}
		})
	}
}

// TestSkill: a skill as the design writes it.
func TestSkill(t *testing.T) {
	s, err := loadSkill(written(t, `
name: whole
command: [make, test]
error-handling:
  profile: default  # default, strict, lenient, fast, thorough

  detection:
    enable_pattern_matching: true
    enable_severity_inference: true
    enable_recoverability_inference: true

  recovery:
    enable_automatic_recovery: true
    max_recovery_attempts: 3
    allowed_strategies:
      - wait_for_rate_limit
      - retry_with_backoff

  retry:
    enabled: true
    max_attempts: 3
    initial_delay_ms: 1000
    max_delay_ms: 30000
    backoff_multiplier: 2

  reporting:
    log_level: info
    include_stack_trace: true
    include_context: true
`))
	require.NoError(t, err)
	table, err := s.table("")
	require.NoError(t, err)
	t.Run("D154", func(t *testing.T) {
		assert.Equal(t, []string{"wait_for_rate_limit", "retry_with_backoff"}, table.Overlay.Recovery.Allowed)
		profile, err := errs.Table.Profile("default")
		require.NoError(t, err)
		assert.Equal(t, profile.Overlay.Retry, table.Overlay.Retry, "it says what the profile says")
		assert.Equal(t, profile.Overlay.Reporting, table.Overlay.Reporting)
		assert.Equal(t, profile.Overlay.Detection, table.Overlay.Detection)
	})
	t.Run("D155", func(t *testing.T) {
		assert.Equal(t, &report.Source{Type: "tool", Component: "whole"}, s.operation(nil).Facts.Source)
		assert.Equal(t, map[string]string{"component": "whole", "skill": "whole"}, s.facts())
	})
	t.Run("D152", func(t *testing.T) {
		table, err := s.table("fast")
		require.NoError(t, err)
		assert.Equal(t, "fast", table.Overlay.Name)
	})
}
