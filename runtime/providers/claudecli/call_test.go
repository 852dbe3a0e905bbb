//go:build unix

package claudecli_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/gen/errs"
	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/providers/claudecli"
	"github.com/errgen/errgen/runtime/providers/providertest"
	"github.com/errgen/errgen/runtime/taxonomy"
)

// scripted returns a provider that runs the steps, with a short grace, and the program.
func scripted(t *testing.T, o claudecli.Options, steps ...providertest.CLIStep) (
	*claudecli.Provider, *providertest.CLI) {
	t.Helper()
	cli, err := providertest.NewCLI(t.TempDir(), steps...)
	require.NoError(t, err)
	o.Path = cli.Path
	if o.Grace == 0 {
		o.Grace = 200 * time.Millisecond
	}
	p, err := claudecli.New(o)
	require.NoError(t, err)
	return p, cli
}

// request is a request for work in an empty directory.
func request(t *testing.T) executor.Request {
	return executor.Request{Prompt: "do it", Dir: t.TempDir(), Iteration: 3}
}

// evidence returns the evidence that an error is.
func evidence(t *testing.T, err error) *taxonomy.Evidence {
	t.Helper()
	var ev *taxonomy.Evidence
	require.ErrorAs(t, err, &ev)
	return ev
}

// code returns the code that the shipped taxonomy gives an error of a call.
func code(t *testing.T, err error) string {
	t.Helper()
	require.Error(t, err)
	return taxonomy.CodeOf(errs.Classify(err, detect.WithSource(errs.SourceClaudeCLI),
		detect.WithOp(taxonomy.OpName("call"))))
}

func TestCall(t *testing.T) {
	p, cli := scripted(
		t, claudecli.Options{Model: "opus", MaxTurns: 7, AllowedTools: []string{"Edit", "Bash(go test *)"},
			DisallowedTools: []string{"WebFetch"}, Args: []string{"--append-system-prompt=be brief"}},
		providertest.CLIAnswer("all good\nTASK COMPLETE").Say("I begin").Write("a/b.txt", "hello").Session("s-1").
			Cost(10, 20, 0.5))
	req := request(t)
	req.Prompt = "--not-a-flag \"$(rm -rf /)\"\n"
	var progress []string
	req.Progress = func(text string) { progress = append(progress, text) }
	var process executor.Process
	req.Started = func(p executor.Process) error { process = p; return nil }
	answer, err := p.Call(t.Context(), req)
	require.NoError(t, err)
	assert.Equal(t, executor.Answer{Text: "all good\nTASK COMPLETE", Session: "s-1", Usage: executor.Usage{
		InputTokens: taxonomy.Some[int64](10), OutputTokens: taxonomy.Some[int64](20), CostUSD: taxonomy.Some(0.5)}},
		answer)
	assert.Equal(t, []string{"I begin", "Write a/b.txt"}, progress)
	content, err := os.ReadFile(filepath.Join(req.Dir, "a/b.txt"))
	require.NoError(t, err)
	assert.Equal(t, "hello", string(content))

	calls, err := cli.Calls()
	require.NoError(t, err)
	require.Len(t, calls, 1)
	assert.Equal(
		t, []string{"-p", "--output-format=stream-json", "--verbose", "--permission-mode=acceptEdits", "--model=opus",
			"--max-turns=7", "--allowedTools=Edit,Bash(go test *)", "--disallowedTools=WebFetch",
			"--append-system-prompt=be brief"},
		calls[0].Args)
	assert.Equal(t, req.Prompt, calls[0].Prompt)
	assert.Equal(t, calls[0].PID, process.PID)
	assert.NotEmpty(t, process.Start)
	assert.Equal(t, "0", calls[0].Retries)
	dir, err := filepath.EvalSymlinks(req.Dir)
	require.NoError(t, err)
	assert.Equal(t, dir, calls[0].Dir)
}

func TestSessions(t *testing.T) {
	for _, c := range []struct {
		name, session string
		reduced       bool
		resumed, got  string
	}{
		{"begun", "", false, "", "00000000-0000-4000-8000-000000000001"},
		{"continued", "0a-b", false, "0a-b", "0a-b"},
		{"reduced", "0a-b", true, "", "00000000-0000-4000-8000-000000000001"},
		{"no session", "--dangerously-skip-permissions", false, "", "00000000-0000-4000-8000-000000000001"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, cli := scripted(t, claudecli.Options{}, providertest.CLIAnswer("ok"))
			req := request(t)
			req.Session, req.Reduced = c.session, c.reduced
			answer, err := p.Call(t.Context(), req)
			require.NoError(t, err)
			assert.Equal(t, c.got, answer.Session)
			calls, err := cli.Calls()
			require.NoError(t, err)
			assert.Equal(t, c.resumed, calls[0].Resumed())
			assert.NotContains(t, calls[0].Args, "--dangerously-skip-permissions")
		})
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-inherited")
	t.Setenv("OPENAI_API_KEY", "sk-other")
	t.Setenv("HTTPS_PROXY", "http://user:password@proxy")
	p, cli := scripted(t, claudecli.Options{Env: []string{"HTTPS_PROXY", "CLAUDE_CODE_MAX_RETRIES=10", "MINE=1"}},
		providertest.CLIAnswer("ok"))
	_, err := p.Call(t.Context(), request(t))
	require.NoError(t, err)
	calls, err := cli.Calls()
	require.NoError(t, err)
	assert.Subset(t, calls[0].Env, []string{"PATH", "HOME", "HTTPS_PROXY", "MINE"})
	assert.NotContains(t, calls[0].Env, "ANTHROPIC_API_KEY")
	assert.NotContains(t, calls[0].Env, "OPENAI_API_KEY")
	assert.Equal(t, "0", calls[0].Retries)
}

func TestFailures(t *testing.T) {
	until := time.Unix(1772366400, 0)
	exit := taxonomy.Some[int]
	for _, c := range []struct {
		name string
		step providertest.CLIStep
		code string
		want taxonomy.Evidence
	}{
		{"rate limit with its reset", providertest.CLIRateLimited(until), "PROVIDER_RATE_LIMIT", taxonomy.Evidence{
			Status: 429, Type: "rate_limit_error", ExitCode: exit(1), ResetAt: until,
			Text:       "You've hit your limit · resets 12:00pm (UTC)",
			Attributes: map[string]string{"rate_limit_type": "five_hour"}}},
		{"rate limit, exit code 0", providertest.CLIRateLimited(until).Exiting(0), "PROVIDER_RATE_LIMIT",
			taxonomy.Evidence{
				Status: 429, Type: "rate_limit_error", ResetAt: until,
				Text:       "You've hit your limit · resets 12:00pm (UTC)",
				Attributes: map[string]string{"rate_limit_type": "five_hour"}}},
		{"usage limit of older versions", providertest.CLIUsageLimit(until), "PROVIDER_RATE_LIMIT", taxonomy.Evidence{
			Type: "rate_limit_error", ExitCode: exit(1), ResetAt: until,
			Text: "Claude AI usage limit reached|1772366400"}},
		{"usage limit, exit code 0", providertest.CLIUsageLimit(until).Exiting(0), "PROVIDER_RATE_LIMIT",
			taxonomy.Evidence{
				Type: "rate_limit_error", ResetAt: until, Text: "Claude AI usage limit reached|1772366400"}},
		{"rate limit in words", providertest.CLIFails("API Error: Rate limit reached, retry after 30 seconds"),
			"PROVIDER_RATE_LIMIT",
			taxonomy.Evidence{ExitCode: exit(1), Text: "API Error: Rate limit reached, retry after 30 seconds",
				RetryAfter: taxonomy.Some(30 * time.Second), RetryAfterDerived: true}},
		{"API error 429", apiError(429, "rate_limit_error"), "PROVIDER_RATE_LIMIT",
			apiEvidence(429, "rate_limit_error")},
		{"API error 529", apiError(529, "overloaded_error"), "PROVIDER_API_ERROR",
			apiEvidence(529, "overloaded_error")},
		{"API error 500", apiError(500, "api_error"), "PROVIDER_API_ERROR", apiEvidence(500, "api_error")},
		{"API error 401", apiError(401, "authentication_error"), "PERMISSION_API_AUTH",
			apiEvidence(401, "authentication_error")},
		{"API error 403", apiError(403, "permission_error"), "PERMISSION_API_AUTH",
			apiEvidence(403, "permission_error")},
		{"API error 404", apiError(404, "not_found_error"), "PROVIDER_API_ERROR", apiEvidence(404, "not_found_error")},
		{"API error 413", apiError(413, "request_too_large"), "PROVIDER_API_ERROR",
			apiEvidence(413, "request_too_large")},
		{"API error of an older version", providertest.CLIFails(
			`API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},` +
				`"request_id":"req_1"}`),
			"PROVIDER_API_ERROR",
			taxonomy.Evidence{Status: 529, StatusDerived: true, Type: "overloaded_error", ExitCode: exit(1),
				Text: `API Error: 529 {"type":"error","error":{"type":"overloaded_error",` +
					`"message":"Overloaded"},"request_id":"req_1"}`,
				Attributes: map[string]string{"request-id": "req_1"}}},
		{"connection error", providertest.CLIFails("API Error: Connection error."), "PROVIDER_API_ERROR",
			taxonomy.Evidence{ExitCode: exit(1), Text: "API Error: Connection error."}},
		{"key", providertest.CLIAuth(), "PERMISSION_API_AUTH",
			taxonomy.Evidence{Type: "authentication_error", ExitCode: exit(1),
				Text: "Invalid API key · Please run /login"}},
		{"key, exit code 0", providertest.CLIAuth().Exiting(0), "PERMISSION_API_AUTH",
			taxonomy.Evidence{Type: "authentication_error",
				Text: "Invalid API key · Please run /login"}},
		{"login", providertest.CLIFails("OAuth token has expired · Please run /login"), "PERMISSION_API_AUTH",
			taxonomy.Evidence{ExitCode: exit(1), Text: "OAuth token has expired · Please run /login"}},
		{"credit", providertest.CLICredit(), "PROVIDER_API_ERROR",
			taxonomy.Evidence{Type: "billing_error", ExitCode: exit(1),
				Text: "Credit balance is too low"}},
		{"exit code with standard error", providertest.CLIExit(2, "something broke\n"), "PROVIDER_CRASH",
			taxonomy.Evidence{ExitCode: exit(2), Text: "something broke"}},
		{"exit code without standard error", providertest.CLIExit(3, ""), "PROVIDER_CRASH",
			taxonomy.Evidence{ExitCode: exit(3)}},
		{"no interpreter", providertest.CLIExit(127, "env: node: No such file or directory\n"),
			"PROVIDER_NOT_AVAILABLE",
			taxonomy.Evidence{ExitCode: exit(127), Text: "env: node: No such file or directory"}},
		{"skipping as root",
			providertest.CLIExit(1, "--dangerously-skip-permissions cannot be used with root/sudo privileges"),
			"PERMISSION_SKIP_DENIED", taxonomy.Evidence{ExitCode: exit(1),
				Text: "--dangerously-skip-permissions cannot be used with root/sudo privileges"}},
		{"signal", providertest.CLICrash("SEGV"), "PROVIDER_CRASH", taxonomy.Evidence{Signal: "SIGSEGV"}},
		{"killed by somebody", providertest.CLICrash("KILL"), "PROVIDER_CRASH", taxonomy.Evidence{Signal: "SIGKILL"}},
		{"no result", providertest.CLISilent("429 Too Many Requests", "usage limit reached"), "PROVIDER_CRASH",
			taxonomy.Evidence{Type: "stream", Text: "no result event"}},
		{"unreadable", providertest.CLIMalformed(), "PROVIDER_CRASH",
			taxonomy.Evidence{Type: "stream", Text: "no result event",
				Output: "not an event\n[1,2]\nnull\n"}},
		{"half a result", providertest.CLITruncated("Rate limit exceeded"), "PROVIDER_CRASH",
			taxonomy.Evidence{Type: "stream", Text: "no result event"}},
		{"success with an exit code", providertest.CLIAnswer("API Error: 429 is what the chapter is about").Exiting(1),
			"PROVIDER_CRASH",
			taxonomy.Evidence{ExitCode: exit(1)}},
		{"a result that does not say",
			providertest.CLIStep{Stdout: []byte(`{"type":"result","is_error":"maybe","result":"TASK COMPLETE"}` +
				"\n")},
			"PROVIDER_CRASH",
			taxonomy.Evidence{Type: "stream", Text: "the result does not say whether the call failed"}},
		{"a failure as a text",
			providertest.CLIStep{Stdout: []byte(`{"type":"result","is_error":"true","result":"no"}` + "\n"), Exit: 1},
			"PROVIDER_CRASH", taxonomy.Evidence{ExitCode: exit(1), Text: "no"}},
		{"a failure after a success",
			providertest.CLIStep{Stdout: []byte(`{"type":"result","is_error":false,"result":"ok"}` + "\n"),
				Result: &providertest.CLIResult{Text: "no", IsError: true}, Exit: 1}, "PROVIDER_CRASH",
			taxonomy.Evidence{ExitCode: exit(1), Text: "no"}},
		{"session that is gone",
			providertest.CLIStep{Exit: 1,
				Result: &providertest.CLIResult{IsError: true, Subtype: "error_during_execution",
					Errors: []string{"No conversation found with session ID: 7"}}}, "PROVIDER_CRASH",
			taxonomy.Evidence{ExitCode: exit(1),
				Type: "error_during_execution", Text: "No conversation found with session ID: 7"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := scripted(t, claudecli.Options{Credential: "key-1"}, c.step)
			answer, err := p.Call(t.Context(), request(t))
			assert.Empty(t, answer.Text)
			ev := evidence(t, err)
			want := c.want
			want.Source, want.Op, want.Credential = "claude-cli", "call", "key-1"
			got := *ev
			if len(got.Attributes) == 0 {
				got.Attributes = nil
			}
			assert.Equal(t, want, got)
			assert.Equal(t, c.code, code(t, err))
		})
	}
}

// apiError is a failed request, and apiEvidence what is known of it.
func apiError(status int, kind string) providertest.CLIStep {
	return providertest.CLIAPIError(status, kind, "what it says")
}

func apiEvidence(status int, kind string) taxonomy.Evidence {
	return taxonomy.Evidence{Status: status, Type: kind, ExitCode: taxonomy.Some(1),
		Text:       apiError(status, kind).Result.Text,
		Attributes: map[string]string{"request-id": "req_011CXYZscripted"}}
}

func TestSuccessesThatLookLikeFailures(t *testing.T) {
	for _, c := range []struct {
		name string
		step providertest.CLIStep
	}{
		{"a limit that is near", withLimit(providertest.CLIAnswer("ok"), "allowed_warning")},
		{"a limit that was reached and then was not", withLimit(providertest.CLIAnswer("ok"), "rejected")},
		{"a subtype of a failure",
			providertest.CLIStep{Result: &providertest.CLIResult{Text: "ok", Subtype: "error_max_turns"}}},
		{"words on standard error",
			providertest.CLIStep{Stderr: []byte("API Error: 429\n"), Result: &providertest.CLIResult{Text: "ok"}}},
		{"lines that are no events",
			providertest.CLIStep{Stdout: []byte("[debug] 500\n\n{\"type\":\"new\",\"x\":[]}\n{\"type\":7}\n{broken\n"),
				Result: &providertest.CLIResult{Text: "ok"}}},
		{"a field of another form",
			providertest.CLIStep{Stdout: []byte(`{"type":"result","is_error":false,"errors":{"a":1},"result":"ok"}` +
				"\n")}},
		{"two results",
			providertest.CLIStep{Stdout: []byte(`{"type":"result","is_error":false,"result":"not yet"}` + "\n"),
				Result: &providertest.CLIResult{Text: "ok"}}},
		{"a process that stays", providertest.CLIStep{Result: &providertest.CLIResult{Text: "ok"}, Linger: true}},
		{"a deaf process that stays",
			providertest.CLIStep{Deaf: true, Result: &providertest.CLIResult{Text: "ok"}, Linger: true}},
		{"a child that stays", providertest.CLIAnswer("ok").WithChild(true)},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, cli := scripted(t, claudecli.Options{}, c.step)
			answer, err := p.Call(t.Context(), request(t))
			require.NoError(t, err)
			assert.Equal(t, "ok", answer.Text)
			assertNobodyLeft(t, cli)
		})
	}
}

func withLimit(s providertest.CLIStep, status string) providertest.CLIStep {
	s.Limits = []providertest.CLILimit{{Status: status, ResetsAt: 1772366400}}
	return s
}

func TestUsageOfFailures(t *testing.T) {
	for _, c := range []struct {
		what  string
		step  providertest.CLIStep
		fails bool
		want  executor.Usage
	}{
		{"a failure that cost", providertest.CLIAuth().Cost(5, 6, 0.25), true, used(5, 6, 0.25)},
		{"a limit that cost nothing", providertest.CLIOverloaded().Cost(0, 0, 0), true, used(0, 0, 0)},
		{"not told", providertest.CLIStep{Result: &providertest.CLIResult{Text: "ok", NoUsage: true}}, false,
			executor.Usage{}},
		{"no result", providertest.CLIExit(1, "segmentation fault"), true, executor.Usage{}},
		{"a crash", providertest.CLICrash("SIGKILL"), true, executor.Usage{}},
	} {
		t.Run(c.what, func(t *testing.T) {
			p, _ := scripted(t, claudecli.Options{}, c.step)
			answer, err := p.Call(t.Context(), request(t))
			assert.Equal(t, c.fails, err != nil)
			assert.Equal(t, c.want, answer.Usage)
		})
	}
}

func used(in, out int64, usd float64) executor.Usage {
	return executor.Usage{InputTokens: taxonomy.Some(in), OutputTokens: taxonomy.Some(out), CostUSD: taxonomy.Some(usd)}
}

func TestWhatWasNotStartedCostNothing(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	notRunnable := filepath.Join(t.TempDir(), "claude")
	require.NoError(t, os.WriteFile(notRunnable, nil, 0o600))
	for _, c := range []struct {
		what string
		ctx  context.Context
		o    claudecli.Options
	}{
		{"no such program", t.Context(), claudecli.Options{Path: filepath.Join(t.TempDir(), "claude")}},
		{"no program", t.Context(), claudecli.Options{Path: notRunnable}},
		{"over before it began", ended, claudecli.Options{Path: os.Args[0]}},
		{"not permitted", t.Context(), claudecli.Options{Path: os.Args[0], SkipPermissions: true}},
	} {
		t.Run(c.what, func(t *testing.T) {
			p, err := claudecli.New(c.o)
			require.NoError(t, err)
			answer, err := p.Call(c.ctx, request(t))
			require.Error(t, err)
			assert.Equal(t, executor.Answer{Usage: used(0, 0, 0)}, answer)
		})
	}
}

func TestCancelled(t *testing.T) {
	for _, c := range []struct {
		name string
		step providertest.CLIStep
	}{
		{"hanging", providertest.CLIHang()},
		{"deaf, with a child", providertest.CLIHang().IgnoringTerm().WithChild(false)},
		{"with a child that escaped", providertest.CLIHang().IgnoringTerm().WithChild(true)},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, cli := scripted(t, claudecli.Options{}, c.step)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			req := request(t)
			req.Progress = func(string) { cancel() }
			answer, err := p.Call(ctx, req)
			require.ErrorIs(t, err, context.Canceled)
			assert.NotEmpty(t, answer.Session)
			assertNobodyLeft(t, cli)
		})
	}
}

func TestDeadline(t *testing.T) {
	p, cli := scripted(t, claudecli.Options{}, providertest.CLIHang().IgnoringTerm().WithChild(false),
		providertest.CLIHang())
	req := request(t)
	req.Limit = 300 * time.Millisecond
	_, err := p.Call(t.Context(), req)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	ev := evidence(t, err)
	assert.Equal(t, "timeout", ev.Type)
	assert.Equal(t, "300", ev.Attribute("timeout_ms"))
	assert.Equal(t, "3", ev.Attribute("iteration"))
	assert.NotEmpty(t, ev.Attribute("elapsed_ms"))
	assert.Equal(t, "ITERATION_TIMEOUT", code(t, err))
	assertNobodyLeft(t, cli)

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	req.Limit, req.Iteration = 0, 0
	_, err = p.Call(ctx, req)
	ev = evidence(t, err)
	assert.Equal(t, "timeout", ev.Type)
	assert.NotEmpty(t, ev.Attribute("timeout_ms"))
	assert.Empty(t, ev.Attribute("iteration"))
	assert.Equal(t, "ITERATION_TIMEOUT", code(t, err))
	assertNobodyLeft(t, cli)
}
