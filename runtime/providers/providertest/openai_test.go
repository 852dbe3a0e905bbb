package providertest_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	pt "github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// played returns the response that a client gets of a reply, and its body.
func played(t *testing.T, r pt.Reply) (*http.Response, string) {
	t.Helper()
	server := pt.NewServer(r)
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport}).Post(server.URL+"/v1/chat/completions", "application/json",
		strings.NewReader(`{}`))
	require.NoError(t, err)
	defer func() { assert.NoError(t, res.Body.Close()) }()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res, string(body)
}

func TestOpenAIErrors(t *testing.T) {
	for _, c := range []struct {
		what             string
		reply            pt.Reply
		status           int
		kind, code, word string
	}{
		{"rate limit", pt.OpenAIRateLimit("30"), 429, "requests", "rate_limit_exceeded", "Rate limit reached"},
		{"token limit", pt.OpenAITokenLimit("6m0s"), 429, "tokens", "rate_limit_exceeded", "TPM"},
		{"quota", pt.OpenAIQuota(), 429, "insufficient_quota", "insufficient_quota", "quota"},
		{"spend limit", pt.OpenAISpendLimit(), 429, "insufficient_quota", "project_spend_limit_exceeded",
			"spend limit"},
		{"hard limit", pt.OpenAIHardLimit(), 400, "invalid_request_error", "billing_hard_limit_reached", "hard limit"},
		{"auth", pt.OpenAIAuth(), 401, "invalid_request_error", "invalid_api_key", "Incorrect API key"},
		{"forbidden", pt.OpenAIForbidden(), 403, "request_forbidden", "unsupported_country_region_territory",
			"not supported"},
		{"not found", pt.OpenAINotFound(), 404, "invalid_request_error", "model_not_found", "does not exist"},
		{"too large", pt.OpenAITooLarge(), 413, "invalid_request_error", "", "exceeded"},
		{"context length", pt.OpenAIContextLength(), 400, "invalid_request_error", "context_length_exceeded",
			"maximum context length"},
		{"server error", pt.OpenAIServerError(), 500, "server_error", "", "had an error"},
		{"overloaded", pt.OpenAIOverloaded(), 503, "service_unavailable_error", "server_is_overloaded", "overloaded"},
	} {
		t.Run(c.what, func(t *testing.T) {
			res, body := played(t, c.reply)
			assert.Equal(t, c.status, res.StatusCode)
			assert.Equal(t, "application/json", res.Header.Get("Content-Type"))
			assert.NotEmpty(t, res.Header.Get("X-Request-Id"))
			var form struct {
				Error map[string]any
			}
			require.NoError(t, json.Unmarshal([]byte(body), &form))
			for _, key := range []string{"message", "type", "param", "code"} {
				assert.Contains(t, form.Error, key, "the service never leaves one out")
			}
			ev := taxonomy.Evidence{}
			detect.Body(&ev, []byte(body))
			assert.Equal(t, c.kind, ev.Type)
			assert.Equal(t, c.code, ev.Code)
			assert.Contains(t, ev.Text, c.word)
		})
	}
}

func TestOpenAIStreams(t *testing.T) {
	for _, c := range []struct {
		what       string
		reply      pt.Reply
		whole      bool
		has, lacks string
	}{
		{"text", pt.OpenAIText("hello"), true, `"finish_reason":"stop"`, "tool_calls"},
		{"nothing", pt.OpenAIText(""), true, `"finish_reason":"stop"`, "tool_calls"},
		{"a tool", pt.OpenAITool("write_file", `{"path":"a"}`), true, `"finish_reason":"tool_calls"`, `"type":""`},
		{"a refusal", pt.OpenAIMessage{Refusal: "I will not."}.Reply(), true, `"refusal":"I wil`, "tool_calls"},
		{"tokens", pt.OpenAIMessage{Input: 7, Output: 8, Cached: 3}.Reply(), true, `"total_tokens":15`, "tool_calls"},
		{"no tokens", pt.OpenAIMessage{NoUsage: true}.Reply(), true, `"usage":null`, "total_tokens"},
		{"another end", pt.OpenAIFinish("length", "I"), true, `"finish_reason":"length"`, `"stop"`},
		{"an error", pt.OpenAIStreamError("server_error", "", "no"), false, `"code":null`, "[DONE]"},
		{"a stream that ends too early", pt.OpenAITruncated("I will"), false, `"content":"I w`, "[DONE]"},
		{"broken JSON", pt.OpenAIMalformed(), false, `"index":0,` + "\n", "[DONE]"},
	} {
		t.Run(c.what, func(t *testing.T) {
			res, body := played(t, c.reply)
			assert.Equal(t, http.StatusOK, res.StatusCode)
			assert.Contains(t, res.Header.Get("Content-Type"), "text/event-stream")
			assert.Equal(t, c.whole, strings.HasSuffix(body, "data: [DONE]\n\n"))
			assert.Contains(t, body, c.has)
			assert.NotContains(t, body, c.lacks)
		})
	}
}

func TestOpenAIReplyToWhatNoServerDoes(t *testing.T) {
	for _, ev := range []taxonomy.Evidence{
		{},
		{Text: "something new"},
		{Op: "available", Status: 401},
		{Status: 200},
		{Status: 404, Errno: "ENOENT"},
		{Type: "not_found"},
		{Type: "start"},
		{Type: "skip_denied"},
		{Type: "command_blocked"},
		{Type: "timeout", Errno: "ETIMEDOUT"},
		{Errno: "ECONNREFUSED"},
		{Err: os.ErrPermission},
		{ExitCode: taxonomy.Some(0)},
		{Signal: "SIGKILL"},
		{Status: 500, Output: "x"},
		{Status: 500, Files: []string{"a"}},
		{Status: 500, Attributes: map[string]string{"iteration": "3"}},
	} {
		_, ok := pt.OpenAIReply(ev)
		assert.False(t, ok, "%v", ev)
	}
}

func TestOpenAIReply(t *testing.T) {
	limited, ok := pt.OpenAIReply(taxonomy.Evidence{
		Status: 429, Type: "tokens", Code: "rate_limit_exceeded", Text: "slow down",
		RetryAfter: taxonomy.Some(1500 * time.Millisecond),
		ResetAt:    time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Attributes: map[string]string{"ratelimit-remaining-tokens": "0", "param": "messages", "request-id": "req_7"},
	})
	require.True(t, ok)
	res, body := played(t, limited)
	ev := taxonomy.Evidence{Status: res.StatusCode}
	detect.Header(&ev, res.Header)
	detect.Body(&ev, []byte(body))
	assert.Equal(t, taxonomy.Evidence{
		Status: 429, Type: "tokens", Code: "rate_limit_exceeded", Text: "slow down",
		RetryAfter: taxonomy.Some(1500 * time.Millisecond),
		ResetAt:    time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Attributes: map[string]string{
			"ratelimit-remaining-tokens": "0", "param": "messages", "request-id": "req_7", "retry-after": "1.5",
			"ratelimit-reset": "2026-03-01T12:00:00Z",
		},
	}, ev)

	for _, c := range []struct {
		ev   taxonomy.Evidence
		want pt.Reply
	}{
		{taxonomy.Evidence{Type: "timeout", Attributes: map[string]string{"timeout_ms": "60000"}}, pt.Hang()},
		{taxonomy.Evidence{Type: "network"}, pt.Reset()},
		{taxonomy.Evidence{Errno: "ECONNRESET"}, pt.Reset()},
		{taxonomy.Evidence{Err: &url.Error{Op: "Post", Err: errors.New("gone")}}, pt.Reset()},
		{taxonomy.Evidence{Type: "stream"}, pt.OpenAITruncated("I will")},
		{taxonomy.Evidence{Type: "length"}, pt.OpenAIFinish("length", "I will")},
		{taxonomy.Evidence{Type: "command_blocked", Attributes: map[string]string{"command": "rm", "policy": "strict"}},
			pt.OpenAITool("run_command", `{"command":"rm"}`)},
		{taxonomy.Evidence{Text: "HTTP 503: no healthy upstream"}, pt.Reply{Status: 503, Body: "no healthy upstream"}},
		{taxonomy.Evidence{Type: "server_error", Text: "no"}, pt.OpenAIStreamError("server_error", "", "no")},
	} {
		got, ok := pt.OpenAIReply(c.ev)
		require.True(t, ok, "%v", c.ev)
		assert.Equal(t, c.want, got, "%v", c.ev)
	}
}
