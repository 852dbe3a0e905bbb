package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"

	"bot.example.com/duyetbot/errs"
)

// envelopeOf returns the JSON of err.
func envelopeOf(t *testing.T, err error) map[string]any {
	t.Helper()
	b, marshalErr := json.Marshal(err)
	require.NoError(t, marshalErr)
	var envelope map[string]any
	require.NoError(t, json.Unmarshal(b, &envelope))
	return envelope
}

// contextOf returns the context in the JSON of err.
func contextOf(t *testing.T, err error) map[string]any {
	t.Helper()
	c, ok := envelopeOf(t, err)["context"].(map[string]any)
	require.True(t, ok)
	return c
}

type object = map[string]any

func TestMessage(t *testing.T) {
	tests := []struct {
		row, name string
		raw       any
		detail    string
		code      any
	}{
		{"D69", "error", errors.New("it went wrong"), "it went wrong", nil},
		{"D69", "text", "it went wrong", "it went wrong", nil},
		{"D69", "object", object{"message": "it went wrong"}, "it went wrong", nil},
		{"D69", "nothing known", evidence{Source: "llm"}, "Unknown error", nil},
		{"D69", "number", 7, "7", nil},
		{"D71", "code", object{"message": "it went wrong", "code": "E7", "status": 503}, "it went wrong", "E7"},
		{"D71", "status", object{"message": "it went wrong", "status": 503}, "it went wrong", "503"},
		{"D71 B-D08", "error with a code", fmt.Errorf("call: %w", coded{"E7"}), "call: it went wrong", "E7"},
		{"D71 B-D08", "error with a status", statusError{503}, "it went wrong", "503"},
	}
	for _, tt := range tests {
		t.Run(tt.row+" "+tt.name, func(t *testing.T) {
			c := contextOf(t, errs.Classify(tt.raw))
			assert.Equal(t, tt.detail, c["detail"])
			assert.Equal(t, tt.code, c["code"])
		})
	}
}

type coded struct{ code string }

func (coded) Error() string       { return "it went wrong" }
func (c coded) ErrorCode() string { return c.code }

type statusError struct{ StatusCode int }

func (statusError) Error() string { return "it went wrong" }

func TestSource(t *testing.T) {
	attributes := func(kv ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i]] = kv[i+1]
		}
		return m
	}
	tests := []struct {
		row  string
		raw  evidence
		want object
	}{
		{"D54 D55 D72", evidence{Source: "llm", Attributes: attributes("component", "anthropic")},
			object{"type": "llm", "component": "anthropic"}},
		{"D56 D57",
			evidence{Source: "github", Attributes: attributes("url", "https://api.github.com/user", "method", "GET")},
			object{"type": "github", "component": "octokit", "endpoint": "https://api.github.com/user",
				"method": "GET"}},
		{"D73", evidence{Status: 404, Attributes: attributes(
			"host", "api.github.com", "url", "https://api.github.com/user", "method", "GET")},
			object{"type": "github", "component": "octokit", "endpoint": "https://api.github.com/user",
				"method": "GET"}},
		{"D74", evidence{Type: "rate_limit_error"}, object{"type": "llm", "component": "openrouter"}},
		{"D75", evidence{Attributes: attributes("tool", "bash")}, object{"type": "tool", "component": "bash"}},
		{"D76 D161", evidence{Text: "it failed"}, object{"type": "system", "component": "unknown"}},
		{"B-D08", evidence{Status: 418}, object{"type": "network", "component": "unknown"}},
		{"D155", evidence{Source: "skill", Type: "timeout", Attributes: attributes("skill", "deploy")},
			object{"type": "tool", "component": "deploy"}},
	}
	for _, tt := range tests {
		t.Run(tt.row+" "+tt.raw.Error(), func(t *testing.T) {
			assert.Equal(t, tt.want, contextOf(t, errs.Classify(tt.raw))["source"])
		})
	}
}

// TestContext fills all fields that evidence can fill.
func TestContext(t *testing.T) {
	reset := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	err := errs.Classify(&evidence{
		Source: "github", Status: 403, Text: "API rate limit exceeded", ResetAt: reset,
		RetryAfter: taxonomy.Some(time.Minute),
		Attributes: map[string]string{
			"ratelimit-remaining": "0",
			"mode":                "agent", "skill": "deploy", "tool": "gh", "step": "push", "task_id": "t1",
			"session_id": "s1",
			"owner":      "o", "repo": "r", "entity_number": "7", "entity_type": "pr",
			"metadata": `{"attempt":2}`,
		},
	})
	envelope, c := envelopeOf(t, err), contextOf(t, err)
	tests := []struct {
		row       string
		got, want any
	}{
		{"D47 category", envelope["code"], "github_rate_limit"},
		{"D50 message", envelope["message"], "GitHub limits the rate: API rate limit exceeded"},
		{"D51 code", c["code"], "403"},
		{"D58 D59 execution", c["execution"],
			object{"mode": "agent", "skill": "deploy", "tool": "gh", "step": "push", "taskId": "t1",
				"sessionId": "s1"}},
		{"D60 D61 D62 github", c["github"], object{"owner": "o", "repo": "r", "entityNumber": 7.0, "entityType": "pr"}},
		{"D63 recovery", c["recovery"], nil}, // before the first attempt
		{"D66 metadata", c["metadata"], object{"attempt": 2.0}},
		{"retryAfter", c["retryAfter"], "1m0s"},
		{"resetAt", c["resetAt"], "2026-01-02T03:04:05Z"},
	}
	for _, tt := range tests {
		t.Run(tt.row, func(t *testing.T) { assert.Equal(t, tt.want, tt.got) })
	}
}

func TestBlocksAreOptional(t *testing.T) {
	tests := []struct {
		row       string
		got, want any
	}{
		{"D58", contextOf(t, errs.Classify("it went wrong"))["execution"], nil},
		{"D60", contextOf(t, errs.Classify("it went wrong"))["github"], nil},
		{"D66", contextOf(t, errs.Classify("it went wrong"))["metadata"], nil},
		{"D58 D155",
			contextOf(t, errs.Classify(evidence{Attributes: map[string]string{"skill": "deploy"}}))["execution"],
			object{"mode": "unknown", "skill": "deploy"}},
	}
	for _, tt := range tests {
		t.Run(tt.row, func(t *testing.T) { assert.Equal(t, tt.want, tt.got) })
	}
}

func TestRecoveryBlock(t *testing.T) {
	t.Run("D63 D64 D65", func(t *testing.T) {
		err := errs.NewToolTimeout("took too long", errs.ToolSource{Type: errs.ToolSourceTypeTool, Component: "bash"}).
			WithRecovery(
				errs.Recovery{Attempts: 1, MaxAttempts: 3, Strategy: taxonomy.Some("fix_build"),
					Successful: taxonomy.Some(true)})
		want := object{"attempts": 1.0, "maxAttempts": 3.0, "strategy": "fix_build", "successful": true}
		assert.Equal(t, want, contextOf(t, err)["recovery"])
	})
}

// TestStack checks that the profile decides whether an error records the stack of its
// classification. The stack is never on the wire.
func TestStack(t *testing.T) {
	tests := []struct {
		profile taxonomy.ProfileName
		want    bool
	}{
		{errs.ProfileDefault, true},
		{errs.ProfileStrict, true},
		{errs.ProfileLenient, true},
		{errs.ProfileFast, false},
		{errs.ProfileThorough, true},
	}
	for _, tt := range tests {
		t.Run("D52 D70 "+string(tt.profile), func(t *testing.T) {
			table, err := errs.Table.Profile(tt.profile)
			require.NoError(t, err)
			e := errs.Classify("it went wrong", detect.WithTable(table))
			assert.Equal(t, tt.want, strings.Contains(fmt.Sprintf("%+v", e), "TestStack"))
			assert.Equal(t, "system_error", taxonomy.CodeOf(e))
		})
	}
}

// TestRetryHint checks that the wait comes from a header, or from the text.
func TestRetryHint(t *testing.T) {
	tests := []struct {
		name string
		raw  evidence
		want time.Duration
	}{
		{"header first",
			evidence{Source: "llm", Status: 429, Text: "retry after 5", RetryAfter: taxonomy.Some(time.Minute)},
			time.Minute},
		{"words", said("llm", "Rate limit exceeded, retry after 30"), 30 * time.Second},
		{"as a header", said("llm", "Rate limit exceeded\nRetry-After: 30"), 30 * time.Second},
	}
	for _, tt := range tests {
		t.Run("B-D14 "+tt.name, func(t *testing.T) {
			err := errs.Classify(&tt.raw)
			if tt.raw.RetryAfter.IsZero() {
				err = errs.Classify(errors.New(tt.raw.Text), detect.WithSource(taxonomy.SourceName(tt.raw.Source)))
			}
			got, ok := taxonomy.HintsOf(err).RetryAfter.Get()
			assert.True(t, ok)
			assert.Equal(t, tt.want, got)
		})
	}
}
