//go:build unix

package main

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/config"
	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/taxonomy"
	"github.com/errgen/errgen/runtime/validate"

	"specrunner.example.com/runner/errs"
)

// line is a hook that is a line for the shell.
func line(text, kind string) hook { return hook{Run: validate.Command{Line: text}, Type: kind} }

func validated(t *testing.T, h hookSettings, at place) error {
	t.Helper()
	if at.Dir == "" {
		at.Dir = t.TempDir()
	}
	h.Grace = 200 * time.Millisecond
	v, err := newChecks(h, at)
	require.NoError(t, err)
	return v.Validate(t.Context(), executor.PreCommit)
}

// S20, S21, S36: a hook after the agent hands back a code. B-S02: whatever it is not, is a failure
// of the hook.
func TestHooksAfterAnAgent(t *testing.T) {
	tests := []struct {
		name  string
		hook  hook
		code  string
		says  string
		check string // what the tests or linters have printed
	}{
		{"it passes", line("echo '--- FAIL: TestSum'", hookTests), "", "", ""},
		{"S20 tests", line("echo '--- FAIL: TestSum'; exit 1", hookTests), "TEST_FAILURE",
			"tests failed: echo '--- FAIL: TestSum'; exit 1 failed", "--- FAIL: TestSum\n"},
		{"S20 tests that crash", line("kill -SEGV $$", hookTests), "TEST_FAILURE", "tests failed: kill -SEGV $$ failed",
			""},
		{"S20 tests by what they print", line("echo '--- FAIL: TestSum (0.00s)' >&2; exit 1", ""), "TEST_FAILURE",
			"tests failed: --- FAIL: TestSum (0.00s)", ""},
		{"S20 not the linter's", line("echo 'a.go:1:1: wrong'; exit 1", hookTests), "TEST_FAILURE", "",
			"a.go:1:1: wrong\n"},
		{"S21 linters", line("echo 'a.go:1:1: wrong'; exit 2", hookLint), "LINT_FAILURE", "", "a.go:1:1: wrong\n"},
		{"S21 linters by what they print", line("echo 'a.go:1:1: wrong'; exit 2", ""), "LINT_FAILURE", "", ""},
		{"B-S02 anything else", line("echo 'cannot merge'; exit 2", ""), "HOOK_FAILURE",
			"the hook post_done (echo 'cannot merge'; exit 2) failed with exit code 2: cannot merge", ""},
		{"B-S02 silent", line("exit 2", ""), "HOOK_FAILURE", "the hook post_done (exit 2) failed with exit code 2", ""},
		{"tests that the shell does not find", line("no-such-test-runner", hookTests), "HOOK_FAILURE", "", ""},
		{"tests that are not there",
			hook{Run: validate.Command{Args: []string{"no-such-test-runner"}}, Type: hookTests}, "HOOK_FAILURE", "",
			""},
		{"tests that do not end",
			hook{Run: validate.Command{Line: "echo '--- FAIL: TestSum'; sleep 600"}, Type: hookTests,
				Limit: 100 * time.Millisecond},
			"HOOK_FAILURE", "did not end within 100ms", "--- FAIL: TestSum\n"},
		{"a hook that does not end",
			hook{Run: validate.Command{Line: "echo '--- FAIL: TestSum'; sleep 600"}, Limit: 100 * time.Millisecond},
			"HOOK_FAILURE", "did not end within 100ms", "--- FAIL: TestSum\n"},
		{"arguments are no line",
			hook{Run: validate.Command{Args: []string{"sh", "-c", "exit $1", "x", "3"}}, Type: hookTests},
			"TEST_FAILURE",
			"sh -c 'exit $1' x 3 failed", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var err error
			within(t, tt.hook.Limit, func(limit time.Duration) bool {
				tt.says = strings.ReplaceAll(tt.says, tt.hook.Limit.String(), limit.String())
				tt.hook.Limit = limit
				err = validated(t, hookSettings{PostDone: []hook{tt.hook}}, place{})
				ev, ok := err.(*taxonomy.Evidence)
				return limit == 0 || ok && ev.Output != ""
			})
			if tt.code == "" {
				assert.NoError(t, err)
				return
			}
			classified := errs.Classify(err)
			assert.Equal(t, tt.code, taxonomy.CodeOf(classified))
			assert.Contains(t, classified.Error(), tt.says)
			ev, ok := err.(*taxonomy.Evidence)
			require.True(t, ok)
			assert.Equal(t, tt.check, ev.Output)
			assert.Equal(t, "post_done", ev.Source)
		})
	}
}

// The first hook that fails ends the attempt, and is what counts.
func TestHooksRunInOrder(t *testing.T) {
	dir := t.TempDir()
	h := hookSettings{PostDone: []hook{line("echo a >> ran", ""), line("echo b >> ran; exit 1", hookLint),
		line("echo c >> ran; exit 1", hookTests)}}
	assert.Equal(t, "LINT_FAILURE", codeOf(validated(t, h, place{Dir: dir})))
	assert.Equal(t, "a\nb\n", read(t, dir, "ran"))
}

func TestWhenHooksCheck(t *testing.T) {
	none, err := newChecks(hookSettings{PreStart: []hook{line("exit 1", "")}}, place{})
	require.NoError(t, err)
	some, err := newChecks(hookSettings{PostDone: []hook{line("exit 1", "")}}, place{})
	require.NoError(t, err)
	for _, phase := range []executor.Phase{executor.PreCommit, executor.PrePush, executor.PrePR} {
		assert.False(t, none.(executor.Selective).Checks(phase))
		assert.Equal(t, phase == executor.PreCommit, some.(executor.Selective).Checks(phase))
		assert.Equal(t, phase == executor.PreCommit, some.Validate(t.Context(), phase) != nil)
		assert.NoError(t, none.Validate(t.Context(), phase))
	}
}

// S23: without the hook the agent is not even begun, and it has cost nothing.
func TestHooksBeforeAnAgent(t *testing.T) {
	dir := t.TempDir()
	h := hookSettings{PreStart: []hook{line("echo a >> ran", ""),
		line("echo 'fatal: not a git repository' >&2; exit 128", ""), line("echo c >> ran", "")}}
	a, err := call(t, shell("echo agent | tee -a ran"), h, place{Dir: dir}, executor.Request{})
	assert.Equal(t, "a\n", read(t, dir, "ran"))
	assert.Equal(t, "HOOK_FAILURE", codeOf(err))
	assert.Equal(
		t, "the hook pre_start (echo 'fatal: not a git repository' >&2; exit 128) failed with exit code 128: "+
			"fatal: not a git repository", errs.Classify(err).Error())
	assert.Equal(t, nothing(), a.Usage)

	h.PreStart = h.PreStart[:1]
	_, err = call(t, shell("echo agent | tee -a ran"), h, place{Dir: dir}, executor.Request{})
	require.NoError(t, err)
	assert.Equal(t, "a\na\nagent\n", read(t, dir, "ran"))
}

// A hook whose output says that tests fail is still only a hook before the agent.
func TestHooksBeforeAnAgentAreNoTests(t *testing.T) {
	for _, script := range []string{"echo '--- FAIL: TestSum'; exit 1", "echo 'Error: rate limit exceeded'; exit 1",
		"echo TASK_COMPLETE; exit 1", "sleep 600"} {
		t.Run(script, func(t *testing.T) {
			h := hookSettings{PreStart: []hook{line(script, "")}, Limit: 300 * time.Millisecond,
				Grace: 100 * time.Millisecond}
			_, err := call(t, shell("exit 0"), h, place{}, executor.Request{})
			assert.Equal(t, "HOOK_FAILURE", codeOf(err))
		})
	}
}

// A hook that has used up the iteration is the hook's failure, and not the agent's.
func TestAHookThatUsesUpTheIteration(t *testing.T) {
	p, err := newAgent(
		shell("exit 0"), hookSettings{PreStart: []hook{line("sleep 600", "")}, Grace: 100 * time.Millisecond},
		place{Dir: t.TempDir()})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err = p.Call(ctx, executor.Request{})
	assert.ErrorIs(t, err, errs.CodeHookFailure)
}

func TestACancelledHookHasNoCode(t *testing.T) {
	p, err := newAgent(shell("exit 0"), hookSettings{PreStart: []hook{line("exec sleep 600", "")}},
		place{Dir: t.TempDir()})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	_, err = p.Call(ctx, executor.Request{Started: func(executor.Process) error { cancel(); return nil }})
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, codeOf(err))
}

func TestWhatAHookIsGiven(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-of-somebody")
	t.Setenv("HOOK_MODE", "fast")
	dir := t.TempDir()
	h := hookSettings{PreStart: []hook{line("env > before", "")},
		PostDone: []hook{line("env > after; pwd > place", "")}, Env: []string{"HOOK_MODE"}}
	at := place{Dir: dir, Task: "TASK-007"}
	_, err := call(t, agentSettings{Command: []string{"echo", "done"}, Env: []string{"ANTHROPIC_API_KEY"}}, h, at,
		executor.Request{})
	require.NoError(t, err)
	require.NoError(t, validated(t, h, at))
	for _, name := range []string{"before", "after"} {
		env := read(t, dir, name)
		assert.Contains(t, env, "SPECRUNNER_TASK=TASK-007\n")
		assert.Contains(t, env, "HOOK_MODE=fast\n")
		assert.Contains(t, env, "PATH=")
		assert.NotContains(t, env, "sk-ant-of-somebody")
	}
	real, err := filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	assert.Equal(t, real+"\n", read(t, dir, "place"))
}

// What a hook prints is bounded, and its end is kept.
func TestHookOutputIsBounded(t *testing.T) {
	err := validated(
		t, hookSettings{PostDone: []hook{line("yes 0123456789 | head -c 3000000; echo the end; exit 1", hookTests)}},
		place{})
	ev, ok := err.(*taxonomy.Evidence)
	require.True(t, ok)
	assert.LessOrEqual(t, len(ev.Output), maxHookOutput)
	assert.Contains(t, ev.Output, "the end\n")
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(b)
}

func TestSettings(t *testing.T) {
	type both struct {
		Agent agentSettings `yaml:"agent"`
		Hooks hookSettings  `yaml:"hooks"`
	}
	const hooksText = `
hooks:
  limit: 5m
  pre_start:
    - git status
    - [make, deps]
  post_done:
    - {run: [go, test, ./...], type: tests, limit: 10m}
    - {run: golangci-lint run, type: lint}
    - make check
`
	var got both
	warnings, err := config.Parse("specrunner.yml", []byte("agent: {claude: {model: opus}}"+hooksText), &got)
	require.NoError(t, err)
	assert.Empty(t, warnings)
	assert.Equal(t, &claudeSettings{Model: "opus"}, got.Agent.Claude)
	assert.Equal(
		t, []hook{{Run: validate.Command{Line: "git status"}},
			{Run: validate.Command{Args: []string{"make", "deps"}}}}, got.Hooks.PreStart)
	assert.Equal(t, []hook{
		{Run: validate.Command{Args: []string{"go", "test", "./..."}}, Type: "tests", Limit: 10 * time.Minute},
		{Run: validate.Command{Line: "golangci-lint run"}, Type: "lint"}, {Run: validate.Command{Line: "make check"}},
	}, got.Hooks.PostDone)
	assert.Equal(t, 10*time.Minute, got.Hooks.limitOf(got.Hooks.PostDone[0]))
	assert.Equal(t, 5*time.Minute, got.Hooks.limitOf(got.Hooks.PreStart[0]))
	assert.Equal(t, 10*time.Minute, new(hookSettings).limitOf(hook{}))
	assert.Greater(t, iterationLimit(0, got.Hooks), defaultCallLimit+10*time.Minute)

	tests := []struct{ name, text, want string }{
		{"nobody", "agent: {grace: 5s}",
			"agent is a mapping, expected claude: {} or command: [program, arguments ...]"},
		{"both", "agent: {claude: {}, command: [x]}", "agent.command is a list, expected no command beside claude"},
		{"no program", "agent: {command: ['']}", `agent.command[0] is "", expected a program`},
		{"a hook of no kind", "hooks: {post_done: [{run: x, type: test}]}",
			`hooks.post_done[0].type is "test", expected tests or lint, or no type`},
		{"a kind before the agent", "hooks: {pre_start: [{run: x, type: tests}]}",
			`hooks.pre_start[0].type is "tests", expected no type, which only hooks in post_done have`},
		{"a hook without a command", "hooks: {post_done: [{type: tests}]}", "hooks.post_done[0]"},
		{"an empty hook", "hooks: {post_done: ['']}", "hooks.post_done[0]"},
		{"a limit that is none", "hooks: {post_done: [{run: x, limit: soon}]}",
			`hooks.post_done[0].limit is "soon", expected`},
		{"less than nothing", "hooks: {limit: -1s}", `hooks.limit is "-1s", expected 0 (the default) or more`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var into both
			_, err := config.Parse("x.yml", []byte(tt.text), &into)
			require.Error(t, err)
			assert.Contains(t, err.Error(), tt.want)
		})
	}
	_, err = newAgent(agentSettings{}, hookSettings{}, place{})
	assert.ErrorIs(t, err, errNoAgent)
	_, err = newAgent(agentSettings{Claude: &claudeSettings{MaxTurns: -1}}, hookSettings{}, place{})
	assert.ErrorContains(t, err, "max turns")
	_, err = newChecks(hookSettings{PostDone: []hook{{}}}, place{})
	assert.Error(t, err)
}

// What hooks are given as secrets is masked in what they print, as that of the agent is: it goes to
// the state, the log and the next prompt. A failure names the hook.
func TestWhatHooksPrintOfSecrets(t *testing.T) {
	const secret = "hunter2-hunter2"
	for name, h := range map[string]hook{
		"tests":   line("echo $HOOK_PASSWORD; exit 1", hookTests),
		"no type": line("echo $HOOK_PASSWORD; exit 1", ""),
		"limit":   {Run: validate.Command{Line: "echo $HOOK_PASSWORD; sleep 600"}, Limit: 200 * time.Millisecond},
		"line":    line("echo "+secret+"; exit 1", ""),
		"typed":   line("echo "+secret+"; exit 1", hookLint),
		"program": {Run: validate.Command{Args: []string{"sh", "-c", "exit 1", secret}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := hookSettings{PostDone: []hook{h}, PreStart: []hook{h}, Env: []string{"HOOK_PASSWORD=" + secret},
				Grace: 100 * time.Millisecond}
			s.PreStart[0].Type = ""
			var after, before error
			within(t, h.Limit, func(limit time.Duration) bool {
				s.PostDone[0].Limit, s.PreStart[0].Limit = limit, limit
				after = validated(t, s, place{})
				_, before = call(t, shell("echo done"), s, place{}, executor.Request{})
				return limit == 0 || strings.Contains(allSaid(t, after), taxonomy.Redacted) &&
					strings.Contains(allSaid(t, before), taxonomy.Redacted)
			})
			for _, err := range []error{after, before} {
				all := allSaid(t, err)
				assert.NotContains(t, all, secret)
				if name != "program" {
					assert.Contains(t, all, taxonomy.Redacted+"\n")
				}
			}
		})
	}
}

// allSaid is all that a failure of a hook says.
func allSaid(t *testing.T, err error) string {
	t.Helper()
	ev, ok := err.(*taxonomy.Evidence)
	require.True(t, ok)
	own, ok := errors.AsType[*errs.AttemptError](errs.Classify(err))
	require.True(t, ok)
	return ev.Text + ev.Output + strings.Join(slices.Collect(maps.Values(ev.Attributes)), "") + own.Error() + string(
		own.AppendContext(nil))
}

func TestAFailureNamesTheHook(t *testing.T) {
	long := "exit 3 # " + strings.Repeat("x", 1000)
	for _, tt := range []struct {
		hook hook
		says string
	}{
		{line("exit 3", ""), "(exit 3) failed with exit code 3"},
		{line("echo broken; exit 3", ""), "(echo broken; exit 3) failed with exit code 3: broken"},
		{hook{Run: validate.Command{Args: []string{"sh", "-c", "exit 3"}}},
			"(sh -c 'exit 3') failed with exit code 3"},
		{hook{Run: validate.Command{Args: []string{"no-such-program-anywhere", "x"}}},
			"(no-such-program-anywhere x) failed"},
		{line("true\nexit 3", ""), "(true) failed with exit code 3"},
	} {
		s := hookSettings{PostDone: []hook{tt.hook}, PreStart: []hook{tt.hook}}
		_, before := call(t, shell("echo done"), s, place{}, executor.Request{})
		assert.Contains(t, errs.Classify(before).Error(), "the hook pre_start "+tt.says)
		assert.Contains(t, errs.Classify(validated(t, s, place{})).Error(), "the hook post_done "+tt.says)
	}
	assert.Less(t, len(errs.Classify(validated(t, hookSettings{PostDone: []hook{line(long, "")}}, place{})).Error()),
		300)
}
