//go:build unix

package verify_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/escalate/plan"
	"github.com/errgen/errgen/runtime/escalate/verify"
	"github.com/errgen/errgen/runtime/taxonomy"
)

func sh(script string) plan.Command { return plan.Command{Args: []string{"sh", "-c", script}} }

// O45 to O47: a gate says what the process said.
func TestGate(t *testing.T) {
	dir := tree(t, map[string]string{"plain": "x"})
	for _, c := range []struct {
		name    string
		command plan.Command
		want    string
	}{
		{"passes", sh("exit 0"), ""},
		{"fails", sh("echo out; echo '--- FAIL: TestSum' >&2; exit 3"), "exit exit 3: out\n--- FAIL: TestSum"},
		{"is silent", sh("exit 1"), "exit exit 1: "},
		{"is ended by a signal", sh("echo so far; kill -KILL $$"), "exit SIGKILL: so far"},
		{"runs in the tree", sh("test -f plain || exit 9"), ""},
		{"is no shell line", plan.Command{Args: []string{"test", "$(id)", "=", "$(id)"}}, ""},
		{"is not there", plan.Command{Args: []string{"nosuchtool", "x"}},
			`not_found: start nosuchtool: exec: "nosuchtool": executable file not found in $PATH`},
		{"may not be executed", plan.Command{Args: []string{"./plain"}},
			"start EACCES: start plain: fork/exec ./plain: permission denied"},
		{"is an option", plan.Command{Args: []string{"--version"}},
			"start: the program --version begins with '-', as an option does"},
		{"has white space", plan.Command{Args: []string{"echo x"}},
			`start: the program "echo x" has white space in its name`},
		{"is none", plan.Command{}, "start: the command has no program"},
		{"shell does not find", sh("nosuchtool"), "exit exit 127: "},
	} {
		got := verifier(t, verify.Options{Dir: dir}).Gate(t.Context(), []plan.Command{c.command})
		if c.want == "" {
			assert.Empty(t, got, c.name)
			continue
		}
		if assert.Len(t, got, 1, c.name) {
			assert.Equal(t, "check gate", got[0].Source+" "+got[0].Op, c.name)
			assert.Contains(t, brief(got[0]), c.want, c.name)
			assert.Empty(t, got[0].Output)
		}
	}
	ev := verifier(t, verify.Options{Dir: dir}).Gate(t.Context(), []plan.Command{{Args: []string{"nosuchtool"}}})[0]
	assert.ErrorIs(t, ev, exec.ErrNotFound)
}

// All commands are run, and each failure is said, in order.
func TestTheGateRunsAllCommands(t *testing.T) {
	got := verifier(t, verify.Options{Dir: t.TempDir()}).Gate(
		t.Context(), []plan.Command{sh("exit 1"), sh("true"), sh("exit 2")})
	require.Len(t, got, 2)
	assert.Equal(t, []string{"sh -c 'exit 1'", "sh -c 'exit 2'"},
		[]string{got[0].Attribute("command"), got[1].Attribute("command")})
	assert.Equal(t, []taxonomy.Opt[int]{taxonomy.Some(1), taxonomy.Some(2)},
		[]taxonomy.Opt[int]{got[0].ExitCode, got[1].ExitCode})
}

func TestCommandsAreStopped(t *testing.T) {
	dir := t.TempDir()
	v := verifier(t, verify.Options{Dir: dir, Grace: 100 * time.Millisecond})
	command := sh("echo begun; sleep 600 & echo $! >pid; wait")
	var ev *taxonomy.Evidence
	var pid []byte
	// until it comes so far within its limit
	for command.Limit = 300 * time.Millisecond; len(pid) == 0; command.Limit *= 4 {
		require.Less(t, command.Limit, 2*time.Minute)
		ev = v.Gate(t.Context(), []plan.Command{command})[0]
		assert.Contains(t, ev.Text, "did not end within "+command.Limit.String())
		pid, _ = os.ReadFile(filepath.Join(dir, "pid"))
	}
	assert.Equal(t, "timeout", ev.Type)
	assert.True(t, ev.ExitCode.IsZero(), "how it ended was our doing")
	assert.True(t, strings.HasPrefix(ev.Text, "begun\n"), ev.Text)
	assert.ErrorIs(t, ev, context.DeadlineExceeded)
	assert.NotContains(t, stateOf(strings.TrimSpace(string(pid))), "S", "what it started is ended, too")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	all := v.Gate(ctx, []plan.Command{sh("touch ran"), sh("touch ran")})
	require.Len(t, all, 1, "what was not run is no success")
	assert.ErrorIs(t, all[0], context.Canceled)
	assert.NoFileExists(t, filepath.Join(dir, "ran"))
	assert.Len(t, v.Criteria(ctx, []plan.Criterion{{Kind: plan.Passes, Command: &command}}), 1)
}

// stateOf returns the state of a process as ps prints it; empty for none.
func stateOf(pid string) string {
	out, _ := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
	return string(out)
}

func TestWhatCommandsPrintIsBoundedAndScrubbed(t *testing.T) {
	t.Setenv("V_API_KEY", "sk-live-0123456789abcdefghijklmnop")
	t.Setenv("V_NAME", "value")
	v := verifier(t, verify.Options{Dir: t.TempDir(), Output: 1000, Env: []string{"V_NAME"}})
	got := v.Gate(t.Context(), []plan.Command{
		sh("env; exit 1"),
		sh("yes 'a line' | head -c 1000000; echo 'password=hunter2hunter2'; exit 1"),
		{Args: []string{"sh", "-c", "exit 1", "--password=hunter2hunter2"}},
	})
	require.Len(t, got, 3)
	assert.NotContains(t, got[0].Text, "V_API_KEY", "the environment is an allow-list")
	assert.Contains(t, got[0].Text, "V_NAME=value")
	assert.LessOrEqual(t, len(got[1].Text), 1000)
	assert.Contains(t, got[1].Text, "password=[REDACTED]")
	text, err := json.Marshal(got)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "hunter2")
	assert.NotContains(t, got[2].Attribute("command"), "hunter2")
}

// A criterion that a command decides is a result: no exit code, unless the command could not be
// started.
func TestACommandAsCriterion(t *testing.T) {
	slow := sh("sleep 600")
	slow.Limit = 100 * time.Millisecond
	for _, c := range []struct {
		command plan.Command
		want    string
		actual  string
	}{
		{sh("exit 0"), "", ""},
		{sh("echo no; exit 3"), "content: sh -c 'echo no; exit 3': expected exit code 0, found exit code 3",
			"exit code 3"},
		{sh("kill -TERM $$"), "content: sh -c 'kill -TERM $$': expected exit code 0, found ended by SIGTERM",
			"ended by SIGTERM"},
		{slow, "content: sh -c 'sleep 600': expected exit code 0, found sh -c 'sleep 600' did not end within 100ms",
			"sh -c 'sleep 600' did not end within 100ms"},
		{sh("nosuchtool"), "content exit 127: sh -c nosuchtool: expected exit code 0, found exit code 127",
			"exit code 127"},
		{plan.Command{Args: []string{"nosuchtool"}}, "not_found: start nosuchtool: ", "it was not run"},
		{plan.Command{Args: []string{"./none"}}, "not_found ENOENT: start none: ", "it was not run"},
	} {
		k := plan.Criterion{Kind: plan.Passes, Command: &c.command}
		v := verifier(t, verify.Options{Dir: t.TempDir(), Grace: 100 * time.Millisecond})
		got := v.Criteria(t.Context(), []plan.Criterion{k})
		if c.want == "" {
			assert.Empty(t, got)
			continue
		}
		require.Len(t, got, 1)
		assert.Equal(t, "check criteria", got[0].Source+" "+got[0].Op)
		assert.Contains(t, brief(got[0]), c.want)
		assert.Equal(
			t, []string{"exit code 0", c.actual}, []string{got[0].Attribute("expected"), got[0].Attribute("actual")})
		assert.Empty(t, got[0].Files)
		if got[0].Type == "content" {
			assert.NoError(t, got[0].Err)
			assert.Empty(t, got[0].Signal)
		}
	}
	got := verifier(t, verify.Options{Dir: t.TempDir()}).Criteria(t.Context(), []plan.Criterion{{Kind: plan.Passes}})
	assert.Equal(t, "start: the command has no program", brief(got[0]))
	said := sh("echo why; exit 3")
	got = verifier(t, verify.Options{Dir: t.TempDir()}).Criteria(
		t.Context(), []plan.Criterion{{Kind: plan.Passes, Command: &said}})
	assert.Equal(t, "why\n", got[0].Output, "rules do not search it")
}
