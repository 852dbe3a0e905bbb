package main

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// failure is what a part of an executor reports, and what must become of it. Names begin with the
// rows of the requirements that ask for it.
type failure struct {
	name      string
	ev        taxonomy.Evidence
	code      string
	retryable bool
	reaction  string
	message   string
	context   string
}

func attrs(pairs ...string) map[string]string {
	out := make(map[string]string)
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = pairs[i+1]
	}
	return out
}

// cli is a call of the command that ended with an exit code and said something on its error
// channel.
func cli(exit int, text string) taxonomy.Evidence {
	return taxonomy.Evidence{Source: "claude-cli", Op: "call", ExitCode: taxonomy.Some(exit), Text: text}
}

// api is an answer of an API.
func api(source string, status int, kind, code, text string) taxonomy.Evidence {
	return taxonomy.Evidence{Source: source, Op: "call", Status: status, Type: kind, Code: code, Text: text}
}

func anthropic(status int, kind, text string) taxonomy.Evidence {
	return api("anthropic-api", status, kind, "", text)
}

func openai(status int, kind, code, text string) taxonomy.Evidence {
	return api("openai-api", status, kind, code, text)
}

func with(ev taxonomy.Evidence, change func(ev *taxonomy.Evidence)) taxonomy.Evidence {
	change(&ev)
	return ev
}

func TestProcessFailures(t *testing.T) {
	checkFailures(t, []failure{
		{
			name: "A119: it cannot be started",
			ev: taxonomy.Evidence{Source: "claude-cli", Op: "call", Type: "start",
				Text: "fork/exec /usr/bin/claude: exec format error"},
			code: "PROVIDER_CRASH", retryable: true, reaction: "again",
			message: "provider claude-cli crashed: fork/exec /usr/bin/claude: exec format error",
		},
		{
			name: "A120 B-A13: its time is up, and the executor says in which iteration",
			ev: taxonomy.Evidence{Source: "claude-cli", Op: "call", Type: "timeout", Signal: "SIGKILL",
				Attributes: attrs("iteration", "3", "timeout_ms", "300000", "elapsed_ms", "300012")},
			code: "ITERATION_TIMEOUT", retryable: true, reaction: "again",
			message: "iteration 3 exceeded the limit of 5m after 5m",
			context: `{"timeoutMs":300000,"iteration":3,"elapsedMs":300012}`,
		},
		{
			name: "A121 B-A06: an exit code is no status", ev: cli(1, "TypeError: x is not a function\n  at main"),
			code: "PROVIDER_CRASH", retryable: true, reaction: "again",
			message: "provider claude-cli crashed with exit code 1: TypeError: x is not a function",
			context: `{"provider":"claude-cli","exitCode":1,"rawError":"TypeError: x is not a function\n  at main"}`,
		},
		{
			name: "B-A06: nor is one that looks like a status", ev: cli(404%256, "gone"),
			code: "PROVIDER_CRASH", retryable: true, reaction: "again",
			context: `{"provider":"claude-cli","exitCode":148,"rawError":"gone"}`,
		},
		{
			name: "B-A06: nor is 429 of a system with large exit codes", ev: cli(429, "gone"),
			code: "PROVIDER_CRASH", retryable: true, reaction: "again",
			context: `{"provider":"claude-cli","exitCode":429,"rawError":"gone"}`,
		},
		{
			name: "B-A12: a silent exit", ev: cli(2, ""), code: "PROVIDER_CRASH", retryable: true, reaction: "again",
			message: "provider claude-cli crashed with exit code 2", context: `{"provider":"claude-cli","exitCode":2}`,
		},
		{
			name: "B-A12: a silent signal", ev: taxonomy.Evidence{Source: "claude-cli", Op: "call", Signal: "SIGKILL"},
			code: "PROVIDER_CRASH", retryable: true, reaction: "again",
			message: "provider claude-cli crashed on SIGKILL", context: `{"provider":"claude-cli","signal":"SIGKILL"}`,
		},
		{
			name: "B-A12: a process of a provider that is configured under another name",
			ev:   with(cli(7, ""), func(ev *taxonomy.Evidence) { ev.Source = night }),
			code: "PROVIDER_CRASH", retryable: true, reaction: "again",
			context: `{"provider":"night-agent","exitCode":7}`,
		},
		{
			name: "A122 B-A21: it is not installed",
			ev: taxonomy.Evidence{Source: "claude-cli", Op: "available", Type: "not_found",
				Text: `exec: "claude": executable file not found in $PATH`},
			code: "PROVIDER_NOT_AVAILABLE", reaction: "stop_all", message: "provider claude-cli is not available",
			context: `{"provider":"claude-cli","rawError":"exec: \"claude\": executable file not found in $PATH"}`,
		},
		{
			name: "A122: it is not where it should be",
			ev: taxonomy.Evidence{Source: "claude-cli", Op: "call", Type: "start", Errno: "ENOENT",
				Text: "fork/exec /opt/claude: no such file or directory"},
			code: "PROVIDER_NOT_AVAILABLE", reaction: "stop_all",
		},
		{
			name: "A122: what runs it is not installed", ev: cli(127, "env: node: No such file or directory"),
			code: "PROVIDER_NOT_AVAILABLE", reaction: "stop_all",
		},
		{
			name: "A122: a tool of the agent that is not there is another matter",
			ev:   cli(1, "sh: 1: jq: command not found"),
			code: "PROVIDER_CRASH", retryable: true, reaction: "again",
		},
		{
			name: "B-A27: a usage limit", ev: cli(1, "Claude AI usage limit reached|1772366400"),
			code: "PROVIDER_RATE_LIMIT", retryable: true, reaction: "wait",
			message: "provider claude-cli limits the rate",
			context: `{"provider":"claude-cli","exitCode":1,"rawError":"Claude AI usage limit reached|1772366400"}`,
		},
		{name: "B-A27: a limit of five hours", ev: cli(1, "5-hour limit reached ∙ resets 3pm"),
			code: "PROVIDER_RATE_LIMIT", retryable: true, reaction: "wait"},
		{name: "B-A27: a limit after other lines",
			ev: cli(1, "starting\nreading\nError: Claude usage limit reached.\n"), code: "PROVIDER_RATE_LIMIT",
			retryable: true, reaction: "wait"},
		{name: "B-A27: a rate limit", ev: cli(1, "API Error: Rate limit reached"), code: "PROVIDER_RATE_LIMIT",
			retryable: true, reaction: "wait"},
		{name: "B-A27: a rate limit that the API answered", ev: cli(
			1, `API Error: 429 {"type":"error","error":{"type":"rate_limit_error"}}`), code: "PROVIDER_RATE_LIMIT",
			retryable: true, reaction: "wait"},
		{name: "B-A27: a key", ev: cli(1, "Invalid API key · Fix external API key"), code: "PERMISSION_API_AUTH",
			reaction: "stop_all",
			context:  `{"provider":"claude-cli","reason":"Invalid API key · Fix external API key"}`},
		{name: "B-A27: a login", ev: cli(1, "OAuth token has expired · Please run /login"), code: "PERMISSION_API_AUTH",
			reaction: "stop_all", message: "authentication failed for provider claude-cli"},
		{name: "B-A27: a key that the API refused", ev: cli(1, `API Error: 401 {"type":"error"}`),
			code: "PERMISSION_API_AUTH", reaction: "stop_all"},
		{name: "B-A12: an API that is down",
			ev:   cli(1, `API Error: 529 {"type":"error","error":{"type":"overloaded_error"}}`),
			code: "PROVIDER_API_ERROR", retryable: true, reaction: "backoff"},
		{
			name: "B-A12: a status that the process passes on", ev: cli(1, "HTTP 503: no healthy upstream"),
			code: "PROVIDER_API_ERROR", retryable: true, reaction: "backoff",
			context: `{"provider":"claude-cli","statusCode":503,"exitCode":1,"rawError":"HTTP 503: no healthy ` +
				`upstream"}`,
		},
		{name: "B-A27: a limit that the process passes on", ev: cli(1, "429 Too Many Requests"),
			code: "PROVIDER_RATE_LIMIT", retryable: true, reaction: "wait"},
		{
			name: "A105: no credit", ev: cli(1, "Credit balance is too low"), code: "PROVIDER_API_ERROR",
			reaction: "stop_all",
			context: `{"provider":"claude-cli","exitCode":1,"rawError":"Credit balance is too low",` +
				`"quotaExceeded":true}`,
		},
		{
			name: "A42: it refuses to skip its permission checks",
			ev: cli(
				1, "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons"),
			code: "PERMISSION_SKIP_DENIED", reaction: "stop",
		},
		{
			name: "A23 B-A36: it was interrupted with the executor",
			ev: taxonomy.Evidence{Source: "executor", Op: "resume", Type: "interrupted",
				Attributes: attrs("provider", "claude-cli")},
			code: "PROVIDER_CRASH", retryable: true, reaction: "again", message: "provider claude-cli crashed",
			context: `{"provider":"claude-cli"}`,
		},
	})
}

// Text is the least of evidence: an agent's work may be about rate limits, keys and statuses.
func TestTextsThatOnlyTalkAboutIt(t *testing.T) {
	// Whatever it printed, a process that ended well is no more than one without an answer.
	for _, text := range []string{
		"Claude usage limit reached",
		"API Error: Rate limit reached",
		"Invalid API key · Please run /login",
		"429 Too Many Requests",
		"HTTP 401",
	} {
		t.Run("B-A27: exit 0 with "+text, func(t *testing.T) {
			ev := cli(0, text)
			assert.Equal(t, "PROVIDER_CRASH", taxonomy.CodeOf(errs.ClassifyEvidence(&ev)))
		})
	}
	for _, text := range []string{
		"wrote the chapter on rate limits",
		"The docs now say what happens when a rate limit is reached.",
		`the dialog shows "usage limit reached" when the plan is used up`,
		"rate limited endpoints need a test of their own",
		"added a rate limiter: 5 requests a second",
		"429 tests passed, 1 failed",
		"401 files changed",
		"main.go:503: undefined: x",
		"see line 404 for the 429 case",
		"error at 12:43:00, 500 rows written",
		"dial 10.0.0.1:443",
		`TestLogin: want "Invalid API key", got ""`,
		`    login_test.go:12: expected 'Please run /login'`,
		"the mock answers an API error 500 for the second request",
		"overloaded methods are not a thing in Go",
		"it says the credit balance is too low in the invoice test",
	} {
		t.Run("B-A27: exit 1 with "+text, func(t *testing.T) {
			checkCrash(t, cli(1, text))
		})
		t.Run("B-A27: no exit code with "+text, func(t *testing.T) {
			checkCrash(t, anthropic(0, "", text))
		})
		t.Run("output of a failed process: "+text, func(t *testing.T) {
			ev := cli(1, "")
			ev.Output = "Claude usage limit reached\n" + text
			checkCrash(t, ev)
		})
	}
}

// checkCrash also checks that no digits were taken for a status.
func checkCrash(t *testing.T, ev taxonomy.Evidence) {
	t.Helper()
	err := errs.ClassifyEvidence(&ev)
	assert.Equal(t, "PROVIDER_CRASH", taxonomy.CodeOf(err))
	assert.NotContains(t, string(contextOf(t, err)), "statusCode")
}

func TestAPIFailures(t *testing.T) {
	checkFailures(t, []failure{
		{
			name: "A125 A118: 429 with a hint",
			ev: with(anthropic(429, "rate_limit_error", "slow down"),
				func(ev *taxonomy.Evidence) { ev.RetryAfter = taxonomy.Some(30 * time.Second) }),
			code: "PROVIDER_RATE_LIMIT", retryable: true, reaction: "wait",
			message: "provider anthropic-api limits the rate, retry after 30s",
			context: `{"provider":"anthropic-api","statusCode":429,"rawError":"slow down","retryAfter":"30s"}`,
		},
		{name: "A125: the class without a status", ev: anthropic(0, "rate_limit_error", ""),
			code: "PROVIDER_RATE_LIMIT", retryable: true, reaction: "wait"},
		{name: "A125: 429 with nothing", ev: anthropic(429, "", ""), code: "PROVIDER_RATE_LIMIT", retryable: true,
			reaction: "wait"},
		{name: "A125 B-D23: 429 at the start of a text", ev: anthropic(0, "", "429 Too Many Requests: slow down"),
			code: "PROVIDER_RATE_LIMIT", retryable: true, reaction: "wait"},
		{
			name: "B-D07: 403 with nothing left",
			ev: with(anthropic(403, "permission_error", ""),
				func(ev *taxonomy.Evidence) { ev.Attributes = attrs("ratelimit-remaining", "0") }),
			code: "PROVIDER_RATE_LIMIT", retryable: true, reaction: "wait",
		},
		{
			name: "A126: 403 with something left", ev: with(
				anthropic(403, "", ""),
				func(ev *taxonomy.Evidence) { ev.Attributes = attrs("ratelimit-remaining", "10") }),
			code: "PERMISSION_API_AUTH", reaction: "stop_all",
		},
		{
			name: "A126 B-A04: 401", ev: anthropic(401, "authentication_error", "invalid x-api-key"),
			code: "PERMISSION_API_AUTH", reaction: "stop_all",
			message: "authentication failed for provider anthropic-api with status 401",
			context: `{"provider":"anthropic-api","statusCode":401,"reason":"invalid x-api-key"}`,
		},
		{name: "A126 B-A04: 403", ev: anthropic(403, "permission_error", ""), code: "PERMISSION_API_AUTH",
			reaction: "stop_all"},
		{name: "A126: the class without a status", ev: anthropic(0, "authentication_error", ""),
			code: "PERMISSION_API_AUTH", reaction: "stop_all"},
		{
			name: "A127: 500", ev: anthropic(500, "api_error", "internal"), code: "PROVIDER_API_ERROR", retryable: true,
			reaction: "backoff",
			message:  "provider anthropic-api API error 500: internal",
			context:  `{"provider":"anthropic-api","statusCode":500,"rawError":"internal"}`,
		},
		{name: "A127: 529", ev: anthropic(529, "overloaded_error", ""), code: "PROVIDER_API_ERROR", retryable: true,
			reaction: "backoff"},
		{name: "A127: 504 is an answer, not a limit of ours", ev: anthropic(504, "timeout_error", ""),
			code: "PROVIDER_API_ERROR", retryable: true, reaction: "backoff"},
		{name: "A127: overloaded in the middle of a stream", ev: anthropic(0, "overloaded_error", ""),
			code: "PROVIDER_API_ERROR", retryable: true, reaction: "backoff"},
		{
			name: "B-A25: the network", ev: anthropic(0, "network", "connection reset by peer"),
			code: "PROVIDER_API_ERROR", retryable: true, reaction: "backoff",
			context: `{"provider":"anthropic-api","rawError":"connection reset by peer"}`,
		},
		{
			name: "B-A25: an error of the system",
			ev:   taxonomy.Evidence{Source: "openai-api", Op: "call", Errno: "ECONNREFUSED"},
			code: "PROVIDER_API_ERROR", retryable: true, reaction: "backoff", context: `{"provider":"openai-api"}`,
		},
		{name: "B-A25: a stream that broke off", ev: anthropic(0, "stream", ""), code: "PROVIDER_API_ERROR",
			retryable: true, reaction: "backoff"},
		{
			name: "B-A27: the iteration's deadline", ev: with(
				anthropic(0, "timeout", ""),
				func(ev *taxonomy.Evidence) { ev.Attributes = attrs("iteration", "2", "timeout_ms", "1000") }),
			code: "ITERATION_TIMEOUT", retryable: true, reaction: "again",
			message: "iteration 2 exceeded the limit of 1s",
		},
		{
			name: "B-A27: a limit of the provider's own", ev: with(
				openai(0, "timeout", "", ""),
				func(ev *taxonomy.Evidence) { ev.Attributes = attrs("timeout_ms", "60000") }),
			code: "OPERATION_TIMEOUT", retryable: true, reaction: "again",
			message: "operation exceeded the limit of 1m", context: `{"timeoutMs":60000}`,
		},
		{
			name: "B-A23: outside an iteration",
			ev: with(
				openai(0, "timeout", "", ""),
				func(ev *taxonomy.Evidence) { ev.Attributes = attrs("iteration", "0", "timeout_ms", "60000") }),
			code: "OPERATION_TIMEOUT", retryable: true, reaction: "again",
			message: "operation exceeded the limit of 1m",
		},
		{
			name: "A128 A131: anything else", ev: anthropic(0, "", "something new"), code: "PROVIDER_CRASH",
			retryable: true, reaction: "again",
			context: `{"provider":"anthropic-api","rawError":"something new","unmatched":true}`,
		},
		{name: "A131: a type that nobody knows", ev: anthropic(0, "teapot_error", ""), code: "PROVIDER_CRASH",
			retryable: true, reaction: "again"},
		{name: "A131: a type that nobody knows, with a status", ev: anthropic(503, "teapot_error", ""),
			code: "PROVIDER_API_ERROR", retryable: true, reaction: "backoff"},
		{name: "A131: no status that there is", ev: anthropic(299, "", ""), code: "PROVIDER_CRASH", retryable: true,
			reaction: "again"},
		{name: "A129: OpenAI, 429", ev: openai(429, "requests", "rate_limit_exceeded", ""), code: "PROVIDER_RATE_LIMIT",
			retryable: true, reaction: "wait"},
		{
			name: "A129 A105: OpenAI, 429 for a quota", ev: openai(
				429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota"),
			code: "PROVIDER_API_ERROR", reaction: "stop_all",
			message: "provider openai-api API error 429: You exceeded your current quota",
			context: `{"provider":"openai-api","statusCode":429,"rawError":"You exceeded your current quota",` +
				`"quotaExceeded":true}`,
		},
		{name: "A105: Anthropic, 402", ev: anthropic(402, "billing_error", ""), code: "PROVIDER_API_ERROR",
			reaction: "stop_all"},
		{name: "A129: OpenAI, 401", ev: openai(401, "invalid_request_error", "invalid_api_key", ""),
			code: "PERMISSION_API_AUTH", reaction: "stop_all"},
		{name: "A129: OpenAI, 403", ev: openai(403, "", "", ""), code: "PERMISSION_API_AUTH", reaction: "stop_all"},
		{name: "A129: OpenAI, 500", ev: openai(500, "server_error", "", ""), code: "PROVIDER_API_ERROR",
			retryable: true, reaction: "backoff"},
		{name: "A129: OpenAI, 503", ev: openai(503, "", "", ""), code: "PROVIDER_API_ERROR", retryable: true,
			reaction: "backoff"},
		{
			name: "A130: OpenAI, arguments of a tool", ev: openai(0, "tool_arguments", "", "invalid character '}'"),
			code: "PROVIDER_CRASH", retryable: true, reaction: "again",
			message: "provider openai-api crashed: Invalid tool call arguments",
			context: `{"provider":"openai-api","rawError":"Invalid tool call arguments"}`,
		},
		{name: "B-A04: 400", ev: openai(400, "invalid_request_error", "context_length_exceeded", ""),
			code: "PROVIDER_API_ERROR", reaction: "stop"},
		{name: "B-A04: 404", ev: anthropic(404, "not_found_error", ""), code: "PROVIDER_API_ERROR", reaction: "stop"},
		{name: "B-A04: 413", ev: anthropic(413, "request_too_large", ""), code: "PROVIDER_API_ERROR", reaction: "stop"},
		{name: "B-A04: 422", ev: openai(422, "", "", ""), code: "PROVIDER_API_ERROR", reaction: "stop"},
		{name: "B-A06: 408", ev: openai(408, "", "", ""), code: "PROVIDER_API_ERROR", retryable: true,
			reaction: "backoff"},
		{name: "B-A06: 409", ev: openai(409, "", "", ""), code: "PROVIDER_API_ERROR", retryable: true,
			reaction: "backoff"},
		{name: "B-A06: 425", ev: openai(425, "", "", ""), code: "PROVIDER_API_ERROR", retryable: true,
			reaction: "backoff"},
		{
			name: "A45: a check of availability meets a refused key",
			ev:   taxonomy.Evidence{Source: "anthropic-api", Op: "available", Status: 401},
			code: "PERMISSION_API_AUTH", reaction: "stop_all",
		},
		{
			name: "A25: a check of availability meets a limit",
			ev:   taxonomy.Evidence{Source: "anthropic-api", Op: "available", Status: 429},
			code: "PROVIDER_RATE_LIMIT", retryable: true, reaction: "wait",
		},
		{
			name: "A23: a check of availability meets an outage",
			ev:   taxonomy.Evidence{Source: "anthropic-api", Op: "available", Status: 503},
			code: "PROVIDER_API_ERROR", retryable: true, reaction: "backoff",
		},
		{
			name: "A43: a command that the policy does not allow",
			ev: with(openai(0, "command_blocked", "", ""),
				func(ev *taxonomy.Evidence) { ev.Attributes = attrs("command", "rm -rf /", "policy", "strict") }),
			code: "PERMISSION_COMMAND_BLOCKED", reaction: "stop",
			message: `command blocked by policy strict: "rm -rf /"`,
			context: `{"command":"rm -rf /","policy":"strict","provider":"openai-api"}`,
		},
	})
}

func checkFailures(t *testing.T, failures []failure) {
	t.Helper()
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			ev := f.ev
			err := errs.ClassifyEvidence(&ev)
			assert.Equal(t, f.code, taxonomy.CodeOf(err))
			assert.Equal(t, f.retryable, taxonomy.IsRetryable(err))
			assert.Equal(t, f.reaction, errs.Table.Reaction(err).Name)
			if f.message != "" {
				assert.Equal(t, f.message, err.Error())
			}
			if f.context != "" {
				assert.JSONEq(t, f.context, string(contextOf(t, err)))
			}
		})
	}
}

func contextOf(t *testing.T, err error) []byte {
	t.Helper()
	e, ok := errors.AsType[taxonomy.Error](err) // an unmatched one has a stack around it
	if !assert.True(t, ok, "%T", err) {
		return []byte("{}")
	}
	return e.AppendContext(nil)
}
