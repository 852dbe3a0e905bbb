//go:build unix

package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/detect"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"

	"specrunner.example.com/runner/errs"
)

// S17-S24, S26, S40, S41, B-S02, B-S04, B-S07, B-S11: each failure by its code, the reaction, and
// what the state has.
func TestFailures(t *testing.T) {
	const tests, lint = "hooks: {post_done: [{run: %, type: tests}]}\n", "hooks: {post_done: [{run: %, type: lint}]}\n"
	hook := func(config, script string) string { return strings.Replace(config, "%", "[sh, -c, \""+script+"\"]", 1) }
	for _, c := range []struct {
		name, config, agent string
		profile             string
		code, reaction      string
		counts              bool
		attempts, calls     int
		status              string
		ends                bool // the whole queue
	}{
		{name: "S17", config: "limits: {attempt: 200ms}\n", agent: "exec sleep 600\n",
			code: "TIMEOUT", reaction: "same_again", counts: true, attempts: 2, calls: 2, status: "failed"},
		{name: "S18", agent: "echo \"You've hit your limit\" >&2; exit 1\n",
			code: "RATE_LIMIT", reaction: "return_api_error", attempts: 1, calls: 1, status: "blocked", ends: true},
		{name: "S18, phase 1", agent: "echo \"You've hit your limit\" >&2; exit 1\n", profile: "phase1",
			code: "RATE_LIMIT", reaction: "return_api_error", counts: true, attempts: 1, calls: 1, status: "blocked",
			ends: true},
		{name: "S20", config: hook(tests, "echo '--- FAIL: TestSum'; exit 1"), agent: "echo TASK_COMPLETE\n",
			code: "TEST_FAILURE", reaction: "explain_and_retry", counts: true, attempts: 2, calls: 2, status: "failed"},
		{name: "S21", config: hook(lint, "echo 'a.py:1:1: F401'; exit 1"), agent: "echo TASK_COMPLETE\n",
			code: "LINT_FAILURE", reaction: "explain_and_retry", counts: true, attempts: 2, calls: 2, status: "failed"},
		{name: "S22", agent: "echo 'TASK_FAILED: no table'\n",
			code: "TASK_FAILED", reaction: "explain_and_retry", counts: true, attempts: 2, calls: 2, status: "failed"},
		{name: "B-S04", agent: "echo 'Prompt is too long' >&2; exit 1\n",
			code: "TASK_FAILED", reaction: "shorten_and_retry", counts: true, attempts: 2, calls: 2, status: "failed"},
		{name: "S23 before the agent", config: "hooks: {pre_start: ['exit 1']}\n", agent: "echo TASK_COMPLETE\n",
			code: "HOOK_FAILURE", reaction: "fail_fast", counts: true, attempts: 1, status: "failed"},
		{name: "S36 after the agent", config: "hooks: {post_done: ['exit 1']}\n", agent: "echo TASK_COMPLETE\n",
			code: "HOOK_FAILURE", reaction: "fail_fast", counts: true, attempts: 1, calls: 1, status: "failed"},
		{name: "a hook past its limit", config: "hooks: {limit: 100ms, grace: 1ms, post_done: ['exec sleep 600']}\n",
			agent: "echo TASK_COMPLETE\n",
			code:  "HOOK_FAILURE", reaction: "fail_fast", counts: true, attempts: 1, calls: 1, status: "failed"},
		{name: "S24", agent: "echo 'panic: index out of range' >&2; exit 3\n",
			code: "UNKNOWN", reaction: "explain_and_retry", counts: true, attempts: 2, calls: 2, status: "failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := begin(t, oneTask, "max_retries: 2\nprofile: '"+c.profile+"'\n"+c.config, c.agent)
			got := p.do("-json")
			o := got.outcome(t)
			require.Len(t, o.Tasks, 1, got.hints)
			assert.Equal(t, exitLeft, got.code)
			assert.Equal(t, []string{c.code, c.status}, []string{o.Tasks[0].Code, string(o.Tasks[0].Status)},
				o.Tasks[0].Error)
			assert.Equal(t, c.ends, strings.Contains(o.Why, "ended everything"), o.Why)
			if c.name != "S17" { // on a busy machine the limit can end before the agent has noted its call
				assert.Len(t, p.calls(), c.calls)
			}
			all := p.attempts("TASK-001")
			require.Len(t, all, c.attempts)
			for i, a := range all {
				assert.Equal(t, []any{false, c.code, taxonomy.Some(c.counts)}, []any{a.Success, a.CodeAsWritten,
					a.Counted})
				if i < c.attempts-1 || c.attempts == 1 {
					assert.Equal(t, c.reaction, a.Reaction)
				}
			}
			assert.Equal(t, c.status, string(p.status("TASK-001")))
		})
	}
}

// S20-S24, S33, S34: what the prompt of the next attempt contains.
func TestNextPrompt(t *testing.T) {
	const once = "if [ ! -e once ]; then touch once; %; fi\n"
	for _, c := range []struct {
		name, config, agent string
		want                []string
	}{
		{"S20", "hooks: {post_done: [{run: [sh, hook.sh], type: tests}]}\n", "", []string{"TEST_FAILURE",
			"--- FAIL: TestSum"}},
		{"S21", "hooks: {post_done: [{run: [sh, hook.sh], type: lint}]}\n", "", []string{"LINT_FAILURE",
			"--- FAIL: TestSum"}},
		{"S22", "", "echo 'TASK_FAILED: there is no such table'; exit 0", []string{"TASK_FAILED",
			"there is no such table"}},
		{"S24", "", "echo 'panic: index' >&2; exit 3", []string{"UNKNOWN", "panic: index"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			agent := ""
			if c.agent != "" {
				agent = strings.Replace(once, "%", c.agent, 1)
			}
			p := begin(t, oneTask, c.config, agent+"echo TASK_COMPLETE\n")
			p.write("hook.sh", strings.Replace(once, "%", "echo '--- FAIL: TestSum'; exit 1", 1))
			require.Equal(t, exitDone, p.do().code)
			prompt := p.read("prompt.txt")
			for _, text := range append(c.want, "Do one.", "This is attempt 2 of 3.") {
				assert.Contains(t, prompt, text)
			}
			assert.Len(t, p.attempts("TASK-001"), 2)
		})
	}
}

// S37: hooks after the agent do not run if it failed.
func TestHooksAfterFailure(t *testing.T) {
	for _, agent := range []string{"exit 1", "echo TASK_FAILED", "echo TASK_BLOCKED; exit 0"} {
		p := begin(t, oneTask, "max_retries: 1\nhooks: {post_done: [touch hook]}\n", agent+"\n")
		p.do()
		assert.NoFileExists(t, p.path("hook"), agent)
	}
}

// S18, S22, S24, S35, B-S02, B-S03, B-S12: the result of a call.
func TestJudge(t *testing.T) {
	const limited = `echo "You've hit your limit" >&2; `
	for _, c := range []struct {
		name, script string
		code         string
		signal       executor.Signal
	}{
		{"exit 0", "echo fixed", "", executor.SignalDone},
		{"warnings", "echo fixed; echo 'warning: an old version' >&2", "", executor.SignalDone},
		{"no answer", "exit 0", "UNKNOWN", 0},
		{"fenced marker", "echo 'it prints'; echo '```'; echo TASK_FAILED; echo '```'", "", executor.SignalDone},
		{"marker in Markdown", "echo '**TASK_FAILED**: no table'", "TASK_FAILED", 0},
		{"question in Markdown", "echo '**TASK_BLOCKED**: which of them?'", "", executor.SignalBlocked},
		{"question and exit 1", "echo 'TASK_BLOCKED: which of them?'; exit 1", "", executor.SignalBlocked},
		{"question and complete", "echo TASK_BLOCKED; echo TASK_COMPLETE", "", executor.SignalDone},
		{"exit 1", "exit 1", "UNKNOWN", 0},
		{"complete", "echo all of it; echo TASK_COMPLETE", "", executor.SignalDone},
		{"complete with CRLF", `printf 'TASK_COMPLETE\r\n'`, "", executor.SignalDone},
		{"failed and exit 0", "echo 'TASK_FAILED: no table'", "TASK_FAILED", 0},
		{"failed and exit 1", "echo 'TASK_FAILED: no table'; exit 1", "TASK_FAILED", 0},
		{"failed before complete", "echo TASK_FAILED; echo TASK_COMPLETE", "TASK_FAILED", 0},
		{"complete before failed", "echo TASK_COMPLETE; echo TASK_FAILED", "TASK_FAILED", 0},
		{"quoted marker", "echo '> TASK_FAILED'", "", executor.SignalDone},
		{"marker in a sentence", "echo 'I print TASK_FAILED: never'; exit 1", "UNKNOWN", 0},
		{"longer word", "echo TASK_FAILED_HANDLER; exit 1", "UNKNOWN", 0},
		{"answer about limits", "echo 'Error: rate limit exceeded'", "", executor.SignalDone},
		{"complete about limits, exit 1", "echo 'Error: rate limit exceeded'; echo TASK_COMPLETE; exit 1", "",
			executor.SignalDone},
		{"complete and a limit on stderr", limited + "echo TASK_COMPLETE", "", executor.SignalDone},
		{"failed and a limit on stderr", limited + "echo TASK_FAILED; exit 1", "TASK_FAILED", 0},
		{"limit on stderr", limited, "RATE_LIMIT", 0},
		{"limit of a failed call", limited + "exit 1", "RATE_LIMIT", 0},
		{"limit in the answer of a failed call", `echo "You've hit your limit"; echo more >&2; exit 1`, "RATE_LIMIT",
			0},
		{"body of the service",
			`echo '{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}' >&2; exit 1`,
			"RATE_LIMIT", 0},
		{"full context", "echo 'Prompt is too long' >&2; exit 1", "TASK_FAILED", 0},
		{"signal", "echo TASK_COMPLETE; kill -9 $$", "UNKNOWN", 0},
		{"not UTF-8", `printf '\377\n'; echo TASK_COMPLETE`, "", executor.SignalDone},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &program{dir: t.TempDir()}
			p.settings.Agent.Command = []string{"/bin/sh", "-c", c.script}
			a, err := p.newAgent("TASK-001", p.newHooks("TASK-001"))
			require.NoError(t, err)
			answer, err := a.Call(t.Context(), executor.Request{})
			if c.code == "" {
				require.NoError(t, err)
			} else {
				classified := errs.Classify(err, detect.WithSource(errs.SourceAgent))
				require.Equal(t, c.code, taxonomy.CodeOf(classified), "%v", err)
			}
			assert.Equal(t, c.signal, answer.Signal)
		})
	}
}

// Secrets in the environment of the agent reach neither the state nor the output.
func TestSecrets(t *testing.T) {
	t.Setenv("SPEC_API_KEY", "q9zx-not-to-be-seen")
	p := begin(t, oneTask, "max_retries: 1\nhooks: {env: [SPEC_API_KEY], post_done: ['echo $SPEC_API_KEY; exit 1']}\n",
		"echo I have $SPEC_API_KEY; echo $SPEC_API_KEY >&2; echo TASK_COMPLETE\n")
	p.write("specrunner.yml", strings.Replace(p.read("specrunner.yml"), "grace: 100ms", "env: [SPEC_API_KEY]", 1))
	got := p.do("-v")
	assert.Equal(t, exitLeft, got.code)
	assert.NotContains(t, got.out+got.hints, "q9zx")
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(p.path("spec/.executor-state.db" + suffix))
		if !os.IsNotExist(err) {
			require.NoError(t, err)
		}
		assert.NotContains(t, string(b), "q9zx")
	}
}
