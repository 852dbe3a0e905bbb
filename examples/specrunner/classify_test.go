package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/taxonomy"

	"specrunner.example.com/runner/errs"
)

// failure is what the agent said on its error channel when it exited with 1.
func failure(text string) *taxonomy.Evidence {
	return &taxonomy.Evidence{Source: "agent", ExitCode: taxonomy.Some(1), Text: text}
}

func hookFailure(source, kind, text string) *taxonomy.Evidence {
	return &taxonomy.Evidence{Source: source, Type: kind, ExitCode: taxonomy.Some(1), Text: text}
}

func TestClassify(t *testing.T) {
	tests := []struct {
		name     string
		raw      any
		code     errs.AttemptCode
		reaction string
	}{
		{"S17 the runner says that the call ran past its limit", &taxonomy.Evidence{Source: "agent", Type: "timeout"},
			errs.CodeTimeout, "same_again"},
		{"S17 a deadline, wrapped", fmt.Errorf("call the agent: %w", context.DeadlineExceeded), errs.CodeTimeout,
			"same_again"},
		{"S17 an exit status of 124 is no limit of ours",
			&taxonomy.Evidence{Source: "agent", ExitCode: taxonomy.Some(124)}, errs.CodeUnknown, "explain_and_retry"},

		{"S18 hit your limit", failure("You've hit your limit · resets 3pm (UTC)"), errs.CodeRateLimit,
			"return_api_error"},
		{"S18 hit your session limit", failure("You've hit your session limit"), errs.CodeRateLimit,
			"return_api_error"},
		{"S18 usage limit reached", failure("Claude AI usage limit reached|1760000000"), errs.CodeRateLimit,
			"return_api_error"},
		{"S18 usage limit reached, and a separator", failure("Weekly limit reached ∙ resets Monday"),
			errs.CodeRateLimit, "return_api_error"},
		{"S18 rate limit exceeded", failure("Error: Rate limit exceeded"), errs.CodeRateLimit, "return_api_error"},
		{"S18 rate limit exceeded, in the middle", failure("starting\nAPI rate limit exceeded for user 4711\n"),
			errs.CodeRateLimit, "return_api_error"},
		{"S18 too many requests", failure("Error: 429 Too Many Requests"), errs.CodeRateLimit, "return_api_error"},
		{"S18 a status in front of its phrase", failure("429 Too Many Requests"), errs.CodeRateLimit,
			"return_api_error"},
		{"S18 the error of the service",
			failure(`API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`),
			errs.CodeRateLimit, "return_api_error"},
		{"S18 the error of the library", failure("anthropic.RateLimitError: Error code: 429"), errs.CodeRateLimit,
			"return_api_error"},
		{"S18 quota exceeded", failure("Quota exceeded for this project"), errs.CodeRateLimit, "return_api_error"},
		{"S18 a status of its own", &taxonomy.Evidence{Source: "agent", Status: 429}, errs.CodeRateLimit,
			"return_api_error"},
		{"S18 a type of its own", &taxonomy.Evidence{Source: "agent", Type: "rate_limit_error"}, errs.CodeRateLimit,
			"return_api_error"},

		{"S20 the tests failed after the agent", hookFailure("post_done", "tests", ""), errs.CodeTestFailure,
			"explain_and_retry"},
		{"S20 tests of Go, without a type", hookFailure("post_done", "", "--- FAIL: TestSum (0.00s)\nFAIL"),
			errs.CodeTestFailure, "explain_and_retry"},
		{"S20 tests of Python, without a type", hookFailure("post_done", "", "=== 1 failed, 3 passed in 0.02s ==="),
			errs.CodeTestFailure, "explain_and_retry"},
		{"S20 the type ranks before what the tests print", hookFailure("post_done", "tests", "a.py:1:1: F401 unused"),
			errs.CodeTestFailure, "explain_and_retry"},
		{"S20 FAIL inside of a word", hookFailure("post_done", "", "FAILOVER is off"), errs.CodeHookFailure,
			"fail_fast"},

		{"S21 the linters objected after the agent", hookFailure("post_done", "lint", ""), errs.CodeLintFailure,
			"explain_and_retry"},
		{"S21 a finding with its place, without a type", hookFailure(
			"post_done", "", "src/a.py:3:1: F401 `os` imported but unused"), errs.CodeLintFailure, "explain_and_retry"},
		{"S21 a clock time is no place", hookFailure("post_done", "", "12:30:05: the disk is full"),
			errs.CodeHookFailure, "fail_fast"},
		{"S21 an address is no place", hookFailure("post_done", "", "db.example.com:5432: no answer"),
			errs.CodeHookFailure, "fail_fast"},

		{"S22 the marker", failure("TASK_FAILED"), errs.CodeTaskFailed, "explain_and_retry"},
		{"S22 the marker and its reason", failure("I tried.\nTASK_FAILED: there is no such table\n"),
			errs.CodeTaskFailed, "explain_and_retry"},
		{"S22 the marker, as the runner found it", &taxonomy.Evidence{Source: "agent", Type: "task_failed"},
			errs.CodeTaskFailed, "explain_and_retry"},

		{"S23 the hook before the agent", hookFailure("pre_start", "", "fatal: not a git repository"),
			errs.CodeHookFailure, "fail_fast"},
		{"S23 the hook before the agent, whatever it says", hookFailure("pre_start", "tests", "--- FAIL: TestSum"),
			errs.CodeHookFailure, "fail_fast"},

		{"S24 everything else", failure("panic: index out of range"), errs.CodeUnknown, "explain_and_retry"},
		{"S24 a signal", &taxonomy.Evidence{Source: "agent", Signal: "SIGKILL"}, errs.CodeUnknown, "explain_and_retry"},
		{"S24 nothing at all", &taxonomy.Evidence{}, errs.CodeUnknown, "explain_and_retry"},
		{"S24 a Go error", errors.New("something new"), errs.CodeUnknown, "explain_and_retry"},

		{"B-S02 no marker and an exit status", failure(""), errs.CodeUnknown, "explain_and_retry"},
		{"B-S02 another failure of the hook after the agent stops, too",
			hookFailure("post_done", "", "cannot merge the branch"), errs.CodeHookFailure, "fail_fast"},
		{"B-S02 so does one that takes too long", hookFailure("post_done", "timeout", ""), errs.CodeHookFailure,
			"fail_fast"},

		{"B-S03 a failed call that wrote about limits", failure("I have written the chapter on rate limits"),
			errs.CodeUnknown, "explain_and_retry"},
		{"B-S03 a limit that is quoted", failure(`the handler answers "rate limit exceeded" to the eleventh call`),
			errs.CodeUnknown, "explain_and_retry"},
		{"B-S03 a limit that is explained",
			failure("users who see a message that the usage limit is reached must wait"), errs.CodeUnknown,
			"explain_and_retry"},
		{"B-S03 a limit that a test expects", failure("the test failed as expected: rate limit exceeded is shown"),
			errs.CodeUnknown, "explain_and_retry"},
		{"B-S03 a limit that a line begins with", failure("Rate limit exceeded is shown in red now"), errs.CodeUnknown,
			"explain_and_retry"},
		{"B-S03 requests that a line begins with", failure("Too many requests are made by the page"), errs.CodeUnknown,
			"explain_and_retry"},
		{"B-S03 digits in prose", failure("429 tests passed, 1 left"), errs.CodeUnknown, "explain_and_retry"},
		{"B-S03 the output is not searched",
			&taxonomy.Evidence{Source: "agent", ExitCode: taxonomy.Some(1), Output: "Error: rate limit exceeded"},
			errs.CodeUnknown, "explain_and_retry"},
		{"B-S03 limits of the project's own tests", hookFailure("post_done", "tests", "Error: rate limit exceeded"),
			errs.CodeTestFailure, "explain_and_retry"},

		{"B-S04 the context window", failure("Error: context window exceeded"), errs.CodeTaskFailed,
			"shorten_and_retry"},
		{"B-S04 the context window, otherwise", failure("this request exceeds the model's context window"),
			errs.CodeTaskFailed, "shorten_and_retry"},
		{"B-S04 the prompt", failure("Prompt is too long"), errs.CodeTaskFailed, "shorten_and_retry"},
		{"B-S04 the type", &taxonomy.Evidence{Source: "agent", Type: "context_length_exceeded"}, errs.CodeTaskFailed,
			"shorten_and_retry"},
		{"B-S04 a context window on a screen", failure("the context window of the editor has no title"),
			errs.CodeUnknown, "explain_and_retry"},

		{"B-S12 a marker in a sentence", failure("print TASK_FAILED when nothing helps"), errs.CodeUnknown,
			"explain_and_retry"},
		{"B-S12 a quoted marker", failure("> TASK_FAILED"), errs.CodeUnknown, "explain_and_retry"},
		{"B-S12 a marker inside of a name", failure("TASK_FAILED_HANDLER"), errs.CodeUnknown, "explain_and_retry"},
		{"B-S12 failed beats complete", failure("TASK_FAILED\nTASK_COMPLETE"), errs.CodeTaskFailed,
			"explain_and_retry"},
		{"B-S12 in either order", failure("TASK_COMPLETE\nTASK_FAILED: one test is red"), errs.CodeTaskFailed,
			"explain_and_retry"},
		{"B-S12 a marker outranks a limit",
			failure("rate limit exceeded\nTASK_FAILED: cannot reproduce it"), errs.CodeTaskFailed, "explain_and_retry"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := errs.Classify(tt.raw, detect.WithSource(errs.SourceAgent))
			require.ErrorIs(t, err, tt.code)
			assert.Equal(t, tt.reaction, errs.Table.Reaction(err).Name)
			stops := tt.code == errs.CodeRateLimit || tt.code == errs.CodeHookFailure
			assert.Equal(t, !stops, taxonomy.IsRetryable(err))
		})
	}
}

// The failures of real calls, as the standard library reports them.
func TestClassifyCalls(t *testing.T) {
	tests := []struct {
		name string
		call func(t *testing.T) error
		code errs.AttemptCode
		says []string
	}{
		{"S17 a call past its deadline", func(t *testing.T) error {
			ctx, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
			defer cancel()
			return exec.CommandContext(ctx, "sh", "-c", "exit 0").Run()
		}, errs.CodeTimeout, nil},
		{"S18 a limit on standard error", func(t *testing.T) error {
			_, err := exec.CommandContext(t.Context(), "sh", "-c", `echo "You've hit your limit" >&2; exit 1`).Output()
			return err
		}, errs.CodeRateLimit, []string{"You've hit your limit"}},
		{"S22 a marker on standard error", func(t *testing.T) error {
			_, err := exec.CommandContext(t.Context(), "sh", "-c", `echo "TASK_FAILED: no table" >&2; exit 1`).Output()
			return err
		}, errs.CodeTaskFailed, []string{"TASK_FAILED: no table"}},
		{"S24 an exit status", func(t *testing.T) error {
			_, err := exec.CommandContext(t.Context(), "sh", "-c", "echo first >&2; echo last >&2; exit 3").Output()
			return err
		}, errs.CodeUnknown, []string{`"exitCode":3`, "last"}},
		{"S24 a signal", func(t *testing.T) error {
			return exec.CommandContext(t.Context(), "sh", "-c", "kill -9 $$").Run()
		}, errs.CodeUnknown, nil},
		{"S24 an agent that is not installed", func(t *testing.T) error {
			return exec.CommandContext(t.Context(), "no-such-agent-anywhere").Run()
		}, errs.CodeUnknown, []string{"no-such-agent-anywhere"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cause := tt.call(t)
			require.Error(t, cause)
			err := errs.Classify(cause, detect.WithSource(errs.SourceAgent))
			require.ErrorIs(t, err, tt.code)
			require.ErrorIs(t, err, cause)
			e, ok := errors.AsType[*errs.AttemptError](err)
			require.True(t, ok)
			for _, s := range tt.says {
				assert.Contains(t, string(e.AppendContext(nil)), s)
			}
		})
	}
}

func TestCancelledCallsAreNotClassified(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := errs.Classify(fmt.Errorf("call the agent: %w", exec.CommandContext(ctx, "sh", "-c", "exit 0").Run()),
		detect.WithSource(errs.SourceAgent))
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, taxonomy.CodeOf(err))
}

// B-S02: the end of a long text is kept.
func TestUnknownKeepsTheTail(t *testing.T) {
	err := errs.Classify(failure(strings.Repeat("noise\n", 10_000)+"panic: the last word"),
		detect.WithSource(errs.SourceAgent))
	require.ErrorIs(t, err, errs.CodeUnknown)
	e, ok := errors.AsType[*errs.AttemptError](err)
	require.True(t, ok)
	shown := string(e.AppendContext(nil))
	assert.Contains(t, shown, "panic: the last word")
	assert.Less(t, len(shown), 3000)
}

// B-S03: a text that only mentions a failure has no code of its own.
func TestTalk(t *testing.T) {
	texts := []string{
		"the test now covers inputs that exceed the context window",
		"Tests failed yesterday but pass now",
		"All 0 tests failed",
		"3 failed, 12 passed is what the old run printed",
		"lint errors are listed by the new page",
		"RateLimitError is raised by the client",
		"You have reached your limit is what the page says",
		"quota exceeded messages are red now",
		"the docs say when the context length is too long",
		"Prompt is too long is the new message",
		"HTTP 429 responses are retried",
		"tests that FAIL are listed first",
	}
	for source, want := range map[string]errs.AttemptCode{"agent": errs.CodeUnknown, "pre_start": errs.CodeHookFailure,
		"post_done": errs.CodeHookFailure} {
		for _, text := range texts {
			t.Run(source+" "+text, func(t *testing.T) {
				ev := taxonomy.Evidence{Source: source, ExitCode: taxonomy.Some(1), Text: text}
				assert.ErrorIs(t, errs.Classify(&ev), want, "%s", errs.Explain(&ev))
			})
		}
	}
}

// What a service says of a limit in a longer form of its own.
func TestForms(t *testing.T) {
	tests := []struct {
		text string
		want errs.AttemptCode
	}{
		{"You've reached your usage limit for Claude Opus", errs.CodeRateLimit},
		{"Error: openai.RateLimitError: Rate limit exceeded (retry later)", errs.CodeRateLimit},
		{"[agent] request failed: API rate limit exceeded", errs.CodeRateLimit},
		{"This model's maximum context length is 8192 tokens. However, you requested 9000 tokens", errs.CodeTaskFailed},
		{"Your input exceeds the context window of this model. Please adjust your input", errs.CodeTaskFailed},
		{"API Error: prompt is too long: 200001 tokens > 200000 maximum", errs.CodeTaskFailed},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) { assert.ErrorIs(t, errs.Classify(failure(tt.text)), tt.want) })
	}
}
