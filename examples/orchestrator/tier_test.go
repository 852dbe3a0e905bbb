package main_test

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"

	"orchestrator.example.com/runner/errs"
)

const (
	limited     = errs.CodeTierRateLimited
	unavailable = errs.CodeTierUnavailable
	turnedDown  = errs.CodeTierRefused
	notCalled   = errs.CodeTierNotCalled
)

// called is evidence of the call of a tier.
func called(source string, change ...func(*taxonomy.Evidence)) *taxonomy.Evidence {
	return from(source, "call", "", change...)
}

func code(value string) func(*taxonomy.Evidence) {
	return func(ev *taxonomy.Evidence) { ev.Code = value }
}

// What befalls a tier is never taken for what befalls the step that it was to carry out, whatever
// it has in common with it.
func TestTiersOwn(t *testing.T) {
	check(t, []row{
		{"429", called("anthropic-api", status(429)), limited, true, wait},
		{"429 of a script", called("scripted", status(429)), limited, true, wait},
		{"429 of a provider of another name", called("ours", status(429)), limited, true, wait},
		{"a limit by its type", called("anthropic-api", kind("rate_limit_error")), limited, true, wait},
		{"a limit of a program", called("claude-cli", exit(1), text("Claude AI usage limit reached|1772366400")),
			limited, true, wait},
		{"a limit when it is only asked for", from("openai-api", "available", "", status(429)), limited, true, wait},

		{"overloaded", called("anthropic-api", status(529), kind("overloaded_error")), unavailable, true, callAgain},
		{"overloaded in a stream", called("anthropic-api", kind("overloaded_error")), unavailable, true, callAgain},
		{"a server's error", called("openai-api", status(500)), unavailable, true, callAgain},
		{"503 is no service that the step needs", called("openai-api", status(503), text("503 Service Unavailable")),
			unavailable, true, callAgain},
		{"a refused connection is no address that the step needs",
			called("openai-api", kind("network"), errno("ECONNREFUSED")), unavailable, true, callAgain},
		{"a lost connection", called("openai-api", errno("ECONNRESET")), unavailable, true, callAgain},
		{"a slow answer is no slow step", called("openai-api", kind("timeout")), unavailable, true, callAgain},
		{"a program that crashes is no command that fails", called("claude-cli", exit(139), text("Segmentation fault")),
			unavailable, true, callAgain},
		{"a program that is killed", called("claude-cli", func(ev *taxonomy.Evidence) { ev.Signal = "SIGKILL" }),
			unavailable, true, callAgain},
		{"a program that says nothing", called("claude-cli", exit(0), text("cat: a: No such file or directory")),
			unavailable, true, callAgain},
		{"a program that cannot be started now", called("claude-cli", kind("start"), errno("EAGAIN")), unavailable,
			true, callAgain},
		{"a program that speaks of a missing file",
			called("claude-cli", exit(1), text("cat: a: No such file or directory")), unavailable, true, callAgain},
		{"something new", called("scripted", text("something new")), unavailable, true, callAgain},
		{"a call that was cut short", from("executor", "resume", "interrupted"), unavailable, true, callAgain},

		{"no credentials", called("anthropic-api", status(401), kind("authentication_error")), turnedDown, false,
			handOver},
		{"no right", called("openai-api", status(403)), turnedDown, false, handOver},
		{"no login", called("claude-cli", exit(1), text("Invalid API key · Please run /login")), turnedDown, false,
			handOver},
		{"no credit", called("openai-api", status(429), code("insufficient_quota")), turnedDown, false, handOver},
		{"no credit of a program", called("claude-cli", exit(1), text("Credit balance is too low")), turnedDown, false,
			handOver},
		{"a request at fault", called("openai-api", status(400), kind("invalid_request_error")), turnedDown, false,
			handOver},
		{"a model that is not there", called("anthropic-api", status(404), kind("not_found_error")), turnedDown, false,
			handOver},
		{"a model that will not answer", called("anthropic-api", kind("refusal")), turnedDown, false, handOver},
		{"no program is no command that the step needs", from("claude-cli", "available", "not_found"), turnedDown,
			false, handOver},
		{"no program, by its status", called("claude-cli", exit(127)), turnedDown, false, handOver},

		{"no budget", from("budget", "budget", "exceeded"), notCalled, false, askUser},
		{"an unknown cost", from("budget", "budget", "unknown_cost"), notCalled, false, askUser},
		{"a lock", from("executor", "lock", ""), notCalled, false, askUser},
		{"a disk that is full", from("executor", "prepare", "", errno("ENOSPC")), notCalled, false, askUser},
		{"a directory without a right", from("executor", "prepare", "", errno("EACCES")), notCalled, false, askUser},
		{"a call that cannot be gone on with", from("executor", "resume", "refused"), notCalled, false, askUser},
		{"a configuration", from("config", "load_config", "invalid"), notCalled, false, askUser},
	})
}

// The same of a step or an agent is the step's.
func TestTiersOwnIsNoSteps(t *testing.T) {
	check(t, []row{
		{"a service that the step needs", from("step", "", "", status(503)), prerequisite, true, tryAgain},
		{"an address that the step needs", from("step", "", "", errno("ECONNREFUSED")), prerequisite, true, tryAgain},
		{"a limit that the step met", from("step", "", "", exit(1), text("Rate limit exceeded")), execution, false,
			analyse},
		{"a limit that an agent speaks of", from("agent", "execute", "", text("Claude usage limit reached")),
			unclassified, false, findOut},
		{"a missing command of the step", from("step", "", "", exit(127)), prerequisite, false, findOut},
	})
}

// What a server asks for is kept, and what a program says on a real error channel is heard.
func TestTiersOwnAsItComes(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", "17")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = w.Write([]byte(`{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`))
	}))
	defer server.Close()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, nil)
	require.NoError(t, err)
	response, err := server.Client().Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	err = errs.Classify(response, detect.WithSource(errs.SourceAnthropicAPI), detect.WithOp(taxonomy.OpName("call")))
	require.ErrorIs(t, err, limited)
	hints := taxonomy.HintsOf(err)
	assert.Equal(t, taxonomy.Some(17*time.Second), hints.RetryAfter)

	_, err = exec.CommandContext(t.Context(), "sh", "-c", "echo 'API Error: 529 overloaded' >&2; exit 1").Output()
	assert.ErrorIs(t, errs.Classify(err, detect.WithSource(errs.SourceClaudeCLI),
		detect.WithOp(taxonomy.OpName("call"))), unavailable)
	_, err = exec.CommandContext(t.Context(), "no-such-agent-anywhere").Output()
	assert.ErrorIs(t, errs.Classify(err, detect.WithSource(errs.SourceClaudeCLI),
		detect.WithOp(taxonomy.OpName("available"))), turnedDown)

	server.Close()
	request, err = http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, nil)
	require.NoError(t, err)
	_, err = http.DefaultClient.Do(request) //nolint:bodyclose // there is no response
	assert.ErrorIs(t, errs.Classify(err, detect.WithSource(errs.SourceOpenaiAPI),
		detect.WithOp(taxonomy.OpName("call"))), unavailable)
	assert.ErrorIs(t, errs.Classify(err, detect.WithSource(errs.SourceStep)), prerequisite)
}
