//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errgen/errgen/runtime/executor"
	"github.com/errgen/errgen/runtime/proc"
	"github.com/errgen/errgen/runtime/providers/providertest"
)

// hanging is an agent that has changed a forbidden file, and then does not end.
func hanging() providertest.CLIStep {
	return providertest.CLIStep{Script: "printf 'replicas: 300\\n' >deploy/production.yml; hang"}
}

// ready waits until the agent has changed the file and the state contains its process.
func (a *acted) ready() {
	a.t.Helper()
	await(a.t, func() bool {
		b, err := os.ReadFile(a.path("deploy/production.yml"))
		return err == nil && strings.Contains(string(b), "300") && a.agent().PID != 0
	})
}

func TestKillAndResume(t *testing.T) {
	a := begin(t, "", hanging(), done())
	cmd := process(t, a.args("-run one")...)
	require.NoError(t, cmd.Start())
	a.ready()
	agent := a.agent()
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	assert.Contains(t, a.do("-list").out, "not ended")
	answered := a.do("-resume one -answer yes")
	assert.Equal(t, exitUsage, answered.code)
	assert.Contains(t, answered.hints, "has no question")

	got := a.do("-resume one -json")
	require.Equal(t, exitOK, got.code, got.hints)
	assert.True(t, got.result(t).Resumed)
	assert.False(t, proc.Alive(agent), "the old agent was ended")
	assert.Equal(t, "replicas: 3\n", a.read("deploy/production.yml"), "its changes were judged")
	assert.Equal(t, "2", a.git("rev-list --count HEAD"))
}

func TestInterrupt(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(signal.String(), func(t *testing.T) {
			a := begin(t, "", hanging())
			var out, hints bytes.Buffer
			cmd := process(t, a.args("-run act -json")...)
			cmd.Stdout, cmd.Stderr = &out, &hints
			require.NoError(t, cmd.Start())
			a.ready()
			agent := a.agent()
			require.NoError(t, cmd.Process.Signal(signal))
			_ = cmd.Wait()
			assert.Equal(t, exitFailed, cmd.ProcessState.ExitCode(), hints.String())
			var r executor.Result
			require.NoError(t, json.Unmarshal(out.Bytes(), &r), hints.String())
			assert.Equal(t, executor.EndCancelled, r.EndReason)
			assert.Zero(t, r.Failures)
			assert.Contains(t, hints.String(), "aidf: interrupted")
			assert.Equal(t, "replicas: 3\n", a.read("deploy/production.yml"), "the changes were judged")
			assert.False(t, proc.Alive(agent), "the agent was ended")
		})
	}
}

func TestSecondInterruptKills(t *testing.T) {
	heard := make(chan os.Signal, 1) // the child does not inherit that it is ignored
	signal.Notify(heard, os.Interrupt)
	defer signal.Stop(heard)
	a := begin(t, "", hanging().IgnoringTerm())
	config := filepath.Join(a.dir, "aidf.yml")
	a.write(config, strings.Replace(cliConfig, `/claude"}`, `/claude", grace: 1h}`, 1))
	var hints watched
	cmd := process(t, a.args("-run act")...)
	cmd.Stderr = &hints
	require.NoError(t, cmd.Start())
	a.ready()
	agent := a.agent()
	t.Cleanup(func() { _ = syscall.Kill(-agent.PID, syscall.SIGKILL) })
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	await(t, func() bool { return strings.Contains(hints.String(), "second interrupt") })
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	_ = cmd.Wait()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	require.True(t, ok)
	assert.Equal(t, syscall.SIGINT, status.Signal(), hints.String())
}

// watched is the output of a process that runs.
type watched struct {
	mu sync.Mutex
	b  strings.Builder
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

func TestAnswer(t *testing.T) {
	a := begin(t, "", providertest.CLIAnswer("BLOCKED: Old customers, or new?").Write("greet.txt", "Hello?\n"),
		providertest.CLIAnswer("TASK COMPLETE"))
	got := a.do("-run one")
	assert.Equal(t, exitFailed, got.code)
	assert.Contains(t, got.out, "-resume one -answer")
	assert.Contains(t, a.do("-list").out, "run one asks: Old customers, or new?")

	got = a.do("-resume one -json -answer", "All of them.")
	require.Equal(t, exitOK, got.code, got.hints)
	require.Len(t, a.prompts(), 2)
	assert.Contains(t, a.prompts()[1], "All of them.")
	assert.Equal(t, "Hello?", a.git("show HEAD:greet.txt"))
}

const checked = "validation: {pre_commit: [[sh, check.sh]]}\n"

func TestContinueWithRaisedLimitsAndAfterAFix(t *testing.T) {
	steps := []providertest.CLIStep{providertest.CLIAnswer("TASK COMPLETE").Write("greet.txt", "hi\n"),
		providertest.CLIAnswer("TASK COMPLETE").Always()}
	a := begin(t, "limits: {failures: 1}\n"+checked, steps...)
	r := a.do("-run one -json").result(t)
	assert.Equal(t, executor.EndMaxFailures, r.EndReason)
	assert.Equal(t, "VALIDATION_PRE_COMMIT", r.ErrorCode)

	a.write(filepath.Join(a.dir, "aidf.yml"), cliConfig+"limits: {failures: 2}\n"+checked)
	r = a.do("-resume one -json").result(t)
	assert.Equal(t, executor.EndMaxFailures, r.EndReason)
	assert.Equal(t, 3, r.Iterations, "the limit counts from where the run was continued")

	a.write(a.path("check.sh"), "exit 0\n")
	got := a.do("-resume one -json")
	require.Equal(t, exitOK, got.code, got.hints)
	assert.Equal(t, "hi", a.git("show HEAD:greet.txt"), "pending work is committed")
	assert.Equal(t, " M check.sh", a.git("status --short"), "a person's change is not")
}

func TestTakeOver(t *testing.T) {
	for _, c := range []struct {
		flag, warning, status string
	}{
		{"", "it does not deliver them", " M greet.txt"},
		{" -take-over", "it takes them over", ""},
	} {
		a := begin(t, "", providertest.CLIAnswer("BLOCKED: now?").Write("greet.txt", "Hello!\n"),
			providertest.CLIAnswer("TASK COMPLETE").Write("docs/greeting.md", "A sentence.\n"))
		a.write(filepath.Join(a.dir, "aidf.yml"), cliConfig+"deliver: nothing\n")
		require.Equal(t, exitFailed, a.do("-run one").code)
		assert.Contains(t, a.do("-list").out, "run one left uncommitted: greet.txt")
		a.write(filepath.Join(a.dir, "aidf.yml"), cliConfig)
		got := a.do("-run two -json" + c.flag)
		require.Equal(t, exitOK, got.code, got.hints)
		r := got.result(t)
		require.Len(t, r.Warnings, 1)
		assert.Contains(t, r.Warnings[0], "run one left 1 change uncommitted (greet.txt)")
		assert.Contains(t, r.Warnings[0], c.warning)
		assert.Equal(t, c.status, a.git("status --short"))
	}
}

func TestAttempts(t *testing.T) {
	const key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"
	a := begin(t, "limits: {failures: 1}\n", providertest.CLIAnswer("Bigger.").
		Write("deploy/production.yml", "replicas: 300\n").Write("docs/a.md", "key "+key+"\n"))
	first := a.do("-run one")
	require.Equal(t, exitFailed, first.code)
	assert.Regexp(t, `aidf attempts -repo '/.*' one\n`, first.out, "the command can be used from anywhere")
	assert.Regexp(t, `1 .*deploy/production.yml \(modified\), docs/a.md \(added\)`, a.do("attempts one").out)
	patch := a.do("attempts one 1").out
	assert.Contains(t, patch, "+replicas: 300")
	assert.NotContains(t, patch, key)
	assert.Equal(t, "replicas: 300\n", a.do("attempts one 1 deploy/production.yml").out)

	assert.Equal(t, "replicas: 3\n", a.read("deploy/production.yml"))
	const restore = "attempts -restore one 1 deploy/production.yml"
	assert.Contains(t, a.do(restore).hints, "docs/a.md", "the working tree has a change")
	a.git("clean -fdq docs")
	assert.Equal(t, "restored deploy/production.yml\n", a.do(restore).out)
	assert.Equal(t, "replicas: 300\n", a.read("deploy/production.yml"))
	assert.Equal(t, " M deploy/production.yml", a.git("status --short"))

	for _, line := range []string{"attempts two", "attempts one 9", "attempts one 1 missing.txt"} {
		assert.Equal(t, exitFailed, a.do(line).code, line)
	}
}
