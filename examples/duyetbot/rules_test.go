package main

import (
	"context"
	"io/fs"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

// evidence is a short name.
type evidence = taxonomy.Evidence

// said is what source said.
func said(source, text string) evidence { return evidence{Source: source, Text: text} }

// answered is an HTTP status of source.
func answered(source string, status int) evidence { return evidence{Source: source, Status: status} }

// TestSeed holds the tests that the system was described with.
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

func TestRules(t *testing.T) {
	tests := []struct {
		row  string
		raw  evidence
		want string
	}{
		// A source that is given is taken as it is.
		{"D72", evidence{Source: "github", Type: "rate_limit", Text: "it went wrong"}, "github_server_error"},
		{"D72", evidence{Source: "llm", Status: 404, Attributes: map[string]string{"host": "api.github.com"}},
			"llm_invalid_request"},
		// Otherwise something must tell who it was.
		{"D73 B-D08", evidence{Status: 404, Attributes: map[string]string{"host": "api.github.com"}},
			"github_not_found"},
		{"D73 B-D08", evidence{Status: 500, Attributes: map[string]string{"host": "api.github.com"}},
			"github_server_error"},
		{"D73 B-D08", evidence{Status: 404}, "github_not_found"},
		{"D73 B-D08", evidence{Status: 599}, "llm_server_error"},
		{"D73", evidence{Status: 399}, "system_error"},
		{"D73", evidence{Status: 600}, "system_error"},
		{"D73 B-D08", evidence{Status: 503, Attributes: map[string]string{"host": "api.openai.com"}},
			"llm_server_error"},
		{"D74", evidence{Type: "invalid_request_error"}, "llm_invalid_request"},
		{"D74", evidence{Type: "rate_limit_error"}, "llm_rate_limit"},
		{"D74", evidence{Type: "rate_limit_error", Status: 429}, "llm_rate_limit"},
		{"D75", evidence{Attributes: map[string]string{"tool": "bash"}}, "tool_execution"},
		{"D75", evidence{Attributes: map[string]string{"tool": "bash"}, Text: "timed out"}, "tool_timeout"},
		{"D75", evidence{Attributes: map[string]string{"tool": "bash"}, Text: "Build failed"}, "build_failed"},
		{"D76", evidence{}, "system_error"},

		// What a source says of itself comes before what others could have meant by the same words.
		{"D77 B-D07", said("github", "Rate limit exceeded"), "github_rate_limit"},
		{"D77 B-D07", said("tool", "Rate limit exceeded"), "tool_execution"},
		{"D77 B-D07", said("github", "Request timed out"), "github_timeout"},
		{"D77 B-D07", evidence{Source: "github", Status: 404, Text: "Build failed"}, "github_not_found"},
		{"D77 B-D07", said("github", "it went wrong"), "github_server_error"},

		{"D78", said("github", "Not found"), "github_server_error"}, // without a status
		{"D78", answered("github", 400), "github_server_error"},
		{"D78", answered("github", 401), "github_forbidden"},
		{"D78", answered("github", 403), "github_forbidden"},
		{"D78", answered("github", 404), "github_not_found"},
		{"D78", answered("github", 408), "github_server_error"},
		{"D78", answered("github", 422), "github_validation"},
		{"D78", answered("github", 429), "github_rate_limit"},
		{"D78", answered("github", 500), "github_server_error"},
		{"D78", answered("github", 502), "github_server_error"},
		{"D78", answered("github", 599), "github_server_error"},
		{"D78 B-D07",
			evidence{Source: "github", Status: 403, Attributes: map[string]string{"ratelimit-remaining": "0"}},
			"github_rate_limit"},
		{"D78 B-D07",
			evidence{Source: "github", Status: 403, Attributes: map[string]string{"ratelimit-remaining": "12"}},
			"github_forbidden"},
		{"D78 B-D07", evidence{Source: "github", Status: 403, Text: "You have exceeded a secondary rate limit"},
			"github_rate_limit"},
		{"D78 B-D02", said("github", "403 Forbidden"), "github_forbidden"},
		{"D78 B-D02", said("github", "422 Unprocessable Entity"), "github_validation"},
		// the typed one counts
		{"D78 B-D02", evidence{Source: "github", Status: 500, Text: "404 Not Found"}, "github_server_error"},
		{"B-D04", said("github", "Authentication failed"), "github_forbidden"},

		{"D79", said("llm", "rate limit"), "llm_rate_limit"},
		{"D79", evidence{Source: "llm", Code: "rate_limit_error"}, "llm_rate_limit"},
		{"D79", said("llm", "connection timeout"), "llm_timeout"},
		{"D79", said("llm", "the request timed out"), "llm_timeout"},
		{"D79", said("llm", "your quota is used up"), "llm_quota_exceeded"},
		{"D79", said("llm", "token limit exceeded"), "llm_quota_exceeded"},
		{"D79", said("llm", "invalid value"), "llm_invalid_request"},
		{"D79", evidence{Source: "llm", Code: "invalid_request_error"}, "llm_invalid_request"},
		{"D79", said("llm", "it went wrong"), "llm_server_error"},
		{"D79 B-D09", answered("llm", 400), "llm_invalid_request"},
		{"D79 B-D09", answered("llm", 401), "llm_auth"},
		{"D79 B-D09", answered("llm", 403), "llm_auth"},
		{"D79 B-D09", answered("llm", 404), "llm_invalid_request"},
		{"D79 B-D09", answered("llm", 408), "llm_timeout"},
		{"D79 B-D09", answered("llm", 422), "llm_invalid_request"},
		{"D79 B-D09", answered("llm", 429), "llm_rate_limit"},
		{"D79 B-D09", answered("llm", 500), "llm_server_error"},
		{"D79 B-D09", answered("llm", 529), "llm_server_error"},
		{"D79 B-D09", said("llm", "401 Unauthorized"), "llm_auth"},
		{"D79 B-D09", evidence{Source: "llm", Status: 401, Type: "invalid_request_error", Code: "invalid_api_key"},
			"llm_auth"},
		{"D79 B-D09", evidence{Source: "llm", Status: 429, Type: "insufficient_quota", Code: "insufficient_quota"},
			"llm_quota_exceeded"},

		{"D80", said("tool", "connection timeout"), "tool_timeout"},
		{"D80", said("tool", "command timed out"), "tool_timeout"},
		{"D80", said("tool", "bun: not found"), "tool_not_found"},
		{"D80", said("tool", "the file does not exist"), "tool_not_found"},
		{"D80", said("tool", "no permission"), "tool_permission"},
		{"D80", said("tool", "access denied"), "tool_permission"},
		{"D80", said("tool", "it went wrong"), "tool_execution"},
		{"D80", evidence{Source: "tool", ExitCode: taxonomy.Some(1)}, "tool_execution"},
		{"D80", evidence{Source: "tool", ExitCode: taxonomy.Some(124)}, "tool_timeout"},
		{"D80", evidence{Source: "tool", ExitCode: taxonomy.Some(126)}, "tool_permission"},
		{"D80", evidence{Source: "tool", ExitCode: taxonomy.Some(127)}, "tool_not_found"},

		{"D82", said("", "error TS2345: no"), "type_error"},
		{"D82", said("", "Error TS1005: ';' expected"), "type_error"},
		{"D82", said("verification", "Type 'string' is not assignable to type 'number'."), "type_error"},
		{"D82 B-D12", said("tool", "src/app.ts(12,5): error TS2345: no"), "type_error"},
		{"D82 B-D12", said("tool", "src/app.ts:12:5 - error TS2345: no"), "type_error"},
		{"D82 B-D12", said("tool", "src/app.ts(12:5): error TS2345: no"), "type_error"},
		{"D82", said("", "error TS: no number"), "system_error"},
		{"D82", said("", "archetype of this\nis not assignable"), "system_error"}, // not a word, and not on one line

		{"D83", said("", "src/app.js:12:5: error: Unexpected var"), "lint_error"},
		{"D83 B-D06", said("verification", "./main.go:10:2: the comment has no full stop"), "lint_error"},
		{"D83 B-D06", said("tool", `C:\work\app.js:12:5: Unexpected var`), "lint_error"},
		{"D83 B-D06", said("tool", "/srv/app.js\n  12:5  error  Unexpected var  no-var\n"), "lint_error"},
		{"D83 B-D06", said("", "error at 12:30:45: nothing to do"), "system_error"},
		{"D83 B-D06", said("", "12:30:45: error: nothing to do"), "system_error"},
		{"D83 B-D06", said("", "2026-01-02 12:30:45: error: nothing to do"), "system_error"},
		{"D83 B-D06", said("", "error: cannot reach 127.0.0.1:8080:1: closed"), "network_error"},
		{"D83 B-D06", said("", "error: cannot reach [::1]:8080: closed"), "network_error"},

		{"D84", said("", "FAIL src/app.test.ts"), "test_failure"},
		{"D84", said("tool", "--- FAIL: TestAdd (0.00s)"), "test_failure"},
		{"D84", said("verification", "=== FAILURES ==="), "test_failure"},
		{"D84", said("", "Test failed"), "test_failure"},
		{"D84", said("", "test failed"), "test_failure"},
		{"D84 B-D04", said("", "Build failed"), "build_failed"},
		{"D84 B-D04", said("", "Failed to fetch"), "network_error"},
		{"D84 B-D04", said("", "Authentication failed"), "system_error"},
		{"D84 B-D04", said("", "the failover took 3 s"), "system_error"},
		{"D84 B-D04", said("", "FAILOVER started"), "system_error"},
		{"D84 B-D04", said("", "ASSERT_FAIL is undefined"), "system_error"},
		{"D84 B-D04", said("", "it did not fail"), "system_error"},
		{"D84 B-D04", said("tool", "FAIL\nBuild failed"), "build_failed"},
		{"D84 B-D04", said("tool", "FAIL\nError: Cannot find module 'x'"), "dependency_error"},
		{"D84 B-D04", said("tool", "FAIL\nconnect ECONNREFUSED 127.0.0.1:5432"), "network_error"},

		{"D85", said("", "Build failed"), "build_failed"},
		{"D85", said("tool", "Build failed"), "build_failed"},
		{"D85", said("verification", "compilation error"), "build_failed"},
		{"D85", evidence{Source: "tool", ExitCode: taxonomy.Some(1), Text: "BUILD FAILED in 3s"}, "build_failed"},

		{"D86", said("", "Cannot find module 'left-pad'"), "dependency_error"},
		{"D86", said("tool", "dependency not found: left-pad"), "dependency_error"},

		{"D87", said("", "Rate limit exceeded"), "llm_rate_limit"},
		{"D87", said("", "rate limit"), "llm_rate_limit"},
		{"D87", said("", "Too many requests"), "llm_rate_limit"},
		{"D87", said("", "wrote the chapter on rate limits"), "system_error"},
		{"D87", said("llm", "wrote the chapter on rate limits"), "llm_server_error"},
		{"D87", said("tool", "the guide explains what a rate limit is"), "tool_execution"},

		{"D88", said("", "timeout"), "llm_timeout"},
		{"D88", said("", "the operation timed out"), "llm_timeout"},
		{"D88", said("", "sets all timeouts"), "system_error"},
		{"D88", said("", "FAIL app.test.ts\nthe test timed out"), "test_failure"},

		{"D89 B-D05", said("", "connect ECONNREFUSED 127.0.0.1:8080"), "network_error"},
		{"D89 B-D05", said("", "getaddrinfo ENOTFOUND example.org"), "network_error"},
		{"D89 B-D05", said("", "connect ETIMEDOUT 10.0.0.1:443"), "network_error"},
		{"D89 B-D05", said("", "read ECONNRESET"), "network_error"},
		{"D89", said("", "listening on 127.0.0.1:8080"), "system_error"},

		// What nothing but types and errors of Go can tell.
		{"B-D05", evidence{Source: "github", Err: context.DeadlineExceeded}, "github_timeout"},
		{"B-D05", evidence{Source: "tool", Err: context.DeadlineExceeded}, "tool_timeout"},
		{"B-D05", evidence{Source: "skill", Err: context.DeadlineExceeded}, "skill_timeout"},
		{"B-D05", evidence{Source: "llm", Err: context.DeadlineExceeded}, "llm_timeout"},
		{"B-D05", evidence{Errno: "ECONNRESET"}, "connection_error"},
		{"B-D05", evidence{Err: fs.ErrNotExist}, "file_not_found"},
		{"B-D05", evidence{Err: fs.ErrPermission}, "file_permission"},
		{"B-D05", evidence{Errno: "ENOSPC"}, "file_system"},
		{"B-D05", evidence{Source: "config", Err: fs.ErrNotExist}, "config_missing"},
		{"B-D05", evidence{Source: "config", Type: "parse"}, "config_invalid"},
		{"B-D05", evidence{Source: "skill", Err: fs.ErrNotExist}, "skill_not_found"},
		{"B-D05", evidence{Source: "skill", Type: "invalid"}, "skill_validation"},
		{"B-D05", evidence{Source: "verification"}, "verification_failed"},
		{"B-D05", evidence{Source: "tool", Err: exec.ErrNotFound}, "tool_not_found"},

		// Digits in prose are no status; one is read where it stands as one.
		{"B-D23", said("github", "line 120 of 404"), "github_server_error"},
		{"B-D23", said("github", "see line 404"), "github_server_error"},
		{"B-D23", said("github", "404 tests passed"), "github_server_error"},
		{"B-D23", said("github", "399 Not Found"), "github_server_error"},
		{"B-D23", said("github", "request failed with status code 404"), "github_not_found"},
		{"B-D23", said("github", "HTTP 422"), "github_validation"},
		{"B-D23", said("llm", "429 tests passed"), "llm_server_error"},

		{"D160 B-D03", said("", "something new"), "system_error"},
	}
	for _, tt := range tests {
		t.Run(tt.row+" "+tt.raw.Error(), func(t *testing.T) {
			err := errs.Classify(&tt.raw)
			assert.Equal(t, tt.want, taxonomy.CodeOf(err), "%s", errs.Explain(&tt.raw))
		})
	}
}

// TestSystemError: one that is reported as such is worse than one that nothing describes.
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

// TestPattern: the words by which an error was recognised decide on what to do, and travel with it.
func TestPattern(t *testing.T) {
	tests := []struct {
		row, source, text string
		pattern           string
		reaction          string
		strategy          string
		attempts          int // with the first one
	}{
		{"D82", "tool", "error TS2345: no", "type", "pattern_apply_type_fix", "apply_type_fix", 4},
		{"D83", "tool", "src/app.js:12:5: error: no", "lint", "pattern_apply_lint_fix", "apply_lint_fix", 2},
		{"D84", "tool", "FAIL app.test.ts", "test", "fix_test", "fix_test", 4},
		{"D85", "tool", "Build failed", "build", "fix_build", "fix_build", 4},
		{"D86", "tool", "Cannot find module 'x'", "dependency", "install_dependency", "install_dependency", 2},
		{"D87", "llm", "Rate limit exceeded", "rate_limit", "pattern_wait_and_retry", "wait_for_rate_limit", 6},
		{"D88", "llm", "timed out", "timeout", "pattern_retry_llm", "retry_with_backoff", 4},
		{"D89", "", "connect ECONNREFUSED", "network", "pattern_retry_network", "retry_with_backoff", 4},
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
		})
	}
}

// TestFast: the profile that does not search texts uses structured evidence and the source.
func TestFast(t *testing.T) {
	tests := []struct {
		raw  evidence
		want string
	}{
		{said("llm", "Rate limit exceeded"), "llm_server_error"},
		{answered("llm", 429), "llm_rate_limit"},
		{said("github", "404 Not Found"), "github_server_error"},
		{said("", "Build failed"), "system_error"},
	}
	fast, err := errs.Table.Profile(errs.ProfileFast)
	require.NoError(t, err)
	for _, tt := range tests {
		t.Run("D148 "+tt.raw.Error(), func(t *testing.T) {
			assert.Equal(t, tt.want, taxonomy.CodeOf(errs.Classify(&tt.raw, detect.WithTable(fast))))
		})
	}
}

// TestNormalize: what changes from one failure to the next does not keep them from being grouped.
func TestNormalize(t *testing.T) {
	tests := []struct{ in, want string }{
		{"commit 0123abcdef99 is gone", "commit HASH is gone"},
		{"commit 0123ABCDEF99 is gone", "commit HASH is gone"},
		{"took 30 s, not 5", "took N s, not N"},
		{`no module 'left-pad' in "app"`, `no module 'X' in "X"`},
	}
	for _, tt := range tests {
		t.Run("D125 B-D20 "+tt.in, func(t *testing.T) {
			assert.Equal(t, tt.want, detect.Normalize(tt.in))
		})
	}
}

// TestHostile: what cannot be of use costs neither time nor memory, and takes nothing away from
// what can.
func TestHostile(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"near misses":       {strings.Repeat("rate limi", 10_000) + "\nBuild failed", "build_failed"},
		"one endless line":  {strings.Repeat("a", 1<<20) + "\nerror TS2345: no", "type_error"},
		"no UTF-8":          {strings.Repeat("\xff\xfe", 5_000) + "\nBuild failed: \xff", "build_failed"},
		"what is far above": {"Build failed\n" + strings.Repeat("fine\n", 10_000), "system_error"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, tt.want, taxonomy.CodeOf(errs.Classify(tt.text)))
		})
	}
}
