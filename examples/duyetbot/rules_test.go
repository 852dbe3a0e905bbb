package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

type evidence = taxonomy.Evidence

// said returns evidence of source with a text.
func said(source, text string) evidence { return evidence{Source: source, Text: text} }

// answered returns evidence of source with an HTTP status.
func answered(source string, status int) evidence { return evidence{Source: source, Status: status} }

// TestSeed contains the tests of the system's description.
func TestSeed(t *testing.T) {
	tests := []struct {
		row            string
		text, source   string
		code           string
		severity       taxonomy.Severity
		recoverability taxonomy.Recoverability
	}{
		{"D68 D170", "Rate limit exceeded", "llm", "llm_rate_limit", taxonomy.SeverityHigh, taxonomy.Retryable},
		{"D68 D171 B-D02", "404 Not Found", "github", "github_not_found", taxonomy.SeverityHigh, taxonomy.Permanent},
	}
	for _, tt := range tests {
		t.Run(tt.row, func(t *testing.T) {
			err := errs.Classify(tt.text, detect.WithSource(taxonomy.SourceName(tt.source)))
			assert.Equal(t, tt.code, taxonomy.CodeOf(err))
			assert.Equal(t, tt.severity, taxonomy.SeverityOf(err))
			assert.Equal(t, tt.recoverability, taxonomy.RecoverabilityOf(err))
		})
	}
}

// TestFailures classifies the lines of testdata/failures.jsonl.
func TestFailures(t *testing.T) {
	file, err := os.Open("testdata/failures.jsonl")
	require.NoError(t, err)
	defer file.Close()
	for d := json.NewDecoder(file); d.More(); {
		var f struct {
			Row, Code, Profile string
			Evidence           evidence
		}
		require.NoError(t, d.Decode(&f))
		t.Run(f.Row+" "+f.Evidence.Error(), func(t *testing.T) {
			table, err := errs.Table.Profile(taxonomy.ProfileName(f.Profile))
			require.NoError(t, err)
			x := errs.Explain(&f.Evidence, detect.WithTable(table))
			assert.Equal(t, f.Code, taxonomy.CodeOf(x.Err), "%s", x)
		})
	}
}

// TestTalk checks that a text that only mentions a failure is not classified as a failure.
// B-D04 B-D06 B-D07 B-D23
func TestTalk(t *testing.T) {
	talk, err := os.ReadFile("testdata/talk.txt")
	require.NoError(t, err)
	for source, want := range map[string]string{
		"": "system_error", "llm": "llm_server_error", "github": "github_server_error", "tool": "tool_execution",
		"verification": "verification_failed", "file": "file_system", "network": "network_error",
		"config": "config_invalid", "skill": "system_error", "system": "system_error",
	} {
		for text := range strings.Lines(string(talk)) {
			ev := said(source, strings.TrimSpace(text))
			assert.Equal(t, want, taxonomy.CodeOf(errs.Classify(&ev)), "%s", errs.Explain(&ev))
		}
	}
}

// TestSystemError checks that a reported system error is more severe than an unknown failure.
func TestSystemError(t *testing.T) {
	tests := []struct {
		row  string
		err  error
		want taxonomy.Severity
	}{
		{"D160 B-D03 nothing describes it", errs.Classify("something new"), taxonomy.SeverityMedium},
		{"D40 B-D03 reported", errs.Classify("something new", detect.WithSource(errs.SourceSystem)),
			taxonomy.SeverityCritical},
		{"D40 B-D03 made", errs.NewSystemError("out of memory", errs.SystemSource{}), taxonomy.SeverityCritical},
	}
	for _, tt := range tests {
		t.Run(tt.row, func(t *testing.T) {
			assert.Equal(t, "system_error", taxonomy.CodeOf(tt.err))
			assert.Equal(t, tt.want, taxonomy.SeverityOf(tt.err))
		})
	}
}

// TestPattern checks that the matched text selects the reaction, and is in the error's context.
func TestPattern(t *testing.T) {
	tests := []struct {
		row, source, text string
		pattern           string
		reaction          string
		strategy          string
		attempts, runs    int // attempts, including the first
	}{
		{"D82", "tool", "error TS2345: no", "type", "pattern_apply_type_fix", "apply_type_fix", 4, 1},
		{"D83", "tool", "src/app.js:12:5: error: no", "lint", "pattern_apply_lint_fix", "apply_lint_fix", 2, 1},
		{"D84", "tool", "FAIL app.test.ts", "test", "fix_test", "fix_test", 4, 1},
		{"D85", "tool", "Build failed", "build", "fix_build", "fix_build", 4, 1},
		{"D86", "tool", "Cannot find module 'x'", "dependency", "install_dependency", "install_dependency", 2, 1},
		{"D87", "llm", "Rate limit exceeded", "rate_limit", "pattern_wait_and_retry", "wait_for_rate_limit", 6, 5},
		{"D88", "llm", "timed out", "timeout", "pattern_retry_llm", "retry_with_backoff", 4, 3},
		{"D89", "", "connect ECONNREFUSED", "network", "pattern_retry_network", "retry_with_backoff", 4, 3},
	}
	for _, tt := range tests {
		t.Run(tt.row+" D67 D96 B-D13 "+tt.pattern, func(t *testing.T) {
			err := errs.Classify(tt.text, detect.WithSource(taxonomy.SourceName(tt.source)))
			r := errs.Table.Reaction(err)
			assert.Equal(t, tt.reaction, r.Name)
			assert.Equal(t, tt.strategy, r.Strategy)
			require.NotNil(t, r.Policy)
			assert.Equal(t, tt.attempts, r.Policy.MaxAttempts)
			assert.Equal(t, tt.pattern, contextOf(t, err)["pattern"])
			got := handle(t, "  profile: thorough\n", tt.source, &evidence{Source: tt.source, Text: tt.text}, always)
			assert.Equal(t, repeated(tt.runs, tt.strategy), got.ran(), "a strategy that fails is not run again")
		})
	}
}
