//go:build unix

package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor/state"
)

func TestAllDone(t *testing.T) {
	p := begin(t, threeTasks, "", "echo TASK_COMPLETE\n")
	got := p.do("-json", "-v")
	require.Equal(t, exitDone, got.code, got.hints)
	o := got.outcome(t)
	assert.Equal(t, 3, o.Done)
	assert.Equal(t, []string{"TASK-001", "TASK-002", "TASK-003"}, p.calls())
	assert.Contains(t, got.hints, "event=run_ended")

	again := p.do()
	assert.Equal(t, exitDone, again.code)
	assert.Contains(t, again.out, "3 of 3 tasks are done")
	assert.Len(t, p.calls(), 3, "a finished task is not repeated")
}

func TestOnFailure(t *testing.T) {
	const agent = "[ $SPECRUNNER_TASK = TASK-001 ] && echo TASK_FAILED: no || echo TASK_COMPLETE\n"
	for _, c := range []struct {
		policy string
		calls  []string
		left   string // TASK-002
		why    string
	}{
		{"stop", []string{"TASK-001", "TASK-001"}, "pending", "stopped, because task TASK-001 is not done"},
		{"skip", []string{"TASK-001", "TASK-001", "TASK-003"}, "skipped", ""},
		{"continue", []string{"TASK-001", "TASK-001", "TASK-002", "TASK-003"}, "completed", ""},
	} {
		t.Run(c.policy, func(t *testing.T) {
			p := begin(t, threeTasks, "max_retries: 2\non_failure: "+c.policy+"\n", agent)
			got := p.do("-json")
			o := got.outcome(t)
			assert.Equal(t, exitLeft, got.code)
			assert.Equal(t, c.calls, p.calls())
			assert.Equal(t, c.why, o.Why)
			assert.Equal(t, state.TaskStatus(c.left), p.status("TASK-002"))
			require.NotEmpty(t, o.Tasks)
			assert.Equal(t, "TASK_FAILED", o.Tasks[0].Code)
			assert.Equal(t, state.TaskFailed, o.Tasks[0].Status)

			again := p.do("-json").outcome(t)
			assert.Len(t, p.calls(), len(c.calls), "a failed task is left")
			assert.Contains(t, again.Tasks[0].Why, "-reset TASK-001")
		})
	}
}

func TestReset(t *testing.T) {
	p := begin(
		t, threeTasks, "max_retries: 1\n",
		"[ -e fixed ] || [ $SPECRUNNER_TASK != TASK-001 ] && echo TASK_COMPLETE || echo TASK_FAILED\n")
	require.Equal(t, exitLeft, p.do().code)
	assert.Equal(t, state.TaskSkipped, p.status("TASK-002"))
	p.write("fixed", "")
	got := p.do("-reset=TASK-001")
	require.Equal(t, exitDone, got.code, got.hints)
	assert.Contains(t, got.out, "TASK-001 begins anew")
	require.Equal(t, exitDone, p.do().code)
	attempts := p.attempts("TASK-001")
	require.Len(t, attempts, 2, "earlier attempts stay on record")
	assert.Equal(t, "TASK-001.1.1", attempts[0].Run)
	assert.Equal(t, "TASK-001.2.1", attempts[1].Run)
	assert.NotContains(t, p.read("prompt.txt"), "TASK_FAILED\n", "earlier generations are not in the prompt")
}

func TestTask(t *testing.T) {
	p := begin(t, threeTasks, "", "echo TASK_COMPLETE\n")
	got := p.do("-task=TASK-002")
	assert.Equal(t, exitLeft, got.code)
	assert.Contains(t, got.out, "depends on TASK-001, which is not done")
	assert.Empty(t, p.calls())
	assert.Equal(t, exitDone, p.do("-task=TASK-001").code)
	assert.Equal(t, exitDone, p.do("-task=TASK-002").code)
	assert.Equal(t, exitDone, p.do("-task=TASK-002").code, "it is done")
	assert.Equal(t, []string{"TASK-001", "TASK-002"}, p.calls())
}

// S18: a limit of the agent's service ends everything. It counts only in the profile phase1.
func TestRateLimit(t *testing.T) {
	for _, c := range []struct {
		profile string
		again   int
		code    int
		calls   int
	}{{"", exitDone, exitLeft, 4}, {"phase1", exitLeft, exitLeft, 3}} {
		t.Run(c.profile, func(t *testing.T) {
			p := begin(
				t, threeTasks, "max_retries: 1\non_failure: continue\nprofile: '"+c.profile+"'\n",
				"[ $n = 1 ] && [ $SPECRUNNER_TASK = TASK-001 ] && { echo \"You've hit your limit\" >&2; exit 1; "+
					"}\necho TASK_COMPLETE\n")
			got := p.do("-json")
			o := got.outcome(t)
			assert.Equal(t, exitLeft, got.code)
			require.Len(t, o.Tasks, 1)
			assert.Equal(t, "RATE_LIMIT", o.Tasks[0].Code)
			assert.Contains(t, o.Why, "every other task would fail")
			assert.Equal(t, []string{"TASK-001"}, p.calls())

			again := p.do()
			assert.Equal(t, c.again, again.code, again.out)
			assert.Len(t, p.calls(), c.calls)
		})
	}
}

// S10, S38
func TestConsecutiveFailures(t *testing.T) {
	p := begin(t, strings.ReplaceAll(threeTasks, "**Depends on:** [TASK-001]\n", ""),
		"max_retries: 1\nmax_consecutive_failures: 2\n", "echo TASK_FAILED\n")
	got := p.do("-json")
	assert.Equal(t, exitLeft, got.code)
	assert.Contains(t, got.outcome(t).Why, "max_consecutive_failures")
	assert.Equal(t, []string{"TASK-001", "TASK-002"}, p.calls())
	assert.Equal(t, exitLeft, p.do("-task=TASK-003").code)
	assert.Equal(t, []string{"TASK-001", "TASK-002", "TASK-003"}, p.calls(), "-task ignores the limit")
}

func TestRetrySettings(t *testing.T) {
	for config, want := range map[string]int{
		"max_retries: 4\n": 4,
		"max_retries: 4\noverrides: {policies: {attempts: {max_attempts: 2}}}\n": 2,
		"overrides: {policies: {attempts: {max_attempts: 5}}}\n":                 5,
		"max_retries: 1\noverrides: {policies: {attempts: {backoff: linear}}}\n": 1,
	} {
		t.Run(config, func(t *testing.T) {
			p := begin(t, oneTask, config, "echo broken >&2; exit 1\n")
			got := p.do()
			assert.Equal(t, exitLeft, got.code, got.hints)
			assert.Len(t, p.calls(), want, got.hints)
			assert.Equal(t, state.TaskFailed, p.status("TASK-001"))
		})
	}
}

func TestBudget(t *testing.T) {
	config := func(usd string) string {
		return "agent: {command: [sh, agent.sh]}\nbudget: {assume: {usd: 0.5}, task: {usd: 5}, all: {" + usd + "}}\n"
	}
	p := begin(t, threeTasks, "", "echo TASK_COMPLETE\n")
	p.write("specrunner.yml", config("usd: 1"))
	got := p.do("-json")
	o := got.outcome(t)
	require.Equal(t, exitLeft, got.code, got.hints)
	assert.Equal(t, []string{"TASK-001", "TASK-002"}, p.calls(), "no call begins without a budget")
	require.Len(t, o.Tasks, 3)
	assert.Equal(t, state.TaskBlocked, o.Tasks[2].Status)
	assert.Equal(t, "RATE_LIMIT", o.Tasks[2].Code)
	assert.NotEmpty(t, o.Tasks[2].Resolution)
	p.write("specrunner.yml", "agent: {command: [sh, agent.sh]}\n")
	assert.Contains(t, p.do("-json").outcome(t).Tasks[0].Error, "the cost of 2 calls is unknown", "the limit is stored")
	p.write("specrunner.yml", config(""))
	assert.Equal(t, exitDone, p.do().code)
}

// A missing agent is not the failure of a task.
func TestNoSuchAgent(t *testing.T) {
	p := begin(t, threeTasks, "", "echo TASK_COMPLETE\n")
	config := p.read("specrunner.yml")
	p.write("specrunner.yml", strings.Replace(config, "[sh, agent.sh]", "[no-such-program-anywhere]", 1))
	got := p.do("-json")
	assert.Equal(t, exitLeft, got.code, got.hints)
	assert.Len(t, got.outcome(t).Tasks, 1, "the others are not tried")
	assert.Equal(t, state.TaskPending, p.status("TASK-001"))
	p.write("specrunner.yml", config)
	assert.Equal(t, exitDone, p.do().code)
}

// S13: the state of an older runner is imported.
func TestOlderState(t *testing.T) {
	p := begin(t, threeTasks, "", "echo TASK_COMPLETE\n")
	p.write("spec/.executor-state.json", `{"tasks": {"TASK-001": {"status": "success", "attempts": [{"timestamp": "2026-01-02T15:04:05", "success": true,
		"duration_seconds": 1.5, "error": null, "claude_output": "done"}], "started_at": "2026-01-02T15:04:03",
		"completed_at": "2026-01-02T15:04:05"}},
		"consecutive_failures": 0, "total_completed": 1, "total_failed": 0}`)
	assert.Regexp(t, `(?m)^TASK-001 +completed +1 `, p.do("-status").out)
	assert.Equal(t, exitDone, p.do().code)
	assert.Equal(t, []string{"TASK-002", "TASK-003"}, p.calls())
	assert.FileExists(t, p.path("spec/.executor-state.json.bak"))
}

// With git, each finished task is a commit, and the agent's change of HEAD is reverted and
// explained to it.
func TestGit(t *testing.T) {
	p := begin(t, threeTasks, "git: true\n", "echo $SPECRUNNER_TASK >>work.txt\n"+
		"[ $SPECRUNNER_TASK$n != TASK-0031 ] || git checkout -q -b other\necho TASK_COMPLETE\n")
	git := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", p.dir}, args...)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	p.write(".gitignore", "spec/.executor-*\ncalls.txt\nprompt.txt\n")
	git("init", "-q", "-b", "main")
	git("config", "user.name", "A Person")
	git("config", "user.email", "person@example.com")
	git("add", ".")
	git("commit", "-q", "-m", "begin")
	got := p.do("-json")
	require.Equal(t, exitDone, got.code, got.hints)
	assert.Equal(t, "TASK-003: Three\nTASK-002: Two\nTASK-001: One\nbegin\n", git("log", "--format=%s"))
	assert.Equal(t, "* main\n", git("branch"))
	assert.Equal(t, "TASK-001\nTASK-002\nTASK-003\n", p.read("work.txt"))
}
