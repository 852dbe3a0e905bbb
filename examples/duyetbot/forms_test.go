package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

// TestTalk: a text that only mentions a failure is not classified as one, whatever its source.
func TestTalk(t *testing.T) {
	texts := []string{
		"The README now explains how rate limits work.",
		"added a rate limiter, and tests of rate limiting",
		"requests that are rate limited are sent again",
		"429 tests passed in 12 files",
		"see line 404 of 500",
		"it took 503 ms",
		"the failover is complete",
		"FAILOVER to FAILSAFE_2, ASSERT_FAIL is off",
		"it did not fail",
		"at 12:30:45: nothing to do",
		"12:30:45: error: nothing to do",
		"2026-01-02T12:30:45:00: error",
		"listening on 127.0.0.1:8080",
		"cannot speak to [::1]:8080: closed",
		"error: db.example.com:5432: closed",
		"all timeouts are documented",
		"Please implement rate limit exceeded handling",
		`The test checks that "rate limit exceeded" is shown`,
		"increase timeout to 60",
		"The build failed message is improved",
		"All 0 tests failed",
		"quota documentation updated",
		"invalid is a word",
		"unauthorized access is now rejected in tests",
		"rewrote the permission docs",
		"nothing is missing",
		"the page says that the file does not exist, which is right",
		"I changed the label to read: connection refused",
		"the client handles ECONNREFUSED and tries again",
		"the comment that explains error TS2345: no",
		"tests that FAIL are listed first",
		"Tests failed yesterday but pass now",
		"the hint for Cannot find module 'x' is clearer",
		"validation of input is faster",
		"bad credentials are refused politely",
		"access denied pages are styled",
		"too many requests are answered with 429",
		"a function that fetch failed to cover",
	}
	sources := map[string]string{
		"":             "system_error",
		"llm":          "llm_server_error",
		"github":       "github_server_error",
		"tool":         "tool_execution",
		"verification": "verification_failed",
		"file":         "file_system",
		"network":      "network_error",
		"config":       "config_invalid",
		"skill":        "system_error",
		"system":       "system_error",
	}
	for source, want := range sources {
		for _, text := range texts {
			ev := said(source, text)
			t.Run("B-D04 B-D06 B-D07 B-D23 "+ev.Error(), func(t *testing.T) {
				assert.Equal(t, want, taxonomy.CodeOf(errs.Classify(&ev)), "%s", errs.Explain(&ev))
			})
		}
	}
}

// TestForms: what well-known services and programs print.
func TestForms(t *testing.T) {
	tests := []struct {
		raw  evidence
		want string
	}{
		{said("llm",
			"openai.RateLimitError: Rate limit reached for model gpt-4 in organization org-1 on tokens per min. "+
				"Limit: 10000."), "llm_rate_limit"},
		{said("llm", "Error: 429 Too Many Requests"), "llm_rate_limit"},
		{said("", `API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`),
			"llm_rate_limit"},
		{said("llm", "You exceeded your current quota, please check your plan and billing details."),
			"llm_quota_exceeded"},
		{said("llm", "Your monthly token quota has been exceeded."), "llm_quota_exceeded"},
		{said("llm", "Out of credits"), "llm_quota_exceeded"},
		{said("llm", "Incorrect API key provided: sk-x. You can find your key in the settings."), "llm_auth"},
		{said("llm", "Invalid request: messages is empty"), "llm_invalid_request"},
		{said("llm", "dial tcp 10.0.0.1:443: i/o timeout"), "llm_timeout"},
		{said("llm", "openai.APITimeoutError: Request timed out."), "llm_timeout"},
		{said("llm", "net/http: timeout awaiting response headers"), "llm_timeout"},
		{said("github", "API rate limit exceeded for installation ID 4711."), "github_rate_limit"},
		{said("github", "HttpError: Bad credentials"), "github_forbidden"},
		{said("tool", "cat: notes.txt: Permission denied"), "tool_permission"},
		{said("tool", "git@github.com: Permission denied (publickey)."), "tool_permission"},
		{said("tool", "mkdir: cannot create directory 'a b': Permission denied"), "tool_permission"},
		{said("tool", "zsh: command not found: bun"), "tool_not_found"},
		{said("tool", "fatal: repository 'x y' does not exist"), "tool_not_found"},
		{said("tool", "[ERROR] BUILD FAILURE"), "build_failed"},
		{said("tool", "✗ Build failed in 1.2s"), "build_failed"},
		{said("tool", "FAILURE: Build failed with an exception."), "build_failed"},
		{said("tool", "Tests: 1 failed, 3 passed, 4 total"), "test_failure"},
		{said("tool", "3 tests failed"), "test_failure"},
		{said("tool", "FAILED tests/test_sum.py::test_sum - assert 3 == 4"), "test_failure"},
		{said("tool", "FAIL\texample.com/a\t0.01s"), "test_failure"},
		{said("tool", `main.go:4:2: cannot find package "x" in any of:`), "dependency_error"},
		{said("skill", "validation failed: name is empty"), "skill_validation"},
		{said("config", "missing required environment variable GITHUB_TOKEN"), "config_missing"},
		{said("config", "open config.yaml: no such file or directory"), "config_missing"},
		{said("file", "Error: EACCES: permission denied, open 'a'"), "file_permission"},
		{said("", "FetchError: request to http://localhost:1/ failed, reason: connect ECONNREFUSED 127.0.0.1:1"),
			"network_error"},
		{said("", "  code: 'ECONNREFUSED',"), "network_error"},
	}
	for _, tt := range tests {
		t.Run(tt.raw.Error(), func(t *testing.T) {
			assert.Equal(t, tt.want, taxonomy.CodeOf(errs.Classify(&tt.raw)), "%s", errs.Explain(&tt.raw))
		})
	}
}
