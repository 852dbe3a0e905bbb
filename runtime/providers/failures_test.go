package providers_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/executor"
	pt "github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/providers/toolbox"
	"github.com/errgen/errgen/runtime/taxonomy"
)

type attributes = map[string]string

// failure is a way in which a call fails, and its evidence. Source, op and credential are always
// compared, text and attributes only if they are set.
type failure struct {
	what      string
	script    script
	want      taxonomy.Evidence
	code      string
	retryable bool
}

// strict allows one command.
var strict = toolbox.Options{Commands: toolbox.Policy{Name: "strict", Allow: []string{"make test"}}}

func testFailures(t *testing.T, provider string, cases []failure) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.what, func(t *testing.T) {
			s := open(t, provider, options{tools: strict}, c.script.always())
			answer, err := s.Call(t.Context(), request(t))
			ev := evidence(t, err)
			assert.Empty(t, answer.Text)
			assert.Empty(t, answer.Failure)
			assert.Equal(t, 1, s.count(t), "a failure is not retried")
			credential := s.Provider.(executor.Credentialed).Credential()
			if ev.Errno == "EACCES" || ev.Type == "tool_arguments" || ev.Type == "command_blocked" {
				credential = "" // the failure is one of this machine
			}
			assert.Equal(t, []string{provider, "call", credential}, []string{ev.Source, ev.Op, ev.Credential})

			got, want := *ev, c.want
			for name, value := range want.Attributes {
				assert.Equal(t, value, ev.Attribute(name), name)
			}
			if want.Text == "" {
				want.Text = got.Text
			}
			want.Source, want.Op, want.Credential = ev.Source, ev.Op, ev.Credential
			want.Attributes, got.Attributes, got.Err = nil, nil, nil
			assert.Equal(t, want, got)
			assert.LessOrEqual(t, len(ev.Text), 4096)

			classified := errs.Classify(err)
			assert.Equal(t, c.code, taxonomy.CodeOf(classified), "%v", ev)
			assert.Equal(t, c.retryable, taxonomy.IsRetryable(classified))
		})
	}
}

func after(d time.Duration) taxonomy.Opt[time.Duration] { return taxonomy.Some(d) }

func TestAnthropicFailures(t *testing.T) {
	from := func(name string) script { return fixture(anthropicAPI, name) }
	limited := func(retryAfter string) pt.Reply {
		return pt.Fixture("anthropic/rate_limit").With("Retry-After", retryAfter)
	}
	asks := func(name, arguments string) script { return tool(anthropicAPI, name, arguments) }
	testFailures(t, anthropicAPI, append([]failure{
		{"429", from("rate_limit"), taxonomy.Evidence{Status: 429, Type: "rate_limit_error", RetryAfter: after(30e9),
			Text:       "This request would exceed your organization's rate limit.",
			Attributes: attributes{"request_id": "req_011CSHoEeqs5C35K2UUqR7Fy", "host": "127.0.0.1"}},
			"PROVIDER_RATE_LIMIT", true},
		{"429 with the reset of a limit", http200(limited("").With("Anthropic-Ratelimit-Requests-Remaining", "0").
			With("Anthropic-Ratelimit-Requests-Reset", "2030-03-01T12:00:00Z")),
			taxonomy.Evidence{Status: 429, Type: "rate_limit_error",
				ResetAt: time.Date(2030, 3, 1, 12, 0, 0, 0, time.UTC)}, "PROVIDER_RATE_LIMIT", true},
		{"529", from("overloaded"), taxonomy.Evidence{Status: 529, Type: "overloaded_error", Text: "Overloaded"},
			"PROVIDER_API_ERROR", true},
		{"401", from("auth"), taxonomy.Evidence{Status: 401, Type: "authentication_error"}, "PERMISSION_API_AUTH",
			false},
		{"403", from("permission"), taxonomy.Evidence{Status: 403, Type: "permission_error"}, "PERMISSION_API_AUTH",
			false},
		{"404", from("not_found"), taxonomy.Evidence{Status: 404, Type: "not_found_error"}, "PROVIDER_API_ERROR",
			false},
		{"413", from("too_large"), taxonomy.Evidence{Status: 413, Type: "request_too_large"}, "PROVIDER_API_ERROR",
			false},
		{"400 for a long prompt", from("context_length"),
			taxonomy.Evidence{Status: 400, Type: "invalid_request_error"}, "PROVIDER_API_ERROR", false},
		{"400 without credit", from("credit"), taxonomy.Evidence{Status: 400, Type: "invalid_request_error"},
			"PROVIDER_API_ERROR", false},
		{"400 for a spend limit", from("spend_limit"), taxonomy.Evidence{Status: 400, Type: "invalid_request_error"},
			"PROVIDER_API_ERROR", false},
		{"402", from("billing"), taxonomy.Evidence{Status: 402, Type: "billing_error"}, "PROVIDER_API_ERROR", false},
		{"500", from("server_error"), taxonomy.Evidence{Status: 500, Type: "api_error"}, "PROVIDER_API_ERROR", true},
		{"a failure in the stream", from("stream_overloaded"),
			taxonomy.Evidence{Type: "overloaded_error", Text: "Overloaded"}, "PROVIDER_API_ERROR", true},
		{"a limit in the stream", from("stream_rate_limit"),
			taxonomy.Evidence{Type: "rate_limit_error", RetryAfter: after(7e9)}, "PROVIDER_RATE_LIMIT", true},
		{"a truncated stream", from("truncated"), taxonomy.Evidence{Type: "stream"}, "PROVIDER_API_ERROR", true},
		{"a malformed stream", from("malformed"), taxonomy.Evidence{Type: "stream"}, "PROVIDER_API_ERROR", true},
		{"the limit of tokens", http200(pt.AnthropicMessage{Text: "I wi", StopReason: "max_tokens"}.Reply()),
			taxonomy.Evidence{Type: "max_tokens", Attributes: attributes{"stop_reason": "max_tokens"}},
			"PROVIDER_CRASH", true},
		{"a refusal", http200(pt.AnthropicMessage{StopReason: "refusal", Explanation: "not that"}.Reply()),
			taxonomy.Evidence{Type: "refusal", Text: "not that"}, "PROVIDER_CRASH", true},
		{"the context window", http200(pt.AnthropicMessage{StopReason: "model_context_window_exceeded"}.Reply()),
			taxonomy.Evidence{Type: "model_context_window_exceeded"}, "PROVIDER_CRASH", true},
		{"a stop reason of the future", http200(pt.AnthropicMessage{Text: "x", StopReason: "new"}.Reply()),
			taxonomy.Evidence{Type: "new"}, "PROVIDER_CRASH", true},
	}, commonFailures(fixture(anthropicAPI, "truncated").replies[0], asks)...))
}

func TestOpenAIFailures(t *testing.T) {
	from := func(name string) script { return fixture(openaiAPI, name) }
	stream := func(data ...string) script { return http200(pt.Stream(data...)) }
	asks := func(name, arguments string) script { return tool(openaiAPI, name, arguments) }
	invalid := "invalid_request_error"
	testFailures(t, openaiAPI, append([]failure{
		{"429", from("rate_limit"),
			taxonomy.Evidence{Status: 429, Type: "requests", Code: "rate_limit_exceeded", RetryAfter: after(30e9),
				Attributes: attributes{"ratelimit-limit-requests": "500",
					"request_id": "req_4f1b5d0a6d1c4e5f9a7b3c2d1e0f9a8b"}},
			"PROVIDER_RATE_LIMIT", true},
		{"429 of an exhausted limit", from("token_limit"),
			taxonomy.Evidence{Status: 429, Type: "tokens", Code: "rate_limit_exceeded", RetryAfter: after(360e9)},
			"PROVIDER_RATE_LIMIT", true},
		{"429 for a quota", from("quota"),
			taxonomy.Evidence{Status: 429, Type: "insufficient_quota", Code: "insufficient_quota"},
			"PROVIDER_API_ERROR", false},
		{"429 for a spend limit", from("spend_limit"),
			taxonomy.Evidence{Status: 429, Type: "insufficient_quota", Code: "project_spend_limit_exceeded"},
			"PROVIDER_API_ERROR", false},
		{"400 for a hard limit", from("hard_limit"),
			taxonomy.Evidence{Status: 400, Type: invalid, Code: "billing_hard_limit_reached"},
			"PROVIDER_API_ERROR", false},
		{"401", from("auth"), taxonomy.Evidence{Status: 401, Type: invalid, Code: "invalid_api_key"},
			"PERMISSION_API_AUTH", false},
		{"403", from("forbidden"), taxonomy.Evidence{Status: 403, Type: "request_forbidden",
			Code: "unsupported_country_region_territory"}, "PERMISSION_API_AUTH", false},
		{"404", from("not_found"), taxonomy.Evidence{Status: 404, Type: invalid, Code: "model_not_found"},
			"PROVIDER_API_ERROR", false},
		{"408", http200(pt.Reply{Status: 408, Body: `{"error":{"message":"slow"}}`}),
			taxonomy.Evidence{Status: 408, Text: "slow"}, "PROVIDER_API_ERROR", true},
		{"413", from("too_large"), taxonomy.Evidence{Status: 413, Type: invalid}, "PROVIDER_API_ERROR", false},
		{"400 for a long conversation", from("context_length"),
			taxonomy.Evidence{Status: 400, Type: invalid, Code: "context_length_exceeded",
				Attributes: attributes{"param": "messages"}}, "PROVIDER_API_ERROR", false},
		{"500", from("server_error"), taxonomy.Evidence{Status: 500, Type: "server_error"}, "PROVIDER_API_ERROR",
			true},
		{"503", from("overloaded"),
			taxonomy.Evidence{Status: 503, Type: "service_unavailable_error", Code: "server_is_overloaded"},
			"PROVIDER_API_ERROR", true},
		{"another form of error", http200(pt.Reply{Status: 400,
			Body: `{"object":"error","message":"no such model","type":"BadRequestError","code":400}`}),
			taxonomy.Evidence{Status: 400, Type: "BadRequestError", Text: "no such model"},
			"PROVIDER_API_ERROR", false},
		{"an error with status 200",
			http200(pt.Reply{Body: `{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}`}),
			taxonomy.Evidence{Type: "requests", Code: "rate_limit_exceeded", CodeDerived: true, Text: "slow down"},
			"PROVIDER_RATE_LIMIT", true},
		{"a failure in the stream", from("stream_server_error"), taxonomy.Evidence{Type: "server_error",
			Attributes: attributes{"request_id": "req_4f1b5d0a6d1c4e5f9a7b3c2d1e0f9a8b"}},
			"PROVIDER_API_ERROR", true},
		{"a limit in the stream", from("stream_rate_limit"), taxonomy.Evidence{Type: "tokens",
			Code: "rate_limit_exceeded", RetryAfter: after(1.5e9), RetryAfterDerived: true},
			"PROVIDER_RATE_LIMIT", true},
		{"a quota in the stream", from("stream_quota"),
			taxonomy.Evidence{Type: "insufficient_quota", Code: "insufficient_quota"}, "PROVIDER_API_ERROR", false},
		{"a failure in the stream without a name", stream(`{"error":{"message":"Compute error."}}`),
			taxonomy.Evidence{Type: "stream", Text: "Compute error."}, "PROVIDER_API_ERROR", true},
		{"a failure in the stream that is a text", stream(`{"error":"model is loading"}`),
			taxonomy.Evidence{Type: "stream", Text: "model is loading"}, "PROVIDER_API_ERROR", true},
		{"a status in the stream", stream(`{"error":{"code":429,"message":"slow down"}}`),
			taxonomy.Evidence{Status: 429, Text: "slow down"}, "PROVIDER_RATE_LIMIT", true},
		{"an event of another form", stream(`{"code":400,"details":"bad","message":"logprobs of 21"}`, "[DONE]"),
			taxonomy.Evidence{Status: 400, Text: "logprobs of 21"}, "PROVIDER_API_ERROR", false},
		{"a truncated stream", from("truncated"), taxonomy.Evidence{Type: "stream"}, "PROVIDER_API_ERROR", true},
		{"a stream without an answer", stream("[DONE]"), taxonomy.Evidence{Type: "stream"}, "PROVIDER_API_ERROR",
			true},
		{"a malformed stream", from("malformed"), taxonomy.Evidence{Type: "stream"}, "PROVIDER_API_ERROR", true},
		{"a gateway's end", http200(pt.OpenAIMessage{Text: "I will", FinishReason: "error"}.Reply()),
			taxonomy.Evidence{Type: "stream", Attributes: attributes{"finish_reason": "error"}}, "PROVIDER_API_ERROR",
			true},
		{"the limit of tokens", http200(pt.OpenAIMessage{Text: "I will", FinishReason: "length"}.Reply()),
			taxonomy.Evidence{Type: "length", Attributes: attributes{"finish_reason": "length"}}, "PROVIDER_CRASH",
			true},
		{"a content filter", http200(pt.OpenAIMessage{FinishReason: "content_filter"}.Reply()),
			taxonomy.Evidence{Type: "content_filter"}, "PROVIDER_CRASH", true},
	}, commonFailures(fixture(openaiAPI, "truncated").replies[0], asks)...))
}

// commonFailures are those of both APIs.
func commonFailures(truncated pt.Reply, asks func(name, arguments string) script) []failure {
	gateway := func(name string) script { return http200(pt.Fixture("gateway/" + name)) }
	return []failure{
		{"a gateway's 502", gateway("bad_gateway"), taxonomy.Evidence{Status: 502, Text: "502 Bad Gateway"},
			"PROVIDER_API_ERROR", true},
		{"a gateway's 403", gateway("forbidden"), taxonomy.Evidence{Status: 403, Text: "403 Forbidden"},
			"PERMISSION_API_AUTH", false},
		{"a gateway's page of status 200", gateway("page"), taxonomy.Evidence{Type: "stream", Text: "200 OK"},
			"PROVIDER_API_ERROR", true},
		{"503 in plain text", gateway("unavailable"), taxonomy.Evidence{Status: 503, Text: "no healthy upstream"},
			"PROVIDER_API_ERROR", true},
		{"500 without a body", http200(pt.Reply{Status: 500}),
			taxonomy.Evidence{Status: 500, Text: "Internal Server Error"}, "PROVIDER_API_ERROR", true},
		{"nothing with status 200", http200(pt.Reply{}), taxonomy.Evidence{Type: "stream"}, "PROVIDER_API_ERROR", true},
		{"a redirect", http200(pt.Reply{Status: 307}.With("Location", "/elsewhere")),
			taxonomy.Evidence{Status: 307}, "PROVIDER_CRASH", true},
		{"an interrupted error", http200(pt.Reply{Status: 429, Body: `{"error":`}.Ending(pt.EndEarly)),
			taxonomy.Evidence{Status: 429, Text: `{"error":`}, "PROVIDER_RATE_LIMIT", true},
		{"an interrupted stream", http200(truncated.Ending(pt.EndEarly)), taxonomy.Evidence{Type: "network"},
			"PROVIDER_API_ERROR", true},
		{"a reset stream", http200(truncated.Ending(pt.EndReset)),
			taxonomy.Evidence{Type: "network", Errno: "ECONNRESET"}, "PROVIDER_API_ERROR", true},
		{"a reset connection", http200(pt.Reset()),
			taxonomy.Evidence{Type: "network", Errno: "ECONNRESET", Effect: taxonomy.EffectUnknown},
			"PROVIDER_API_ERROR", true},
		{"arguments that are no JSON", asks("write_file", `{"path":"a.txt","content":"hel`),
			taxonomy.Evidence{Type: "tool_arguments", Attributes: attributes{"tool": "write_file"}}, "PROVIDER_CRASH",
			true},
		{"arguments of another type", asks("write_file", `{"path":7}`), taxonomy.Evidence{Type: "tool_arguments"},
			"PROVIDER_CRASH", true},
		{"a forbidden command", asks("run_command", `{"command":"rm -rf /"}`),
			taxonomy.Evidence{Type: "command_blocked",
				Attributes: attributes{"command": "rm -rf /", "policy": "strict"}},
			"PERMISSION_COMMAND_BLOCKED", false},
		{"a path outside", asks("write_file", `{"path":"../x","content":""}`),
			taxonomy.Evidence{Errno: "EACCES", Attributes: attributes{"path": "../x"}},
			"PERMISSION_FILE_ACCESS", false},
	}
}

func TestClaudeFailures(t *testing.T) {
	from := func(name string) script { return fixture(claudeCLI, name) }
	prints := func(line string, code int) script {
		return process(pt.CLIStep{Script: "echo '" + line + "'", Exit: code})
	}
	until, exit := time.Unix(1772366400, 0), taxonomy.Some[int]
	testFailures(t, claudeCLI, []failure{
		{"a limit with its reset", from("rate_limit"), taxonomy.Evidence{Status: 429, Type: "rate_limit_error",
			ExitCode: exit(1), ResetAt: until, Text: "You've hit your limit · resets 12:00pm (UTC)",
			Attributes: attributes{"rate_limit_type": "five_hour"}}, "PROVIDER_RATE_LIMIT", true},
		{"a limit of older versions", from("usage_limit"), taxonomy.Evidence{Type: "rate_limit_error",
			ExitCode: exit(1), ResetAt: until}, "PROVIDER_RATE_LIMIT", true},
		{"a limit in words", process(pt.CLIFails("API Error: Rate limit reached, retry after 30 seconds")),
			taxonomy.Evidence{ExitCode: exit(1), RetryAfter: after(30e9), RetryAfterDerived: true},
			"PROVIDER_RATE_LIMIT", true},
		{"a failure with exit code 0", process(exiting(0, pt.CLIFails("Claude AI usage limit reached|1772366400"))),
			taxonomy.Evidence{Type: "rate_limit_error", ResetAt: until}, "PROVIDER_RATE_LIMIT", true},
		{"429", from("api_rate_limit"), taxonomy.Evidence{Status: 429, Type: "rate_limit_error", ExitCode: exit(1),
			Attributes: attributes{"request-id": "req_011CXYZscripted"}}, "PROVIDER_RATE_LIMIT", true},
		{"529", from("overloaded"), taxonomy.Evidence{Status: 529, Type: "overloaded_error", ExitCode: exit(1)},
			"PROVIDER_API_ERROR", true},
		{"500", from("server_error"), taxonomy.Evidence{Status: 500, Type: "api_error", ExitCode: exit(1)},
			"PROVIDER_API_ERROR", true},
		{"401", from("api_auth"), taxonomy.Evidence{Status: 401, Type: "authentication_error", ExitCode: exit(1)},
			"PERMISSION_API_AUTH", false},
		{"403", from("api_permission"), taxonomy.Evidence{Status: 403, Type: "permission_error", ExitCode: exit(1)},
			"PERMISSION_API_AUTH", false},
		{"404", from("api_not_found"), taxonomy.Evidence{Status: 404, Type: "not_found_error", ExitCode: exit(1)},
			"PROVIDER_API_ERROR", false},
		{"413", from("api_too_large"), taxonomy.Evidence{Status: 413, Type: "request_too_large", ExitCode: exit(1)},
			"PROVIDER_API_ERROR", false},
		{"529 in the text only", process(pt.CLIFails(
			`API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},` +
				`"request_id":"req_1"}`)),
			taxonomy.Evidence{Status: 529, StatusDerived: true, Type: "overloaded_error", ExitCode: exit(1),
				Attributes: attributes{"request-id": "req_1"}}, "PROVIDER_API_ERROR", true},
		{"401 of a disabled organization, in the text only", process(pt.CLIFails(
			`API Error: 401 {"type":"invalid_request_error","message":"This organization has been disabled."}`)),
			taxonomy.Evidence{Status: 401, StatusDerived: true, Type: "invalid_request_error", ExitCode: exit(1)},
			"PERMISSION_API_AUTH", false},
		{"403 on standard error", process(pt.CLIExit(1,
			`API Error: 403 {"type":"error","error":{"type":"invalid_request_error"},"request_id":"req_1"}`+"\n")),
			taxonomy.Evidence{Status: 403, StatusDerived: true, Type: "invalid_request_error", ExitCode: exit(1),
				Attributes: attributes{"request-id": "req_1"}}, "PERMISSION_API_AUTH", false},
		{"403 for a quota, on standard error", process(pt.CLIExit(1, `API Error: 403 {"error":{"type":`+
			`"invalid_request_error","message":"Your credit balance is too low"}}`+"\n")),
			taxonomy.Evidence{Status: 403, StatusDerived: true, Type: "invalid_request_error", ExitCode: exit(1)},
			"PROVIDER_API_ERROR", false},
		{"no connection", from("connection_error"), taxonomy.Evidence{ExitCode: exit(1)}, "PROVIDER_API_ERROR", true},
		{"an invalid key", from("auth"), taxonomy.Evidence{Type: "authentication_error", ExitCode: exit(1)},
			"PERMISSION_API_AUTH", false},
		{"an expired login", from("login_expired"), taxonomy.Evidence{ExitCode: exit(1)}, "PERMISSION_API_AUTH", false},
		{"no credit", from("credit"), taxonomy.Evidence{Type: "billing_error", ExitCode: exit(1)},
			"PROVIDER_API_ERROR", false},
		{"an exit code with standard error", process(pt.CLIExit(2, "something broke\n")),
			taxonomy.Evidence{ExitCode: exit(2), Text: "something broke"}, "PROVIDER_CRASH", true},
		{"an exit code without standard error", process(pt.CLIExit(3, "")), taxonomy.Evidence{ExitCode: exit(3)},
			"PROVIDER_CRASH", true},
		{"a missing interpreter", process(pt.CLIExit(127, "env: node: No such file or directory\n")),
			taxonomy.Evidence{ExitCode: exit(127)}, "PROVIDER_NOT_AVAILABLE", false},
		{"permissions skipped as root",
			process(pt.CLIExit(1, "--dangerously-skip-permissions cannot be used with root/sudo privileges")),
			taxonomy.Evidence{ExitCode: exit(1)}, "PERMISSION_SKIP_DENIED", false},
		{"a crash", process(pt.CLICrash("SEGV")), taxonomy.Evidence{Signal: "SIGSEGV"}, "PROVIDER_CRASH", true},
		{"a kill", process(pt.CLICrash("KILL")), taxonomy.Evidence{Signal: "SIGKILL"}, "PROVIDER_CRASH", true},
		{"no result", process(pt.CLIStep{}.Say("429 Too Many Requests")), taxonomy.Evidence{Type: "stream"},
			"PROVIDER_CRASH", true},
		{"no events", from("malformed"), taxonomy.Evidence{Type: "stream", Output: "not an event\n[1,2]\nnull\n"},
			"PROVIDER_CRASH", true},
		{"half a result", from("truncated"), taxonomy.Evidence{Type: "stream"}, "PROVIDER_CRASH", true},
		{"a success with an exit code", process(exiting(1, pt.CLIAnswer("API Error: 429 is the title"))),
			taxonomy.Evidence{ExitCode: exit(1)}, "PROVIDER_CRASH", true},
		{"a result without a verdict", prints(`{"type":"result","is_error":"maybe","result":"TASK COMPLETE"}`, 0),
			taxonomy.Evidence{Type: "stream"}, "PROVIDER_CRASH", true},
		{"no verdict at all", prints(`{"type":"result","result":"TASK COMPLETE"}`, 0),
			taxonomy.Evidence{Type: "stream"}, "PROVIDER_CRASH", true},
		{"a failure after a success", prints(`{"type":"result","is_error":false,"result":"ok"}
{"type":"result","is_error":true,"result":"no"}`, 1), taxonomy.Evidence{ExitCode: exit(1), Text: "no"},
			"PROVIDER_CRASH", true},
		{"a success after a failure", prints(`{"type":"result","is_error":true,"result":"no"}
{"type":"result","is_error":false,"result":"ok"}`, 1), taxonomy.Evidence{ExitCode: exit(1), Text: "no"},
			"PROVIDER_CRASH", true},
		{"a session that is gone", from("session_gone"), taxonomy.Evidence{ExitCode: exit(1),
			Type: "error_during_execution", Text: "No conversation found with session ID: 7"}, "PROVIDER_CRASH", true},
	})
}

func TestClaudeSuccessesThatLookLikeFailures(t *testing.T) {
	limit := func(status string) pt.CLIStep {
		s := pt.CLIAnswer("ok")
		s.Script = `echo '{"type":"rate_limit_event","rate_limit_info":{"status":"` + status +
			`","resetsAt":1772366400}}'`
		return s
	}
	answer := func(script string) pt.CLIStep { return pt.CLIStep{Script: script, Result: pt.CLIAnswer("ok").Result} }
	prints := func(line string) string { return "echo '" + line + "'" }
	const result = `echo '{"type":"result","is_error":false,"result":"ok"}'; `
	for what, step := range map[string]pt.CLIStep{
		"a limit that is near":             limit("allowed_warning"),
		"a limit that was reached earlier": limit("rejected"),
		"a subtype of a failure": {
			Script: prints(`{"type":"result","subtype":"error_max_turns","is_error":false,"result":"ok"}`)},
		"standard error": answer("echo API Error: 429 >&2"),
		"lines that are no events": answer(
			`printf '%s\n' '[debug] 500' '' '{"type":"new","x":[]}' '{"type":7}' '{broken'`),
		"a field of another type": {
			Script: prints(`{"type":"result","is_error":false,"errors":{"a":1},"result":"ok"}`)},
		"two results": answer(
			prints(`{"type":"result","is_error":false,"result":"not yet"}`)),
		"a process that stays":                     {Script: result + "hang"},
		"a process that stays and ignores SIGTERM": pt.CLIStep{Script: result + "hang"}.IgnoringTerm(),
		"a child that stays":                       pt.CLIAnswer("ok").WithChild(false),
		"a child that left the group":              pt.CLIAnswer("ok").WithChild(true),
	} {
		t.Run(what, func(t *testing.T) {
			s := open(t, claudeCLI, options{}, process(step))
			got, err := s.Call(t.Context(), request(t))
			require.NoError(t, err)
			assert.Equal(t, "ok", got.Text)
		})
	}
}

func TestRetryAfter(t *testing.T) {
	date := time.Date(2030, 3, 1, 12, 0, 0, 0, time.UTC)
	now := date.Format(http.TimeFormat)
	for _, provider := range apis {
		limited := fixture(provider, "rate_limit").replies[0]
		limited.Header.Del("Retry-After")
		for _, c := range []struct {
			what  string
			reply pt.Reply
			after taxonomy.Opt[time.Duration]
		}{
			{"nothing", limited, taxonomy.Opt[time.Duration]{}},
			{"a fraction", limited.With("Retry-After", "1.5"), after(1.5e9)},
			{"zero", limited.With("Retry-After", "0"), after(0)},
			{"an hour", limited.With("Retry-After", "3600"), after(time.Hour)},
			{"a negative number", limited.With("Retry-After", "-5"), taxonomy.Opt[time.Duration]{}},
			{"a word", limited.With("Retry-After", "soon"), taxonomy.Opt[time.Duration]{}},
			{"a date", limited.With("Date", now).With("Retry-After", date.Add(time.Minute).Format(http.TimeFormat)),
				after(time.Minute)},
			{"milliseconds", limited.With("Retry-After", "30").With("Retry-After-Ms", "250"), after(250e6)},
			{"prose", pt.Reply{Status: 429, Body: `{"error":{"message":"Please try again in 2.4s. Visit us."}}`},
				after(2.4e9)},
		} {
			t.Run(provider+" "+c.what, func(t *testing.T) {
				_, err := open(t, provider, options{}, http200(c.reply)).Call(t.Context(), request(t))
				assert.Equal(t, c.after, evidence(t, err).RetryAfter)
				assert.Equal(t, "PROVIDER_RATE_LIMIT", code(t, err))
			})
		}
	}
}

func failingDial(err error) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: err}
	}
}

func TestUnreachableServers(t *testing.T) {
	for _, provider := range apis {
		for _, c := range []struct {
			what        string
			o           options
			kind, errno string
		}{
			{"a closed port", options{url: pt.Refused()}, "network", "ECONNREFUSED"},
			{"an unknown host", options{dial: &net.DNSError{Err: "no such host", IsNotFound: true}}, "network", ""},
			{"an unreachable host", options{dial: os.NewSyscallError("connect", syscall.EHOSTUNREACH)}, "network",
				"EHOSTUNREACH"},
			{"a slow connection", options{dial: os.ErrDeadlineExceeded}, "timeout", ""},
			{"an unknown certificate", options{unknown: true}, "network", ""},
		} {
			t.Run(provider+" "+c.what, func(t *testing.T) {
				s := open(t, provider, c.o, text(provider, "x"))
				answer, err := s.Call(t.Context(), request(t))
				ev := evidence(t, err)
				assert.Equal(t, []string{c.kind, c.errno}, []string{ev.Type, ev.Errno})
				assert.Zero(t, ev.Status)
				assert.NotEmpty(t, ev.Attribute("host"))
				assert.Equal(t, "PROVIDER_API_ERROR", code(t, err))
				assert.True(t, taxonomy.IsRetryable(errs.Classify(err)))
				assert.Equal(t, used(0, 0, 0), answer.Usage, "nothing was sent")
				assert.Zero(t, len(s.server.Requests()))
			})
		}
	}
}

func TestDeadline(t *testing.T) {
	for _, provider := range all {
		scripts := map[string]script{"no answer": hang(provider)}
		if provider != claudeCLI {
			cut := fixture(provider, "truncated").replies[0]
			scripts["an answer that begins"] = http200(cut.Ending(pt.EndNever))
			scripts["an error that begins"] = http200(pt.Reply{Status: 500, Body: `{"error":`}.Ending(pt.EndNever))
		} else {
			scripts["a process that ignores SIGTERM"] = process(pt.CLIHang().IgnoringTerm().WithChild(true))
		}
		for what, script := range scripts {
			t.Run(provider+" "+what, func(t *testing.T) {
				s := open(t, provider, options{}, script)
				req := request(t)
				_, err := s.Call(within(t, &req, 300*time.Millisecond), req)
				ev := evidence(t, err)
				assert.Equal(t, []string{provider, "call", "timeout"}, []string{ev.Source, ev.Op, ev.Type})
				assert.Zero(t, ev.Status)
				assert.ErrorIs(t, err, context.DeadlineExceeded)
				ev.Attributes = attributes{"iteration": "3", "timeout_ms": "300"} // as the executor sets them
				assert.Equal(t, "ITERATION_TIMEOUT", code(t, ev))
			})
		}
	}
}

func TestCancelled(t *testing.T) {
	for _, provider := range all {
		scripts := map[string]script{"hanging": hang(provider)}
		if provider == claudeCLI {
			scripts["ignoring SIGTERM, with a child"] = process(pt.CLIHang().IgnoringTerm().WithChild(false))
			scripts["with a child that left the group"] = process(pt.CLIHang().IgnoringTerm().WithChild(true))
		}
		for what, script := range scripts {
			t.Run(provider+" "+what, func(t *testing.T) {
				why := errors.New("the user left")
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				o := options{trace: whenSent(func() { cancel(why) })}
				req := request(t)
				req.Progress = func(string) { cancel(why) } // of the program
				s := open(t, provider, o, script)
				answer, err := s.Call(ctx, req)
				require.ErrorIs(t, err, context.Canceled)
				assert.ErrorIs(t, err, why)
				_, is := errors.AsType[*taxonomy.Evidence](err)
				assert.False(t, is, "a cancelled call has not failed")
				assert.Equal(t, executor.Usage{}, answer.Usage, "its cost is unknown")
			})
		}
	}
}

func TestCancelledBefore(t *testing.T) {
	for _, provider := range all {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		s := open(t, provider, options{}, text(provider, "x"))
		answer, err := s.Call(ctx, request(t))
		require.ErrorIs(t, err, context.Canceled, provider)
		assert.Equal(t, used(0, 0, 0), answer.Usage)
		assert.Zero(t, s.count(t))
	}
}

// exiting returns the step with an exit code.
func exiting(code int, s pt.CLIStep) pt.CLIStep {
	s.Exit = code
	return s
}
